// Choosing a record of a declared entity, in a form or among filters.

import { computed, signal, untracked } from "view";
import type { Option, Options } from "../../../parts/form";
import type { Entity, PagesRequest } from "../../../store/declared";
import type { AnyRow } from "../../../store/rows";
import { titleIn, titleOf } from "../../../words/titles";
import { making } from "./create";
import { declaredEntity, pages } from "./records";

export interface Picking {
  options: Options;
  more: {
    known?: Option;
    make?: (text: string) => Promise<Option | null>;
    look: (text: string) => void;
  };
}

/** null: the account may not read the records, and gives their numbers. */
export function pickerOf(target: string, related?: unknown): Picking | null {
  const entity = declaredEntity(target);
  if (entity === undefined || !entity.methods.includes("list")) return null;
  const needed = signal(false);
  const asked = signal("");
  let timer: ReturnType<typeof setTimeout> | undefined;
  const found = computed(() => (needed() ? pages(entity, searching(entity, asked())) : null));
  const options = computed(() => found()?.value()?.map((row) => optionOf(entity, row)));
  const known = related !== null && typeof related === "object"
    ? { id: Number((related as AnyRow).id), label: titleIn(entity, related) ?? "" } : undefined;
  const make = entity.methods.includes("create") ? making(entity) : undefined;
  return {
    options: () => {
      if (!untracked(needed)) needed.set(true);
      return options();
    },
    more: {
      ...(known === undefined ? {} : { known }), ...(make === undefined ? {} : { make }),
      look: (text) => {
        clearTimeout(timer);
        // All that there are are searched here.
        if (found()?.hasMore() !== true && untracked(asked) === "") return;
        timer = setTimeout(() => asked.set(text), 150);
      },
    },
  };
}

export const optionOf = (entity: Entity, row: AnyRow): Option => ({ id: row.id, label: titleOf(entity, row) });

/** What asks the service for the records with these words. */
function searching(entity: Entity, text: string): PagesRequest {
  if (text === "") return {};
  if (entity.search) return { search: text };
  const [title = ""] = entity.title;
  const isText = [...entity.columns, ...entity.derived].some((field) => field.name === title && field.type === "text");
  return isText ? { where: { [title]: { ilike: `%${text.replace(/[\\%_]/g, "\\$&")}%` } } } : {};
}
