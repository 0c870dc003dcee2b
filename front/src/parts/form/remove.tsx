// Deleting a record: asked first, and explained when it is refused.

import { h, signal } from "view";
import type { Child } from "view";
import type { ServiceError, SessionsWhere } from "learntrack";
import { client, storedVersion } from "../../store";
import { remove } from "../../store/pressing";
import type { Words } from "../../store/writes";
import { count } from "../../words/sentences";
import { openDialog } from "../dialog";
import { say, sayWritten } from "../notices";
import { go } from "../place";

type Identified = Parameters<typeof remove>[1];

export interface Removal {
  entity: string;
  /** What the list of what waits says of it, where that has no words of its own. */
  words?: Words;
  row: Identified;
  /** "Supprimer cette session ?" */
  heading: string;
  /** Which one it is. */
  text: string;
  /** "Session supprimée" */
  done: string;
  /** Where to go then. */
  to: string;
  /** The sessions that refer to it, which have to go first: "/sessions?mois=tous&client=3", and the filter of the same ones. */
  sessions?: { href: string; where: SessionsWhere };
}

export function askRemoval(removal: Removal): void {
  const refused = signal<ServiceError | null>(null);
  const references = signal<{ sessions: number; others: number } | null>(null);
  const busy = signal(false);
  let { row } = removal;
  const dialog = openDialog({
    heading: removal.heading,
    role: "alertdialog",
    text: removal.text,
    body: (close) => {
      const confirm = async (): Promise<void> => {
        if (busy()) return;
        busy.set(true);
        refused.set(null);
        try {
          const outcome = await remove(removal.entity, row, removal.words === undefined ? {} : { words: removal.words });
          if (outcome.state === "refused") {
            references.set(await referencesOf(removal, outcome.error));
            // Who deletes it all the same deletes it as it is now.
            row = { ...row, ...storedVersion(outcome.error) };
            refused.set(outcome.error);
            // The button that was pressed is gone: what stands instead has the focus.
            if (references() !== null) dialog.element.querySelector<HTMLElement>("[role=alert] a, [autofocus]")?.focus();
            return;
          }
          close();
          await go(removal.to, { replace: true });
          sayWritten(removal.done, outcome, () => outcome.undo().then((isUndone) => say(isUndone ? "Suppression annulée" : "La suppression est déjà enregistrée")));
        } finally {
          busy.set(false);
        }
      };
      return [
        () => {
          const [error, found] = [refused(), references()];
          return error === null ? null : (
            <div role="alert" class="form-alert">
              {found === null ? <p>{error.message}</p> : <References removal={removal} {...found} />}
            </div>
          );
        },
        <div class="form-end">
          {() => (references() === null
            ? <button type="button" class="danger" aria-busy={() => (busy() ? "true" : null)} onclick={() => void confirm()}>Supprimer</button>
            : null)}
          <button type="button" autofocus onclick={close}>Annuler</button>
        </div>,
      ];
    },
  });
}

/** What refers to the record, if that is why it stays: the service counts all, of which sessions have a list. */
async function referencesOf({ sessions }: Removal, error: ServiceError): Promise<{ sessions: number; others: number } | null> {
  if (sessions === undefined || !error.is("conflict") || error.data.reason !== "referenced") return null;
  const all = error.data.count;
  const found = await client.sessions.aggregate({ where: sessions.where, select: "{ count }" })
    .then(({ items }) => items[0]?.count ?? 0, () => all);
  return { sessions: Math.min(found, all), others: Math.max(all - found, 0) };
}

function References({ removal, sessions, others }: { removal: Removal; sessions: number; others: number }): Child {
  // Beside sessions only prospects refer to a record of a directory, and only to clients.
  const rest = others === 0 ? null : removal.entity === "clients" ? count(others, "prospect") : count(others, "autre fiche", "autres fiches");
  return (
    <p>
      {"Suppression impossible\u202f: "}
      {sessions === 0 ? null : <a href={removal.sessions!.href}>{count(sessions, "session")}</a>}
      {sessions === 0 || rest === null ? null : " et "}
      {sessions > 0 || removal.entity !== "clients" ? rest : <a href="/prospects">{rest}</a>}
      {sessions + others === 1 ? " y fait référence." : " y font référence."}
    </p>
  );
}
