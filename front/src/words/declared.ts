// What the domains declare of their tables, for the words of journals, histories and lists of what waits.

import { signal } from "view";
import type { Domain, Entity, Field, Role } from "../store/declared/types";

const known = signal<ReadonlyMap<string, { readonly entity: Entity; readonly domain: string }>>(new Map());

const roles = signal<readonly Role[]>([]);

/** Takes what the service has answered, or the device has kept. */
export function learn(domains: readonly Domain[], given: readonly Role[] = []): void {
  roles.set(given);
  known.set(new Map(domains.flatMap(({ name, entities }) => entities.map((entity) => [entity.name, { entity, domain: name }] as const))));
}

/** An entity of any domain, followed: their names differ. */
export const learnt = (table: string): Entity | undefined => known().get(table)?.entity;

/** Whether the page of the only record stands in the place of a list. Who may not list it needs its number. */
export const hasOnePlace = ({ single, methods }: Pick<Entity, "single" | "methods">): boolean => single === true && methods.includes("list");

/** The address that a record of it has, unless it has screens of its own. */
export const declaredPath = (table: string, id: number): string | null => {
  const found = known().get(table);
  return found === undefined ? null : `/${found.domain}/${table}${hasOnePlace(found.entity) ? "" : `/${id}`}`;
};

/** A column of it. */
export const fieldOf = (table: string | undefined, column: string): Field | undefined =>
  (table === undefined ? undefined : learnt(table)?.columns.find(({ name }) => name === column));

/** A role that accounts hold, by its name. */
export const learntRole = (name: string): Role | undefined => roles().find((one) => one.name === name);

/** Those whose changes the journal has, in the order of their domains. */
export const learntTables = (): readonly Entity[] =>
  [...known().values()].map(({ entity }) => entity).filter(({ methods, journal }) => methods.includes("history") && journal === true);
