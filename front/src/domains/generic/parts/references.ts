// What refers to a record: the lists of other entities, narrowed to it.

import { knownDomains } from "../../../parts/declared";
import type { Reference } from "../../../parts/form/remove";
import { callDeclared } from "../../../store/declared";
import type { Entity } from "../../../store/declared";
import { filterable } from "./filters";
import { addressOf, domainOf } from "./records";

/** The list of those that refer to a record by this column; all of them, where the list has no such filter or screens of its own. */
export function listOf(entity: Entity, column: string, id: number): string {
  const address = addressOf(entity);
  const isGeneric = address === `/${domainOf(entity).name}/${entity.name}`;
  return isGeneric && filterable(entity).some(({ name }) => name === column) ? `${address}?${column}=${id}` : address;
}

/** What keeps a record from being deleted, as far as the account may list it. Parts of the record are deleted with it. */
export function referencesTo({ name: target }: Entity, id: number): Reference[] {
  const lists = knownDomains().flatMap(({ entities }) => entities).filter(({ view, methods }) => view === undefined && methods.includes("list"));
  return lists.flatMap((entity) => entity.relations.filter((one) => one.target === target && one.many !== true && one.part !== true).map(({ column }) => ({
    words: [entity.singular, entity.plural] as const, href: listOf(entity, column, id),
    count: async () => {
      const where = { [column]: id };
      return (await callDeclared<{ total: number }>(`${entity.name}.list`, { where, first: 1, count: true, select: "{ id }" })).total;
    },
  })));
}
