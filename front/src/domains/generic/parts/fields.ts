// The fields of forms, from the declaration.

import { date, decimal, digits, email, instant, lines, number, radios, record, select, telephone, text, time } from "../../../parts/form";
import type { Field as FormField } from "../../../parts/form";
import type { Entity, Field } from "../../../store/declared";
import { hasParts, lineOf } from "../../../words/shapes";
import { isLong, valueText } from "../../../words/values";
import { anyJSON } from "./any-json";
import { fileField } from "./file-field";
import { pickerOf } from "./picker";
import { shapeField } from "./shape-fields";

/** As many choices as a person reads beside each other. */
const few = 4;

/** The fields that a form of a new record, or of a change, has. */
export function writable({ columns }: Entity, kind: "create" | "update"): Field[] {
  return columns.filter((field) => field.writes?.includes(kind));
}

/** `related`: the record that a column refers to, as far as it is known. */
export function formField(field: Field, related?: unknown): FormField {
  const { name, label } = field;
  const hint = field.summary ?? (field.format?.example === undefined ? undefined : `Par exemple ${field.format.example}`);
  const more = {
    ...(field.required ? { required: "Donnez une valeur." } : {}), ...(hint === undefined ? {} : { hint }),
  };
  if (field.file !== undefined) return fileField(field, more);
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
      return radios(name, label, field.values.map((value) => ({ value, label: valueText(field, value)! })), more);
    case "decimal": return decimal(name, label, more);
    case "date": return date(name, label, more);
    case "time": return time(name, label, more);
    case "timestamp": return instant(name, label, more);
    case "json":
      if (hasParts(field)) return shapeField(field, more, formField);
      return lineOf(field) === undefined ? anyJSON(field, more) : lines(name, label, { ...more, hint: more.hint ?? "Une ligne pour chacun." });
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
