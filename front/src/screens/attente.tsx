// What was written on this device and is not at the service yet.

import { each, h, signal, untracked } from "view";
import type { Child } from "view";
import { confirm } from "../parts/dialog";
import { HomeLink } from "../parts/home";
import { say, silence } from "../parts/notices";
import { go } from "../parts/place";
import { ColumnValue, recordNames } from "../parts/record-names";
import type { Names } from "../parts/record-names";
import type { Screen } from "../parts/shell";
import { queue, storedVersion, sync } from "../store";
import type { QueuedWrite } from "../store";
import { loadDomains } from "../store/declared";
import { abandon, awaitedBy, retry } from "../store/decisions";
import { ago } from "../words/instants";
import { columnName, tableWords } from "../words/history";

const nouns: Readonly<Record<string, string>> = { create: "Création", update: "Modification", delete: "Suppression", move: "Déplacement" };
const of: Readonly<Record<string, string>> = {
  sessions: "de la session", formateurs: "du formateur", clients: "du client", ecoles: "de l’école", prospects: "du prospect",
  programmes: "du programme",
};

/** The name of the record of a write; its number, where it has none. */
const nameIn = (write: QueuedWrite): string =>
  String(tableWords(write.entity)?.name?.({ ...write.base, ...write.values }) ?? write.recordId);

/** The name of a record whose creation waits, or was refused. */
function nameOfNew(id: number): string | undefined {
  const made = queue.items().find((one) => one.kind === "create" && one.recordId === id);
  return made && nameIn(made);
}

/** "Création de la session « SwiftUI avancé »". */
function title(write: QueuedWrite): string {
  if (write.words !== undefined) return write.words.title;
  return `${nouns[write.kind]} ${of[write.entity] ?? "de"} «\u00a0${nameIn(write)}\u00a0»`;
}

/** The same within a sentence: "la création de la session « SwiftUI avancé »". */
function titleWithin(write: QueuedWrite): string {
  if (write.words !== undefined) return write.words.within ?? `«\u00a0${write.words.title}\u00a0»`;
  const [first = "", ...rest] = title(write);
  const article = /^[AEIOU]/u.test(first) ? "l’" : write.kind === "move" ? "le " : "la ";
  return article + first.toLowerCase() + rest.join("");
}

/** The write that has to be sent before, and what it waits for itself. */
function turn(earlier: QueuedWrite): string {
  return earlier.problem === null
    ? `Elle partira après ${titleWithin(earlier)}.` : `Elle ne peut pas partir\u202f: ${titleWithin(earlier)} est à corriger d’abord.`;
}

/** What the service says; of several mistakes each, because the sentence about all of them counts what is seen in a form alone. */
function messageOf(problem: { message: string; data: object }): string {
  const { errors = [] } = problem.data as { errors?: readonly { message: string }[] };
  return errors.length > 1 ? errors.map(({ message }) => message).join(" ") : problem.message;
}

/** Why it is still here. */
function state(write: QueuedWrite): string {
  const { problem } = write;
  if (problem === null) {
    const earlier = awaitedBy(write);
    return `En attente d’envoi, ${ago(new Date(write.at).toISOString())}${earlier === null ? "" : `. ${turn(earlier)}`}`;
  }
  if (storedVersion(queue.errorOf(write)) !== null) {
    return write.kind === "delete"
      ? "La fiche a changé entre-temps. Réessayer la supprime telle qu’elle est maintenant."
      : "À corriger\u202f: la fiche a changé entre-temps. Choisissez ce qui doit rester.";
  }
  if (problem.kind === "refused") return `Refusée\u202f: ${messageOf(problem)}`;
  if (problem.kind === "orphaned") return `À corriger\u202f: ${tableWords(problem.entity)?.one ?? "la fiche"} dont elle a besoin n’a pas été créé.`;
  return "Elle a plus de 23 heures et a peut-être déjà été enregistrée. Vérifiez la fiche avant de l’envoyer encore.";
}

/** What an alert says of a write that needs a decision. */
export function refusal(write: QueuedWrite): string {
  return `${title(write)}${write.problem?.kind === "refused" ? ` refusée\u202f: ${messageOf(write.problem)}` : "\u202f: elle attend votre décision."}`;
}

