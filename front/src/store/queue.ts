// The writes of this browser: in order, each executed once, kept on the device until the service has answered.

import { ServiceError } from "learntrack";
import { batch, signal, untracked } from "view";
import { client } from "./client";
import { deleteCopy } from "./copy";
import { openVault } from "./device";
import { isPassing } from "./failure";
import { askAgain } from "./live";
import { isOnline } from "./network";
import { savedId } from "./records";
import {
  isEntity, references, selects, type AnyRow, type Changes, type Creations, type Entity, type Removable, type Row, type Values, type Writable,
} from "./rows";
import { offlineCopy } from "./settings";
import { drop, put, savedIds, shown, writes } from "./tables";
import { locked, onMessage, post, type Done } from "./tabs";
import {
  abandoned, added, callOf, changed, executed, grace, heldFor, isTooOld, merged, nextOf, type Book, type Problem, type QueuedWrite,
} from "./writes";
import type { Vault } from "./vault";

export type { Problem, QueuedWrite } from "./writes";

export type Outcome<E extends Entity> =
  | { state: "saved"; row: Row<E> | null }
  | { state: "queued"; row: Row<E> | null }
  | { state: "refused"; error: ServiceError };

type AnyOutcome =
  | { state: "saved" | "queued"; row: AnyRow | null }
  | { state: "refused"; error: ServiceError };

type Writes = readonly QueuedWrite[];

/** The forms that wait to hear what becomes of their write. */
const waiters = new Map<string, (outcome: AnyOutcome) => void>();
const listeners = new Set<(write: QueuedWrite) => void>();
const sentListeners = new Set<() => void>();
/** Whether a write is on its way. */
export const isSending = signal(false);

/** A key that no other write has; browsers make a UUID in a secure context alone. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

let lastId = 0;

/** A number that no record has and no other write. */
export function temporaryId(): number {
  lastId = Math.max(lastId + 1, Date.now() * 1_000 + Math.floor(Math.random() * 1_000));
  return -lastId;
}

// The book: the queue on the device, which all tabs share

/** Whether the device refused to keep the queue; it then lasts as long as the page. */
let isDetached = false;

async function readBook(vault: Vault | null): Promise<Book> {
  const stored = isDetached ? undefined : await vault?.read<Book>("queue", "writes");
  // The account may have signed out meanwhile.
  if (openVault() !== vault) throw new DOMException("the account has signed out", "AbortError");
  return stored ?? { writes: isDetached || vault === null ? untracked(writes) : [], saved: [...untracked(savedIds)] };
}

async function writeBook(vault: Vault | null, book: Book): Promise<void> {
  const write = async (): Promise<void> => vault?.write([{ shelf: "queue", name: "writes", value: book }]);
  try {
    await write().catch(async (error: unknown) => {
      if (!(error instanceof DOMException && error.name === "QuotaExceededError")) throw error;
      // The service has what the copy has, and no one else has these writes.
      offlineCopy.set(false);
      await deleteCopy();
      await write();
    });
    isDetached = false;
  } catch {
    isDetached = true;
  }
}

function show({ writes: waiting, saved }: Book): void {
  writes.set(waiting);
  const known = untracked(savedIds);
  if (saved.length !== known.size || saved.some(([temporary, id]) => known.get(temporary) !== id)) savedIds.set(new Map(saved));
}

/** Reads or changes the queue on the device while no other tab does; that takes some milliseconds. */
const inBook = (work: () => Promise<void>): Promise<void> => locked("book", work, { patience: 10_000 });

/** Changes the queue on the device and then here. `done` is shown together with the change. */
export async function change(next: (before: Writes) => Writes, done: Done | null = null): Promise<void> {
  const vault = openVault();
  await inBook(async () => {
    const before = await readBook(vault);
    const { write, row } = done ?? {};
    const saved = write?.kind === "create" && row
      ? [...before.saved.slice(-200), [write.recordId, row.id] as const] : before.saved;
    const book: Book = { writes: next(before.writes), saved };
    await writeBook(vault, book);
    if (openVault() !== vault) return;
    batch(() => {
      if (done) keep(done);
      show(book);
    });
  });
  post({ kind: "writes", done });
}

