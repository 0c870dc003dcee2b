// What waits to be sent, for the screens that show it.

import { settled } from "./book";
import { errorOf, listeners, sentListeners } from "./outcomes";
import { savedId } from "./records";
import { writes } from "./tables";
import { heldFor, type QueuedWrite } from "./writes";

export const queue = {
  /** The writes that wait to be sent or need a decision, in the order of the presses. What can still be taken back does neither. */
  items: (): readonly QueuedWrite[] => writes().filter((one) => heldFor(one, Date.now()) === 0),
  /** Whether the record of a table that does not stand here is deleted, or about to be. */
  isRemoved: (entity: string, id: number): boolean =>
    writes().some((one) => one.entity === entity && one.recordId === id && one.kind === "delete" && one.problem === null) || queue.isDone(entity, id),
  /** Whether the deletion of such a record, or a call that concerns none, was executed. */
  isDone: (entity: string, id: number): boolean => settled.has(`${entity} ${id}`),
  /** Whether a record has a write that waits or was refused. */
  of(entity: string, id: number): "waiting" | "refused" | null {
    const found = writes().filter((one) => one.entity === entity && one.recordId === savedId(id));
    if (found.length === 0) return null;
    return found.some((one) => one.problem !== null) ? "refused" : "waiting";
  },
  errorOf,
  /** Called when the last write that waited is sent, unless a form waits for it. */
  onAllSent(listener: () => void): void {
    sentListeners.add(listener);
  },
  /** Called when a write is refused that no form waits for. */
  onRefused(listener: (write: QueuedWrite) => void): void {
    listeners.add(listener);
  },
};
