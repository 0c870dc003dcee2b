// Calls that must compile, and the types that the compiler must infer.
import {
  CallOptions, Change, ChangesLostError, choices, Client, CountedPage, Entities, ErrorData, Events, FeedTable, idOf, labels, Loose, may,
  methodLabels, Methods, Page, parameterChoices, parameterLabels, rights, RoleName, ServiceError, Sessions, Tokens, writable,
} from "./client";

/** Fails to compile unless A and B are the same type. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : never;
type Plain<T> = T extends (infer E)[] ? Plain<E>[] : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;
function same<A, B>(proof: Same<Plain<A>, Plain<B>>): void { void proof; }

export async function signsIn(client: Client): Promise<void> {
  const { refresh_token: token } = await client.auth.login({ email: "", password: "", cookie: "session" });
  same<typeof token, string | undefined>(true);
  const kept: Tokens = { access_token: "" };
  new Client({ url: "", tokens: kept });
  new Client({ url: "", tokens: {} });
  const isSignedIn: boolean = await client.refresh();
  await client.auth.refresh();
  await client.auth.logout();
  await client.signOut(isSignedIn);
}

export function knows(error: ServiceError): void {
  const roles: readonly RoleName[] = rights.sessions.update;
  const everyone: null = rights.auth.login;
  const columns: readonly (keyof Sessions)[] = writable.sessions.update;
  const isAllowed: boolean = may("user", "sessions.delete") || may(roles, "ecoles.create");
  void [everyone, columns, isAllowed];
  const now = error.current("sessions");
  same<typeof now, Sessions | undefined>(true);
}

/** Each field of a table has a label, each word of a choice, each command and each parameter that has been given one. */
export function showsLabels(session: Sessions, computed: string): void {
  same<keyof typeof labels, keyof Entities>(true);
  type Fields<T extends keyof Entities> = keyof (Entities[T]["columns"] & Entities[T]["derived"] & Entities[T]["one"] & Entities[T]["many"]);
  same<keyof typeof labels.sessions, Fields<"sessions">>(true);
  same<keyof typeof labels.clients, Fields<"clients">>(true);
  // A secret is written and not read.
  const secret: string = labels.organisme.discord_webhook;
  const head: "Tarif client" = labels.sessions.tarif_client;
  const columns: Record<keyof Sessions, string> = labels.sessions;
  same<keyof typeof choices.sessions.modalite, Sessions["modalite"]>(true);
  same<keyof typeof choices.sessions.statut, Entities["sessions"]["derived"]["statut"]>(true);
  const word: "Présentiel" | "Distanciel" = choices.sessions.modalite[session.modalite];
  const button: "Décaler" = methodLabels.sessions.decaler;
  const parameters: { readonly [name in keyof Methods["sessions.decaler"]["params"]]?: string } = parameterLabels.sessions.decaler;
  const interne: "Interne" = parameterChoices.sessions.share.audience.interne;
  const words: { readonly [word: string]: string } = choices.sessions.statut;
  void [secret, head, columns, word, button, parameters, interne, words[computed]];
}

