// Between what the service has and what the controls of declared fields hold.

import type { Typing, Value } from "../../../parts/form";
import type { Field } from "../../../store/declared";
import { hasParts, lineOf, ownParts } from "../../../words/shapes";
import type { AnyValues } from "../../../words/titles";
import { jsonText } from "../../../words/values";

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

/** What a control shows of a value. */
export function typed(field: Field, value: unknown): Value {
  switch (field.type) {
    case "boolean": return value === true || value === 1 ? 1 : 0;
    case "timestamp": return localText(String(value));
    case "json":
      if (hasParts(field)) return JSON.stringify(ownParts(field, value));
      return typeof value === "string" ? value : jsonText(value);
    default: return value as Value;
  }
}

/** What the service gets for what a control holds. */
export function plain(field: Field, value: unknown): unknown {
  if (field.file !== undefined) return Number(value);
  switch (field.type) {
    case "boolean": return value === 1;
    case "timestamp": return new Date(String(value)).toISOString();
    case "json": return jsonOf(field, String(value));
    default: return value;
  }
}

/** What is no JSON is sent as the text that it is: the service says what it expects, at the field. */
function jsonOf(field: Field, text: string): unknown {
  const line = lineOf(field);
  if (line !== undefined) {
    const parts = text.split("\n").map((one) => one.trim()).filter((one) => one !== "");
    return parts.map((part) => (line.type === "integer" || line.type === "decimal" ? numberOf(part) : part));
  }
  return parsed(text) ?? text;
}

/** What is no number stays what was typed: the service says so. */
function numberOf(text: string): number | string {
  const number = Number(text.replace(/[\s\u00a0\u202f]/g, "").replace(",", "."));
  return Number.isFinite(number) ? number : text;
}

/** undefined: the text is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The moment that a control holds, in the form of the service; what is no moment stays as it is, and the service says so. */
export function momentOf(text: string): string {
  const moment = new Date(text);
  return Number.isNaN(moment.getTime()) ? text : moment.toISOString();
}

/** "2026-11-24T09:00" in the zone of the device; seconds stay where there are some. */
function localText(value: string): string {
  const moment = new Date(value);
  const two = (part: number): string => String(part).padStart(2, "0");
  const day = `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
  const seconds = moment.getSeconds() === 0 ? "" : `:${two(moment.getSeconds())}`;
  return `${day}T${two(moment.getHours())}:${two(moment.getMinutes())}${seconds}`;
}
