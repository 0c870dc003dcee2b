// What narrows and orders the list of a declared entity. It stands in the address, so that a link or a reload shows the same list.

import { filtersOf } from "../../../parts/place";
import type { Entity, Field } from "../../../store/declared";
import { plainDate } from "../../../words/dates";
import { decimal, readAmount } from "../../../words/money";
import { isKept, isLong, valueText } from "../../../words/values";
import { isOfSingle } from "../words/rows";

export interface Condition { where: Record<string, unknown>; order_by?: string[] }

/** What one field narrows the list to. */
export interface Narrowing {
  field: Field;
  /** "Prix de 5 à 10"; what names records is known to the caller alone. */
  words(nameOf: (target: string, id: number) => string): string;
  remove(): void;
}

export interface EntityFilters {
  fields: readonly Field[];
  /** Those that have a range of numbers. */
  numbers: readonly Field[];
  /** Those that are asked for being set. */
  optional: readonly Field[];
  search(): string;
  /**
   * The text of a filter in the address; "" if there is none. A range of days has two, "published_du" and "published_au", and so has
   * one of numbers: "price_de", "price_a". Whether there is a value is "reader_est": "renseigne" or "vide".
   */
  text(name: string): string;
  set(changes: Record<string, string | null>): void;
  clear(): void;
  /** How many narrow the list, beside the search. */
  active(): number;
  /** These, one by one. */
  narrowings(): Narrowing[];
  /** The order that was chosen, in words; null: the usual one. */
  order(): string | null;
  /** What the service is asked for. */
  condition(): Condition;
}

/** What has a first and a last day as its filter. */
export const isMoment = ({ type }: Field): boolean => type === "date" || type === "timestamp";

/** What lists are narrowed by: choices, yes and no, records that it refers to, days. */
export function filterable(entity: Entity): Field[] {
  return entity.columns.filter((field) => field.hidden !== true && !isKept(field)
    && (field.choices !== undefined || field.type === "boolean" || field.values !== undefined || isMoment(field)
      || (field.target !== undefined && !isOfSingle(field))));
}

const isChosen = ({ choices, values, target, file }: Field): boolean =>
  choices !== undefined || values !== undefined || target !== undefined || file !== undefined;

/** What lists are narrowed by as a range of numbers. */
export function numbered({ columns, derived, relations }: Entity): Field[] {
  return [...columns, ...derived].filter((field) => (field.type === "integer" || field.type === "decimal") && field.hidden !== true
    && !isKept(field) && !isChosen(field) && !relations.some(({ column, many }) => many === undefined && column === field.name));
}

/** What may be without a value, which tells records apart: whether a book is lent. A long text is there to be read. */
export function optional({ columns }: Entity): Field[] {
  return columns.filter((field) => field.nullable === true && field.hidden !== true && !isKept(field)
    && (isMoment(field) || (field.type === "text" && !isLong(field)) || (field.target !== undefined && !isOfSingle(field))));
}

/** The number that a person typed for this field; a sentence: why it is none. */
export function numberIn({ type, scale }: Field, text: string): number | string {
  const number = readAmount(text);
  if (number === undefined || Math.abs(number) > Number.MAX_SAFE_INTEGER) return "Donnez un nombre.";
  if (type === "integer") return Number.isInteger(number) ? number : "Donnez un nombre entier.";
  const most = scale ?? 2;
  return Number(number.toFixed(most)) === number ? number : `Donnez ${most === 1 ? "une décimale" : `${most} décimales`} au plus.`;
}

/** Why nothing is between the two ends of a range; null: something may be. */
export function rangeProblem(field: Field, text: Text): string | null {
  const { name } = field;
  if (isMoment(field)) {
    const [from, to] = [text(`${name}_du`), text(`${name}_au`)];
    return isDay(from) && isDay(to) && from > to ? "Donnez un dernier jour qui ne précède pas le premier." : null;
  }
  const [from, to] = [numberIn(field, text(`${name}_de`)), numberIn(field, text(`${name}_a`))];
  return typeof from === "number" && typeof to === "number" && from > to ? `Donnez au moins ${numberWords(field, from)}.` : null;
}

/** What lists are ordered by. */
export function orderable({ columns, derived }: Entity): Field[] {
  return [...columns, ...derived].filter((field) => field.hidden !== true && field.type !== "json" && field.type !== "uuid"
    && field.name !== "id" && field.name !== "version" && field.target === undefined && field.file === undefined && (!isLong(field) || field.max_length !== undefined));
}

const order = "ordre";

/** The orders that people choose from, by what the address says. */
export function orders(entity: Entity): (readonly [value: string, label: string])[] {
  return orderable(entity).flatMap(({ name, label, type }) => {
    const [up, down] = type === "text" || type === "choice" ? ["de A à Z", "de Z à A"]
      : type === "date" || type === "timestamp" ? ["le plus ancien d’abord", "le plus récent d’abord"] : ["croissant", "décroissant"];
    return [[name, `${label}, ${up}`], [`-${name}`, `${label}, ${down}`]] as const;
  });
}

/** What the address calls the filters of a field. */
const namesOf = ({ name }: Field): string[] => [name, ...["du", "au", "de", "a", "est"].map((end) => `${name}_${end}`)];

