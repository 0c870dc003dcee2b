// Deleting a record: asked first, and explained when it is refused.

import { h, signal } from "view";
import type { Child } from "view";
import type { ServiceError } from "learntrack";
import { storedVersion } from "../../store";
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
  /** What may refer to it, and has to go first. */
  references?: readonly Reference[];
}

/** Records of one list that may refer to another record. */
export interface Reference {
  /** "session", "sessions" */
  readonly words: readonly [one: string, many: string];
  /** Their list: "/sessions?mois=tous&client=3". */
  readonly href: string;
  readonly count: () => Promise<number>;
}

interface Found { readonly words: string; readonly href: string | null }
/** `all`: how many records. */
interface Referring { readonly all: number; readonly found: readonly Found[] }

export function askRemoval(removal: Removal): void {
  const refused = signal<ServiceError | null>(null);
  const references = signal<Referring | null>(null);
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
              {found === null || found.found.length === 0 ? <p>{error.message}</p> : <References of={found} />}
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

/** What refers to the record, if that is why it stays: the service says how many records do, and each list how many of them it has. */
async function referencesOf({ references = [] }: Removal, error: ServiceError): Promise<Referring | null> {
  if (!error.is("conflict") || error.data.reason !== "referenced") return null;
  const counts = await Promise.all(references.map((one) => one.count().catch(() => 0)));
  const found = references.flatMap(({ words: [one, many], href }, at): Found[] => (counts[at] === 0 ? [] : [{ words: count(counts[at]!, one, many), href }]));
  const listed = counts.reduce((sum, one) => sum + one, 0);
  // What no list has is in one that the account may not read.
  const others = error.data.count - listed;
  if (found.length > 0 && others > 0) found.push({ words: count(others, "autre fiche", "autres fiches"), href: null });
  return { all: listed + Math.max(others, 0), found };
}

function References({ of: { all, found } }: { of: Referring }): Child {
  return (
    <p>
      {"Suppression impossible\u202f: "}
      {found.map(({ words, href }, at) => [
        at === 0 ? null : at === found.length - 1 ? " et " : ", ",
        href === null ? words : <a href={href}>{words}</a>,
      ])}
      {all === 1 ? " y fait référence." : " y font référence."}
    </p>
  );
}
