// What a declared value of JSON consists of.

import type { Field } from "../store/declared/types";

/**
 * An object of members, a list of elements, a value, or anything. An object of several kinds, each with members of its own, is a
 * further case here: forms ask a group for its members (`shape-tree`), so that a choice of the kind can decide which they are.
 */
export type Shape =
  | { readonly kind: "object"; readonly members: readonly Field[] }
  | { readonly kind: "list"; readonly element: Shape; readonly maximum: number }
  | { readonly kind: "scalar"; readonly field: Field }
  | { readonly kind: "any" };

interface Declared { readonly object?: readonly Field[]; readonly list?: unknown; readonly maximum?: number; readonly scalar?: Field }

const any: Shape = { kind: "any" };

/** What an earlier or later service declares, and is not known here, is anything. */
export function shapeOf(declared: unknown): Shape {
  if (typeof declared !== "object" || declared === null) return any;
  const { object, list, maximum = Infinity, scalar } = declared as Declared;
  if (Array.isArray(object)) return { kind: "object", members: object };
  if (list !== undefined) return { kind: "list", element: shapeOf(list), maximum };
  return scalar === undefined ? any : { kind: "scalar", field: scalar };
}

/** Words and numbers as they are typed: a list of them is a text with a line for each. */
const isPlain = ({ type, choices, target, values }: Field): boolean =>
  (type === "text" || type === "integer" || type === "decimal") && choices === undefined && target === undefined && values === undefined;

/** What the elements of a list of words or numbers are; undefined for any other field. */
export function lineOf({ type, shape }: Field): Field | undefined {
  const found = type === "json" ? shapeOf(shape) : any;
  return found.kind === "list" && found.element.kind === "scalar" && isPlain(found.element.field) ? found.element.field : undefined;
}

/** Whether its value has parts with fields of their own. */
export function hasParts(field: Field): boolean {
  if (field.type !== "json" || lineOf(field) !== undefined) return false;
  const shape = shapeOf(field.shape);
  return shape.kind === "object" || (shape.kind === "list" && shape.element.kind !== "any");
}

/** An element of a list as a field, with the label of the list. */
export function elementOf(field: Field): Field {
  const shape = shapeOf(field.shape);
  const element = shape.kind === "list" ? shape.element : any;
  if (element.kind === "scalar") return { ...element.field, name: "", label: field.label };
  const { list } = field.shape as Declared;
  return { name: "", label: field.label, type: "json", required: true, shape: list };
}