/** What was written of tables that do not stand here: deletions, and presses that count. Ids are not given again. */
const settled = new Set<string>();

function keep({ write, row }: Done): void {
  if (!isEntity(write.entity)) settled.add(`${write.entity} ${write.recordId}`);
  else if (row === null) drop(write.entity, [write.recordId]);
  else put(write.entity, [row]);
}

/** Shows the queue that the device has, and with it the record of a write that was executed. */
function refresh(done: Done | null): Promise<void> {
  const vault = openVault();
  return inBook(async () => {
    const book = await readBook(vault);
    batch(() => {
      if (done) keep(done);
      show(book);
    });
  });
}

/** Shows the queue of the account that has just signed in. */
export function readQueue(): Promise<void> {
  isDetached = false;
  return refresh(null);
}

onMessage("writes", ({ done }) => {
  void refresh(done).then(() => {
    if (done) {
      noteSent(done.write.id, done.row);
      askAgain([done.write.entity]);
    }
    for (const write of untracked(writes)) if (write.problem !== null && waiters.has(write.id)) void answerRefused(write);
    // The tab that holds a deletion may be closed before it sends it.
    if (untracked(writes).some(({ until }) => until)) void sendAll();
  }, () => undefined);
});

/** Gives a refusal that another tab received to the form that waits for it here. */
async function answerRefused(write: QueuedWrite): Promise<void> {
  const error = queue.errorOf(write);
  if (error === null) return;
  await change((before) => abandoned(before, write.id));
  tell(write.id, { state: "refused", error });
}

/** Whether closing the page would lose writes, because the device refuses to keep them. */
export function isInMemoryAlone(): boolean {
  return untracked(writes).length > 0 && (isDetached || openVault() === null);
}

// Pressing

function pressed(
  entity: Writable, kind: QueuedWrite["kind"], recordId: number, values: Values, base: AnyRow | null,
): QueuedWrite {
  return {
    id: newKey(), entity, kind, recordId, values: ofSaved(values), base, key: newKey(), at: Date.now(), sentAt: null, problem: null,
  };
}

export function press(...given: Parameters<typeof pressed>): Promise<AnyOutcome> {
  const write = pressed(...given);
  return enqueue(write, (before) => added(before, write));
}

/** The values with the ids of the records that were saved since they were chosen. */
export function ofSaved(values: Values): Values {
  return Object.fromEntries(Object.entries(values).map(([column, value]) =>
    [column, column in references && typeof value === "number" ? untracked(() => savedId(value)) : value]));
}

