// The parts of a value of JSON while it is typed: groups of members, lists of elements, and the fields at the ends.

import { signal, untracked } from "view";
import type { Signal } from "view";
import { notListed, rawOf, valueOf } from "../../../parts/form/field";
import type { Field as FormField, Raw } from "../../../parts/form/field";
import type { Field } from "../../../store/declared";
import { elementOf, hasParts, shapeOf } from "../../../words/shapes";
import type { AnyValues } from "../../../words/titles";
import { plain, typed } from "./typing";

export type Node = Leaf | Group | List;

export interface Leaf {
  readonly kind: "leaf";
  readonly field: Field;
  /** Its control; its name is its place, which follows the order of lists. */
  readonly control: FormField;
  readonly raw: Signal<Raw>;
  /** What was typed to choose a record, and names none. */
  left: string | null;
}

export interface Group {
  readonly kind: "group";
  readonly field: Field;
  /** Those that are asked for, followed. */
  readonly members: () => readonly Node[];
}

export interface List {
  readonly kind: "list";
  readonly field: Field;
  readonly maximum: number;
  readonly items: Signal<readonly Node[]>;
  readonly make: () => Node;
}

/** Makes the control of a field at an end. */
export type Control = (field: Field) => FormField;

/** The tree of a value; undefined and null are none. */
export function treeOf(field: Field, value: unknown, control: Control): Node {
  const shape = shapeOf(field.shape);
  if (!hasParts(field)) {
    const made = control(field);
    return { kind: "leaf", field, control: made, raw: signal(rawOf(made, value === null || value === undefined ? null : typed(field, value))), left: null };
  }
  if (shape.kind === "list") {
    const element = elementOf(field);
    const items = Array.isArray(value) ? value.map((one: unknown) => treeOf(element, one, control)) : [];
    return { kind: "list", field, maximum: shape.maximum, items: signal<readonly Node[]>(items), make: () => treeOf(element, fresh(element), control) };
  }
  const values = (typeof value === "object" && value !== null ? value : {}) as AnyValues;
  const members = (shape.kind === "object" ? shape.members : []).map((member) =>
    treeOf(field.required === true ? member : optional(member), values[member.name], control));
  return { kind: "group", field, members: () => members };
}

/** The values that a new element has at first. */
function fresh(field: Field): unknown {
  const shape = shapeOf(field.shape);
  if (field.type !== "json" || shape.kind !== "object") return field.default;
  return Object.fromEntries(shape.members.map(({ name, default: value }) => [name, value]));
}

/**
 * A member of an object that may be missing as a whole: its control can be emptied, and the service fills in what it has for it.
 * `isNeeded` says that it is needed as soon as there is an object.
 */
function optional(field: Field): Field {
  const { required, ...rest } = field;
  const known = field.default === undefined || field.default === null || hasParts(field) ? undefined : `Sans valeur\u202f: ${String(field.default)}.`;
  const summary = [field.summary, known].filter(Boolean).join(" ");
  return { ...rest, ...(required === true ? { isNeeded: true } : {}), ...(summary === "" ? {} : { summary }) };
}

const isNeeded = (field: Field): boolean => field.required === true || (field as { isNeeded?: boolean }).isNeeded === true;

/** The value of what is typed, followed; undefined: there is none. A text that is no value stays a text, of which the service says what it expects. */
export function valueIn(node: Node): unknown {
  switch (node.kind) {
    case "leaf": {
      const raw = node.raw();
      const read = valueOf(node.control, raw);
      if ("message" in read) return String(raw).trim();
      return read.value === null ? undefined : plain(node.field, read.value);
    }
    case "list": {
      const values = node.items().map((item) => valueIn(item) ?? null);
      return values.length > 0 || (isNeeded(node.field) && node.field.nullable !== true) ? values : undefined;
    }
    case "group": {
      const entries = node.members().map((member) => [member.field.name, valueIn(member)] as const).filter(([, value]) => value !== undefined);
      return entries.length > 0 || isNeeded(node.field) ? Object.fromEntries(entries) : undefined;
    }
  }
}

/** "" of no value. */
export function textIn(node: Node): string {
  const value = valueIn(node);
  return value === undefined ? "" : JSON.stringify(value);
}

export type Mistake = readonly [place: string, message: string];

/** What is wrong with what is typed, as far as it needs no service. */
export function mistakesIn(node: Node, place: string): Mistake[] {
  return untracked(() => {
    if (node.kind === "leaf") return mistakeOf(node, place);
    // Nothing is needed of an object that is missing.
    if (valueIn(node) === undefined && !hasLeft(node)) return [];
    const parts = node.kind === "list" ? node.items().map((item, at) => [item, String(at)] as const) : node.members().map((one) => [one, one.field.name] as const);
    return parts.flatMap(([part, name]) => mistakesIn(part, `${place}/${name}`));
  });
}

function mistakeOf({ field, control, raw, left }: Leaf, place: string): Mistake[] {
  if (left !== null) return [[place, notListed(left)]];
  const read = valueOf(control, raw());
  if ("message" in read) return [[place, read.message]];
  return read.value === null && isNeeded(field) ? [[place, "Donnez une valeur."]] : [];
}

function hasLeft(node: Node): boolean {
  if (node.kind === "leaf") return node.left !== null;
  return (node.kind === "list" ? node.items() : node.members()).some(hasLeft);
}

/** The steps from a field to a place, as far as there are fields: "copies/2/shelf" has the list, its third element and the member. */
function stepsTo(field: Field, path: string): { field: Field; place: string; label: string }[] {
  const [name = "", ...parts] = path.split("/");
  const steps = [{ field, place: name, label: field.label }];
  for (const part of parts) {
    const { field: at, place } = steps[steps.length - 1]!;
    if (!hasParts(at)) break;
    const shape = shapeOf(at.shape);
    const next = shape.kind === "list" ? (/^\d+$/.test(part) ? elementOf(at) : undefined)
      : shape.kind === "object" ? shape.members.find((member) => member.name === part) : undefined;
    if (next === undefined) break;
    steps.push({ field: next, place: `${place}/${part}`, label: shape.kind === "list" ? `${at.label} ${Number(part) + 1}` : next.label });
  }
  return steps;
}

/** The place with a control, or a group, that a message of the service belongs to. */
export const placeAt = (field: Field, path: string): string => stepsTo(field, path).pop()!.place;

/** "Amendements 2, Doses" */
export const labelAt = (field: Field, place: string): string => stepsTo(field, place).slice(-2).map(({ label }) => label).join(", ");
