// Exactly the lines with the comment `error` must not compile. The compiler's message contains the text after the colon.
import { choices, Client, labels, may, parameterLabels, rights, ServiceError, writable } from "./client";

export async function mistakes(client: Client, error: ServiceError): Promise<void> {
  await client.sessions.lst(); // error
  await client.sessions.get(); // error
  await client.sessions.get({ id: "1" }); // error
  await client.sessions.list({ frist: 3 }); // error
  await client.sessions.list({ order_by: ["-dat"] }); // error
  await client.sessions.list({ where: { modul: "x" } }); // error
  await client.sessions.list({ where: { modalite: "X" } }); // error
  await client.sessions.list({ where: { date: { after: "2026-01-01" } } }); // error
  await client.sessions.list({ select: "{ id modul }" }); // error: « modul » n’existe pas sur sessions
  await client.sessions.list({ select: "{ id client { nom } }" }); // error: « nom » n’existe pas sur clients
  await client.sessions.create({ values: { module: "x" } }); // error
  await client.sessions.update({ id: 1, values: { version: 3 } }); // error
  await client.sessions.share({ id: 1, format: "fax" }); // error
  await client.auth.login({ email: "a@b.fr" }); // error
  await client.call("sessions.nope", {}); // error
  await client.sessions.aggregate({ select: "{ count }", group_by: ["month(module)"] }); // error
  const page = await client.sessions.list({ select: "{ id client { ville } }" });
  page.items[0]?.module; // error
  page.items[0]?.client.ville; // error
  const some = await client.sessions.aggregate({ select: "{ sum { marge } }", group_by: ["client_id"] });
  some.items[0]?.count; // error
  some.items[0]?.formateur_id; // error
  const [me] = await client.batch((b) => [b.auth.me({ select: "{ email }" })]);
  me.role; // error
  if (error.is("conflict")) error.data.retry_after; // error
  if (error.is("nope")) return; // error
}

export async function selections(client: Client): Promise<void> {
  await client.sessions.list({ select: "{ client }" }); // error: « client » est une relation
  await client.sessions.list({ select: "{ c: client id }" }); // error: « client » est une relation
  await client.sessions.list({ select: "{ id { x } }" }); // error: « id » est une valeur simple
  await client.sessions.list({ select: "{ id(first: 3) }" }); // error: « id » ne prend pas d’argument
  await client.sessions.list({ select: "{ client(first: 3) { id } }" }); // error: « client » mène à un seul
  await client.sessions.list({ select: "{ }" }); // error: Une sélection vide
  await client.sessions.list({ select: "{ client { } }" }); // error: Une sélection vide
  await client.sessions.list({ select: "{ id" }); // error: Une accolade « } » manque
  await client.sessions.list({ select: "{ client { id }" }); // error: Une accolade « } » manque
  await client.sessions.list({ select: "{ ...A } fragment A on sessions { id" }); // error: du fragment « A »
  await client.sessions.list({ select: "{ id } }" }); // error: Après la sélection
  await client.sessions.list({ select: "{ id } module" }); // error: Après la sélection
  await client.sessions.list({ select: "id" }); // error: La sélection commence par « { »
  await client.sessions.list({ select: "# { id }" }); // error: La sélection commence par « { »
  await client.sessions.list({ select: "{ id: }" }); // error: Le champ que renomme « id » manque
  await client.sessions.list({ select: "{ id @skip }" }); // error: « @ » n’a pas de sens ici
  await client.sessions.list({ select: "{ id .. module }" }); // error: « . » n’a pas de sens ici
  await client.sessions.list({ select: '{ "id" }' }); // error: n’a pas de sens ici
  await client.sessions.list({ select: "{ 2: id }" }); // error: « 2 » n’a pas de sens ici
  await client.sessions.list({ select: "{ été: id }" }); // error: « é » n’a pas de sens ici
  await client.clients.list({ select: '{ sessions(search: "a) { id } }' }); // error: Une chaîne n’est pas fermée
  await client.clients.list({ select: '{ sessions(search: "a\n") { id } }' }); // error: Une chaîne n’est pas fermée
  await client.clients.list({ select: '{ sessions(search: """a") { id } }' }); // error: Une chaîne n’est pas fermée
  await client.clients.list({ select: "{ sessions(first: 3 { id } }" }); // error: Une parenthèse « ) » manque
  await client.clients.list({ select: "{ sessions { id client { vile } } }" }); // error: « vile » n’existe pas
  await client.sessions.list({ select: "{ ...B } fragment A on sessions { id }" }); // error: « B » n’est pas défini
  await client.sessions.list({ select: "{ ...A }" }); // error: « A » n’est pas défini
  await client.sessions.list({ select: "{ ...A } # fragment A on sessions { id }" }); // error: « A » n’est pas défini
  await client.sessions.list({ select: "{ ...A } fragment A on clients { id }" }); // error: pour clients, pas pour sessions
  await client.sessions.list({ select: "{ ...A } fragment A on sessions { idd }" }); // error: « idd » n’existe pas
  await client.sessions.list({ select: "{ ...A } fragment A on sessions { id ...A }" }); // error: se contenir lui-même
  await client.sessions.list({ select: "{ id } fragment A on sessions { id }" }); // error: n’est pas utilisé
  await client.sessions.list({ select: "{ id ... on sessions { id } }" }); // error: fragments en ligne
  await client.sessions.list({ select: "{ x: id x: module }" }); // error: La clé « x » est demandée deux fois
  await client.sessions.list({ select: "{ client { x: id } client { x: ville } }" }); // error: La clé « x »
  await client.sessions.list({ select: "{ ...A module: id } fragment A on sessions { module }" }); // error: La clé « module »
}

