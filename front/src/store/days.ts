// Which days the device keeps, and where each record lies there.

import { addDays } from "../words/dates";
import type { Days } from "./match";
import type { AnyRow, Entity } from "./rows";

/** The days of the device's copy. */
export function keptDays(day: string): Days {
  return { from: addDays(day, -60), to: addDays(day, 180) };
}

export function contains(days: Days | null, wanted: Days | null): boolean {
  return days !== null && wanted !== null && days.from <= wanted.from && wanted.to <= days.to;
}

/** The name of the entry that a row belongs to; null if the device does not keep the row. */
export function entryOf(entity: Entity, row: AnyRow, days: Days): string | null {
  if (entity !== "sessions") return `${entity}/${Math.floor(row.id / 256)}`;
  const date = String(row["date"]);
  return date < days.from || date > days.to ? null : `sessions/${date.slice(0, 7)}`;
}
