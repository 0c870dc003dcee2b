// What a command would change, as the service says it without doing it.

import { Fragment, h } from "view";
import type { Child } from "view";
import { client } from "../../../store";
import type { Command, Entity, Field } from "../../../store/declared";
import type { AnyRow } from "../../../store/rows";
import { details, relationOf } from "../words/rows";
import { capital } from "../../../words/nouns";
import { count } from "../../../words/sentences";
import { titleIn, titleOf } from "../../../words/titles";
import type { AnyValues } from "../../../words/titles";
import { isKept, valueText } from "../../../words/values";
import { declaredEntity, selectOf } from "./records";

export interface Trial {
  /** What would change of the record that the command is called on; null: the answer is something else. */
  readonly changes: readonly (readonly [label: string, before: string, after: string])[] | null;
  /** What it would answer, in words. */
  readonly results: readonly string[];
}

/** As many records as a person reads. */
const most = 10;

/** Asks the service what the call would do; what it refuses is thrown. */
export async function trialOf(entity: Entity, command: Command, params: Readonly<Record<string, unknown>>, row?: AnyRow): Promise<Trial> {
  const { record, records, value } = command.answers ?? {};
  const made = declaredEntity(record ?? records ?? "");
  const answer = await (client.call as (method: string, params: object) => Promise<unknown>)(
    command.name, { ...params, dry_run: true, ...(made === undefined ? {} : { select: selectOf(made) }) });
  if (made === undefined) return { changes: null, results: valueWords(value, answer) };
  if (row !== undefined && record === entity.name) return { changes: changesOf(entity, row, answer as AnyRow), results: [] };
  const rows = record === undefined ? (answer as { items: readonly AnyRow[] }).items : [answer as AnyRow];
  const others = rows.length - most;
  return {
    changes: null,
    results: [
      ...(record === undefined ? [capital(count(rows.length, made.singular, made.plural))] : []),
      ...rows.slice(0, most).map((one) => recordWords(made, one)), ...(others > 0 ? [`Et ${count(others, "autre")}.`] : []),
    ],
  };
}

/** "Plantation : Chou, Nombre de plants : 3". What has no name yet is not called by a number that it may not get. */
function recordWords(entity: Entity, row: AnyRow): string {
  const title = titleOf(entity, { ...row, id: "" });
  const words = [...(title.endsWith("\u00a0") ? [] : [title]), ...details(entity, row)];
  return words.length === 0 ? capital(entity.singular) : `${capital(entity.singular)}\u202f: ${words.join(" · ")}`;
}

/** A value of this shape, a line for each member that has words. */
function valueWords(shape: unknown, value: unknown): string[] {
  const { object } = (shape ?? {}) as { object?: readonly Field[] };
  // Of a list each element has a line.
  if (object === undefined) return Array.isArray(value) ? valueText({ name: "", label: "", type: "json", shape }, value)?.split("\n").slice(0, most) ?? [] : [];
  return object.flatMap((member) => {
    const text = valueText(member, (value as AnyValues | null)?.[member.name]);
    return text === null ? [] : [`${member.label}\u202f: ${text}`];
  });
}

export function Preview({ trial }: { trial: Trial }): Child {
  const { changes, results } = trial;
  return (
    <div class="generic-preview" role="status" aria-label="Aperçu">
      {changes === null ? (
        <>
          <p>Rien ne s’y oppose.{results.length === 0 ? "" : " Le résultat serait\u202f:"}</p>
          {results.length === 0 ? null : <ul class="history-changes" role="list">{results.map((words) => <li>{words}</li>)}</ul>}
        </>
      )
        : changes.length === 0 ? <p>Rien ne changerait.</p> : (
          <ul class="history-changes" role="list">
            {changes.map(([label, before, after]) => <li>{`${label}\u202f: ${before} → ${after}`}</li>)}
          </ul>
        )}
    </div>
  );
}

function changesOf(entity: Entity, before: AnyRow, after: AnyRow): (readonly [label: string, before: string, after: string])[] {
  return [...entity.columns, ...entity.derived].filter((field) => !isKept(field) && field.hidden !== true).flatMap((field) => {
    const words = (row: AnyRow): string => {
      const relation = relationOf(entity, field);
      const text = relation === undefined ? valueText(field, row[field.name]) : titleIn(declaredEntity(relation.target), row[relation.name]);
      return text ?? "vide";
    };
    const [was, is] = [words(before), words(after)];
    return was === is ? [] : [[field.label, was, is] as const];
  });
}
