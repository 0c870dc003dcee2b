// The tables of declared entities, as the store needs them.

import type { Table } from "../rows";
import type { Domain, Entity, Relation } from "./types";

export interface DeclaredTable extends Table {
  readonly isView: boolean;
  /** Whether the device may keep it as a whole. */
  readonly isListed: boolean;
}

/** Relations within relations go no further. */
const deepest = 2;

/** The members of a selection: "id title author { id name }" of "title" and "author.name". */
export function selection(paths: readonly string[], depth = 0): string {
  const inner = new Map<string, string[]>();
  for (const path of ["id", ...paths]) {
    const [first = "", ...rest] = path.split(".");
    if (rest.length > 0 && depth >= deepest) continue;
    inner.set(first, [...(inner.get(first) ?? []), ...(rest.length > 0 ? [rest.join(".")] : [])]);
  }
  return [...inner].map(([name, below]) => (below.length > 0 ? `${name} { ${selection(below, depth + 1)} }` : name)).join(" ");
}

/** What a row has of another one: what names that, and what names this one. */
function namesOf({ name, target }: Relation, entity: Entity, all: ReadonlyMap<string, Entity>): readonly string[] {
  const own = entity.title.filter((path) => path.startsWith(`${name}.`)).map((path) => path.slice(name.length + 1));
  return [...new Set([...(all.get(target)?.title ?? []), ...own])];
}

function tableOf(entity: Entity, all: ReadonlyMap<string, Entity>): DeclaredTable {
  const columns = entity.columns.filter(({ hidden }) => hidden !== true).map(({ name }) => name);
  const figures = entity.derived.filter(({ about }) => about !== undefined);
  const derived = entity.derived.filter((one) => !figures.includes(one)).map(({ name }) => name);
  const relations = entity.relations.filter((one) => one.many !== true);
  const nested = relations.flatMap((one) => ["id", ...namesOf(one, entity, all)].map((path) => `${one.name}.${path}`));
  return {
    select: `{ ${selection([...columns, ...derived, ...nested])} }`,
    references: Object.fromEntries(entity.columns.flatMap(({ name, target }) => (target === undefined ? [] : [[name, target]]))),
    relations: relations.map((one) => ({
      name: one.name, column: one.column, target: one.target, isBare: true,
      fields: [...new Set(namesOf(one, entity, all).map((path) => path.split(".")[0]!))].filter((field) => field !== "id"),
    })),
    blank: Object.fromEntries([
      ...entity.columns.map((one) => [one.name, one.default ?? null]), ...[...derived, ...relations.map(({ name }) => name)].map((name) => [name, null]),
    ]),
    // The declaration does not say from which columns a field is derived.
    derived: Object.fromEntries(derived.map((field) => [field, columns.join(" ")])),
    ...(figures.length === 0 ? {} : { figures: { names: figures.map(({ name }) => name), about: [...new Set(figures.map(({ about }) => about!))] } }),
    isView: entity.view === true,
    isListed: entity.view !== true && entity.methods.includes("list"),
  };
}

/** The tables of all entities of these domains, by name. */
export function tablesOf(domains: readonly Domain[]): { readonly [name: string]: DeclaredTable } {
  const all = new Map(domains.flatMap(({ entities }) => entities.map((one) => [one.name, one])));
  return Object.fromEntries([...all].map(([name, entity]) => [name, tableOf(entity, all)]));
}
