// A record that is deleted while its form is open: what was typed stays, and can become a new record.

import { ServiceError } from "learntrack";
import { computed, effect, signal, untracked } from "view";
import { dismiss, warn } from "../notices";

export interface Loss {
  /** Whether what is typed becomes a new record. */
  isNew(): boolean;
  /** Runs `change`, and is false with the reason said where there is no record to change any more. */
  unless(change: () => Promise<boolean>): Promise<boolean>;
}

/** `isGone`: whether the record is known to be deleted; `again` sends the form as a new record. */
export function lossOf(isGone: () => boolean, again: () => void): Loss {
  const refused = signal(false);
  const isNew = signal(false);
  const is = computed(() => !isNew() && (refused() || isGone()));
  const say = (): void => warn("Cette fiche a été supprimée entre-temps. Ce que vous avez saisi est toujours là.", {
    label: "Créer à nouveau",
    run: () => {
      isNew.set(true);
      again();
    },
  });
  effect(() => {
    if (!is()) return;
    untracked(say);
    return dismiss;
  });
  return {
    isNew,
    async unless(change) {
      if (untracked(is)) {
        say();
        return false;
      }
      try {
        return await change();
      } catch (error) {
        if (!(error instanceof ServiceError && error.is("not_found"))) throw error;
        refused.set(true);
        return false;
      }
    },
  };
}
