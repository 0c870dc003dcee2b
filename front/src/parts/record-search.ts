// The records of a declared entity as the options of a picker, which asks the service where there are more than a page of them.

import { computed, signal, untracked } from "view";
import { pagesOf } from "../store/declared";
import type { Entity, PagesRequest } from "../store/declared";
import type { AnyRow } from "../store/rows";
import { titleOf } from "../words/titles";
import type { Option, Options } from "./form/field";

export interface RecordSearch {
  /** They are asked for when they are first read. */
  options: Options;
  look: (text: string) => void;
}

/** Belongs to the component that calls it. */
export function searchOf(entity: Entity): RecordSearch {
  const needed = signal(false);
  const asked = signal("");
  let timer: ReturnType<typeof setTimeout> | undefined;
  const found = computed(() => (needed() ? pagesOf(entity.name, searching(entity, asked())) : null));
  const options = computed(() => found()?.value()?.map((row) => optionOf(entity, row)));
  return {
    options: () => {
      if (!untracked(needed)) needed.set(true);
      return options();
    },
    look: (text) => {
      clearTimeout(timer);
      // All that there are are searched here.
      if (found()?.hasMore() !== true && untracked(asked) === "") return;
      timer = setTimeout(() => asked.set(text), 150);
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
