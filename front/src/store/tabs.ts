// The tabs of this browser: what they tell each other, and what only one of them does at a time. Each shows one company: what is not
// about signing in concerns those that show the same.

import { untracked } from "view";
import { company, type Company } from "./company";
import type { AnyRow } from "./rows";
import type { QueuedWrite } from "./writes";

export interface Opened {
  readonly token: string;
  readonly user: { id: number; email: string; username: string | null; role: "admin" | "user"; operator?: boolean };
  /** The one in which the token acts, and all of the account. */
  readonly company: Company;
  readonly companies: readonly Company[];
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

channel?.addEventListener("message", ({ data }: MessageEvent<Message & { readonly of: number | null }>) => {
  if (data.kind === "opened" || data.kind === "closed" || data.of === untracked(company)) handlers.get(data.kind)?.forEach((one) => one(data));
});

/** Tells the other tabs: those of this company, or of another one. */
export function post(message: Message, of = untracked(company)): void {
  channel?.postMessage({ ...message, of });
}

export function onMessage<K extends Kind>(kind: K, handle: (message: Extract<Message, { kind: K }>) => void): void {
  handlers.set(kind, [...(handlers.get(kind) ?? []), handle as (message: Message) => void]);
}

interface Waiting {
  /** The milliseconds after which the lock is taken from a tab that the system has put to sleep. */
  patience?: number;
  /** Ends the wait, which then fails. */
  signal?: AbortSignal;
  /** The company that the work concerns; 0: all, as signing in does. */
  of?: number | null;
}

const lockOf = (name: string, of: number | null): string => `learntrack-${name}${of ? `-${of}` : ""}`;

/** Runs `work` when no other tab runs work of this name for the same company. */
export async function locked<T>(name: string, work: () => Promise<T>, { patience, signal, of = untracked(company) }: Waiting = {}): Promise<T> {
  // Without a secure context there are no locks, and no stored data that tabs could share.
  if (!navigator.locks) return work();
  const lock = lockOf(name, of);
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
  return pending?.some((one) => one.name === lockOf(name, untracked(company))) ?? false;
}
