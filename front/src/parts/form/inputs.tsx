// The control of a field with its label, its hint and its message.

import { computed, h, signal, untracked } from "view";
import type { Child } from "view";
import type { Field, Named, RadiosField } from "./field";
import { Icon } from "../icons";
import { Picker } from "./picker";
import type { Form } from "./state";

export function FieldView<N extends string>({ form, field }: { form: Form<N>; field: Field<N> }): Child {
  const id = `${form.id}-${field.name}`;
  const message = computed(() => form.message(field.name));
  const revealed = signal(false);
  const note = computed(() => field.note?.() ?? null);
  const invalid = (): boolean => message() !== undefined;
  const describedby = (): string | null =>
    [invalid() ? `${id}-message` : null, note() === null ? null : `${id}-note`, field.hint === undefined ? null : `${id}-hint`]
      .filter(Boolean).join(" ") || null;
  const view = (): Child => (
    <div class={() => `field kind-${field.kind}${field.wide === true ? " wide" : field.third === true ? " third" : ""}${invalid() ? " invalid" : ""}`}>
      {field.kind === "radios"
        ? <Radios form={form} field={field} id={id} invalid={invalid} describedby={describedby} />
        : field.kind === "group" ? field.view(form as unknown as Form) : (
          <div class="field-row">
            <span class="field-label">
              <label for={id}>{field.label}</label>
              {field.required === undefined ? null : <span class="required" aria-hidden="true">*</span>}
            </span>
            {control()}
          </div>
        )}
      {field.hint === undefined ? null : <p class="hint" id={`${id}-hint`}>{field.hint}</p>}
      {() => (note() === null ? null : <p class="field-note" id={`${id}-note`}><Icon name="warning" /><span>{note}</span></p>)}
      {field.after === undefined ? null : <div class="field-after">{field.after}</div>}
      {() => (invalid() && field.kind !== "group" ? <p class="field-message" id={`${id}-message`}>{message()}</p> : null)}
    </div>
  );
  const control = (): Child => {
    const raw = form.raw(field.name);
    const named: Named = { id, label: field.label, labelled: true, required: field.required !== undefined, invalid, describedby };
    if (field.kind === "record") {
      return (
        <Picker
          {...named} value={() => form.value(field.name) as number | null} choose={(chosen) => form.set(field.name, chosen)}
          options={field.options} known={field.known} make={field.make} look={field.look} leave={(text) => form.leave(field.name, text)}
        />
      );
    }
    if (field.kind === "own") return field.control(named, raw);
    if (field.kind === "select") {
      return (
        <select
          id={id} name={field.name} class="control" aria-required={field.required === undefined ? null : "true"}
          aria-invalid={() => (invalid() ? "true" : null)} aria-describedby={describedby}
          onchange={(event) => {
            const { value } = event.currentTarget;
            raw.set(field.choices.find((choice) => String(choice.value) === value)?.value ?? null);
          }}
        >
          <option value="" selected={() => raw() === null}>{field.required === undefined ? "–" : "Choisir…"}</option>
          {field.choices.map(({ value, label }) => <option value={String(value)} selected={() => raw() === value}>{label}</option>)}
        </select>
      );
    }
    if (field.kind === "lines") {
      return (
        <textarea
          id={id} name={field.name} class="control" rows="6" aria-invalid={() => (invalid() ? "true" : null)} aria-describedby={describedby}
          value={() => String(raw() ?? "")} oninput={(event) => raw.set(event.currentTarget.value)}
        />
      );
    }
    const input = (
      <input
        id={id} name={field.name} class="control" type={() => (revealed() ? "text" : types[field.kind] ?? "text")} inputmode={keyboards[field.kind] ?? null}
        autocomplete={"autocomplete" in field ? field.autocomplete : "off"} maxlength={"maxlength" in field ? field.maxlength : null}
        autocapitalize={field.kind === "email" ? "off" : null} spellcheck={field.kind === "text" ? null : "false"}
        aria-required={field.required === undefined ? null : "true"} aria-invalid={() => (invalid() ? "true" : null)}
        aria-describedby={describedby} value={() => String(raw() ?? "")}
        oninput={(event) => raw.set(event.currentTarget.value)}
      />
    );
    if (field.kind === "password") {
      return (
        <span class="password">
          {input}
          <button type="button" class="link" onclick={() => revealed.update((now) => !now)}>
            {() => (revealed() ? "Masquer" : "Afficher")}
          </button>
        </span>
      );
    }
    return field.kind === "amount" ? <span class="amount">{input}<span class="unit" aria-hidden="true">€</span></span> : input;
  };
  // What the field reads while it is made, as a label, does not make it anew: whoever types in it would lose the focus.
  return field.when === undefined ? view() : () => (field.when!((name) => form.raw(name as N)()) ? untracked(view) : null);
}

const types: Partial<Record<Field["kind"], string>> = {
  email: "email", telephone: "tel", date: "date", time: "time", instant: "datetime-local", password: "password",
};
const keyboards: Partial<Record<Field["kind"], string>> = { amount: "decimal", decimal: "decimal", digits: "numeric", number: "numeric" };

interface RadiosProps<N extends string> {
  form: Form<N>;
  field: RadiosField<N>;
  id: string;
  invalid: () => boolean;
  describedby: () => string | null;
}

function Radios<N extends string>({ form, field, id, invalid, describedby }: RadiosProps<N>): Child {
  const raw = form.raw(field.name);
  return (
    <div
      class="field-row" role="radiogroup" aria-labelledby={`${id}-label`} aria-describedby={describedby}
      aria-invalid={() => (invalid() ? "true" : null)} aria-required={field.required === undefined ? null : "true"}
    >
      <span class="field-label">
        <span id={`${id}-label`}>{field.label}</span>
        {field.required === undefined ? null : <span class="required" aria-hidden="true">*</span>}
      </span>
      <span class="choices">
        {field.choices.map(({ value, label }, index) => (
          <label class="choice">
            <input
              type="radio" name={id} id={index === 0 ? id : `${id}-${index}`} value={String(value)} checked={() => raw() === value}
              onchange={() => raw.set(value)}
            />
            <span>{label}</span>
          </label>
        ))}
      </span>
    </div>
  );
}
