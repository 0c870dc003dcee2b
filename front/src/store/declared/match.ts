// Which rows a request takes and in which order, decided on the device as the service decides it.

import { compareNames, matches } from "../../words/sentences";
import { isSame } from "../writes";
import type { AnyRow, Values } from "../rows";

/** The value at a path: "author.name". */
export function valueAt(row: Values, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => (value as Values | null | undefined)?.[name], row) ?? null;
}

type Comparable = string | number;
const operators: { readonly [name: string]: (value: unknown, given: unknown) => boolean } = {
  eq: isSame,
  ne: (value, given) => value !== null && !isSame(value, given),
  lt: (value, given) => value !== null && (value as Comparable) < (given as Comparable),
  lte: (value, given) => value !== null && (value as Comparable) <= (given as Comparable),
  gt: (value, given) => value !== null && (value as Comparable) > (given as Comparable),
  gte: (value, given) => value !== null && (value as Comparable) >= (given as Comparable),
  in: (value, given) => (given as unknown[]).some((one) => isSame(value, one)),
  nin: (value, given) => value !== null && !(given as unknown[]).some((one) => isSame(value, one)),
  is_null: (value, given) => (value === null) === given,
};

/** Whether a value fulfils a condition. What only the service can decide is taken. */
function fulfils(value: unknown, condition: unknown): boolean {
  if (typeof condition !== "object" || condition === null) return isSame(value, condition);
  if (typeof value === "object" && value !== null) return takes(value as Values, condition as Values);
  return Object.entries(condition).every(([name, given]) => operators[name]?.(value, given) ?? true);
}

function takes(row: Values, where: Values): boolean {
  return Object.entries(where).every(([name, condition]) => {
    if (name === "and") return (condition as Values[]).every((one) => takes(row, one));
    if (name === "or") return (condition as Values[]).some((one) => takes(row, one));
    if (name === "not") return !takes(row, condition as Values);
    return fulfils(row[name] ?? null, condition);
  });
}

/** The texts of a row and of what it refers to. */
function textsIn(row: Values): string[] {
  return Object.values(row).flatMap((value) =>
    (typeof value === "string" ? [value] : typeof value === "object" && value !== null && !Array.isArray(value) ? textsIn(value as Values) : []));
}

/** Whether a row has every word of the search, in any of its texts, and fulfils the conditions. */
export function matcher(where: Values = {}, search = ""): (row: AnyRow) => boolean {
  return (row) => takes(row, where) && (search.trim() === "" || matches(search, ...textsIn(row)));
}

/** The order of "title" and "-date": what has no value comes last, and the id decides in the end. */
export function comparison(order: readonly string[]): (one: AnyRow, other: AnyRow) => number {
  const terms = order.map((term) => [term.replace(/^-/, ""), term.startsWith("-") ? -1 : 1] as const);
  return (one, other) => {
    for (const [path, sign] of terms) {
      const [first, second] = [valueAt(one, path), valueAt(other, path)];
      if (first === null || second === null) {
        if (first !== second) return first === null ? 1 : -1;
        continue;
      }
      const compared = typeof first === "string" ? compareNames(first, String(second)) : Number(first) - Number(second);
      if (compared !== 0) return compared * sign;
    }
    return one.id - other.id;
  };
}