export async function commands(client: Client): Promise<void> {
  await client.clients.fusionner({ garde: 1 }); // error: ClientsFusionnerParams
  await client.clients.fusionner({ garde: 1, absorbe: 2, values: { id: 3 } }); // error
  await client.sessions.repeter({ id: 1, dates: "2026-01-12" }); // error
  await client.sessions.repeter({ id: 1, dates: [], select: "{ nope }" }); // error: « nope » n’existe pas
}

export async function signsIn(client: Client, error: ServiceError): Promise<void> {
  await client.auth.login({ email: "", password: "", cookie: "always" }); // error: "always"
  error.current("sesions"); // error: "sesions"
  error.current("sessions")?.dat; // error
  rights.sessions.destroy; // error
  writable.sessions.delete; // error
  labels.sessions.titre; // error
  labels.sessions.module = "Titre"; // error
  choices.sessions.modalite.X; // error
  parameterLabels.sessions.decaler.jour; // error
  may("user", "sessions.destroy"); // error: "sessions.destroy"
}

export async function feed(client: Client): Promise<void> {
  client.events({ tables: ["sesions"] }); // error: "sesions"
  client.events({ table: ["sessions"] }); // error
  for await (const change of client.events({ tables: ["sessions", "clients"] })) {
    if (change.table === "ecoles") return; // error
    if (change.op === "insert") return; // error
    change.version.toFixed(); // error
  }
  await client.changes.list({ tables: ["sesions"] }); // error: "sesions"
  await client.sessions.list({}, { retry: 3 }); // error
}

export async function aggregates(client: Client): Promise<void> {
  await client.sessions.aggregate({ select: "{ sum { margee } }" }); // error: « margee » n’existe pas sur sessions
  await client.sessions.aggregate({ select: "{ min { nope } }" }); // error: « nope » n’existe pas sur sessions
  await client.sessions.aggregate({ select: "{ countt }" }); // error: « countt » n’est pas un agrégat
  await client.sessions.aggregate({ select: "{ summ { marge } }" }); // error: « summ » n’est pas un agrégat
  await client.sessions.aggregate({ select: "{ __typename count }" }); // error: « __typename » n’est pas un agrégat
  await client.sessions.aggregate({ select: "{ sum { __typename } }" }); // error: « __typename » n’existe pas
  await client.sessions.aggregate({ select: "{ sum { date } }" }); // error: « sum » ne vaut pas pour « date »
  await client.sessions.aggregate({ select: "{ avg { debut } }" }); // error: « avg » ne vaut pas pour « debut »
  await client.sessions.aggregate({ select: "{ max { module } }" }); // error: « max » ne vaut pas pour « module »
  await client.sessions.aggregate({ select: "{ sum }" }); // error: Nommez entre accolades
  await client.sessions.aggregate({ select: "{ count { id } }" }); // error: « count » ne prend pas de sélection
  await client.sessions.aggregate({ select: "{ sum { } }" }); // error: Une sélection vide
  await client.sessions.aggregate({ select: "{ count" }); // error: Une accolade « } » manque
  await client.sessions.aggregate({ select: "{ ...A } fragment A on sessions { count }" }); // error: « . » n’a pas de sens
  await client.sessions.aggregate({ select: "{ x: count x: sum { marge } }" }); // error: La clé « x »
  await client.formateurs.create({ values: { prenom: "a", nom: "b", exterieur: 2 } }); // error
  const page = await client.sessions.list({ select: "{ id }" });
  page.total.toFixed(); // error
}
