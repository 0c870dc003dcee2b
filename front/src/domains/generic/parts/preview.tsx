// What a command would change, as the service says it without doing it.

import { h } from "view";
import type { Child } from "view";
import { ask, client } from "../../../store";
import type { Command, Entity } from "../../../store/declared";
import type { AnyRow } from "../../../store/rows";
import { relationOf } from "../words/rows";
import { titleIn } from "../../../words/titles";
import { isKept, valueText } from "../../../words/values";
import { declaredEntity, selectOf } from "./records";

export function Preview({ entity, command, params, row }: {
  entity: Entity; command: Command; params: Readonly<Record<string, unknown>>; row?: AnyRow;
}): Child {
  const isRecord = row !== undefined && command.answers?.record === entity.name;
  const trial = ask(`trial ${command.name} ${JSON.stringify(params)}`, () => client.call(command.name as "sessions.get", {
    ...params, dry_run: true, ...(isRecord ? { select: selectOf(entity) } : {}),
  } as never) as Promise<unknown>, [entity.name]);
  return (
    <div class="generic-preview" role="status" aria-label="Aperçu">
      {() => {
        const failure = trial.failure();
        if (failure !== null) return <p class="field-error">{failure.message}</p>;
        if (trial.value() === undefined) return "…";
        if (!isRecord) return <p>Le service l’accepterait.</p>;
        const changes = changesOf(entity, row, trial.value() as AnyRow);
        if (changes.length === 0) return <p>Rien ne changerait.</p>;
        return (
          <ul class="history-changes" role="list">
            {changes.map(([label, before, after]) => <li>{`${label}\u202f: ${before} → ${after}`}</li>)}
          </ul>
        );
      }}
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
