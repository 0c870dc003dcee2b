// The documents of a session: opened, sent to others, and signed.

import { each, h } from "view";
import type { Child } from "view";
import type { DocumentLink } from "learntrack";
import { command } from "../../../../parts/command";
import { confirm, openDialog } from "../../../../parts/dialog";
import { email, FormView, makeForm, text } from "../../../../parts/form";
import { Icon } from "../../../../parts/icons";
import { say } from "../../../../parts/notices";
import { FailureOf } from "../../../../parts/unanswered";
import { account, ask, askAgain, client, directory, may, newKey } from "../../../../store";
import type { SessionRow } from "../../../../store";
import { ago, instant } from "../../../../words/instants";

type Signed = "sessions.convention" | "sessions.contrat_formateur";

interface Kind {
  label: string;
  link: (id: number) => Promise<DocumentLink>;
  signed?: Signed;
  allowed: boolean;
}

function kinds(): readonly Kind[] {
  const all: readonly Kind[] = [
    {
      label: "Récapitulatif", allowed: may("sessions.recapitulatif"),
      link: (id) => client.sessions.recapitulatif({ id, audience: account()?.role === "admin" ? "interne" : "formateur" }),
    },
    { label: "Convention", allowed: may("sessions.convention"), link: (id) => client.sessions.convention({ id }), signed: "sessions.convention" },
    {
      label: "Contrat du formateur", allowed: may("sessions.contrat_formateur"), link: (id) => client.sessions.contrat_formateur({ id }),
      signed: "sessions.contrat_formateur",
    },
  ];
  return all.filter((kind) => kind.allowed);
}

/** A subcontract is for a trainer who is not employed. */
function suits(kind: Kind, row: SessionRow): boolean {
  if (kind.signed !== "sessions.contrat_formateur") return true;
  return directory("formateurs").value()?.find(({ id }) => id === row.formateur_id)?.exterieur !== 0;
}

export const hasDocuments = (): boolean => kinds().length > 0;

/** Opens what a link answers in a tab of its own, which has to be opened at once for the browser to allow it. */
async function open(link: () => Promise<DocumentLink>): Promise<void> {
  const tab = window.open("", "_blank");
  try {
    const { url } = await link();
    if (tab === null) location.assign(url);
    else {
      tab.opener = null;
      tab.location.replace(url);
    }
  } catch (error) {
    tab?.close();
    throw error;
  }
}

/** Where the system has no sheet that takes a file, the button says that it saves one. */
function sendWord(): string {
  const file = new File([], "document.pdf", { type: "application/pdf" });
  return navigator.canShare?.({ files: [file] }) ? "Envoyer" : "Télécharger";
}

/** Gives the file itself to the system's sheet, since a link to it ends; where there is none, saves it. */
async function send(link: () => Promise<DocumentLink>): Promise<void> {
  const { url, name, media_type } = await link();
  const { pathname } = new URL(url, location.href);
  const answer = await fetch(pathname);
  if (!answer.ok) throw new Error(`the document answers ${answer.status}`);
  const file = new File([await answer.blob()], name, { type: media_type });
  if (navigator.canShare?.({ files: [file] })) {
    try {
      await navigator.share({ files: [file], title: name });
    } catch (error) {
      if (!(error instanceof DOMException && error.name === "AbortError")) throw error;
    }
    return;
  }
  const saved = URL.createObjectURL(file);
  const anchor = document.createElement("a");
  anchor.href = saved;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(saved), 60_000);
  say(`${name} est enregistré sur cet appareil.`);
}

export function Documents({ row }: { row: () => SessionRow }): Child {
  const word = sendWord();
  return (
    <div class="documents">
      <ul class="document-list" role="list" aria-label="Documents">
        {/* A button stays while the record is read anew: a press that has begun is not lost. */}
        {each(() => kinds().filter((kind) => suits(kind, row())), (kind) => kind.label, (one) => {
          const kind = one();
          const opens = command(() => open(() => kind.link(row().id)));
          const sends = command(() => send(() => kind.link(row().id)));
          return (
            <li>
              <span class="document-name"><Icon name="document" />{kind.label}</span>
              <span class="actions">
                <button type="button" aria-label={`Ouvrir\u202f: ${kind.label}`} aria-busy={() => (opens.busy() ? "true" : null)} onclick={() => void opens()}>
                  Ouvrir
                </button>
                <button type="button" aria-label={`${word}\u202f: ${kind.label}`} aria-busy={() => (sends.busy() ? "true" : null)} onclick={() => void sends()}>
                  {word}
                </button>
                {kind.signed !== undefined && may("signatures.demander")
                  ? (
                    <button type="button" aria-label={`Faire signer\u202f: ${kind.label}`} onclick={() => askSignatures(kind.signed!, kind.label, row())}>
                      Faire signer…
                    </button>
                  )
                  : null}
              </span>
            </li>
          );
        })}
      </ul>
      {may("signatures.demander") ? <Missing row={row} /> : null}
      {may("signatures.list") ? <Signatures row={row} /> : null}
    </div>
  );
}