export function entityFilters(list: string, entity: Entity): EntityFilters {
  const { values, set } = filtersOf(list);
  const [fields, numbers, mayBeEmpty] = [filterable(entity), numbered(entity), optional(entity)];
  const all = [...new Set([...fields, ...numbers, ...mayBeEmpty])];
  const text = (name: string): string => values()[name] ?? "";
  const without = (some: readonly Field[]): Record<string, null> => Object.fromEntries(some.flatMap(namesOf).map((name) => [name, null]));
  const found = (): [Field, unknown][] => all.map((field): [Field, unknown] => [
    field, presenceOf(mayBeEmpty.includes(field), field, text, numbers.includes(field) ? rangeOf(field, text) : conditionOf(field, text)),
  ]).filter(([, one]) => one !== undefined);
  return {
    fields, numbers, optional: mayBeEmpty, text, set,
    search: () => text("q"),
    clear: () => set({ ...without(all), q: null }),
    order: () => orders(entity).find(([value]) => value === text(order))?.[1] ?? null,
    active: () => found().length,
    narrowings: () => found().map(([field, condition]) => ({
      field, words: (nameOf) => wordsOf(field, condition, text, nameOf), remove: () => set(without([field])),
    })),
    condition: () => {
      const wanted = text(order);
      const isKnown = orderable(entity).some(({ name }) => name === wanted.replace(/^-/, ""));
      const where = Object.fromEntries(found().map(([{ name }, one]) => [name, one]));
      return { where, ...(isKnown ? { order_by: [wanted] } : {}) };
    },
  };
}

type Text = (name: string) => string;

/** What is without a value is in no range, and what is chosen has one. */
function presenceOf(isAsked: boolean, { name }: Field, text: Text, condition: unknown): unknown {
  const given = isAsked ? text(`${name}_est`) : "";
  if (given === "vide") return { eq: null };
  return condition ?? (given === "renseigne" ? { ne: null } : undefined);
}

function rangeOf(field: Field, text: Text): unknown {
  const [from, to] = [numberIn(field, text(`${field.name}_de`)), numberIn(field, text(`${field.name}_a`))];
  if (typeof from === "string" && typeof to === "string") return undefined;
  return { ...(typeof from === "number" ? { gte: from } : {}), ...(typeof to === "number" ? { lte: to } : {}) };
}

const isDay = (value: string): boolean => /^\d{4}-\d\d-\d\d$/.test(value);

/** undefined: nothing is chosen, or what the address says is no value. */
function conditionOf(field: Field, text: Text): unknown {
  if (isMoment(field)) {
    const [from, to] = [text(`${field.name}_du`), text(`${field.name}_au`)];
    if (!isDay(from) && !isDay(to)) return undefined;
    if (field.type === "date") return { ...(isDay(from) ? { gte: from } : {}), ...(isDay(to) ? { lte: to } : {}) };
    const at = (day: string, clock: string): string => new Date(`${day}T${clock}`).toISOString();
    return { ...(isDay(from) ? { gte: at(from, "00:00:00") } : {}), ...(isDay(to) ? { lte: at(to, "23:59:59.999") } : {}) };
  }
  const given = text(field.name);
  if (given === "") return undefined;
  if (field.choices !== undefined) return field.choices.some(({ value }) => value === given) ? given : undefined;
  if (field.type === "boolean") return given === "oui" ? true : given === "non" ? false : undefined;
  return (field.target !== undefined || field.values !== undefined) && /^-?\d{1,16}$/.test(given) ? Number(given) : undefined;
}

/** "Prix de 5 à 10", "Date de parution à partir du 1er mai 2010", "Prêté à : renseigné". */
function wordsOf(field: Field, condition: unknown, text: Text, nameOf: (target: string, id: number) => string): string {
  const { name, label } = field;
  const says = (words: string): string => `${label}\u202f: ${words}`;
  if (typeof condition !== "object" || condition === null) {
    if (typeof condition === "number" && field.target !== undefined) return says(nameOf(field.target, condition));
    return says(valueText(field, condition) ?? "");
  }
  if ("eq" in condition) return says("vide");
  if ("ne" in condition) return says("renseigné");
  if (isMoment(field)) {
    const [from, to] = [text(`${name}_du`), text(`${name}_au`)].map((day) => (isDay(day) ? plainDate(day) : ""));
    if (from === to) return `${label} le ${from}`;
    return from && to ? `${label} du ${from} au ${to}` : from ? `${label} à partir du ${from}` : `${label} jusqu’au ${to}`;
  }
  const { gte, lte } = condition as { gte?: number; lte?: number };
  const [from, to] = [gte, lte].map((number) => (number === undefined ? "" : numberWords(field, number)));
  if (from === to) return says(from!);
  return from && to ? `${label} de ${from} à ${to}` : from ? `${label} à partir de ${from}` : `${label} jusqu’à ${to}`;
}

const numberWords = (field: Field, number: number): string =>
  (field.type === "decimal" ? decimal(number, Number.isInteger(number) ? 0 : field.scale ?? 2) : valueText(field, number)!);
