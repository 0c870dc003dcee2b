// What can go wrong with a call, in the words of the reader.

import { ServiceError, TransportError } from "learntrack";
import { untracked } from "view";
import { type Closure, isOnline } from "./network";

export interface Failure {
  /** Whether the service could not be reached. */
  readonly isOffline: boolean;
  readonly message: string;
  readonly error: unknown;
}

/** What this device or this page cannot do, as a sentence for the reader. Trying again changes nothing. */
export class Unable extends Error {}

/** Why nobody works here in the company in which the call would act: `["suspended"]`, `["moved", address]`, or null. */
export function closureOf(error: unknown): Closure | null {
  const { reason, moved_to: to } = (error instanceof ServiceError ? error.data : {}) as { reason?: string; moved_to?: string };
  return reason === "suspended" || reason === "moved" ? [reason, to] : null;
}

/** Whether the same call may succeed later. */
export function isPassing(error: unknown): boolean {
  if (error instanceof TransportError) return error.status >= 500 || error.status === 408 || error.status === 429;
  if (!(error instanceof ServiceError)) return true;
  if (error.is("conflict")) return error.data.reason === "idempotency" && error.data.retryable === true;
  return closureOf(error) !== null || error.is("rate_limited") || error.is("unavailable") || error.is("timeout") || error.is("outcome_unknown");
}

export function failureOf(error: unknown): Failure {
  if (error instanceof ServiceError || error instanceof Unable) return { isOffline: false, message: error.message, error };
  return { isOffline: true, message: untracked(isOnline) ? "Le service ne répond pas. Réessayez dans un moment." : "Le service ne répond pas\u202f: vous êtes hors connexion.", error };
}
