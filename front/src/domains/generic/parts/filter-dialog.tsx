// The filters of a list, and its order, in a dialog: the list behind it follows each choice.

import { h } from "view";
import type { Child } from "view";
import { openDialog } from "../../../parts/dialog";
import { Picker } from "../../../parts/form";
import { Icon } from "../../../parts/icons";
import { Segments } from "../../../parts/segments";
import type { Entity, Field } from "../../../store/declared";
import { valueText } from "../../../words/values";
import { isMoment, numberIn, orderable, orders, rangeProblem } from "./filters";
import type { EntityFilters } from "./filters";
import { pickerOf } from "./picker";

/** The button that opens them, with how many are chosen. */
export function FiltersButton({ entity, filters, results }: { entity: Entity; filters: EntityFilters; results: () => string }): Child {
  if (filters.fields.length + filters.numbers.length + filters.optional.length === 0 && orderable(entity).length === 0) return null;
  return (
    <button type="button" class="filters-open" onclick={() => openFilters(entity, filters, results)}>
      <Icon name="filter" />
      <span>Filtres…</span>
      {() => (filters.active() > 0 ? <span class="filters-count" aria-hidden="true">{filters.active()}</span> : null)}
    </button>
  );
}

function openFilters(entity: Entity, filters: EntityFilters, results: () => string): void {
  openDialog({
    heading: "Filtres",
    body: (close) => (
      <div class="filters-body">
        {filters.fields.map((field) => <Filter field={field} filters={filters} />)}
        {filters.numbers.map((field) => <Numbers field={field} filters={filters} />)}
        <Presences filters={filters} />
        <Order entity={entity} filters={filters} />
        <div class="form-end">
          <button type="button" class="primary" onclick={close}>{() => (results() === "" ? "Voir" : `Voir ${results()}`)}</button>
          <button type="button" onclick={filters.clear}>Effacer les filtres</button>
        </div>
      </div>
    ),
  });
}

const few = 4;

function Filter({ field, filters }: { field: Field; filters: EntityFilters }): Child {
  const set = (value: string | null): void => filters.set({ [field.name]: value, ...(value === null ? {} : { [`${field.name}_est`]: null }) });
  const choices = choicesOf(field);
  if (isMoment(field)) return <Days field={field} filters={filters} />;
  if (choices === null) return <RecordFilter field={field} filters={filters} set={set} />;
  if (choices.length < few) {
    return (
      <Segments shown label={field.label} options={[["", "Tout"], ...choices] as const} value={() => filters.text(field.name)} set={set} />
    );
  }
  return (
    <Choice label={field.label} options={[["", "Tout"], ...choices]} value={() => filters.text(field.name)} set={set} />
  );
}

/** null: it refers to records. */
function choicesOf(field: Field): (readonly [value: string, label: string])[] | null {
  if (field.choices !== undefined) return field.choices.map(({ value, label }) => [value, label] as const);
  if (field.type === "boolean") return [["oui", "Oui"], ["non", "Non"]];
  return field.values?.map((value) => [String(value), valueText(field, value)!] as const) ?? null;
}

let numbers = 0;

function Choice({ label, options, value, set }: {
  label: string; options: readonly (readonly [value: string, label: string])[]; value: () => string; set: (value: string | null) => void;
}): Child {
  const id = `choice-${++numbers}`;
  return (
    <div class="field">
      <label class="label" for={id}>{label}</label>
      <select id={id} class="control" onchange={(event) => set(event.currentTarget.value || null)}>
        {options.map(([one, words]) => <option value={one} selected={() => value() === one}>{words}</option>)}
      </select>
    </div>
  );
}

function RecordFilter({ field, filters, set }: { field: Field; filters: EntityFilters; set: (value: string | null) => void }): Child {
  const picker = field.target === undefined ? null : pickerOf(field.target);
  if (picker === null) return null;
  const id = `choice-${++numbers}`;
  return (
    <div class="field">
      <label class="label" for={id}>{field.label}</label>
      <Picker id={id} label={field.label} labelled placeholder="Tout" options={picker.options} look={picker.more.look}
        value={() => (filters.text(field.name) === "" ? null : Number(filters.text(field.name)))}
        choose={(chosen) => set(chosen === null ? null : String(chosen))} />
    </div>
  );
}

