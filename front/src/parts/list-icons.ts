// The icon of a list, from what its entity declares: people, days and documents look different, everything else alike.

import type { Entity, Field } from "../store/declared";
import { isKept } from "../words/values";
import type { IconName } from "./icons";

export function iconOf(entity: Entity): IconName {
  const fields = entity.columns.filter((field) => !isKept(field) && field.hidden !== true);
  const has = (is: (field: Field) => boolean): boolean => fields.some(is);
  if (entity.view) return "dashboard";
  // Whoever can be written to or called is a person, or an organisation of some.
  if (has(({ format }) => format?.name === "email" || format?.name === "phone" || format?.name === "telephone")) return "formateurs";
  // What has to have a day takes place.
  if (has(({ type, nullable }) => (type === "date" || type === "timestamp") && nullable !== true)) return "calendar";
  return has(({ file }) => file !== undefined) ? "document" : "domain";
}
