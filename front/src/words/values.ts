// The values of declared fields as people read them.

import type { Field } from "../store/declared/types";
import { longDate, time } from "./dates";
import { instant } from "./instants";
import { decimal } from "./money";
import { whole } from "./sentences";
import { elementsOf, hasParts, isObject, shapeOf, shownMembers } from "./shapes";
import type { KindsShape, ObjectShape } from "./shapes";

/** null: there is no value. */
export function valueText(field: Field, value: unknown): string | null {
  if (value === null || value === undefined || value === "") return null;
  if (field.file !== undefined) return `fichier n°\u00a0${String(value)}`;
  switch (field.type) {
    case "choice": return field.choices?.find((one) => one.value === value)?.label ?? String(value);
    case "boolean": return value === true ? "Oui" : "Non";
    case "date": return longDate(String(value));
    case "time": return time(String(value));
    case "timestamp": return instant(String(value));
    case "decimal": return decimal(Number(value), field.scale ?? 2);
    case "integer":
      if (field.number_labels?.[String(value)] !== undefined) return field.number_labels[String(value)]!;
      // A year is no quantity.
      if ((field.minimum ?? 0) >= 1_000 && (field.maximum ?? Infinity) <= 9_999) return String(value);
      return Number(value) < 0 ? `−${whole(-Number(value))}` : whole(Number(value));
    case "json": return shapedText(field, value);
    default: return String(value);
  }
}

/** The members of an object, and the objects of a list in a line each, by their labels. */
function shapedText({ shape: declared }: Field, value: unknown): string {
  const shape = shapeOf(declared);
  if (isObject(shape)) return membersText(shape, value);
  if (shape.kind !== "list" || !Array.isArray(value)) return jsonText(value);
  const { element } = shape;
  if (element.kind === "scalar") return value.map((one) => valueText(element.field, one) ?? "–").join("\n");
  return isObject(element) ? elementsOf(shape, value).map((one) => membersText(element, one)).join("\n") : jsonText(value);
}

/** "Texture : Limon, Amendements : (Produit : Chaux, Doses : 2)": what has lines of its own is put in brackets. */
function membersText(shape: ObjectShape | KindsShape, one: unknown): string {
  return shownMembers(shape, one).flatMap((field) => {
    const text = valueText(field, (one as Readonly<Record<string, unknown>> | null)?.[field.name]);
    if (text === null) return [];
    return [`${field.label}\u202f: ${hasParts(field) ? text.split("\n").map((line) => `(${line})`).join(", ") : text.replace(/\n/g, ", ")}`];
  }).join(", ");
}

/** A list of words as a line each; anything else as JSON. */
export function jsonText(value: unknown): string {
  if (Array.isArray(value) && value.every((one) => typeof one !== "object")) return value.map(String).join("\n");
  return JSON.stringify(value, null, 1);
}

/** Whether the text has lines of its own in a record and in a form. */
export const isLong = (field: Field): boolean =>
  field.type === "json" || (field.type === "text" && field.format === undefined && (field.max_length ?? 1_000) > 255);

/** What the database keeps of each record and people rarely read. */
export const isKept = ({ name }: Field): boolean => ["id", "created_at", "updated_at", "version"].includes(name);