const needed = { raison_sociale: "raison sociale", siret: "SIRET", nda: "numéro de déclaration d’activité", signataire: "signataire" };

/** Nothing of it shows: the characters are those that the service takes for blank. */
const isBlank = (text: string | null | undefined): boolean => /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}]*$/u.test(text ?? "");

/** What contracts lack, before one asks for signatures. */
function Missing({ row }: { row: () => SessionRow }): Child {
  const found = ask("organisme of contracts", async () =>
    (await client.organisme.list({ first: 1, select: "{ raison_sociale siret nda signataire }" })).items[0] ?? null, ["organisme"]);
  return () => {
    const one = found.value();
    if (one === undefined) return null;
    const lacks = (Object.keys(needed) as (keyof typeof needed)[]).filter((name) => isBlank(one?.[name])).map((name) => needed[name]);
    return [
      lacks.length === 0 ? null : (
        <p class="hint">
          {`Pour faire signer un contrat, complétez l’organisme\u202f: ${lacks.join(", ")}. `}
          {may("organisme.update") ? <a href="/organisme">Compléter</a> : null}
        </p>
      ),
      row().programme ? null : <p class="hint">Sans programme, la convention ne dit ni les objectifs ni le contenu de la formation.</p>,
    ];
  };
}

/** What was asked to be signed of the documents of a session. */
const requestsOf = (id: number) => ask(`signatures ${id}`, () => client.signatures.list({
  where: { record_id: id, method: { like: "sessions.%" } }, order_by: ["-id"], first: 100,
  select: "{ id name method status expired expires_at created_at account_id signatories { id name email signed_at opened_at mail_error } }",
}), ["signatures", "signatories"]);

/** Who has to sign: one person at first, the one the document is for. */
function askSignatures(method: Signed, label: string, row: SessionRow): void {
  openDialog({
    heading: "Demander une signature",
    text: `${label} de la session «\u00a0${row.module}\u00a0». Chaque signataire reçoit un lien valable quatorze jours.`,
    body: (close) => {
      const person = method === "sessions.convention"
        ? directory("clients").value()?.find(({ id }) => id === row.client_id)
        : directory("formateurs").value()?.find(({ id }) => id === row.formateur_id);
      const key = newKey();
      const requests = requestsOf(row.id);
      const name = person === undefined ? null : "nom_complet" in person ? person.nom_complet : person.nom_contact;
      const form = makeForm({
        sections: [{
          fields: [
            text("nom", "Nom du signataire", { required: "Donnez le nom du signataire.", wide: true }),
            email("email", "Adresse e-mail du signataire", { required: "Donnez l’adresse du signataire.", wide: true }),
            text("nom2", "Nom du second signataire", { wide: true, hint: "Facultatif\u202f: la personne qui signe pour votre organisme." }),
            email("email2", "Adresse e-mail du second signataire", { wide: true }),
          ],
        }],
        values: { nom: name ?? null, email: person?.email ?? null },
        check: ({ nom2, email2 }) => ({
          ...(nom2 === null && email2 !== null ? { nom2: "Donnez le nom du second signataire." } : {}),
          ...(nom2 !== null && email2 === null ? { email2: "Donnez l’adresse du second signataire." } : {}),
        }),
        submit: "Envoyer le lien",
        send: async (values) => {
          const signataires: { nom: string; email: string; pour: "client" | "formateur" | "organisme" }[] = [
            { nom: String(values.nom), email: String(values.email), pour: method === "sessions.convention" ? "client" : "formateur" },
          ];
          if (values.nom2 !== null) signataires.push({ nom: String(values.nom2), email: String(values.email2), pour: "organisme" });
          await client.signatures.demander({ document: { methode: method, params: { id: row.id } }, signataires, idempotency_key: key, select: "{ id }" });
          askAgain(["signatures"]);
          return true;
        },
        done: () => {
          close();
          say("Demande de signature envoyée");
        },
        cancel: close,
      });
      const earlier = (): string | null => {
        const last = requests.value()?.items.find((one) => one.method === method && (one.status === "signed" || (one.status === "waiting" && !one.expired)));
        if (last === undefined) return null;
        const names = last.signatories.map((person) => person.name).join(", ");
        return last.status === "signed"
          ? `Ce document a déjà été signé (${names}).`
          : `Une demande attend déjà d’être signée par ${names}\u202f: vous pouvez la relancer, ou la retirer.`;
      };
      return [
        () => (earlier() === null ? null : <p class="form-hint" role="status">{earlier()}</p>),
        <FormView form={form} inDialog />,
      ];
    },
  });
}

