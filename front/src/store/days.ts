// Which days the device keeps, and where each record lies there.

import { addDays } from "../words/dates";
import { daysOf, type Days } from "./match";
import type { AnyRow } from "./rows";

/** The days of the device's copy. */
export function keptDays(day: string): Days {
  return { from: addDays(day, -60), to: addDays(day, 180) };
}

export function contains(days: Days | null, wanted: Days | null): boolean {
  return days !== null && wanted !== null && days.from <= wanted.from && wanted.to <= days.to;
}

/**
 * What the copy lacks of these days, in parts that touch what is known by then. A new copy begins with the month of `day`, which
 * is on the screen, and goes on with what comes.
 */
export function missingDays(known: Days | null, wanted: Days, day: string): Days[] {
  const isNear = known !== null && known.from <= wanted.to && wanted.from <= known.to;
  const start = isNear ? known : daysOf({ mois: day.slice(0, 7) })!;
  return [
    ...(isNear ? [] : [start]),
    // The last day that is known was loaded when it was the last one of the copy.
    ...(start.to < wanted.to ? [{ from: start.to, to: wanted.to }] : []),
    ...(wanted.from < start.from ? [{ from: wanted.from, to: start.from }] : []),
  ];
}

/** The days of both, which touch. */
export function joined(known: Days | null, part: Days): Days {
  if (known === null || part.to < known.from || known.to < part.from) return part;
  return { from: known.from < part.from ? known.from : part.from, to: known.to > part.to ? known.to : part.to };
}

/** The name of the entry that a row belongs to; null if the device does not keep the row. */
export function entryOf(entity: string, row: AnyRow, days: Days): string | null {
  if (entity !== "sessions") return `${entity}/${Math.floor(row.id / 256)}`;
  const date = String(row["date"]);
  return date < days.from || date > days.to ? null : `sessions/${date.slice(0, 7)}`;
}
