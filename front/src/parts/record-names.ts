// The names of records, by their ids.

import type { Options } from "./form/field";
import { optionsOf } from "./form/options";

/** Names the records that columns of sessions refer to. A directory is loaded when a name of it is first read. */
export function recordNames(): (column: string, id: number) => string | undefined {
  const of: { readonly [column: string]: Options } = {
    formateur_id: optionsOf("formateurs"), client_id: optionsOf("clients"), ecole_id: optionsOf("ecoles"),
  };
  return (column, id) => of[column]?.()?.find((option) => option.id === id)?.label;
}
