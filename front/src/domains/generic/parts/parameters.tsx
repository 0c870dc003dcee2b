// The parameters of a view, above its rows: each choice asks anew.

import { h } from "view";
import type { Child } from "view";
import { Picker } from "../../../parts/form";
import type { Entity, Field } from "../../../store/declared";
import { relationOf } from "../words/rows";
import { pickerOf } from "./picker";

interface ParametersProps {
  entity: Entity;
  values: () => Readonly<Record<string, unknown>>;
  set: (name: string, value: string | null) => void;
}

export function Parameters({ entity, values, set }: ParametersProps): Child {
  const parameters = entity.parameters ?? [];
  return parameters.length === 0 ? null : (
    <div class="generic-parameters" role="group" aria-label="Choix">
      {parameters.map((field) => <Parameter field={targeted(entity, field)} value={() => values()[field.name]} set={(value) => set(field.name, value)} />)}
    </div>
  );
}

/** A parameter that has the name of a column of the view names records as the column does. */
function targeted(entity: Entity, field: Field): Field {
  const relation = relationOf(entity, field);
  return field.target !== undefined || relation === undefined ? field : { ...field, target: relation.target };
}

function Parameter({ field, value, set }: { field: Field; value: () => unknown; set: (value: string | null) => void }): Child {
  const id = `parameter-${field.name}`;
  const text = (): string => (value() === undefined || value() === null ? "" : typeof value() === "boolean" ? (value() === true ? "oui" : "non") : String(value()));
  return (
    <div class="field">
      <label class="label" for={id}>{field.label}</label>
      {controlOf(field, id, text, set)}
    </div>
  );
}

function controlOf(field: Field, id: string, text: () => string, set: (value: string | null) => void): Child {
  const picker = field.target === undefined ? null : pickerOf(field.target);
  if (picker !== null) {
    return (
      <Picker id={id} label={field.label} labelled options={picker.options} look={picker.more.look}
        value={() => (text() === "" ? null : Number(text()))} choose={(chosen) => set(chosen === null ? null : String(chosen))} />
    );
  }
  const choices = field.choices?.map((one) => [one.value, one.label] as const)
    ?? (field.type === "boolean" ? [["oui", "Oui"], ["non", "Non"]] as const : undefined);
  if (choices !== undefined) {
    return (
      <select id={id} class="control" onchange={(event) => set(event.currentTarget.value || null)}>
        <option value="" selected={() => text() === ""}>{field.required ? "Choisir…" : "–"}</option>
        {choices.map(([one, label]) => <option value={one} selected={() => text() === one}>{label}</option>)}
      </select>
    );
  }
  const type = field.type === "date" ? "date" : field.type === "time" ? "time" : field.type === "timestamp" ? "datetime-local" : "text";
  return <input id={id} class="control" type={type} value={text} onchange={(event) => set(event.currentTarget.value || null)} />;
}
