// What the domains declare of their tables, for the words of journals, histories and lists of what waits.

import { signal } from "view";
import type { Domain, Entity, Field } from "../store/declared/types";

const known = signal<ReadonlyMap<string, { readonly entity: Entity; readonly domain: string }>>(new Map());

/** Takes what the service has answered, or the device has kept. */
export function learn(domains: readonly Domain[]): void {
  known.set(new Map(domains.flatMap(({ name, entities }) => entities.map((entity) => [entity.name, { entity, domain: name }] as const))));
}

/** An entity of any domain, followed: their names differ. */
export const learnt = (table: string): Entity | undefined => known().get(table)?.entity;

/** The address that a record of it has, unless it has screens of its own. */
export const declaredPath = (table: string): string | undefined => {
  const found = known().get(table);
  return found && `/${found.domain}/${table}`;
};

/** A column of it. */
export const fieldOf = (table: string | undefined, column: string): Field | undefined =>
  (table === undefined ? undefined : learnt(table)?.columns.find(({ name }) => name === column));

/** Those with a journal of their own, in the order of their domains. */
export const learntTables = (): readonly Entity[] =>
  [...known().values()].map(({ entity }) => entity).filter(({ methods }) => methods.includes("history"));
