// What a row of a list says of a record beside its title.

import type { Entity, Field } from "../../../store/declared";
import { declaredEntity } from "../parts/records";
import { titleIn } from "../../../words/titles";
import { shortDate } from "../../../words/dates";
import type { AnyValues } from "../../../words/titles";
import { isKept, isLong, valueText } from "../../../words/values";

const most = 3;

/**
 * The words of some fields that have a value: what it refers to and its choices first, since they tell records apart at a glance.
 * `under`: the column by which the row stands under the record that it names.
 */
export function details(entity: Entity, row: AnyValues, under?: string): string[] {
  const rank = (field: Field): number => (relationOf(entity, field) ? 0 : field.choices ?? field.number_labels ? 1 : field.type === "date" || field.type === "timestamp" ? 2 : 3);
  const told = [...entity.columns, ...entity.derived].filter((field) => field.name !== under && isTold(entity, field)).sort((a, b) => rank(a) - rank(b));
  const words: string[] = [];
  for (const field of told) {
    if (words.length === most) break;
    words.push(...(wordsOf(entity, field, row) ?? []));
  }
  return words;
}

/** Whether it leads to the only record of its kind: all rows say the same. */
export const isOfSingle = ({ target }: Field): boolean => target !== undefined && declaredEntity(target)?.single === true;

/** Whether a row says it: what the title says is not said twice. */
function isTold(entity: Entity, field: Field): boolean {
  const isTitle = entity.title.some((path) => path === field.name || relationOf(entity, field)?.name === path.split(".")[0]);
  return !isTitle && !isKept(field) && !isLong(field) && field.hidden !== true && field.file === undefined && field.type !== "uuid" && !isOfSingle(field);
}

export const relationOf = (entity: Entity, field: Field) =>
  entity.relations.find(({ column, many }) => many === undefined && column === field.name);

function wordsOf(entity: Entity, field: Field, row: AnyValues): string[] | null {
  const relation = relationOf(entity, field);
  if (relation !== undefined) {
    const words = titleIn(declaredEntity(relation.target), row[relation.name]);
    return words === null ? null : [words];
  }
  if (field.target !== undefined) return null;
  const text = valueText(field, row[field.name]);
  if (text === null) return null;
  const isMoment = (one: Field): boolean => one.type === "date" || one.type === "timestamp";
  const words = field.type === "date" ? shortDate(String(row[field.name])) : text;
  // A bare number or yes says nothing by itself, nor one moment among several, nor a moment of other records.
  const isBare = (isMoment(field) && [...entity.columns, ...entity.derived].filter((one) => isTold(entity, one) && isMoment(one) && row[one.name]).length > 1)
    || (isMoment(field) && field.about !== undefined) || field.type === "boolean" || (field.type === "integer" && field.number_labels === undefined) || field.type === "decimal";
  return [isBare ? `${field.label}\u202f: ${words}` : words];
}