/** What a control says of a message below it. */
const problem = (id: string, message: () => string | null) => ({
  "aria-invalid": () => (message() === null ? null : "true"), "aria-describedby": () => (message() === null ? null : `${id}-message`),
} as const);

function Message({ id, of }: { id: string; of: () => string | null }): Child {
  return () => (of() === null ? null : <p class="field-message" id={`${id}-message`}>{of()}</p>);
}

function Days({ field, filters }: { field: Field; filters: EntityFilters }): Child {
  const day = (name: string, words: string, message: () => string | null): Child => {
    const id = `choice-${++numbers}`;
    return (
      <div class="filter-day">
        <label for={id}>{words}</label>
        <div class="filter-number">
          <input id={id} class="control" type="date" aria-label={`${field.label}, ${words}`} value={() => filters.text(name)} {...problem(id, message)}
            onchange={(event) => filters.set({ [name]: event.currentTarget.value || null, [`${field.name}_est`]: null })} />
          <Message id={id} of={message} />
        </div>
      </div>
    );
  };
  return (
    <fieldset class="field filter-days">
      <legend class="label">{field.label}</legend>
      {day(`${field.name}_du`, "du", () => null)}
      {day(`${field.name}_au`, "au", () => rangeProblem(field, filters.text))}
    </fieldset>
  );
}

/** What was typed stands in the address as it is: what is no number narrows nothing, and its field says so. */
function Numbers({ field, filters }: { field: Field; filters: EntityFilters }): Child {
  const number = (name: string, words: string): Child => {
    const id = `choice-${++numbers}`;
    const message = (): string | null => {
      const text = filters.text(name);
      const found = text === "" ? null : numberIn(field, text);
      return typeof found === "string" ? found : name.endsWith("_a") ? rangeProblem(field, filters.text) : null;
    };
    return (
      <div class="filter-day">
        <label for={id}>{words}</label>
        <div class="filter-number">
          <input id={id} class="control" inputmode={field.type === "integer" ? "numeric" : "decimal"} autocomplete="off" aria-label={`${field.label}, ${words}`}
            {...problem(id, message)} value={() => filters.text(name)} onchange={(event) => filters.set({ [name]: event.currentTarget.value.trim() || null })} />
          <Message id={id} of={message} />
        </div>
      </div>
    );
  };
  return (
    <fieldset class="field filter-days">
      <legend class="label">{field.label}</legend>
      {number(`${field.name}_de`, "de")}
      {number(`${field.name}_a`, "à")}
    </fieldset>
  );
}

/** Whether there is a value. Many of these questions wait until they are wanted. */
function Presences({ filters }: { filters: EntityFilters }): Child {
  const one = (field: Field): Child => {
    const { name, label } = field;
    const hasOther = filters.fields.includes(field);
    // What is chosen or in a range has a value: the answer takes its place.
    const set = (value: string): void => filters.set({ [`${name}_est`]: value, ...(value === "" ? {} : { [name]: null, [`${name}_du`]: null, [`${name}_au`]: null }) });
    return (
      <Segments shown label={hasOther ? `${label}, renseigné ou vide` : label} options={[["", "Tout"], ["renseigne", "Renseigné"], ["vide", "Vide"]] as const}
        value={() => filters.text(`${name}_est`) as "" | "renseigne" | "vide"} set={set} />
    );
  };
  if (filters.optional.length <= few) return filters.optional.map(one);
  const isOpen = filters.optional.some(({ name }) => filters.text(`${name}_est`) !== "");
  return (
    <details class="filters-more" open={isOpen}>
      <summary>Renseigné ou vide</summary>
      <div class="filters-body">{filters.optional.map(one)}</div>
    </details>
  );
}

function Order({ entity, filters }: { entity: Entity; filters: EntityFilters }): Child {
  return <Choice label="Ordre" options={[["", "Habituel"], ...orders(entity)]} value={() => filters.text("ordre")} set={(value) => filters.set({ ordre: value })} />;
}
