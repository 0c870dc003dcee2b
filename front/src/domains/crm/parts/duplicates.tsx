// The pairs of records of a directory that look alike, and the way to them while there are some.

import { computed, h } from "view";
import type { Child } from "view";
import { Icon } from "../../../parts/icons";
import { ask, client, directory, may } from "../../../store";
import type { Directory } from "../../../store";
import { count } from "../../../words/sentences";

export type AnyRow = { id: number; initiales: string; ville: string | null; created_at: string } & { readonly [column: string]: unknown };
export type Pair = readonly [one: AnyRow, other: AnyRow];

/** The pairs that the device knows both records of; the first hundred, and how many there are in all. Undefined: not known yet. */
export function duplicatesOf(table: Directory) {
  const found = ask(`doublons ${table}`, () => client.doublons.list({
    table, first: 100, count: true,
    select: "{ id fiche_id autre_id raison score }",
  }), [table]);
  const rows = directory(table);
  const pairs = computed(() => {
    const [answer, all] = [found.value(), rows.value() as readonly unknown[] | undefined];
    if (answer === undefined || all === undefined) return undefined;
    const byID = new Map((all as readonly AnyRow[]).map((row) => [row.id, row]));
    return answer.items.flatMap((item) => {
      const [one, other] = [byID.get(item.fiche_id), byID.get(item.autre_id)];
      return one && other ? [{ ...item, pair: [one, other] as Pair }] : [];
    });
  });
  return {
    pairs,
    /** Three records that are alike are three pairs. */
    total: (): number => {
      const { total, items } = found.value() ?? { total: 0, items: [] };
      return (total ?? items.length) - items.length + (pairs()?.length ?? 0);
    },
    failure: () => found.failure() ?? rows.failure(),
    refresh: () => Promise.all([found.refresh(), rows.refresh()]),
  };
}

/** The number, in the words that lead there and stand there. */
export const pairWords = (number: number): string => count(number, "paire de fiches semblables", "paires de fiches semblables");

/** For those who may merge them. */
export function DuplicatesLink({ table }: { table: Directory }): Child {
  if (!may(`${table}.fusionner`)) return null;
  const { total } = duplicatesOf(table);
  const number = computed(total);
  return () => (number() === 0 ? null : (
    <a class="button" href={`/doublons?fiches=${table}`} aria-label={`Doublons\u202f: ${pairWords(number())}`}>
      <Icon name="copy" />
      <span class="label-word">Doublons</span>
      <span class="filters-count" aria-hidden="true">{number()}</span>
    </a>
  ));
}
