// Choosing a record of a declared entity, in a form or among filters.

import { declaredEntity } from "../../../parts/declared";
import type { Option } from "../../../parts/form";
import { searchOf } from "../../../parts/record-search";
import type { RecordSearch } from "../../../parts/record-search";
import type { AnyRow } from "../../../store/rows";
import { titleIn } from "../../../words/titles";
import { making } from "./create";

export interface Picking {
  options: RecordSearch["options"];
  more: {
    known?: Option;
    make?: (text: string) => Promise<Option | null>;
    look: RecordSearch["look"];
  };
}

/** null: the account may not read the records, and gives their numbers. */
export function pickerOf(target: string, related?: unknown): Picking | null {
  const entity = declaredEntity(target);
  if (entity === undefined || !entity.methods.includes("list")) return null;
  const { options, look } = searchOf(entity);
  const known = related !== null && typeof related === "object"
    ? { id: Number((related as AnyRow).id), label: titleIn(entity, related) ?? "" } : undefined;
  const make = making(entity);
  return {
    options,
    more: { ...(known === undefined ? {} : { known }), ...(make === undefined ? {} : { make }), look },
  };
}