function rowOf({ entity, recordId }: QueuedWrite): AnyRow | null {
  return !isEntity(entity) ? null : untracked(() => shown(entity).get(savedId(recordId))) ?? null;
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

function tell(id: string, outcome: AnyOutcome): void {
  waiters.get(id)?.(outcome);
  waiters.delete(id);
}

/** `kept` runs when the device has it. */
export function create<E extends Entity>(entity: E, values: Creations[E], kept?: () => void): Promise<Outcome<E>> {
  const write = pressed(entity, "create", temporaryId(), values as unknown as Values, null);
  const outcome = enqueue(write, (before) => added(before, write), kept);
  return outcome as Promise<unknown> as Promise<Outcome<E>>;
}

/** The record under the id that it has now. One that was saved since it was read has its first version. */
function known(base: object): AnyRow {
  const given = base as AnyRow;
  const id = untracked(() => savedId(given.id));
  return id === given.id ? given : { ...given, id, version: 1 };
}

function pressOn<E extends Entity>(entity: E, kind: "update" | "move", base: Row<E>, values: unknown): Promise<Outcome<E>> {
  const row = known(base);
  return press(entity, kind, row.id, values as Values, row) as Promise<unknown> as Promise<Outcome<E>>;
}

/** `base` is the record when the form was opened: what others changed since is merged, or a conflict. */
export function update<E extends Entity>(entity: E, base: Row<E>, changes: Changes[E]): Promise<Outcome<E>> {
  return pressOn(entity, "update", base, changes);
}

/** A session at another date or hour. */
export function move(base: Row<"sessions">, to: Pick<Changes["sessions"], "date" | "debut" | "fin">): Promise<Outcome<"sessions">> {
  return pressOn("sessions", "move", base, to);
}

/** The milliseconds that a question to the service may take before a deletion waits without an answer. */
const patience = 3_000;

/** `undo` answers whether it was in time. */
export type Removed = { state: "saved" | "queued"; undo: () => Promise<boolean> } | { state: "refused"; error: ServiceError };

/**
 * Deletes a record. The service says at once whether it would refuse, and executes the deletion when it cannot be taken back any
 * more: what `undo` brings back was never gone, and keeps its id, its history, its documents and all that refers to it. A page that
 * is left sends the deletion at once.
 */
export async function remove(entity: Removable, base: { readonly id: number; readonly version: number }): Promise<Removed> {
  const row = known(base);
  let write: QueuedWrite = pressed(entity, "delete", row.id, {}, row);
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

/**
 * Sends the deletions that could still be taken back. A page that is closed has the time for calls that begin at once; they are
 * repeated, under the same keys, by what then notes their answers, in this page or at the next visit.
 */
export async function sendHeld(): Promise<void> {
  const held = untracked(writes).filter((one) => heldFor(one, Date.now()) > 0);
  if (held.length === 0) return;
  await Promise.allSettled(held.map((one) => {
    const { method, params } = callOf(one);
    return document.hidden ? client.call(method as "sessions.delete", params as never) : null;
  }));
  await change((before) => before.map((one) => ({ ...one, until: 0 })));
  await sendAll();
}

// Sending

let sending: Promise<void> | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;
let failures = 0;

/** Sends what waits, one after the other, until the service does not answer. One tab does at a time. */
export function sendAll(): Promise<void> {
  clearTimeout(timer);
  sending ??= run().catch(() => { failures += 1; }).finally(() => {
    sending = null;
    isSending.set(false);
    const isDone = nextOf(untracked(writes)) === null;
    if (isDone) failures = 0;
    const held = untracked(writes).map((one) => heldFor(one, Date.now())).filter((left) => left > 0);
    if (!isDone) timer = setTimeout(() => void sendAll(), failures === 0 ? 0 : pauseAfter(failures));
    else if (held.length > 0) timer = setTimeout(() => void sendAll(), Math.min(...held));
  });
  return sending;
}

function pauseAfter(count: number): number {
  return Math.min(15_000, 500 * 2 ** count) * (0.5 + Math.random() / 2);
}

async function run(): Promise<void> {
  while (nextOf(untracked(writes)) !== null && await locked("sending", sendNext, { patience: 30_000 }));
}

/** Sends the first write that can be sent; false if there is none, or if the service did not answer. */
async function sendNext(): Promise<boolean> {
  // Another tab may have sent some while this one waited for its turn.
  await refresh(null);
  const write = nextOf(untracked(writes));
  if (write === null) return false;
  isSending.set(true);
  if ((write.sentAt !== null || await isReached()) && await execute(write)) {
    failures = 0;
    return true;
  }
  failures += 1;
  for (const one of untracked(writes)) tell(one.id, { state: "queued", row: rowOf(one) });
  return false;
}

/**
 * Whether there is a network. A write that is tried without one may have reached the service, and what is changed later would
 * wait behind it instead of becoming part of it.
 */
async function isReached(): Promise<boolean> {
  if (!untracked(isOnline)) await client.changes.list({ first: 1 }).catch(() => undefined);
  return untracked(isOnline);
}

/** Whether the write is settled; otherwise it is to be sent again later. */
async function execute(write: QueuedWrite): Promise<boolean> {
  if (isTooOld(write, Date.now())) {
    await mark(write, { kind: "expired" });
    return true;
  }
  if (write.sentAt === null) {
    const select = write.kind === "delete" || !isEntity(write.entity) ? {} : { select: selects[write.entity] };
    await change((before) => changed(before, write, { sentAt: Date.now(), ...select }));
  }
  // What was typed while the write was marked belongs to it.
  const sent = untracked(writes).find((one) => one.id === write.id);
  if (sent === undefined) return true;
  const { method, params } = callOf(sent);
  try {
    const answer = (await client.call(method as "sessions.create", params as never)) as unknown as AnyRow;
    await settle(sent, !isEntity(sent.entity) || "deleted" in answer ? null : answer);
    return true;
  } catch (error) {
    if (!(error instanceof ServiceError) || isPassing(error) || error.is("unauthenticated")) return false;
    await refuse(sent, error);
    return true;
  }
}

async function settle(write: QueuedWrite, row: AnyRow | null): Promise<void> {
  await change((before) => executed(before, write, row), { write, row });
  noteSent(write.id, row);
  askAgain([write.entity]);
}

function noteSent(id: string, row: AnyRow | null): void {
  const isAwaited = waiters.has(id);
  tell(id, { state: "saved", row });
  if (!isAwaited && untracked(writes).every((one) => one.problem !== null)) sentListeners.forEach((one) => one());
}

async function mark(write: QueuedWrite, problem: Problem): Promise<void> {
  await change((before) => changed(before, write, { problem }));
  listeners.forEach((one) => one({ ...write, problem }));
}

/** The record as it is now, if a write was refused because others have changed it. */
export function storedVersion(error: ServiceError | null): AnyRow | null {
  return error?.is("conflict") && error.data.reason === "version" ? (error.data.current as AnyRow) : null;
}

async function refuse(write: QueuedWrite, error: ServiceError): Promise<void> {
  // What is to be deleted is gone already.
  if (write.kind === "delete" && error.is("not_found")) return settle(write, null);
  const current = storedVersion(error);
  if ((write.kind === "update" || write.kind === "move") && current !== null && write.base !== null) {
    const { changes, conflicts } = merged(write.base, write.values, current);
    if (conflicts.length === 0) {
      const base = { ...write.base, ...current };
      // Both have made the same change.
      if (Object.keys(changes).length === 0) return settle(write, base);
      return change((before) => changed(before, write, { kind: "update", values: changes, base, key: newKey(), sentAt: null }));
    }
  }
  if (waiters.has(write.id)) {
    // The form shows the refusal, and keeps what was typed.
    await change((before) => abandoned(before, write.id));
    tell(write.id, { state: "refused", error });
    return;
  }
  const { code, message, data } = error;
  await mark(write, { kind: "refused", code, message, data });
}

// What waits

export const queue = {
  /** The writes that wait to be sent or need a decision, in the order of the presses. What can still be taken back does neither. */
  items: (): Writes => writes().filter((one) => heldFor(one, Date.now()) === 0),
  /** Whether the record of a table that does not stand here is deleted, or about to be. */
  isRemoved: (entity: Removable, id: number): boolean =>
    writes().some((one) => one.entity === entity && one.recordId === id && one.problem === null) || queue.isDone(entity, id),
  /** Whether the last write of a record of such a table was executed. */
  isDone: (entity: Writable, id: number): boolean => settled.has(`${entity} ${id}`),
  /** Whether a record has a write that waits or was refused. */
  of(entity: Entity, id: number): "waiting" | "refused" | null {
    const found = writes().filter((one) => one.entity === entity && one.recordId === savedId(id));
    if (found.length === 0) return null;
    return found.some((one) => one.problem !== null) ? "refused" : "waiting";
  },
  /** The error of a refused write, as a call would have thrown it. */
  errorOf({ entity, kind, problem }: QueuedWrite): ServiceError | null {
    if (problem?.kind !== "refused") return null;
    return new ServiceError(`${entity}.${kind}`, problem.code, problem.message, problem.data as ServiceError["data"]);
  },
  /** Called when the last write that waited is sent, unless a form waits for it. */
  onAllSent(listener: () => void): void {
    sentListeners.add(listener);
  },
  /** Called when a write is refused that no form waits for. */
  onRefused(listener: (write: QueuedWrite) => void): void {
    listeners.add(listener);
  },
};
