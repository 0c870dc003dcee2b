// What narrows and orders the list of a declared entity. It stands in the address, so that a link or a reload shows the same list.

import { filtersOf } from "../../../parts/place";
import type { Entity, Field } from "../../../store/declared";
import { isKept, isLong } from "../../../words/values";
import { isOfSingle } from "../words/rows";

export interface Condition { where: Record<string, unknown>; order_by?: string[] }

export interface EntityFilters {
  fields: readonly Field[];
  search(): string;
  /** The text of a filter in the address; "" if there is none. A range of days has two: "published_du", "published_au". */
  text(name: string): string;
  set(changes: Record<string, string | null>): void;
  clear(): void;
  /** How many narrow the list, beside the search. */
  active(): number;
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

export function entityFilters(list: string, entity: Entity): EntityFilters {
  const { values, set } = filtersOf(list);
  const fields = filterable(entity);
  const text = (name: string): string => values()[name] ?? "";
  const names = fields.flatMap((field) => (isMoment(field) ? [`${field.name}_du`, `${field.name}_au`] : [field.name]));
  return {
    fields, text, set,
    search: () => text("q"),
    clear: () => set(Object.fromEntries([...names, "q"].map((name) => [name, null]))),
    order: () => orders(entity).find(([value]) => value === text(order))?.[1] ?? null,
    active: () => fields.filter((field) => conditionOf(field, text) !== undefined).length,
    condition: () => {
      const found = fields.map((field) => [field.name, conditionOf(field, text)] as const).filter(([, one]) => one !== undefined);
      const wanted = text(order);
      const isKnown = orderable(entity).some(({ name }) => name === wanted.replace(/^-/, ""));
      return { where: Object.fromEntries(found), ...(isKnown ? { order_by: [wanted] } : {}) };
    },
  };
}

/** undefined: nothing is chosen, or what the address says is no value. */
function conditionOf(field: Field, text: (name: string) => string): unknown {
  if (isMoment(field)) {
    const isDay = (value: string): boolean => /^\d{4}-\d\d-\d\d$/.test(value);
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
  return /^-?\d{1,16}$/.test(given) ? Number(given) : undefined;
}
