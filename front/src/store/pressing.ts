// Pressing the button of a form: the write gets its key, and the form hears what became of it. The first page does without.

import { ServiceError } from "learntrack";
import { untracked } from "view";
import { change } from "./book";
import { client } from "./client";
import { isPassing } from "./failure";
import { parted } from "./figures";
import { added } from "./folding";
import { newKey, temporaryId } from "./keys";
import { isOnline } from "./network";
import { tell, waiters, type AnyOutcome, type Outcome } from "./outcomes";
import { savedId } from "./records";
import { isEntity, type AnyRow, type Changes, type Creations, type Entity, type References, type Row, type Values } from "./rows";
import { isSending, rowOf, sendAll } from "./sending";
import { writes } from "./tables";
import { callOf, grace, referencesIn, type QueuedWrite, type Words } from "./writes";

type Writes = readonly QueuedWrite[];

/** What goes with a write, for the list of what waits and for the form. */
export interface Pressing {
  readonly words?: Words;
  /** Runs when the device has the write. */
  readonly kept?: () => void;
}

function pressed(
  entity: string, kind: QueuedWrite["kind"], recordId: number, values: Values, base: AnyRow | null, rest: Partial<QueuedWrite> = {},
): QueuedWrite {
  // What is kept has no figures of the moment.
  const kept = base === null ? null : parted(entity, [base]).rows[0]!;
  const write = { entity, kind, recordId, values, base: kept, id: newKey(), key: newKey(), at: Date.now(), sentAt: null, problem: null, ...rest };
  const references = referencesIn(write);
  return { ...write, values: ofSaved(values, references), ...(isEntity(entity) ? {} : { references }) };
}

/** A call of any method that writes. It waits in the queue as changes of records do. */
export interface Press extends Pressing {
  readonly method: string;
  readonly params: Values;
  /** What it writes to. With a record, it is sent in the order of the other writes of that record. */
  readonly table: string;
  readonly record?: number;
  /** What is kept beside it, for the screen that shows it while it waits. */
  readonly base?: AnyRow;
  /** The table whose record the method answers, and takes a selection for. */
  readonly answers?: string;
  /** The parameters that are ids of records, with their tables. */
  readonly references?: References;
}

export function press({ method, params, table, record, base, answers, references = {}, words, kept }: Press): Promise<AnyOutcome> {
  const recordId = record === undefined ? temporaryId() : untracked(() => savedId(record));
  return sent(pressed(table, "call", recordId, params, base ?? null, { method, answers, references, words }), kept);
}

const sent = (write: QueuedWrite, kept?: () => void): Promise<AnyOutcome> => enqueue(write, (before) => added(before, write), kept);

/** The values with the ids of the records that were saved since they were chosen. */
export function ofSaved(values: Values, references: References): Values {
  return Object.fromEntries(Object.entries(values).map(([column, value]) =>
    [column, column in references && typeof value === "number" ? untracked(() => savedId(value)) : value]));
}

/**
 * Keeps the write, sends what waits, and answers with what became of it, or that it waits.
 *
 * @param kept runs when the device has the write: a draft of it would be written a second time.
 */
export async function enqueue(write: QueuedWrite, next: (before: Writes) => Writes, kept?: () => void): Promise<AnyOutcome> {
  const answer = new Promise<AnyOutcome>((resolve) => waiters.set(write.id, resolve));
  if (untracked(isOnline)) isSending.set(true);
  try {
    await change(next);
  } catch (error) {
    waiters.delete(write.id);
    isSending.set(false);
    throw error;
  }
  kept?.();
  if (!untracked(writes).some((one) => one.id === write.id)) {
    // It became part of a creation that was never sent, or took it back.
    waiters.delete(write.id);
    void sendAll();
    const row = rowOf(write);
    return { state: row === null ? "saved" : "queued", row };
  }
  const late = setTimeout(
    () => tell(write.id, { state: "queued", row: rowOf(write) }), untracked(isOnline) ? 8_000 : 1_500);
  void sendAll();
  return answer.finally(() => clearTimeout(late));
}

/** Creates a record of any table. */
export function createAny(table: string, values: Values, { kept, words }: Pressing = {}): Promise<AnyOutcome> {
  return sent(pressed(table, "create", temporaryId(), values, null, { words }), kept);
}

/** `kept` runs when the device has it. */
export function create<E extends Entity>(entity: E, values: Creations[E], kept?: () => void): Promise<Outcome<E>> {
  return createAny(entity, values as unknown as Values, { kept }) as Promise<unknown> as Promise<Outcome<E>>;
}

/** The record under the id that it has now. One that was saved since it was read has its first version. */
function known(base: object): AnyRow {
  const given = base as AnyRow;
  const id = untracked(() => savedId(given.id));
  return id === given.id ? given : { ...given, id, version: 1 };
}

/** Changes a record of any table. `base` is the record when the form was opened. */
export function updateAny(
  table: string, base: AnyRow, changes: Values, { kept, words }: Pressing = {}, kind: "update" | "move" = "update",
): Promise<AnyOutcome> {
  const row = known(base);
  return sent(pressed(table, kind, row.id, changes, row, { words }), kept);
}

/** `base` is the record when the form was opened: what others changed since is merged, or a conflict. */
export const update = updateAny as unknown as <E extends Entity>(entity: E, base: Row<E>, changes: Changes[E]) => Promise<Outcome<E>>;

/** A session at another date or hour. */
export function move(base: Row<"sessions">, to: Pick<Changes["sessions"], "date" | "debut" | "fin">): Promise<Outcome<"sessions">> {
  return updateAny("sessions", base as unknown as AnyRow, to as Values, {}, "move") as Promise<unknown> as Promise<Outcome<"sessions">>;
}

/** The milliseconds that a question to the service may take before a deletion waits without an answer. */
const patience = 3_000;

/** `undo` answers whether it was in time. */
export type Removed = { state: "saved" | "queued"; undo: () => Promise<boolean> } | { state: "refused"; error: ServiceError };

/**
 * Deletes a record of any table. The service says at once whether it would refuse, and executes the deletion when it cannot be taken back any
 * more: what `undo` brings back was never gone, and keeps its id, its history, its documents and all that refers to it. A page that
 * is left sends the deletion at once.
 */
export async function remove(
  table: string, base: { readonly id: number; readonly version: number }, { words }: Pressing = {},
): Promise<Removed> {
  const row = known(base);
  let write: QueuedWrite = pressed(table, "delete", row.id, {}, row, { words });
  if (row.id > 0 && untracked(isOnline)) {
    const { method, params: { idempotency_key: _, ...params } } = callOf(write);
    const answer = client.call(method as "sessions.delete", { ...params, dry_run: true } as never).then(() => null, (error: unknown) => error);
    const error = await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, patience))]);
    const isAnswered = error instanceof ServiceError && !isPassing(error) && !error.is("unauthenticated");
    if (isAnswered && !error.is("not_found")) return { state: "refused", error };
    // Without the service it waits anyway, and goes when there is a network again.
    if (isAnswered || !error) write = { ...write, until: write.at + grace };
  }
  let unsent: Writes = [];
  await change((before) => {
    const after = added(before, write);
    unsent = before.filter((one) => !after.includes(one));
    return after;
  });
  void sendAll();
  return {
    state: unsent.length > 0 || untracked(isOnline) ? "saved" : "queued",
    undo: async () => {
      let isUndone = unsent.length > 0;
      await change((before) => {
        const after = before.filter((one) => one.id !== write.id || one.sentAt !== null);
        isUndone ||= after.length < before.length;
        return [...unsent, ...after];
      });
      void sendAll();
      return isUndone;
    },
  };
}
