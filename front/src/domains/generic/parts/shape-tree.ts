// The parts of a value of JSON while it is typed: groups of members, lists of elements, and the fields at the ends.

import { signal, untracked } from "view";
import type { Signal } from "view";
import { notListed, rawOf, valueOf } from "../../../parts/form/field";
import type { Field as FormField, Raw } from "../../../parts/form/field";
import type { Field } from "../../../store/declared";
import { newKey } from "../../../store/keys";
import { elementOf, elementsOf, hasParts, isObject, membersOf, shapeOf } from "../../../words/shapes";
import type { Filled as Fill, KindsShape, ObjectShape } from "../../../words/shapes";
import type { AnyValues } from "../../../words/titles";
import { plain, typed } from "./typing";

export type Node = Leaf | Group | List | Filled;

interface Common {
  /** What tells it from all others while it is shown. */
  readonly key: number;
  readonly field: Field;
}

export interface Leaf extends Common {
  readonly kind: "leaf";
  /** Its control; its name is its place, which follows the order of lists. */
  readonly control: FormField;
  readonly raw: Signal<Raw>;
  /** What was typed to choose a record, and names none. */
  left: string | null;
}

export interface Group extends Common {
  readonly kind: "group";
  /** Those that the value has, followed: a kind that is chosen has its own. */
  readonly members: () => readonly Node[];
}

export interface List extends Common {
  readonly kind: "list";
  readonly maximum: number;
  readonly items: Signal<readonly Node[]>;
  readonly make: () => Node;
}

/** What no one types: the identity of an element, or its position, which it has when the value is read. */
export interface Filled extends Common {
  readonly kind: "filled";
  readonly value: unknown;
}

/** Makes the control of a field at an end. */
export type Control = (field: Field) => FormField;

let made = 0;

/** The tree of a value; undefined and null are none. */
export function treeOf(field: Field, value: unknown, control: Control): Node {
  const shape = shapeOf(field.shape);
  const common = { key: ++made, field };
  if (!hasParts(field)) {
    const own = control(field);
    return { ...common, kind: "leaf", control: own, raw: signal(rawOf(own, value === null || value === undefined ? null : typed(field, value))), left: null };
  }
  if (shape.kind === "list") {
    const element = elementOf(field);
    const items = elementsOf(shape, value).map((one) => treeOf(element, one, control));
    return { ...common, kind: "list", maximum: shape.maximum, items: signal<readonly Node[]>(items), make: () => treeOf(element, fresh(element), control) };
  }
  const values = (typeof value === "object" && value !== null ? value : {}) as AnyValues;
  return { ...common, kind: "group", members: membersIn(field, shape as ObjectShape | KindsShape, values, control) };
}

function membersIn(field: Field, shape: ObjectShape | KindsShape, values: AnyValues, control: Control): Group["members"] {
  const part = (member: Field, value: unknown): Node => {
    const fill = shape.filled.get(member.name);
    return fill === undefined ? treeOf(field.required === true ? member : optional(member), value, control) : filled(member, fill, value);
  };
  const parts = (members: readonly Field[]): Node[] => members.map((member) => part(member, values[member.name]));
  if (shape.kind === "object") {
    const members = parts(shape.members);
    return () => members;
  }
  const chooser = part(shape.by, values[shape.by.name]) as Leaf;
  // What follows from the choice stands below it.
  const by: Leaf = { ...chooser, control: { ...chooser.control, wide: true } };
  const common = parts(shape.common);
  const ownOf = (kind: Raw): readonly Field[] => shape.kinds.find(({ value }) => value === kind)?.members ?? [];
  let kind = untracked(by.raw);
  let own: readonly Node[] = parts(ownOf(kind));
  let members: readonly Node[] = [by, ...common, ...own];
  // Who goes back to a kind finds what was typed there.
  const earlier = new Map<Raw, readonly Node[]>();
  return () => {
    const chosen = by.raw();
    if (chosen !== kind) {
      earlier.set(kind, own);
      const kept = earlier.get(chosen);
      kind = chosen;
      own = untracked(() => ownOf(chosen).map((member) => {
        const before = own.find((one) => one.field.name === member.name);
        return (before === undefined ? kept?.find((one) => one.field.name === member.name) : undefined) ?? part(member, carried(before, member));
      }));
      members = [by, ...common, ...own];
    }
    return members;
  };
}

