// What people know records by.

import type { Entity } from "../store/declared/types";
import { capital } from "./nouns";

export type AnyValues = { readonly [name: string]: unknown };

type Titled = Pick<Entity, "title"> & Partial<Pick<Entity, "single" | "singular">>;

/** The value at a path such as "reader.name". */
export function at(row: AnyValues, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => (value as AnyValues | null | undefined)?.[name], row);
}

/** "Germinal", "Jeanne, Germinal" of a record that others name, "n° 12" without anything. The only one of its kind needs no number. */
export function titleOf(entity: Titled, row: AnyValues): string {
  const parts = entity.title.filter((path) => path !== "id").map((path) => at(row, path))
    .filter((part) => part !== null && part !== undefined && part !== "").map(String);
  if (parts.length === 0 && entity.single && entity.singular) return capital(entity.singular);
  return parts.length > 0 ? parts.join(", ") : `n°\u00a0${String(row["id"])}`;
}

/** The same of a record as another one names it, in its relation; null: it names none. */
export function titleIn(entity: Titled | undefined, related: unknown): string | null {
  if (related === null || typeof related !== "object") return null;
  return entity === undefined ? `n°\u00a0${String((related as AnyValues)["id"])}` : titleOf(entity, related as AnyValues);
}
