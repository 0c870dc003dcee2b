// The parameters of a view, above its rows: each choice asks anew.

import { ServiceError } from "learntrack";
import { h } from "view";
import type { Child } from "view";
import { Picker } from "../../../parts/form";
import type { Entity, Field } from "../../../store/declared";
import { relationOf } from "../words/rows";
import { pickerOf } from "./picker";
import { typed } from "./typing";

/** What the service says of a parameter. */
export interface ParameterProblem { readonly name: string; readonly message: string }

/** What a refusal says of parameters; none, if it says anything of something else. */
export function problemsAt(parameters: readonly Field[], error: unknown): readonly ParameterProblem[] {
  if (!(error instanceof ServiceError)) return [];
  const errors = (error.data as { errors?: readonly { path: string; message: string }[] }).errors ?? [];
  const found = errors.map(({ path, message }) => ({ name: path.slice(1), message }));
  return found.every(({ name }) => parameters.some((one) => one.name === name)) ? found : [];
}

interface ParametersProps {
  entity: Entity;
  values: () => Readonly<Record<string, unknown>>;
  errors: () => readonly ParameterProblem[];
  set: (name: string, value: string | null) => void;
}

export function Parameters({ entity, values, errors, set }: ParametersProps): Child {
  const parameters = entity.parameters ?? [];
  return parameters.length === 0 ? null : (
    <div class="generic-parameters" role="group" aria-label="Choix">
      {parameters.map((field) => (
        <Parameter field={targeted(entity, field)} value={() => values()[field.name]} set={(value) => set(field.name, value)}
          error={() => errors().find(({ name }) => name === field.name)?.message} />
      ))}
    </div>
  );
}

/** A parameter that has the name of a column of the view names records as the column does. */
function targeted(entity: Entity, field: Field): Field {
  const relation = relationOf(entity, field);
  return field.target !== undefined || relation === undefined ? field : { ...field, target: relation.target };
}

interface ParameterProps { field: Field; value: () => unknown; set: (value: string | null) => void; error: () => string | undefined }

function Parameter({ field, value, set, error }: ParameterProps): Child {
  const id = `parameter-${field.name}`;
  const text = (): string => {
    const now = value();
    if (now === undefined || now === null) return "";
    if (typeof now === "boolean") return now ? "oui" : "non";
    return field.type === "timestamp" && !Number.isNaN(Date.parse(String(now))) ? String(typed(field, now)) : String(now);
  };
  const described = { describedby: () => (error() === undefined ? null : `${id}-message`), invalid: () => error() !== undefined };
  return (
    <div class={() => `field${error() === undefined ? "" : " invalid"}`}>
      <label class="label" for={id}>{field.label}</label>
      {controlOf(field, { id, text, set, ...described })}
      {() => (error() === undefined ? null : <p class="field-message" id={`${id}-message`}>{error()}</p>)}
    </div>
  );
}

interface Control { id: string; text: () => string; set: (value: string | null) => void; invalid: () => boolean; describedby: () => string | null }

function controlOf(field: Field, { id, text, set, invalid, describedby }: Control): Child {
  const aria = { "aria-invalid": () => (invalid() ? "true" : null), "aria-describedby": describedby } as const;
  const picker = field.target === undefined ? null : pickerOf(field.target);
  if (picker !== null) {
    return (
      <Picker id={id} label={field.label} labelled options={picker.options} look={picker.more.look} invalid={invalid} describedby={describedby}
        value={() => (text() === "" ? null : Number(text()))} choose={(chosen) => set(chosen === null ? null : String(chosen))} />
    );
  }
  const choices = field.choices?.map((one) => [one.value, one.label] as const)
    ?? (field.type === "boolean" ? [["oui", "Oui"], ["non", "Non"]] as const : undefined);
  if (choices !== undefined) {
    return (
      <select id={id} class="control" {...aria} onchange={(event) => set(event.currentTarget.value || null)}>
        <option value="" selected={() => text() === ""}>{field.required ? "Choisir…" : "–"}</option>
        {choices.map(([one, label]) => <option value={one} selected={() => text() === one}>{label}</option>)}
      </select>
    );
  }
  const type = field.type === "date" ? "date" : field.type === "time" ? "time" : field.type === "timestamp" ? "datetime-local" : "text";
  return <input id={id} class="control" type={type} value={text} {...aria} onchange={(event) => set(event.currentTarget.value || null)} />;
}