/** What became of a further attempt. */
function attempted(left: QueuedWrite | null): string {
  if (left === null) return "Modification enregistrée";
  if (left.problem !== null) return "Nouvel essai\u202f: la modification attend encore votre décision.";
  const earlier = untracked(() => awaitedBy(left));
  if (untracked(sync.isOnline) && earlier !== null) return `Cette modification attend son tour. ${turn(earlier)}`;
  return `${untracked(sync.isOnline) ? "Le service ne répond pas" : "Pas de connexion"}\u202f: la modification attend toujours d’être envoyée.`;
}

/** The form of the record, with what was typed. */
function correction(write: QueuedWrite): string | null {
  if (write.problem === null || write.kind === "delete" || write.kind === "call") return null;
  const form = write.kind === "create" ? "nouveau" : `${write.recordId}/modifier`;
  return `${write.words?.form ?? `/${write.entity}/${form}`}?corriger=${encodeURIComponent(write.id)}`;
}

export default function attente(): Screen {
  void loadDomains().catch(() => undefined);
  // For all lines at once.
  const names = recordNames().of;
  return {
    heading: () => "Modifications en attente",
    up: { href: () => "/profil", label: "Profil" },
    under: () => <span>{sync.words()}</span>,
    body: (
      <div>
        {() => (queue.items().length === 0 ? (
          <div class="empty">
            <div class="empty-words">
              <p>Tout ce que vous avez saisi est enregistré.</p>
              <HomeLink />
            </div>
          </div>
        ) : null)}
        <ul class="waiting" role="list" aria-label="Modifications en attente">
          {each(queue.items, (write) => write.id, (write) => <Waiting write={write} known={names} />)}
        </ul>
      </div>
    ),
  };
}

function Waiting({ write, known }: { write: () => QueuedWrite; known: Names }): Child {
  const giveUp = async (): Promise<void> => {
    const yes = await confirm({
      heading: "Abandonner cette modification\u202f?", text: `${title(write())}\u202f: elle ne sera pas enregistrée.`, yes: "Abandonner", no: "Annuler",
    });
    if (!yes) return;
    await abandon(write().id);
    say("Modification abandonnée");
  };
  const busy = signal(false);
  const tryAgain = async (): Promise<void> => {
    if (busy()) return;
    busy.set(true);
    // What the last attempt said goes, so that the same words are seen and heard again.
    silence();
    const left = await retry(write().id).finally(() => busy.set(false));
    say(attempted(left));
  };
  return (
    <li class={() => `card waiting-item${write().problem ? " refused" : ""}`}>
      <p class="waiting-title">{() => title(write())}</p>
      <p class={() => (write().problem ? "field-error" : "quiet-text small")}>{() => state(write())}</p>
      {() => (write().kind === "delete" ? null : write().kind === "call" ? <Given write={write()} known={known} /> : <Typed write={write()} known={known} />)}
      <div class="actions">
        <button type="button" aria-busy={() => (busy() ? "true" : null)} onclick={() => void tryAgain()}>Réessayer</button>
        {() => {
          const href = correction(write());
          return href === null ? null : <button type="button" onclick={() => void go(href)}>Corriger</button>;
        }}
        <button type="button" class="danger-text" onclick={() => void giveUp()}>Abandonner</button>
      </div>
    </li>
  );
}

/** What a command was given. */
function Given({ write, known }: { write: QueuedWrite; known: Names }): Child {
  const given = write.words?.given ?? [];
  const names = namesOf(known);
  return given.length === 0 ? null : (
    <dl class="journal-changes">
      {given.map(({ label, text, target }) => (
        <div><dt>{label}</dt><dd>{() => (target === undefined ? text : names(target, Number(text))?.name ?? `n°\u00a0${text}`)}</dd></div>
      ))}
    </dl>
  );
}

/** The names of records, also of those that wait themselves. */
const namesOf = (known: Names): Names => (table, id) =>
  (id < 0 ? { name: nameOfNew(id) ?? "fiche qui n’a pas été créée", href: null } : known(table, id));

function Typed({ write, known }: { write: QueuedWrite; known: Names }): Child {
  const values = Object.entries(write.values).filter(([, value]) => value !== null && value !== "");
  const names = namesOf(known);
  return (
    <dl class="journal-changes">
      {values.map(([column, value]) => <div><dt>{() => columnName(column, write.entity)}</dt><dd><ColumnValue names={names} table={write.entity} column={column} value={value} /></dd></div>)}
    </dl>
  );
}
