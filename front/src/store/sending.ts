// Sends what waits, one write after the other, each executed once.

import { ServiceError } from "learntrack";
import { signal, untracked } from "view";
import { change, refresh } from "./book";
import { client } from "./client";
import { isPassing } from "./failure";
import { askAgain } from "./live";
import { isOnline } from "./network";
import { errorOf, listeners, noteSent, tell, waiters } from "./outcomes";
import { newKey } from "./keys";
import { savedId } from "./records";
import { tables, type AnyRow } from "./rows";
import { put, shown, writes } from "./tables";
import { locked, onMessage } from "./tabs";
import {
  abandoned, callOf, changed, executed, heldFor, isTooOld, merged, nextOf, type Problem, type QueuedWrite,
} from "./writes";

/** Whether a write is on its way. */
export const isSending = signal(false);

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
  const error = errorOf(write);
  if (error === null) return;
  await change((before) => abandoned(before, write.id));
  tell(write.id, { state: "refused", error });
}

/** The record as the write will leave it. */
export function rowOf({ entity, recordId }: QueuedWrite): AnyRow | null {
  return untracked(() => shown(entity).get(savedId(recordId))) ?? null;
}

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

/** The table whose record the service answers. */
const answeredBy = ({ kind, entity, answers }: QueuedWrite): string | undefined =>
  kind === "call" ? answers : kind === "delete" ? undefined : entity;

/** Whether the write is settled; otherwise it is to be sent again later. */
async function execute(write: QueuedWrite): Promise<boolean> {
  if (isTooOld(write, Date.now())) {
    await mark(write, { kind: "expired" });
    return true;
  }
  if (write.sentAt === null) {
    const select = tables.get(answeredBy(write) ?? "")?.select;
    await change((before) => changed(before, write, { sentAt: Date.now(), ...(select === undefined ? {} : { select }) }));
  }
  // What was typed while the write was marked belongs to it.
  const sent = untracked(writes).find((one) => one.id === write.id);
  if (sent === undefined) return true;
  const { method, params } = callOf(sent);
  try {
    const answer = (await client.call(method as "sessions.create", params as never)) as unknown as AnyRow;
    const table = answeredBy(sent);
    const isOwn = table === sent.entity && (sent.kind !== "call" || answer?.id === sent.recordId);
    if (table !== undefined && !isOwn && sent.select !== undefined && answer?.id) put(table, [answer]);
    await settle(sent, isOwn ? answer : null, answer);
    return true;
  } catch (error) {
    if (!(error instanceof ServiceError) || isPassing(error) || error.is("unauthenticated")) return false;
    await refuse(sent, error);
    return true;
  }
}

async function settle(write: QueuedWrite, row: AnyRow | null, answer?: unknown): Promise<void> {
  await change((before) => executed(before, write, row), { write, row });
  noteSent(write.id, row, answer);
  askAgain([write.entity]);
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
