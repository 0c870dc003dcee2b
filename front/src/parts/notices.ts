// What was done, for a moment, and what failed, until it is closed.

import { signal } from "view";

export interface NoticeAction { label: string; run: () => void }
export interface Notice { text: string; action?: NoticeAction | undefined }

const shown = 8_000;
/** What can be done with what is said is offered a little longer, and no longer than it can be done. */
const offered = 9_500;
const said = signal<Notice | null>(null);
const warned = signal<Notice | null>(null);
let since = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

export const message = (): Notice | null => said();
export const warning = (): Notice | null => warned();

/** `say("Session enregistrée")`. */
export function say(text: string, action?: NoticeAction): void {
  clearTimeout(timer);
  unsent = null;
  said.set({ text, action });
  timer = setTimeout(() => said.set(null), action === undefined ? shown : offered);
}

/** What is said, and is said again without its end when the write it tells of is sent. */
let unsent: string | null = null;

/** Says what was done by a write of the store, and that it is not sent yet when it waits. */
export function sayWritten(text: string, { state }: { state: "saved" | "queued" }, undo?: () => unknown): void {
  const action = undo && { label: "Annuler", run: () => void undo() };
  say(state === "saved" ? text : `${text} sur cet appareil, en attente d’envoi`, action);
  if (state === "queued") unsent = text;
}

/** All that waited has been sent. */
export function saySent(): void {
  if (unsent !== null) say(unsent);
}

export function silence(): void {
  clearTimeout(timer);
  unsent = null;
  said.set(null);
}

/** `warn("La session n’a pas été enregistrée.")`. It stays until it is closed. */
export function warn(text: string, action?: NoticeAction): void {
  since = Date.now();
  warned.set({ text, action });
}

/** A failure that has been read stays with the screen it came on; one that came with the move is still to be read. */
export function dismissOld(): void {
  if (Date.now() - since > 3_000) dismiss();
}

export function dismiss(): void {
  warned.set(null);
}
