// Declares tables of other domains, and keeps those that are small on the device as a whole.

import { ServiceError } from "learntrack";
import { effect, untracked } from "view";
import { extent, flush, lose } from "../copy";
import { openVault } from "../device";
import { isPassing } from "../failure";
import { alsoCopy } from "../feed";
import { list, loadDirectory } from "../records";
import { followed, isEntity, tables, type AnyRow } from "../rows";
import { put, writes } from "../tables";
import type { Entry } from "../vault";
import type { DeclaredTable } from "./tables";

/** The rows up to which a table is copied. */
const most = 2_000;

/** The tables of this account that are not copied: they have too many rows, or the service refuses to list them. */
const left = new Set<string>();

export const declaredTable = (name: string): DeclaredTable | undefined =>
  (isEntity(name) ? undefined : tables.get(name) as DeclaredTable | undefined);

/** Whether all rows of a table are on the device, and kept up to date. */
export const isWhole = (name: string): boolean => extent().directories.includes(name) && followed.has(name);

/** The selection that the stored rows of a table were read with; a service that is updated may have further columns. */
const selectionEntry = (name: string): string => `table/${name}`;

/** The tables that this account has declared, without LearnTrack's own. */
const all = (): string[] => [...tables.keys()].filter((name) => !isEntity(name));

/**
 * Makes tables known by name, and reads what the device has of them. LearnTrack's own keep what the store knows of them.
 *
 * @param copied those that the device keeps as a whole, if they are small; without it, all.
 */
export async function declare(given: { readonly [name: string]: DeclaredTable }, copied?: ReadonlySet<string>): Promise<void> {
  for (const [name, table] of Object.entries(given)) {
    if (isEntity(name)) continue;
    if (tables.get(name)?.select !== table.select) followed.delete(name);
    tables.set(name, table);
    if (copied?.has(name) ?? true) left.delete(name);
    else left.add(name);
  }
  // What waits to be written of them is shown from now on.
  writes.update((before) => [...before]);
  await adopt(stored());
  alsoCopy(missing);
}

/** The copies that the device does not have yet. */
export const missing = (): (() => Promise<void>)[] => all()
  .filter((name) => declaredTable(name)?.isListed && !left.has(name) && !untracked(() => isWhole(name)))
  .map((name) => () => load(name));

/** The tables that the device has as a whole, and that are not read yet. */
const stored = (): string[] => untracked(extent).directories.filter((name) => declaredTable(name) !== undefined && !followed.has(name));

// Another tab may have copied some.
effect(() => {
  extent();
  void adopt(stored());
});

type Stored = readonly [entry: string, rows: readonly AnyRow[]][];

async function read(name: string): Promise<Stored> {
  const entries = await openVault()?.readAll<readonly AnyRow[]>("rows") ?? [];
  return entries.filter(([entry]) => entry.startsWith(`${name}/`));
}

const adopting = new Set<string>();

/** Takes the stored rows of tables, unless they lack something: the feed has passed a change, or there are further columns. */
async function adopt(names: readonly string[]): Promise<void> {
  const vault = openVault();
  const wanted = names.filter((name) => !adopting.has(name)).map((name) => ({ name, table: declaredTable(name) }));
  if (vault === null || wanted.length === 0) return;
  wanted.forEach(({ name }) => adopting.add(name));
  try {
    // All rows are read at once: reading means decrypting.
    const entries = await vault.readAll<readonly AnyRow[]>("rows");
    const selects = await Promise.all(wanted.map(({ name }) => vault.read<string>("meta", selectionEntry(name))));
    if (openVault() !== vault) return;
    const whole = untracked(extent).directories;
    const taken = wanted.filter(({ name, table }, at) =>
      declaredTable(name) === table && whole.includes(name) && selects[at] === table?.select && !followed.has(name));
    for (const { name } of taken) {
      followed.add(name);
      put(name, entries.flatMap(([entry, rows]) => (entry.startsWith(`${name}/`) ? rows : [])));
    }
    if (taken.length > 0) extent.update((before) => ({ ...before }));
  } catch {
    // Without what the device has, the service is asked.
  } finally {
    wanted.forEach(({ name }) => adopting.delete(name));
  }
}

/** Copies a table, if it is small enough; the feed keeps it up to date from the moment in which the copy begins. */
async function load(name: string): Promise<void> {
  const vault = openVault();
  const select = tables.get(name)?.select;
  try {
    const { total = 0 } = await list(name, { first: 1, count: true });
    if (total > most) return void left.add(name);
    // What lies there of it is not to be taken for the whole table, should the page end meanwhile.
    lose([name]);
    await flush();
    const old = (await read(name)).map(([entry]): Entry => ({ shelf: "rows", name: entry, value: undefined }));
    await vault?.write([...old, { shelf: "meta", name: selectionEntry(name), value: undefined }]);
    followed.add(name);
    await loadDirectory(name);
    await flush();
    await vault?.write([{ shelf: "meta", name: selectionEntry(name), value: select }]);
  } catch (error) {
    followed.delete(name);
    if (!(error instanceof ServiceError) || isPassing(error) || error.is("unauthenticated")) throw error;
    left.add(name);
  }
}