export async function reads(client: Client, computed: string): Promise<void> {
  const whole = await client.sessions.list();
  same<typeof whole, Page<Sessions>>(true);

  const nested = await client.sessions.list({
    where: { date: { gte: "2026-01-01" }, modalite: "P", formateur: { nom: { ilike: "d%" } }, or: [{ id: 1 }, { marge: { gt: 0 } }] },
    order_by: ["-date", "formateur.nom"],
    select: "{ id date formateur { nom telephone } client { raison_sociale } }",
  });
  same<typeof nested.items[number], {
    id: number; date: string; formateur: { nom: string; telephone: string | null } | null;
    client: { raison_sociale: string } | null;
  }>(true);

  const aliased = await client.clients.get({
    id: 3,
    select: `{
      raison: raison_sociale, __typename # la table
      prochaines: sessions(where: {date: {gte: $now}}, order_by: ["-date"], first: 3) { date statut }
    }`,
    variables: { now: "2026-01-01" },
  });
  same<typeof aliased, {
    raison: string; __typename: "clients"; prochaines: { date: string; statut: "a_venir" | "en_cours" | "terminee" }[];
  }>(true);

  const card = await client.sessions.get({
    id: 3, select: "{ ...Carte client { ville } } fragment Carte on sessions { module client { id } }",
  });
  same<typeof card, { module: string; client: { id: number; ville: string | null } | null }>(true);

  const merged = await client.clients.get({
    id: 3, select: "{ ...Dates sessions { formateur { nom } client { sessions { id } } } } fragment Dates on clients { id sessions { date client { sessions { lieu } } } }",
  });
  same<typeof merged, {
    id: number;
    sessions: {
      date: string; formateur: { nom: string } | null; client: { sessions: { id: number; lieu: string | null }[] } | null;
    }[];
  }>(true);
  merged.sessions.map((one) => one.client?.sessions.map((other) => other.lieu));

  // A selection that the compiler does not know has a loose type, which is never wrong.
  const loose = await client.sessions.list({ select: computed });
  same<typeof loose, Page<Loose>>(true);
  const pieced = await client.sessions.list({ select: `{ id ${computed} }` });
  same<typeof pieced, Page<Loose>>(true);
  await client.sessions.list({ select: null });

  for await (const one of client.formateurs.listAll({ select: "{ nom_complet taux_horaire }" })) {
    same<typeof one, { nom_complet: string; taux_horaire: number | null }>(true);
  }

  // A view takes its parameters beside those of a list.
  const conflicts = await client.conflits.list({
    du: "2026-11-01", au: "2026-11-30", where: { minutes: { gt: 15 } }, select: "{ minutes session { module } }",
  });
  same<typeof conflicts.items[number], { minutes: number; session: { module: string } | null }>(true);
  const free = { date: "2026-11-02", debut: "09:00", fin: "12:00" };
  for await (const one of client.formateurs_disponibles.listAll({ ...free, select: "{ a_deja_enseigne }" })) {
    same<typeof one, { a_deja_enseigne: boolean }>(true);
  }

  const signal = new AbortController().signal;
  const created = await client.clients.create(
    { values: { raison_sociale: "Atelier", siret: null }, select: "{ id version }" }, { signal });
  same<typeof created, { id: number; version: number }>(true);
}

const order = ["-date", "formateur.nom"] as const;
const ids = [1, 2, 3] as const;
const day = { date: { gte: "2026-01-01" }, or: [{ id: { in: ids } }, { modalite: "P" }] } as const;
const keys = ["month(date)"] as const;

export async function given(client: Client, signal?: AbortSignal, options?: CallOptions): Promise<void> {
  await client.sessions.list({ where: day, order_by: order }, { signal });
  await client.sessions.list({ where: { id: { nin: ids } } }, options);
  const months = await client.sessions.aggregate({ select: "{ count }", group_by: keys, order_by: ["-count"] as const });
  same<typeof months.items[number], { "month(date)": string; count: number }>(true);
  const counted = await client.sessions.list({ count: true, select: "{ id }" });
  same<typeof counted, CountedPage<{ id: number }>>(true);
  const uncounted = await client.sessions.list({ count: Math.random() > 0.5, select: "{ id }" });
  same<typeof uncounted, Page<{ id: number }>>(true);
  await client.formateurs.create({ values: { prenom: "A", nom: "B", exterieur: 1 } });
  await client.formateurs.list({ where: { exterieur: { in: [0, null] } } });
  new Client({ url: "", tokens: { refresh_token: "" }, fetch: undefined, headers: undefined, onTokens: undefined });
}

export async function numbers(client: Client): Promise<void> {
  const months = await client.sessions.aggregate({
    group_by: ["month(date)", "client.ville", "formateur_id"],
    select: "{ count recettes: sum { tarif_client m: marge } avg { tarif_client } max { date } }",
    order_by: ["-count", "-sum.marge"],
  });
  same<typeof months.items[number], {
    "month(date)": string; "client.ville": string | null; formateur_id: number | null; count: number;
    recettes: { tarif_client: number; m: number }; avg: { tarif_client: number | null }; max: { date: string | null };
  }>(true);
  const all = await client.sessions.aggregate({ select: "{ count }" });
  same<typeof all.items[number], { count: number }>(true);
}

