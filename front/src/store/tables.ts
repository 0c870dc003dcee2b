// The records that this tab knows. What is painted is read here; the device's copy and the service fill it.

import { batch, signal, untracked, type Signal } from "view";
import { named, overlaid, twins, type Rows } from "./overlay";
import { followed, isEntity, tables, type AnyRow } from "./rows";
import type { QueuedWrite } from "./writes";

/** The writes that are not executed yet, in the order of the presses. */
export const writes: Signal<readonly QueuedWrite[]> = signal<readonly QueuedWrite[]>([]);

/** The ids of records that were saved from temporary ones. */
export const savedIds: Signal<ReadonlyMap<number, number>> = signal<ReadonlyMap<number, number>>(new Map());

/** The function with its last result, which is computed again when an argument is another. */
function remembered<A extends readonly unknown[], R>(compute: (...given: A) => R): (...given: A) => R {
  let last: { given: A; result: R } | null = null;
  return (...given) => {
    if (last === null || given.some((one, at) => one !== last?.given[at])) last = { given, result: compute(...given) };
    return last.result;
  };
}

const made = () => ({
  known: signal<Rows>(new Map()),
  arrivals: new Map<number, number>(),
  deleted: new Set<number>(),
  overlaid: remembered(overlaid),
  named: remembered(named),
  twins: remembered(twins),
});

/** What is known of each table, made when it is first asked for. */
const all = new Map<string, ReturnType<typeof made>>();

function of(entity: string): ReturnType<typeof made> {
  const found = all.get(entity) ?? made();
  all.set(entity, found);
  return found;
}

let arrival = 0;

/** Called with the rows that came or went, as they were and as they are, after the table changed. */
type Watcher = (entity: string, touched: readonly AnyRow[]) => void;
const watchers = new Set<Watcher>();

export function watchTables(watcher: Watcher): void {
  watchers.add(watcher);
}

/** A number that grows with everything that arrives. */
export const arrivedBefore = (): number => arrival;

/** Whether a record arrived after `moment`. */
export function arrivedSince(entity: string, id: number, moment: number): boolean {
  return (of(entity).arrivals.get(id) ?? 0) > moment;
}

/** Takes rows of the service or of the device. An older version than the one that is known is a late answer. */
export function put(entity: string, rows: readonly AnyRow[]): void {
  const { known, arrivals, deleted } = of(entity);
  const before = untracked(known);
  // Some tables have no versions.
  const fresh = rows.filter((row) => !deleted.has(row.id) && !(before.get(row.id)?.version! > row.version));
  if (fresh.length === 0) return;
  const next = new Map(before);
  arrival += 1;
  for (const row of fresh) {
    next.set(row.id, row);
    if (before.get(row.id)?.version !== row.version) arrivals.set(row.id, arrival);
  }
  known.set(next);
  const touched = fresh.flatMap((row) => {
    const old = before.get(row.id);
    return old === undefined ? [row] : [old, row];
  });
  watchers.forEach((one) => one(entity, touched));
}

/** Forgets records that no longer exist. Ids are not given again, and a late answer does not bring them back. */
export function drop(entity: string, ids: readonly number[]): void {
  const { known, deleted } = of(entity);
  ids.forEach((id) => deleted.add(id));
  const before = untracked(known);
  const found = ids.filter((id) => before.has(id));
  if (found.length === 0) return;
  const next = new Map(before);
  found.forEach((id) => next.delete(id));
  known.set(next);
  watchers.forEach((one) => one(entity, found.flatMap((id) => before.get(id) ?? [])));
}

export const isDeleted = (entity: string, id: number): boolean => of(entity).deleted.has(id);

/** Leaves out of memory what `isKept` does not want. The records exist still. */
export function trim(entity: string, isKept: (row: AnyRow) => boolean): void {
  const { known } = of(entity);
  const before = untracked(known);
  const next = new Map([...before].filter(([, row]) => isKept(row)));
  if (next.size < before.size) known.set(next);
}

export function forgetAll(): void {
  batch(() => {
    for (const { known, arrivals, deleted } of all.values()) {
      known.set(new Map());
      arrivals.clear();
      deleted.clear();
    }
    // What another account may read is declared anew.
    for (const name of tables.keys()) if (!isEntity(name)) [tables, followed].forEach((one) => one.delete(name));
    writes.set([]);
    savedIds.set(new Map());
  });
}

/** The temporary ids that lists leave out, because the record itself is there. */
export const hidden = (entity: string): ReadonlySet<number> => of(entity).twins(entity, saved(entity), writes());

/** The records as the service has them. */
export const saved = (entity: string): Rows => of(entity).known();

const written = (entity: string): Rows => of(entity).overlaid(entity, saved(entity), writes());

/** The records as they will be when the waiting writes are executed. */
export function shown(entity: string): Rows {
  const { relations } = tables.get(entity) ?? { relations: [] };
  return of(entity).named(written(entity), relations, ...relations.map(({ target }) => written(target)));
}
