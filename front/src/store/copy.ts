// The device's copy of the records: sessions of some months, and the directories. One tab writes it.

import { signal, untracked } from "view";
import { addDays, today } from "../words/dates";
import { openVault } from "./device";
import { contains, entryOf, keptDays } from "./days";
import { daysOf, type Days, type SessionFilter } from "./match";
import { directories, followed, type AnyRow } from "./rows";
import { offlineCopy } from "./settings";
import { put, saved, watchTables } from "./tables";
import type { Entry } from "./vault";

/** What the copy has, as of the cursor. */
export interface Extent {
  /** The position in the change feed. */
  readonly cursor: string | null;
  readonly days: Days | null;
  /** The tables that are there as a whole. */
  readonly directories: readonly string[];
}

const empty: Extent = { cursor: null, days: null, directories: [] };

export const extent = signal<Extent>(empty);
/** What of it lies on the device; null while the device refuses to keep it. */
const kept = signal<Extent | null>(empty);
/** Whether the page itself opens without a network, or never will. */
export const isPageKept = signal(true);
/** Whether a tab hears of every change, so that what is complete stays so. */
export const isListening = signal(false);

export const isCovered = (filter: SessionFilter): boolean => contains(extent().days, daysOf(filter));

/**
 * Whether the device does not have all of its copy yet: who left the network now would miss something. Days that a week adds, half a
 * year ahead, are no reason to wait.
 */
export function isCopying(): boolean {
  const has = kept();
  if (has === null || openVault() === null || !offlineCopy()) return false;
  return !isPageKept() || !contains(has.days, { ...keptDays(today()), to: addDays(today(), 173) }) || directories.some((one) => !has.directories.includes(one));
}

/** The entries whose rows have changed since the copy had them, also before this tab writes it. */
const touched = new Set<string>();
let isWriter = false;
let isReading = false;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Writes soon, and a new copy at once: who leaves the network in this moment has what is on the screen. */
function flushSoon(): void {
  if (isWriter) timer ??= setTimeout(() => void flush(), untracked(extent).days === null ? 0 : 400);
}

/** This tab writes the copy from now on, or no longer. */
export function writeCopy(isMine: boolean): void {
  isWriter = isMine;
  if (!isMine) touched.clear();
  else if (touched.size > 0) flushSoon();
}

watchTables((entity, changes) => {
  if (isReading || !followed.has(entity)) return;
  const days = keptDays(today());
  for (const row of changes) {
    const name = entryOf(entity, row, days);
    if (name !== null) touched.add(name);
  }
  if (touched.size > 0) flushSoon();
});

/** Takes note of what the copy has; it is written with the rows that it speaks of. */
export function setExtent(change: Partial<Extent>): void {
  extent.update((before) => ({ ...before, ...change }));
  flushSoon();
}

/** Takes tables out of the copy that are not complete any more. */
export function lose(names: readonly string[]): void {
  const { directories: before } = untracked(extent);
  const left = before.filter((one) => !names.includes(one));
  if (left.length < before.length) setExtent({ directories: left });
}

/** Writes what has changed. */
export async function flush(): Promise<void> {
  clearTimeout(timer);
  timer = undefined;
  const vault = openVault();
  if (!isWriter || vault === null || !untracked(offlineCopy)) return;
  const names = [...touched];
  touched.clear();
  const days = keptDays(today());
  const entries = new Map<string, AnyRow[]>(names.map((name) => [name, []]));
  for (const entity of followed) {
    if (!names.some((name) => name.startsWith(`${entity}/`))) continue;
    for (const row of untracked(() => saved(entity)).values()) entries.get(entryOf(entity, row, days) ?? "")?.push(row);
  }
  const rows = [...entries].map(([name, value]): Entry =>
    ({ shelf: "rows", name, value: value.length > 0 ? value : undefined }));
  const value = untracked(extent);
  try {
    await vault.write([...rows, { shelf: "meta", name: "extent", value }]);
    if (openVault() === vault) kept.set(value);
  } catch {
    // The vault was closed by a sign-out, or the disk is full: the service still has everything.
    names.forEach((name) => touched.add(name));
    if (openVault() === vault) kept.set(null);
  }
}

/** Takes what the device has into memory. */
export async function readCopy(): Promise<void> {
  const vault = openVault();
  if (vault === null || !untracked(offlineCopy)) return;
  const [stored, entries] = await Promise.all([
    vault.read<Extent>("meta", "extent"), vault.readAll<readonly AnyRow[]>("rows"),
  ]);
  // The account may have signed out meanwhile.
  if (!stored || openVault() !== vault) return;
  kept.set(stored);
  isReading = true;
  try {
    for (const entity of followed) {
      put(entity, entries.flatMap(([name, rows]) => (name.startsWith(`${entity}/`) ? rows : [])));
    }
  } finally {
    isReading = false;
  }
  // What this tab has loaded meanwhile stays known: what changed since is behind the stored position, or was sent by another tab.
  extent.update(({ cursor, days, directories }) => ({
    cursor: stored.cursor ?? cursor, days: stored.days ?? days,
    directories: [...new Set([...stored.directories, ...directories])],
  }));
}

/** Forgets months that are over. */
export async function tidyCopy(): Promise<void> {
  const vault = openVault();
  if (vault === null) return;
  const { from } = keptDays(today());
  const entries = await vault.readAll("rows");
  const old = entries.map(([name]) => name).filter((name) =>
    name.startsWith("sessions/") && name < `sessions/${from.slice(0, 7)}`);
  await vault.write(old.map((name) => ({ shelf: "rows", name, value: undefined })));
}

export function forgetCopy(): void {
  touched.clear();
  clearTimeout(timer);
  timer = undefined;
  extent.set(empty);
  kept.set(empty);
}

/** Writes the whole copy after its switch was turned on. */
export async function rewriteCopy(): Promise<void> {
  if (!isWriter) return;
  const days = keptDays(today());
  for (const entity of followed) {
    for (const row of untracked(() => saved(entity)).values()) {
      const name = entryOf(entity, row, days);
      if (name !== null) touched.add(name);
    }
  }
  await flush();
}

/** Deletes the copy after its switch was turned off. */
export async function deleteCopy(): Promise<void> {
  kept.set(empty);
  await openVault()?.clear(["rows"]);
  await openVault()?.write([{ shelf: "meta", name: "extent", value: undefined }]);
}
