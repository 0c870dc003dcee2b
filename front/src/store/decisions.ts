// What a person decides of writes that wait or were refused. The first page does without, so it is no part of the queue.

import { untracked } from "view";
import { change } from "./book";
import { newKey } from "./keys";
import { errorOf, type Outcome } from "./outcomes";
import { enqueue, ofSaved } from "./pressing";
import { sendHeld } from "./leaving";
import type { AnyRow, Entity, Values } from "./rows";
import { sendAll, storedVersion } from "./sending";
import { writes } from "./tables";
import { abandoned, awaited, changed, referencesIn, type QueuedWrite } from "./writes";

const waiting = (id: string): QueuedWrite | undefined => untracked(writes).find((one) => one.id === id);

/** The write that has to be executed before this one is sent. */
export const awaitedBy = (write: QueuedWrite): QueuedWrite | null => awaited(writes(), write);

/**
 * Sends a write now: a refused one as a new one; one that waits may have been executed, and keeps its key. Returns the write as it
 * waits still; null when it does no more.
 */
export async function retry(id: string): Promise<QueuedWrite | null> {
  const found = waiting(id);
  if (found?.problem) {
    // What is deleted all the same is deleted as it is now.
    const stored = found.kind === "delete" ? storedVersion(errorOf(found)) : null;
    const base = stored === null ? found.base : { ...found.base, ...stored };
    const again = { problem: null, key: newKey(), sentAt: null, at: Date.now(), base };
    await change((before) => changed(before, found, again));
  }
  await sendHeld();
  await sendAll();
  return waiting(id) ?? null;
}

export async function abandon(id: string): Promise<void> {
  await change((before) => abandoned(before, id));
  void sendAll();
}

/** Sends a refused write with other values; `base` is the record that the values were chosen against. `kept` as of `create`. */
export function correct(id: string, values: Values, base?: AnyRow | null, kept?: () => void): Promise<Outcome<Entity>> {
  const found = waiting(id);
  if (found === undefined) return Promise.reject(new Error("this write does not wait any more"));
  const next = {
    values: ofSaved(values, referencesIn(found)), problem: null, key: newKey(), sentAt: null, at: Date.now(), ...(base === undefined ? {} : { base }),
    ...(found.kind === "move" ? { kind: "update" as const } : {}),
  };
  return enqueue(found, (before) => changed(before, found, next), kept) as Promise<unknown> as Promise<Outcome<Entity>>;
}
