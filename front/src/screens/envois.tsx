// Mails and announcements that have not left, for administrators: why, and a way to send them again.

import { each, h, untracked } from "view";
import type { Child } from "view";
import { command } from "../parts/command";
import { Empty, Outlines } from "../parts/list";
import { Noted } from "../parts/noted";
import { say } from "../parts/notices";
import type { Screen } from "../parts/shell";
import { FailureOf } from "../parts/unanswered";
import { ask, client } from "../store";
import { ago, instant } from "../words/instants";
import { count } from "../words/sentences";

const selection = "{ id kind record_id created_at not_before failures last_error cause gave_up_at }";

const load = () => client.outbox.list({ where: { sent_at: null }, order_by: ["-id"], first: 100, count: true, select: selection });
type Message = Awaited<ReturnType<typeof load>>["items"][number];

/** What a message is, and the address of what it is about without its id. */
const kinds: Readonly<Record<string, readonly [name: string, path?: string]>> = {
  "users.invitation": ["Invitation d’un utilisateur", "/utilisateurs/"], "signatures.invitation": ["Demande de signature"],
  "signatures.copy": ["Document signé, pour un signataire"], "signatures.completion": ["Document signé, pour qui l’a demandé"],
  "prospects.relances": ["Relances du matin", "/utilisateurs/"], "sessions.annonce": ["Annonce d’une session", "/sessions/"],
  "organisme.annonces_bloquees": ["Annonces bloquées"], "organisme.annonces_orphelines": ["Annonces à retirer"],
};

const causes: Readonly<Record<NonNullable<Message["cause"]>, string>> = {
  connection: "Le serveur de messagerie ou le site ne répond pas.", encryption: "La connexion n’est pas sûre\u202f: certificat ou chiffrement.",
  server: "Le serveur de messagerie ou le site ne prend rien pour le moment.", login: "Le serveur de messagerie refuse l’identifiant.",
  sender: "Le serveur de messagerie refuse l’expéditeur.", settings: "Les réglages ne permettent pas cet envoi.",
  message: "Le destinataire ou le contenu est refusé.", record: "La fiche dont il parle ne se lit pas.",
  interruption: "L’envoi a été interrompu.",
};

function stateOf({ gave_up_at, cause, not_before }: Message): string {
  if (gave_up_at !== null) return `Abandonné ${ago(gave_up_at)}`;
  return cause === null ? "Part dans un instant" : `Prochain essai le ${instant(not_before)}`;
}

export default function envois(): Screen {
  const found = ask("outbox", load, ["outbox"]);
  const items = (): readonly Message[] => found.value()?.items ?? [];
  const mayRetry = (one: Message): boolean => one.gave_up_at !== null || one.cause !== null;
  const all = command(async (key) => {
    const { count: renewed } = await client.outbox.retry_all({ idempotency_key: key });
    say(`${count(renewed, "envoi")} de nouveau en route`);
  }, { tables: ["outbox"] });
  return {
    heading: () => "Envois en attente",
    up: { href: () => "/utilisateurs", label: "Utilisateurs" },
    actions: () => (items().some(mayRetry)
      ? <button type="button" aria-busy={() => (all.busy() ? "true" : null)} onclick={() => void all()}>Tout renvoyer</button>
      : null),
    body: (
      <div>
        <p class="results" role="status" aria-label="Résultats">{() => (found.value() ? count(found.value()!.total ?? 0, "envoi") : "")}</p>
        <FailureOf of={found} />
        {() => (found.value() === undefined && found.failure() === null ? <Outlines /> : null)}
        {() => (found.value() && items().length === 0 ? <Empty text="Tous les envois sont partis." /> : null)}
        <ul class="cards outgoing" role="list" aria-label="Envois">
          {each(items, (one) => one.id, (one) => <Line one={one} mayRetry={() => mayRetry(one())} />)}
        </ul>
      </div>
    ),
  };
}

function Line({ one, mayRetry }: { one: () => Message; mayRetry: () => boolean }): Child {
  const retry = command((key) => client.outbox.retry({ id: one().id, idempotency_key: key, select: "{ id }" }), {
    done: "L’envoi repart", tables: ["outbox"],
  });
  const [name, path] = kinds[untracked(one).kind] ?? [untracked(one).kind];
  return (
    <li class="card">
      <h2>{path === undefined ? name : <a href={`${path}${untracked(one).record_id}`}>{name}</a>}</h2>
      <p>{() => `${stateOf(one())} · demandé le ${instant(one().created_at)}${one().failures > 0 ? ` · ${count(one().failures, "échec")}` : ""}`}</p>
      {() => {
        const { cause, last_error } = one();
        return cause === null ? null : <p class="quiet-text">{causes[cause]}{last_error === null ? null : [" ", <Noted error={last_error} />]}</p>;
      }}
      {() => (mayRetry()
        ? (
          <button type="button" aria-label={`Renvoyer\u202f: ${name}`} aria-busy={() => (retry.busy() ? "true" : null)} onclick={() => void retry()}>
            Renvoyer
          </button>
        )
        : null)}
    </li>
  );
}
