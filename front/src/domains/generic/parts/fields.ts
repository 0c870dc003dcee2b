// The fields of forms, from the declaration.

import { date, decimal, digits, email, instant, lines, number, radios, record, select, telephone, text, time } from "../../../parts/form";
import type { Field as FormField, Typing, Value } from "../../../parts/form";
import type { Entity, Field } from "../../../store/declared";
import { isLong, jsonText } from "../../../words/values";
import type { AnyValues } from "../../../words/titles";
import { pickerOf } from "./picker";

/** As many choices as a person reads beside each other. */
const few = 4;

/** The fields that a form of a new record, or of a change, has. */
export function writable({ columns }: Entity, kind: "create" | "update"): Field[] {
  return columns.filter((field) => field.writes?.includes(kind) && field.file === undefined);
}

/** `related`: the record that a column refers to, as far as it is known. */
export function formField(field: Field, related?: unknown): FormField {
  const { name, label } = field;
  const hint = field.summary ?? (field.format?.example === undefined ? undefined : `Par exemple ${field.format.example}`);
  const more = {
    ...(field.required ? { required: "Donnez une valeur." } : {}), ...(hint === undefined ? {} : { hint }),
  };
  if (field.target !== undefined) {
    const picker = pickerOf(field.target, related);
    return picker === null ? number(name, label, more) : record(name, label, picker.options, { ...more, ...picker.more });
  }
  switch (field.type) {
    case "choice": {
      const choices = (field.choices ?? []).filter(({ value }) => field.accepts?.includes(value) ?? true);
      return choices.length <= few && field.required ? radios(name, label, choices, more) : select(name, label, choices, more);
    }
    case "boolean": return (field.nullable ? select : radios)(name, label, [{ value: 1, label: "Oui" }, { value: 0, label: "Non" }], more);
    case "integer":
      if (field.values === undefined) return number(name, label, more);
      return radios(name, label, field.values.map((value) => ({ value, label: String(value) })), more);
    case "decimal": return decimal(name, label, more);
    case "date": return date(name, label, more);
    case "time": return time(name, label, more);
    case "timestamp": return instant(name, label, more);
    case "json": return lines(name, label, { ...more, hint: more.hint ?? (listsTexts(field) ? "Une ligne pour chacun." : "En JSON.") });
    default: return textField(field, more);
  }
}

function textField(field: Field, more: { required?: string; hint?: string }): FormField {
  const { name, label } = field;
  // A text with a format is not cut: what is pasted with spaces or dashes is seen as a whole, and the service says what it takes.
  const limit = field.max_length === undefined || field.format !== undefined ? {} : { maxlength: field.max_length };
  if (field.format?.name === "email") return email(name, label, { ...more, ...limit });
  if (field.format?.name === "phone") return telephone(name, label, { ...more, ...limit });
  if (/^\^?\[0-9\]/.test(field.format?.pattern ?? "")) return digits(name, label, { ...more, ...limit });
  if (isLong(field)) return lines(name, label, { ...more, ...limit });
  return text(name, label, { ...more, ...limit, ...(field.max_length !== undefined && field.max_length <= 60 ? {} : { wide: true }) });
}

interface Shape { list?: { scalar?: Field } }

/** Whether its value is a list of words or numbers, which a field has as lines. */
const scalarOf = (field: Field): Field | undefined => (field.shape as Shape | undefined)?.list?.scalar;
const listsTexts = (field: Field): boolean => scalarOf(field) !== undefined;

/** Between what the service has and what the controls of these fields hold. */
export function typingOf(fields: readonly Field[]): Typing {
  const each = (values: AnyValues, one: (field: Field, value: unknown) => unknown): AnyValues =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => {
      const field = fields.find((some) => some.name === name);
      return [name, field === undefined || value === null || value === undefined ? value : one(field, value)];
    }));
  return {
    read: (values) => each(values, typed),
    write: (values) => each(values, plain),
  };
}

function typed(field: Field, value: unknown): Value {
  switch (field.type) {
    case "boolean": return value === true || value === 1 ? 1 : 0;
    case "timestamp": return localText(String(value));
    case "json": return typeof value === "string" ? value : jsonText(value);
    default: return value as Value;
  }
}

function plain(field: Field, value: unknown): unknown {
  switch (field.type) {
    case "boolean": return value === 1;
    case "timestamp": return new Date(String(value)).toISOString();
    case "json": return jsonOf(field, String(value));
    default: return value;
  }
}

/** What is no JSON is sent as the text that it is: the service says what it expects, at the field. */
function jsonOf(field: Field, typedText: string): unknown {
  const scalar = scalarOf(field);
  if (scalar !== undefined) {
    const parts = typedText.split("\n").map((line) => line.trim()).filter((line) => line !== "");
    return parts.map((part) => (scalar.type === "integer" || scalar.type === "decimal" ? Number(part.replace(",", ".")) : part));
  }
  try {
    return JSON.parse(typedText) as unknown;
  } catch {
    return typedText;
  }
}

/** "2026-11-24T09:00" in the zone of the device; seconds stay where there are some. */
function localText(value: string): string {
  const moment = new Date(value);
  const two = (part: number): string => String(part).padStart(2, "0");
  const day = `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
  const seconds = moment.getSeconds() === 0 ? "" : `:${two(moment.getSeconds())}`;
  return `${day}T${two(moment.getHours())}:${two(moment.getMinutes())}${seconds}`;
}
