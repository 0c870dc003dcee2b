// Who waits to hear what becomes of a write: the form that sent it, and those who speak of what waited.

import { ServiceError } from "learntrack";
import { untracked } from "view";
import type { AnyRow, Entity, Row } from "./rows";
import { writes } from "./tables";
import type { QueuedWrite } from "./writes";

export type Outcome<E extends Entity> =
  | { state: "saved"; row: Row<E> | null }
  | { state: "queued"; row: Row<E> | null }
  | { state: "refused"; error: ServiceError };

export type AnyOutcome =
  | { state: "saved" | "queued"; row: AnyRow | null; /** What a call was answered. */ answer?: unknown }
  | { state: "refused"; error: ServiceError };

/** The forms that wait to hear what becomes of their write. */
export const waiters = new Map<string, (outcome: AnyOutcome) => void>();
/** Those who hear that a write was refused, and that the last one was sent. */
export const listeners = new Set<(write: QueuedWrite) => void>();
export const sentListeners = new Set<() => void>();

export function tell(id: string, outcome: AnyOutcome): void {
  waiters.get(id)?.(outcome);
  waiters.delete(id);
}

/** The error of a refused write, as a call would have thrown it. */
export function errorOf({ entity, kind, method, problem }: QueuedWrite): ServiceError | null {
  if (problem?.kind !== "refused") return null;
  return new ServiceError(method ?? `${entity}.${kind}`, problem.code, problem.message, problem.data as ServiceError["data"]);
}

/** A write was executed. */
export function noteSent(id: string, row: AnyRow | null, answer?: unknown): void {
  const isAwaited = waiters.has(id);
  tell(id, { state: "saved", row, answer });
  if (!isAwaited && untracked(writes).every((one) => one.problem !== null)) sentListeners.forEach((one) => one());
}
