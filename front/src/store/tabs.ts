// The tabs of this browser: what they tell each other, and what only one of them does at a time.

import type { AnyRow } from "./rows";
import type { QueuedWrite } from "./writes";

export interface Opened {
  readonly token: string;
  readonly user: { id: number; email: string; username: string | null; role: "admin" | "user" };
}

/** A write that was executed, and the record that it left; null after a deletion. */
export interface Done {
  readonly write: QueuedWrite;
  readonly row: AnyRow | null;
}

export type Message =
  /** Another tab signed in or renewed the token. */
  | { readonly kind: "opened"; readonly opened: Opened }
  /** The sign-in has ended, by itself or by the hand of a person. */
  | { readonly kind: "closed"; readonly byHand: boolean }
  /** The queue has changed; its writer has put it on the device. `done` is a write that was executed. */
  | { readonly kind: "writes"; readonly done: Done | null }
  | { readonly kind: "rows"; readonly entity: string; readonly rows: readonly AnyRow[]; readonly gone: readonly number[] }
  /** Records of these tables changed; null: any may have. The rows of the `lost` ones are not complete any more. */
  | { readonly kind: "changes"; readonly tables: readonly string[] | null; readonly lost?: readonly string[] }
  /** A tab that has just started wants to know where the one that listens is. */
  | { readonly kind: "hello" }
  /** Whether the tab that listens is connected; with `isWritten`, the device's copy has changed as a whole. */
  | { readonly kind: "copy"; readonly isListening: boolean; readonly isWritten: boolean };

type Kind = Message["kind"];

const channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("learntrack");
const handlers = new Map<Kind, ((message: Message) => void)[]>();

channel?.addEventListener("message", (event: MessageEvent<Message>) => {
  handlers.get(event.data.kind)?.forEach((one) => one(event.data));
});

/** Tells the other tabs. */
export function post(message: Message): void {
  channel?.postMessage(message);
}

export function onMessage<K extends Kind>(kind: K, handle: (message: Extract<Message, { kind: K }>) => void): void {
  handlers.set(kind, [...(handlers.get(kind) ?? []), handle as (message: Message) => void]);
}

interface Waiting {
  /** The milliseconds after which the lock is taken from a tab that the system has put to sleep. */
  patience?: number;
  /** Ends the wait, which then fails. */
  signal?: AbortSignal;
}

/** Runs `work` when no other tab runs work of this name. */
export async function locked<T>(name: string, work: () => Promise<T>, { patience, signal }: Waiting = {}): Promise<T> {
  // Without a secure context there are no locks, and no stored data that tabs could share.
  if (!navigator.locks) return work();
  const lock = `learntrack-${name}`;
  if (patience === undefined) return navigator.locks.request(lock, signal ? { signal } : {}, work) as Promise<T>;
  const waiting = new AbortController();
  const timer = setTimeout(() => waiting.abort(), patience);
  const begin = (): Promise<T> => {
    clearTimeout(timer);
    return work();
  };
  try {
    return (await navigator.locks.request(lock, { signal: waiting.signal }, begin)) as T;
  } catch (error) {
    if (!waiting.signal.aborted) throw error;
    return navigator.locks.request(lock, { steal: true }, work) as Promise<T>;
  }
}

/** Whether another tab waits to do what this one does. */
export async function isAwaited(name: string): Promise<boolean> {
  const { pending } = (await navigator.locks?.query()) ?? {};
  return pending?.some((one) => one.name === `learntrack-${name}`) ?? false;
}
