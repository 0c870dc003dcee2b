// The writes that wait to be sent, as pure functions over a list in the order of the presses.

import { referencesOf, type AnyRow, type References, type Values } from "./rows";

/** Why a write was not executed and needs a decision. */
export type Problem =
  | { readonly kind: "refused"; readonly code: number; readonly message: string; readonly data: { code: string } }
  | { readonly kind: "expired" }
  | { readonly kind: "orphaned"; readonly entity: string };

/** What the list of what waits says of a write: "Prêt du livre « Nadja »", and within a sentence "le prêt du livre « Nadja »". */
export interface Words {
  readonly title: string;
  readonly within?: string;
  /** The address of the form that corrects it. */
  readonly form?: string;
  /** What a command was given, in words: the label and the value, or the number of a record of `target`. */
  readonly given?: readonly { readonly label: string; readonly text: string; readonly target?: string }[];
}

export interface QueuedWrite {
  readonly id: string;
  readonly entity: string;
  /** A `move` is a session at another date or hour; a `call` is any other method that writes. */
  readonly kind: "create" | "update" | "delete" | "move" | "call";
  /** Negative for a record that is not saved yet, and for a call that concerns none. */
  readonly recordId: number;
  /** The values of a creation, or those that change; the parameters of a call. */
  readonly values: Values;
  /** The record when it was edited; null for a creation. */
  readonly base: AnyRow | null;
  /** The idempotency key, made at the press. */
  readonly key: string;
  /** When the button was pressed, and when it was first sent: milliseconds since 1970. */
  readonly at: number;
  readonly sentAt: number | null;
  /** The selection it was first sent with: a repetition under the same key has the same parameters. */
  readonly select?: string;
  /** It is not sent before: milliseconds since 1970. Until then it can be taken back. */
  readonly until?: number;
  readonly problem: Problem | null;
  /** The method of a call, and the table whose record it answers. */
  readonly method?: string;
  readonly answers?: string;
  /** What its values refer to. It is kept with the write: the tables of other domains may be declared later than it is sent. */
  readonly references?: References;
  readonly words?: Words;
}

/** The queue as the device keeps it. */
export interface Book {
  readonly writes: readonly QueuedWrite[];
  /** The temporary ids of records that were saved, with their ids. */
  readonly saved: readonly (readonly [temporary: number, id: number])[];
}

/** Keys are kept for 24 hours by the service; later, a repetition might write twice. */
const longest = 23 * 3_600_000;

export const referencesIn = ({ references, entity }: Pick<QueuedWrite, "entity" | "references">): References =>
  references ?? referencesOf(entity);

/** The ids of unsaved records that the values of a write refer to. */
function unsaved(write: QueuedWrite): [entity: string, id: number][] {
  return Object.entries(referencesIn(write)).flatMap(([column, entity]): [string, number][] => {
    const id = write.values[column];
    return typeof id === "number" && id < 0 ? [[entity, id]] : [];
  });
}

export function concerns(write: QueuedWrite, entity: string, id: number): boolean {
  return write.entity === entity && write.recordId === id;
}

/** Whether `write` can be executed only after `earlier`. */
export function needs(write: QueuedWrite, earlier: QueuedWrite): boolean {
  if (concerns(earlier, write.entity, write.recordId)) return true;
  return earlier.kind === "create" && unsaved(write).some(([entity, id]) => concerns(earlier, entity, id));
}

/** The earlier write that has to be executed before `write` is sent, the first of several; null if it is its turn. */
export function awaited(writes: readonly QueuedWrite[], write: QueuedWrite): QueuedWrite | null {
  const at = writes.findIndex(({ id }) => id === write.id);
  return writes.slice(0, Math.max(at, 0)).find((earlier) => needs(write, earlier)) ?? null;
}

/** The milliseconds for which a deletion can be taken back, a little more than it is offered. */
export const grace = 9_800;

/** The milliseconds until the write may be sent. The clock of the device may have been set back since. */
export function heldFor({ until = 0 }: QueuedWrite, now: number): number {
  return until - now > grace + 1_000 ? 0 : Math.max(0, until - now);
}

/** The first write that can be sent now: no write that it needs waits before it. */
export function nextOf(writes: readonly QueuedWrite[], now = Date.now()): QueuedWrite | null {
  return writes.find((write) => write.problem === null && heldFor(write, now) === 0 && awaited(writes, write) === null) ?? null;
}

