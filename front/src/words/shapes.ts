// What a declared value of JSON consists of.

import type { Field } from "../store/declared/types";
import type { AnyValues } from "./titles";

/** What a form fills in of an element of a list, and nobody reads: what tells it from others, and its position. */
export type Filled = "identity" | "position";

interface Parts { readonly filled: ReadonlyMap<string, Filled> }

/** An object of members, one of several kinds that have members of their own, a list of elements, a value, or anything. */
export type Shape =
  | ObjectShape
  | KindsShape
  | { readonly kind: "list"; readonly element: Shape; readonly maximum: number }
  | { readonly kind: "scalar"; readonly field: Field }
  | { readonly kind: "any" };

export interface ObjectShape extends Parts { readonly kind: "object"; readonly members: readonly Field[] }

export interface KindsShape extends Parts {
  readonly kind: "kinds";
  /** The member that says of which kind an object is; its choices are the labels of the kinds. */
  readonly by: Field;
  readonly common: readonly Field[];
  readonly kinds: readonly { readonly value: string; readonly members: readonly Field[] }[];
}

interface Declared {
  readonly object?: readonly Field[];
  readonly by?: Field;
  readonly kinds?: readonly { readonly value: string; readonly object: readonly Field[] }[];
  readonly list?: object;
  readonly maximum?: number;
  /** Of a list: the members of which no two elements have the same value. */
  readonly unique?: readonly string[];
  readonly scalar?: Field;
  /** Of an element, as it is taken out of its list: what `unique` is there. */
  readonly differs?: readonly string[];
}

const any: Shape = { kind: "any" };

/** What an earlier or later service declares, and is not known here, is anything. */
export function shapeOf(declared: unknown): Shape {
  if (typeof declared !== "object" || declared === null) return any;
  const { object, by, kinds, list, maximum = Infinity, scalar, differs } = declared as Declared;
  if (Array.isArray(kinds) && by !== undefined) {
    const common = object ?? [];
    return { kind: "kinds", by, common, kinds: kinds.map((one) => ({ value: one.value, members: one.object })), filled: filledOf(common, differs) };
  }
  if (Array.isArray(object)) return { kind: "object", members: object, filled: filledOf(object, differs) };
  if (list !== undefined) return { kind: "list", element: shapeOf(elementIn(declared)), maximum };
  return scalar === undefined ? any : { kind: "scalar", field: scalar };
}

const elementIn = ({ list, unique = [] }: Declared): object => ({ ...list, differs: unique });

/** `differs`: undefined for an object that is no element of a list, of which everything is typed. */
function filledOf(members: readonly Field[], differs: readonly string[] | undefined): ReadonlyMap<string, Filled> {
  const fill = (field: Field): Filled | undefined => {
    const { name, type, required, minimum } = field;
    if (differs === undefined || required !== true) return undefined;
    if (type === "uuid") return name === "id" || differs.includes(name) ? "identity" : undefined;
    // Numbers from 0 that all differ are positions, unless they name something.
    return type === "integer" && minimum === 0 && differs.includes(name) && field.target === undefined && field.values === undefined ? "position" : undefined;
  };
  return new Map(members.flatMap((field) => {
    const found = fill(field);
    return found === undefined ? [] : [[field.name, found]];
  }));
}

/** All members that a value has, by its kind. */
export function membersOf(shape: ObjectShape | KindsShape, value: unknown): readonly Field[] {
  if (shape.kind === "object") return shape.members;
  const kind = (value as AnyValues | null | undefined)?.[shape.by.name];
  return [shape.by, ...shape.common, ...shape.kinds.find((one) => one.value === kind)?.members ?? []];
}

/** Those that people read. */
export const shownMembers = (shape: ObjectShape | KindsShape, value: unknown): readonly Field[] =>
  membersOf(shape, value).filter(({ name }) => !shape.filled.has(name));

export const isObject = (shape: Shape): shape is ObjectShape | KindsShape => shape.kind === "object" || shape.kind === "kinds";

/** The elements of a list in the order that their positions say; whoever else writes them may not keep them in it. */
export function elementsOf(shape: Shape, value: unknown): readonly unknown[] {
  if (shape.kind !== "list" || !Array.isArray(value)) return [];
  const position = isObject(shape.element) ? [...shape.element.filled].find(([, fill]) => fill === "position")?.[0] : undefined;
  if (position === undefined) return value;
  const at = (one: unknown): number => Number((one as AnyValues | null)?.[position] ?? Infinity);
  return [...value as unknown[]].sort((one, other) => (at(one) === at(other) ? 0 : at(one) - at(other)));
}

/** The value with the members that it has, as a form gives it: the service answers null for those of other kinds. */
export function ownParts(field: Field, value: unknown): unknown {
  const shape = field.type === "json" ? shapeOf(field.shape) : any;
  if (shape.kind === "list" && Array.isArray(value)) return elementsOf(shape, value).map((one) => ownParts(elementOf(field), one));
  if (!isObject(shape) || typeof value !== "object" || value === null) return value;
  return Object.fromEntries(membersOf(shape, value).flatMap((member) => {
    const part = (value as AnyValues)[member.name] ?? null;
    return part === null ? [] : [[member.name, ownParts(member, part)]];
  }));
}

/** Words and numbers as they are typed: a list of them is a text with a line for each. */
const isPlain = ({ type, choices, target, values, file }: Field): boolean =>
  (type === "text" || type === "integer" || type === "decimal") && [choices, target, values, file].every((one) => one === undefined);

/** What the elements of a list of words or numbers are; undefined for any other field. */
export function lineOf({ type, shape }: Field): Field | undefined {
  const found = type === "json" ? shapeOf(shape) : any;
  return found.kind === "list" && found.element.kind === "scalar" && isPlain(found.element.field) ? found.element.field : undefined;
}

/** Whether its value has parts with fields of their own. */
export function hasParts(field: Field): boolean {
  if (field.type !== "json" || lineOf(field) !== undefined) return false;
  const shape = shapeOf(field.shape);
  return isObject(shape) || (shape.kind === "list" && shape.element.kind !== "any");
}

/** An element of a list as a field, with the label of the list. */
export function elementOf(field: Field): Field {
  const shape = shapeOf(field.shape);
  const element = shape.kind === "list" ? shape.element : any;
  if (element.kind === "scalar") return { ...element.field, name: "", label: field.label };
  return { name: "", label: field.label, type: "json", required: true, shape: elementIn(field.shape as Declared) };
}
