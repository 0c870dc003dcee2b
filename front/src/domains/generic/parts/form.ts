// The form of a record of a declared entity.

import { recordForm } from "../../../parts/form";
import type { Form } from "../../../parts/form";
import type { RecordFormSpec } from "../../../parts/form/record";
import type { Entity } from "../../../store/declared";
import type { AnyRow } from "../../../store/rows";
import type { Words } from "../../../store/writes";
import { titleOf } from "../../../words/titles";
import type { AnyValues } from "../../../words/titles";
import { done } from "../../../words/nouns";
import { formField, writable } from "./fields";
import { addressOf, wordsOf } from "./records";
import { typingOf } from "./typing";

export interface EntityFormSpec {
  /** The record that is changed; without it one is created. */
  base?: AnyRow;
  /** What the fields of a new record show at first, as the service has it. */
  values?: AnyValues;
  draft?: false;
  draftKey?: string;
  done: (row: AnyRow) => unknown;
  cancel: () => void;
}

export function entityForm(entity: Entity, { base, values, ...spec }: EntityFormSpec): Form {
  const fields = writable(entity, base === undefined ? "create" : "update");
  const typing = typingOf(fields);
  const first = { ...defaults(entity), ...values };
  const related = (column: string): unknown => {
    const relation = entity.relations.find((one) => one.column === column && one.many === undefined);
    return relation === undefined ? undefined : base?.[relation.name];
  };
  const form = {
    ...spec,
    entity: entity.name, sections: [{ fields: fields.map((field) => formField(field, related(field.name))) }], typing,
    words: (deed: "create" | "update", given: AnyValues) => ({ words: writeWords(entity, deed, given) }),
    ...(base === undefined ? { values: typing.read(first) } : { base }), saved: done(entity, "enregistré"),
  };
  return recordForm(form as unknown as RecordFormSpec<"clients", string>);
}

/** "Création du livre « Germinal »", and where what is refused is corrected. */
function writeWords(entity: Entity, deed: "create" | "update", values: AnyValues): Words {
  const form = `${addressOf(entity)}/${deed === "create" ? "nouveau" : `${String(values["id"])}/modifier`}`;
  return { ...wordsOf(entity, deed === "create" ? "création" : "modification", titleOf(entity, values)), form };
}

/** The constants that the database fills in. */
function defaults(entity: Entity): AnyValues {
  return Object.fromEntries(writable(entity, "create").flatMap((field) =>
    (field.default === undefined || field.default === null ? [] : [[field.name, field.default]])));
}
