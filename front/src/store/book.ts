// The queue on the device, which all tabs share.

import { batch, untracked } from "view";
import { deleteCopy } from "./copy";
import { openVault } from "./device";
import { upgraded } from "./earlier";
import { tables } from "./rows";
import { offlineCopy } from "./settings";
import { drop, put, savedIds, writes } from "./tables";
import { locked, post, type Done } from "./tabs";
import type { Vault } from "./vault";
import type { Book, QueuedWrite } from "./writes";

type Writes = readonly QueuedWrite[];

/** Whether the device refused to keep the queue; it then lasts as long as the page. */
let isDetached = false;

async function readBook(vault: Vault | null): Promise<Book> {
  const stored = isDetached ? undefined : await vault?.read<Book>("queue", "writes");
  // The account may have signed out meanwhile.
  if (openVault() !== vault) throw new DOMException("", "AbortError");
  return stored ? upgraded(stored) : { writes: isDetached || vault === null ? untracked(writes) : [], saved: [...untracked(savedIds)] };
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

/** What was written and has no row here: deletions of other tables, and calls that concern no record. Ids are not given again. */
export const settled = new Set<string>();

function keep({ write, row }: Done): void {
  const { entity, kind, recordId } = write;
  const isKnown = tables.has(entity);
  if (isKnown && row !== null) put(entity, [row]);
  else if (isKnown && kind === "delete") drop(entity, [recordId]);
  else if (row === null && (kind === "delete" || recordId < 0)) settled.add(`${entity} ${recordId}`);
}

/** Shows the queue that the device has, and with it the record of a write that was executed. */
export function refresh(done: Done | null): Promise<void> {
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

/** Whether closing the page would lose writes, because the device refuses to keep them. */
export function isInMemoryAlone(): boolean {
  return untracked(writes).length > 0 && (isDetached || openVault() === null);
}
