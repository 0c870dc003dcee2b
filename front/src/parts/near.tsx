// What an empty list offers instead: the search in words that are there, and records that resemble it.

import { h } from "view";
import type { Child } from "view";
import { corrected, nearest } from "../words/near";
import { fold } from "../words/sentences";

export interface NearProps<T> {
  search: () => string;
  set: (search: string) => void;
  rows: () => readonly T[] | undefined;
  /** What is searched, folded. */
  text: (row: T) => string;
  record: (row: T) => { href: string; label: string };
}

export function Near<T>({ search, set, rows, text, record }: NearProps<T>): Child {
  return () => {
    const found = nearest(search(), rows() ?? [], text);
    if (found.length === 0) return null;
    const words = corrected(search(), text(found[0]!));
    const offers = found.map(record).map(({ href, label }) => <a href={href}>{label}</a>);
    // Where it would find this one record alone, the record is offered.
    if (words !== fold(search()) && found.length > 1) {
      offers.unshift(<button type="button" class="link" onclick={() => set(words)}>{`«\u00a0${words}\u00a0»`}</button>);
    }
    return (
      <p class="near">
        Vouliez-vous dire{" "}
        {offers.map((offer, index) => [index === 0 ? null : index === offers.length - 1 ? " ou " : ", ", offer])}
        {"\u202f?"}
      </p>
    );
  };
}
