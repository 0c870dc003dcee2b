// What a command would change, as the service says it without doing it.

import { h } from "view";
import type { Child } from "view";
import { client } from "../../../store";
import type { Command, Entity } from "../../../store/declared";
import type { AnyRow } from "../../../store/rows";
import { relationOf } from "../words/rows";
import { titleIn } from "../../../words/titles";
import { isKept, valueText } from "../../../words/values";
import { declaredEntity, selectOf } from "./records";

export type Trial = { readonly changes: readonly (readonly [label: string, before: string, after: string])[] | null };

/** Asks the service what the call would do; what it refuses is thrown. */
export async function trialOf(entity: Entity, command: Command, params: Readonly<Record<string, unknown>>, row?: AnyRow): Promise<Trial> {
  const isRecord = row !== undefined && command.answers?.record === entity.name;
  const answer = await (client.call as (method: string, params: object) => Promise<unknown>)(
    command.name, { ...params, dry_run: true, ...(isRecord ? { select: selectOf(entity) } : {}) });
  return { changes: isRecord ? changesOf(entity, row, answer as AnyRow) : null };
}

export function Preview({ trial }: { trial: Trial }): Child {
  const { changes } = trial;
  return (
    <div class="generic-preview" role="status" aria-label="Aperçu">
      {changes === null ? <p>Rien ne s’y oppose. Ce qui changerait ne peut pas être montré d’avance.</p>
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
