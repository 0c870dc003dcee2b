// Figures of records, such as how many books an author has. A change of a book changes them, and no version of the author says so. What
// keeps rows has none of them therefore: the copy on the device, and the rows in memory that the feed keeps up to date. A list or a page
// reads them with its rows, reads them again when a table changes that they are computed from, and shows none without a network.

import { client } from "./client";
import { isOnline } from "./network";
import type { Page } from "./records";
import { referencesOf, tables, type AnyRow, type Values } from "./rows";

/** The figures of records by their ids. */
export type FiguresById = ReadonlyMap<number, Values>;

/** The tables whose changes concern what is shown of this one. */
export const followsOf = (entity: string): ReadonlySet<string> =>
  new Set([entity, ...Object.values(referencesOf(entity)), ...(tables.get(entity)?.figures?.about ?? [])]);

/** The selection of a table with its figures. */
export function wholeSelect(entity: string): string | undefined {
  const table = tables.get(entity);
  return table?.figures === undefined ? table?.select : table.select.replace(/\}$/, `${table.figures.names.join(" ")} }`);
}

/** A page of any entity with its figures. */
export function figuredPage(entity: string, params: object): Promise<Page> {
  return client.call(`${entity}.list` as "sessions.list", { ...params, select: wholeSelect(entity) } as object) as Promise<unknown> as Promise<Page>;
}

/** The rows as the store keeps them, and their figures beside them. */
export function parted(entity: string, rows: readonly AnyRow[]): { rows: readonly AnyRow[]; figures: FiguresById } {
  const names = tables.get(entity)?.figures?.names;
  if (names === undefined) return { rows, figures: new Map() };
  return {
    rows: rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name))) as unknown as AnyRow),
    figures: new Map(rows.map((row) => [row.id, Object.fromEntries(names.map((name) => [name, row[name]]))])),
  };
}

/** Whether figures that were read are shown: without a network one does not know what has changed since. */
export const areShown = (entity: string): boolean => tables.get(entity)?.figures !== undefined && isOnline();

/** The row with its figures. */
export function withFigures(entity: string, row: AnyRow, figures: FiguresById): AnyRow {
  const found = areShown(entity) ? figures.get(row.id) : undefined;
  return found === undefined ? row : { ...row, ...found };
}