/** A UUID. Browsers make one in a secure context alone, and a key everywhere. */
const newIdentity = (): string => newKey().replace(/^(.{8})(.{4}).(.{3}).(.{3})/, "$1-$2-4$3-a$4-");

const filled = (field: Field, fill: Fill, value: unknown): Filled =>
  ({ key: ++made, kind: "filled", field, value: fill === "position" ? undefined : value ?? newIdentity() });

/** What the member of another kind leaves to the one that has its name: the value, if it can have that. Otherwise what it has by default. */
function carried(before: Node | undefined, field: Field): unknown {
  if (before === undefined || before.field.type !== field.type || before.field.target !== field.target) return field.default;
  if (JSON.stringify([before.field.shape, before.field.file]) !== JSON.stringify([field.shape, field.file])) return field.default;
  const value = valueIn(before);
  const isOne = field.choices?.some((one) => one.value === value) ?? field.values?.includes(Number(value)) ?? true;
  return value === undefined || !isOne ? field.default : value;
}

/** The values that a new element has at first. */
function fresh(field: Field): unknown {
  const shape = shapeOf(field.shape);
  if (field.type !== "json" || !isObject(shape)) return field.default;
  // Of several kinds people choose one; a single one is no choice.
  const kind = shape.kind === "kinds" && shape.kinds.length === 1 ? { [shape.by.name]: shape.kinds[0]!.value } : {};
  const first: AnyValues = Object.fromEntries(membersOf(shape, kind).map(({ name, default: value }) => [name, value]));
  return { ...first, ...kind };
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

/** The value of what is typed, followed; undefined: there is none. `at`: its position in a list. A text that is no value stays a text, of which the service says what it expects. */
export function valueIn(node: Node, at?: number): unknown {
  switch (node.kind) {
    case "filled": return node.value ?? at;
    case "leaf": {
      const raw = node.raw();
      const read = valueOf(node.control, raw);
      if ("message" in read) return String(raw).trim();
      return read.value === null ? undefined : plain(node.field, read.value);
    }
    case "list": {
      const values = node.items().map((item, index) => valueIn(item, index) ?? null);
      return values.length > 0 || (isNeeded(node.field) && node.field.nullable !== true) ? values : undefined;
    }
    case "group": {
      const entries = node.members().map((member) => [member.field.name, valueIn(member, at)] as const).filter(([, value]) => value !== undefined);
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
    if (node.kind === "filled") return [];
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
  if (read.value === null && isNeeded(field)) return [[place, "Donnez une valeur."]];
  return control.kind === "group" ? (control.mistakes?.() ?? []).map(([, message]) => [place, message]) : [];
}

function hasLeft(node: Node): boolean {
  if (node.kind === "leaf") return node.left !== null;
  return node.kind !== "filled" && (node.kind === "list" ? node.items() : node.members()).some(hasLeft);
}

/** The member of this name in an object of any kind, unless it is filled in and has no control. */
function memberAt(shape: ObjectShape | KindsShape, name: string): Field | undefined {
  if (shape.filled.has(name)) return undefined;
  const all = shape.kind === "object" ? shape.members : [shape.by, ...shape.common, ...shape.kinds.flatMap(({ members }) => members)];
  return all.find((member) => member.name === name);
}

/** The place with a control, or a group, that a message of the service belongs to: "copies/2/shelf" as far as there are fields. */
export function placeAt(field: Field, path: string): string {
  const [name = "", ...parts] = path.split("/");
  let [at, place] = [field, name];
  for (const part of parts) {
    const shape = hasParts(at) ? shapeOf(at.shape) : undefined;
    const next = shape === undefined ? undefined : isObject(shape) ? memberAt(shape, part) : /^\d+$/.test(part) ? elementOf(at) : undefined;
    if (next === undefined) break;
    [at, place] = [next, `${place}/${part}`];
  }
  return place;
}

/** "Amendements 2, Doses" */
export function labelAt(node: Node, place: string): string {
  const labels = [node.field.label];
  let at: Node | undefined = node;
  for (const part of place.split("/").slice(1)) {
    const before: Node = at;
    at = untracked(() => (before.kind === "list" ? before.items()[Number(part)]
      : before.kind === "group" ? before.members().find(({ field }) => field.name === part) : undefined));
    if (at === undefined) break;
    labels.push(before.kind === "list" ? `${before.field.label} ${Number(part) + 1}` : at.field.label);
  }
  return labels.slice(-2).join(", ");
}