/** Whether repeating the write might execute it twice. The clock of the device may have been set back since it was sent. */
export function isTooOld({ sentAt }: QueuedWrite, now: number): boolean {
  return sentAt !== null && (now - sentAt > longest || sentAt - now > 600_000);
}

/** The list with a change of one write, unless that has another key by now: then it is another write. */
export function changed(
  writes: readonly QueuedWrite[], { id, key }: QueuedWrite, change: Partial<QueuedWrite>,
): readonly QueuedWrite[] {
  return writes.map((one) => (one.id === id && one.key === key ? { ...one, ...change } : one));
}

/** The values of a write that waits, with the id of a record that was saved. */
function mapped(write: QueuedWrite, entity: string, from: number, to: number): Values {
  const { values } = write;
  const references = referencesIn(write);
  const columns = Object.keys(references).filter((one) => references[one] === entity && values[one] === from);
  return columns.length === 0 ? values : { ...values, ...Object.fromEntries(columns.map((one) => [one, to])) };
}

/**
 * The list without a write that was executed. Those that wait behind it get the id and the version that it left, unless
 * they change what others have changed; `row` is null after a deletion.
 */
export function executed(
  writes: readonly QueuedWrite[], done: QueuedWrite, row: AnyRow | null,
): readonly QueuedWrite[] {
  const rest = writes.filter((one) => one.id !== done.id);
  if (row === null) return rest;
  return rest.map((one) => {
    const values = done.kind === "create" ? mapped(one, done.entity, done.recordId, row.id) : one.values;
    if (!concerns(one, done.entity, done.recordId)) return values === one.values ? one : { ...one, values };
    // What others changed meanwhile is not overwritten: the service refuses a change to the version it was made to.
    const others = Object.fromEntries(Object.entries(values).filter(([column]) => !(column in done.values)));
    const isOpen = one.base !== null && done.kind !== "create" && merged(one.base, others, row).conflicts.length > 0;
    return { ...one, values, recordId: row.id, ...(isOpen ? {} : { base: row }) };
  });
}

/** The list without a write that is given up, and without what concerns a record that then never exists. */
export function abandoned(writes: readonly QueuedWrite[], id: string): readonly QueuedWrite[] {
  const given = writes.find((one) => one.id === id);
  if (given === undefined) return writes;
  const rest = writes.filter((one) => one !== given);
  if (given.kind !== "create") return rest;
  return rest.filter((one) => !concerns(one, given.entity, given.recordId)).map((one) =>
    needs(one, given) ? { ...one, problem: { kind: "orphaned", entity: given.entity } } : one);
}

/** Whether two values are equal for the service: it writes "09:00" as "09:00:00". */
export function isSame(one: unknown, other: unknown): boolean {
  const plain = (value: unknown): unknown =>
    typeof value === "string" && /^\d\d:\d\d$/.test(value) ? `${value}:00` : value ?? null;
  return Object.is(plain(one), plain(other));
}

export interface Merge {
  /** What is still to be written on top of the present record. */
  readonly changes: Values;
  /** The columns that both sides changed, differently. */
  readonly conflicts: readonly string[];
}

/** What of `changes`, made to `base`, is left to write to `current`. */
export function merged(base: Values, changes: Values, current: Values): Merge {
  const open = Object.keys(changes).filter((column) => !isSame(changes[column], current[column]));
  return {
    changes: Object.fromEntries(open.map((column) => [column, changes[column]])),
    conflicts: open.filter((column) => !isSame(base[column], current[column])),
  };
}

/** The call that executes the write. */
export function callOf(write: QueuedWrite): { method: string; params: { [name: string]: unknown } } {
  const { entity, kind, recordId, values, base, key, select, method } = write;
  const isCall = method !== undefined;
  const params: { [name: string]: unknown } = { idempotency_key: key };
  if (kind !== "create" && !isCall) params["id"] = recordId;
  if (kind === "move" || isCall) Object.assign(params, values);
  else if (kind !== "delete") params["values"] = values;
  if (!isCall && base !== null && base.version > 0) params["if_version"] = base.version;
  if (select !== undefined) params["select"] = select;
  return { method: method ?? (kind === "move" ? "sessions.decaler" : `${entity}.${kind}`), params };
}