const stages = { waiting: "En attente", signed: "Signé", cancelled: "Annulé" } as const;

/** How far the signatures of this session's documents are. */
function Signatures({ row }: { row: () => SessionRow }): Child {
  const id = row().id;
  const requests = requestsOf(id);
  const mine = (): NonNullable<ReturnType<typeof requests.value>>["items"] => requests.value()?.items ?? [];
  const tables = ["signatures", "signatories"];
  const remind = command((key, id: number, signataire: number) => client.signatures.relancer({ id, signataire, idempotency_key: key, select: "{ id }" }), { done: "Lien renvoyé", tables });
  const cancel = command((_, id: number) => client.signatures.annuler({ id, select: "{ id }" }), { done: "Demande retirée", tables });
  const download = command((_, id: number) => open(() => client.signatures.telecharger({ id })));
  const mayManage = (by: number): boolean => account()?.role === "admin" || account()?.id === by;
  return [<FailureOf of={requests} beside />, () => (mine().length === 0
    ? null
    : (
      <ul class="signatures" role="list" aria-label="Signatures">
        {mine().map((one) => {
          const waits = one.status === "waiting";
          return (
            <li class="signature">
              <div class="signature-head">
                <span class="document-name"><Icon name="edit" />{one.name}</span>
                <span class={`badge ${one.status === "signed" ? "internal" : waits ? "external" : ""}`}>
                  {waits && one.expired ? "Expiré" : stages[one.status]}
                </span>
              </div>
              <ul role="list" class="signatories">
                {one.signatories.map((person) => (
                  <li>
                    <span>
                      {person.name}
                      {" "}
                      <span class="quiet-text small">
                        {person.signed_at !== null
                          ? `a signé ${ago(person.signed_at)}`
                          : person.mail_error !== null
                            ? `le lien n’est pas parti\u202f: ${person.mail_error}`
                            : person.opened_at !== null ? `a ouvert le document ${ago(person.opened_at)}` : "n’a pas encore ouvert le document"}
                      </span>
                    </span>
                    {waits && !one.expired && person.signed_at === null && mayManage(one.account_id) && may("signatures.relancer")
                      ? <button type="button" class="plain" aria-label={`Relancer ${person.name}`} onclick={() => void remind(one.id, person.id)}>Relancer</button>
                      : null}
                  </li>
                ))}
              </ul>
              <div class="actions">
                {waits ? <span class="quiet-text small">{`Jusqu’au ${instant(one.expires_at)}`}</span> : null}
                {may("signatures.telecharger")
                  ? <button type="button" class="plain" onclick={() => void download(one.id)}>{one.status === "signed" ? "Ouvrir le document signé" : "Ouvrir le document"}</button>
                  : null}
                {waits && mayManage(one.account_id) && may("signatures.annuler")
                  ? (
                    <button
                      type="button" class="plain danger-text"
                      onclick={() => void confirm({
                        heading: "Retirer la demande de signature\u202f?", text: "Les liens envoyés n’ouvriront plus rien.",
                        yes: "Retirer la demande", no: "Garder la demande",
                      }).then((yes) => (yes ? cancel(one.id) : false))}
                    >
                      Retirer la demande
                    </button>
                  )
                  : null}
              </div>
            </li>
          );
        })}
      </ul>
    ))];
}
