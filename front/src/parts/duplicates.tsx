// The way from a directory to the records in it that look alike, while there are some.

import { computed, h } from "view";
import type { Child } from "view";
import { ask, client, may } from "../store";
import type { Directory } from "../store";
import { Icon } from "./icons";

export function duplicatesOf(table: Directory) {
  return ask(`doublons ${table}`, () => client.doublons.list({
    table, first: 100, count: true,
    select: "{ id fiche_id autre_id raison score }",
  }), [table]);
}

/** For those who may merge them. */
export function DuplicatesLink({ table }: { table: Directory }): Child {
  if (!may(`${table}.fusionner`)) return null;
  const found = duplicatesOf(table);
  const number = computed(() => found.value()?.total ?? 0);
  return () => (number() === 0 ? null : (
    <a class="button" href={`/doublons?fiches=${table}`}>
      <Icon name="copy" />
      <span class="label-word">Doublons</span>
      <span class="filters-count" aria-hidden="true">{number()}</span>
    </a>
  ));
}
