// The records that this tab knows. What is painted is read here; the device's copy and the service fill it.

import { batch, signal, type Signal } from "view";
import { overlaid, related, twins, type Rows } from "./overlay";
import { entities, type AnyRow, type Entity } from "./rows";
import type { QueuedWrite } from "./writes";

/** The writes that are not executed yet, in the order of the presses. */
export const writes: Signal<readonly QueuedWrite[]> = signal<readonly QueuedWrite[]>([]);

/** The ids of records that were saved from temporary ones. */
export const savedIds: Signal<ReadonlyMap<number, number>> = signal<ReadonlyMap<number, number>>(new Map());

function perEntity<T>(make: (entity: Entity) => T): { readonly [E in Entity]: T } {
  return Object.fromEntries(entities.map((one) => [one, make(one)])) as { [E in Entity]: T };
}

const known = perEntity(() => signal<Rows>(new Map()));
const arrivals = perEntity(() => new Map<number, number>());
const deleted = perEntity(() => new Set<number>());
let arrival = 0;

/** Called with the rows that came or went, as they were and as they are, after the table changed. */
type Watcher = (entity: Entity, touched: readonly AnyRow[]) => void;
const watchers = new Set<Watcher>();

export function watchTables(watcher: Watcher): void {
  watchers.add(watcher);
}

/** A number that grows with everything that arrives. */
export const arrivedBefore = (): number => arrival;

/** Whether a record arrived after `moment`. */
export function arrivedSince(entity: Entity, id: number, moment: number): boolean {
  return (arrivals[entity].get(id) ?? 0) > moment;
}

/** Takes rows of the service or of the device. An older version than the one that is known is a late answer. */
export function put(entity: Entity, rows: readonly AnyRow[]): void {
  const before = known[entity]();
  const fresh = rows.filter((row) =>
    !deleted[entity].has(row.id) && (before.get(row.id)?.version ?? 0) <= row.version);
  if (fresh.length === 0) return;
  const next = new Map(before);
  arrival += 1;
  for (const row of fresh) {
    next.set(row.id, row);
    if (before.get(row.id)?.version !== row.version) arrivals[entity].set(row.id, arrival);
  }
  known[entity].set(next);
  const touched = fresh.flatMap((row) => {
    const old = before.get(row.id);
    return old === undefined ? [row] : [old, row];
  });
  watchers.forEach((one) => one(entity, touched));
}

/** Forgets records that no longer exist. Ids are not given again, and a late answer does not bring them back. */
export function drop(entity: Entity, ids: readonly number[]): void {
  ids.forEach((id) => deleted[entity].add(id));
  const before = known[entity]();
  const found = ids.filter((id) => before.has(id));
  if (found.length === 0) return;
  const next = new Map(before);
  found.forEach((id) => next.delete(id));
  known[entity].set(next);
  watchers.forEach((one) => one(entity, found.flatMap((id) => before.get(id) ?? [])));
}

export const isDeleted = (entity: Entity, id: number): boolean => deleted[entity].has(id);

/** Leaves out of memory what `isKept` does not want. The records exist still. */
export function trim(entity: Entity, isKept: (row: AnyRow) => boolean): void {
  const before = known[entity]();
  const next = new Map([...before].filter(([, row]) => isKept(row)));
  if (next.size < before.size) known[entity].set(next);
}

export function forgetAll(): void {
  batch(() => {
    for (const entity of entities) {
      known[entity].set(new Map());
      arrivals[entity].clear();
      deleted[entity].clear();
    }
    writes.set([]);
    savedIds.set(new Map());
  });
}

/** The function with its last result, which is computed again when an argument is another. */
function remembered<A extends readonly unknown[], R>(compute: (...given: A) => R): (...given: A) => R {
  let last: { given: A; result: R } | null = null;
  return (...given) => {
    if (last === null || given.some((one, at) => one !== last?.given[at])) last = { given, result: compute(...given) };
    return last.result;
  };
}

const overlays = perEntity(() => remembered(overlaid));
const relations = remembered((sessions: Rows, formateurs: Rows, clients: Rows, ecoles: Rows) =>
  related(sessions, (name) => ({ formateurs, clients, ecoles })[name]));

const pairs = perEntity(() => remembered(twins));

/** The temporary ids that lists leave out, because the record itself is there. */
export const hidden = (entity: Entity): ReadonlySet<number> => pairs[entity](entity, known[entity](), writes());

/** The records as the service has them. */
export const saved = (entity: Entity): Rows => known[entity]();

/** The records as they will be when the waiting writes are executed. */
export function shown(entity: Entity): Rows {
  const rows = overlays[entity](entity, known[entity](), writes());
  if (entity !== "sessions") return rows;
  return relations(rows, shown("formateurs"), shown("clients"), shown("ecoles"));
}