export async function together(client: Client): Promise<void> {
  const [me, page, rest] = await client.batch((b) => [
    b.auth.me({ select: "{ email role }" }), b.sessions.list({ select: "{ id }" }), b.ecoles.get({ id: 1 }).catch(() => null),
  ]);
  same<typeof me, { email: string; role: "admin" | "user" }>(true);
  same<typeof page.items[number], { id: number }>(true);
  rest?.nom.length;
  const any = await client.call("sessions.share", { id: 1, format: "email" });
  any.title.length;
}

export async function transactions(client: Client): Promise<void> {
  const { results: [one, two, three] } = await client.transaction.run({
    calls: [
      { method: "ecoles.create", params: { values: { nom: "A" }, select: "{ id }" }, as: "e" },
      { method: "ecoles.update", params: { id: idOf("e"), values: { ville: "Lyon" } } },
      { method: "ecoles.delete", params: { id: idOf("e") } },
    ],
    idempotency_key: "k", dry_run: true,
  });
  same<typeof three, { id: number; deleted: true }>(true);
  String(one["id"] ?? two["ville"]);
  const all = await client.call("transaction.run", { calls: [] });
  String(all.results[0]?.["id"]);
}

export async function commands(client: Client): Promise<void> {
  const kept = await client.clients.fusionner({
    garde: 1, absorbe: 2, values: { ville: "Lyon", email: null }, select: "{ id sessions { date } }",
  });
  kept.sessions.map((one) => one.date.length + kept.id);
  const moved = await client.sessions.decaler({ id: 1, debut: "10:00", if_version: 3, dry_run: true });
  moved.module.length;
  const { items } = await client.sessions.repeter({ id: 1, dates: ["2026-01-12"], select: "{ date client { id } }" });
  items.map((one) => one.date.length + (one.client?.id ?? 0));
}

export function conflicts(error: unknown): string | number {
  if (!(error instanceof ServiceError) || !error.is("conflict")) return "";
  switch (error.data.reason) {
    case "version": return String(error.data.current["module"]);
    case "referenced": return error.data.count;
    case "unique": return error.data.errors?.[0]?.path ?? "";
    default: return error.data.request_id;
  }
}

export async function feed(client: Client, tables: readonly FeedTable[], after: string | null): Promise<string | null> {
  const events = client.events({ tables: ["sessions", "clients"], after, signal: new AbortController().signal });
  same<typeof events, Events<"sessions" | "clients">>(true);
  try {
    for await (const change of events) {
      same<typeof change, {
        table: "sessions" | "clients"; id: number; op: "create" | "update" | "delete"; version: number | null;
      }>(true);
    }
  } catch (error) {
    if (error instanceof ChangesLostError) return error.cursor;
  }
  for await (const change of client.events({ tables })) same<typeof change, Change>(true);
  for await (const change of client.events()) same<typeof change.table, FeedTable>(true);
  const page = await client.changes.list({ after, tables: ["sessions"], first: 10 });
  same<typeof page.items[number], Change>(true);
  await client.ecoles.create({ values: { nom: "A" } }, { retries: 3 });
  return events.cursor ?? page.end_cursor;
}

export function failures(error: unknown): string {
  if (!(error instanceof ServiceError)) return "";
  const data: ErrorData = error.data;
  if (error.is("conflict") && error.data.reason === "idempotency") return String(error.data.retryable ?? false);
  if (error.is("conflict")) return error.data.reason;
  if (error.is("invalid_params")) return error.data.errors.map((one) => `${one.path} ${one.code}`).join();
  if (error.is("rate_limited")) return error.data.retry_after.toFixed();
  switch (data.code) {
    case "limit_exceeded": return data.limit;
    case "unauthenticated": return data.reason;
    default: return data.request_id;
  }
}
