// The declared domains and their records, by the names that addresses and relations have.

import { knownDomains } from "../../../parts/declared";
import type { Live } from "../../../store";
import { anyRecord, pagesOf, press, wholeSelect } from "../../../store/declared";
import type { AnyOutcome, AnyRow, Command, Domain, Entity, PageList, PagesRequest } from "../../../store/declared";
import type { Words } from "../../../store/writes";
import { capital, ofThe } from "../../../words/nouns";
import { titleOf } from "../../../words/titles";
import { valueText } from "../../../words/values";

export { addressOf, declaredEntity, domainOf, recordAddress } from "../../../parts/declared";

export const declaredDomain = (name: string | undefined): Domain | undefined => knownDomains().find((one) => one.name === name);

export const entityIn = (domain: string | undefined, name: string | undefined): Entity | undefined =>
  declaredDomain(domain)?.entities.find((one) => one.name === name);

export const pages = (entity: Entity, request: PagesRequest): PageList => pagesOf(entity.name, request);

export const oneOf = (entity: Entity, id: number): Live<AnyRow | null> => anyRecord(entity.name, id);

/** What pages show of an entity. */
export const selectOf = (entity: Entity): string => wholeSelect(entity.name)!;

export const commandsOf = (entity: Entity): readonly Command[] =>
  knownDomains().flatMap(({ commands }) => commands).filter((one) => one.entity === entity.name);

/** The command that makes the only record of its kind, at its first call. */
export const openerOf = (entity: Entity): Command | undefined => (entity.single ? commandsOf(entity).find((one) =>
  one.record === undefined && one.answers?.record === entity.name && one.parameters.every(({ required }) => required !== true)) : undefined);

/** Sends a command, or lets it wait for the network. */
export function callCommand(entity: Entity, command: Command, params: Readonly<Record<string, unknown>>, row?: AnyRow): Promise<AnyOutcome> {
  const references = Object.fromEntries(command.parameters.flatMap(({ name, target }) => (target === undefined ? [] : [[name, target]])));
  const of = row === undefined || entity.single ? "" : `\u202f: ${entity.singular} «\u00a0${titleOf(entity, row)}\u00a0»`;
  const answers = command.answers?.record;
  const given = command.parameters.filter(({ name }) => name !== command.record).flatMap((field) => {
    const value = params[field.name];
    if (field.target !== undefined && typeof value === "number") return [{ label: field.label, text: String(value), target: field.target }];
    const text = valueText(field, value);
    return text === null ? [] : [{ label: field.label, text }];
  });
  return press({
    method: command.name, params, table: entity.name, references, words: { title: `${command.label}${of}`, ...(given.length === 0 ? {} : { given }) },
    ...(row === undefined ? {} : { record: row.id, base: row }), ...(answers === undefined ? {} : { answers }),
  });
}

/** What waits of a record says this in the list of what waits. */
export function wordsOf(entity: Entity, deed: string, title: string): Words {
  const words = `${deed} ${ofThe(entity)}${entity.single ? "" : ` «\u00a0${title}\u00a0»`}`;
  return { title: capital(words), within: `la ${words}` };
}
