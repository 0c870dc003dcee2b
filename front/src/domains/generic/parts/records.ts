// The declared domains and their records, by the names that addresses and relations have.

import { untracked } from "view";
import { rooms } from "../../../parts/shell";
import type { Live } from "../../../store";
import { anyRecord, domains, pagesOf, press } from "../../../store/declared";
import type { AnyOutcome, AnyRow, Command, Domain, Entity, PageList, PagesRequest } from "../../../store/declared";
import { tables } from "../../../store/rows";
import type { Words } from "../../../store/writes";
import { capital, ofThe } from "../../../words/nouns";
import { titleOf } from "../../../words/titles";

const known = (): readonly Domain[] => untracked(() => domains().value()) ?? [];

export const declaredDomain = (name: string | undefined): Domain | undefined => known().find((one) => one.name === name);

export const entityIn = (domain: string | undefined, name: string | undefined): Entity | undefined =>
  declaredDomain(domain)?.entities.find((one) => one.name === name);

/** An entity of any domain: their names differ. */
export const declaredEntity = (name: string): Entity | undefined =>
  known().flatMap(({ entities }) => entities).find((one) => one.name === name);

/** By its name: what the service answers later says the same by other objects. */
export const domainOf = ({ name }: Entity): Domain => known().find(({ entities }) => entities.some((one) => one.name === name))!;

/** The screens that domains have of their own stand at other addresses. */
const own: Readonly<Record<string, string>> = { users: "/utilisateurs", journal: "/journal", outbox: "/envois" };

/** Where the list of an entity is; its records are below. */
export function addressOf(entity: Entity): string {
  const path = own[entity.name] ?? `/${entity.name}`;
  const hasOwn = rooms.some(({ routes }) => routes.some((route) => route.path === path));
  return hasOwn ? path : `/${domainOf(entity).name}/${entity.name}`;
}

export const pages = (entity: Entity, request: PagesRequest): PageList => pagesOf(entity.name, request);

export const oneOf = (entity: Entity, id: number): Live<AnyRow | null> => anyRecord(entity.name, id);

/** What the store selects of an entity. */
export const selectOf = (entity: Entity): string => tables.get(entity.name)!.select;

export const commandsOf = (entity: Entity): readonly Command[] =>
  known().flatMap(({ commands }) => commands).filter((one) => one.entity === entity.name);

/** Sends a command, or lets it wait for the network. */
export function callCommand(entity: Entity, command: Command, params: Readonly<Record<string, unknown>>, row?: AnyRow): Promise<AnyOutcome> {
  const references = Object.fromEntries(command.parameters.flatMap(({ name, target }) => (target === undefined ? [] : [[name, target]])));
  const of = row === undefined ? "" : `\u202f: ${entity.singular} «\u00a0${titleOf(entity, row)}\u00a0»`;
  const answers = command.answers?.record;
  return press({
    method: command.name, params, table: entity.name, references, words: { title: `${command.label}${of}` },
    ...(row === undefined ? {} : { record: row.id, base: row }), ...(answers === undefined ? {} : { answers }),
  });
}

/** What waits of a record says this in the list of what waits. */
export function wordsOf(entity: Entity, deed: string, title: string): Words {
  const words = `${deed} ${ofThe(entity)} «\u00a0${title}\u00a0»`;
  return { title: capital(words), within: `la ${words}` };
}
