// What an empty list offers instead: records that resemble the search.

import { h } from "view";
import type { Child } from "view";

export interface NearRecord { href: string; label: string }

export function Near({ found }: { found: () => readonly NearRecord[] }): Child {
  return () => (found().length === 0 ? null : (
    <p class="near">
      Vouliez-vous dire{" "}
      {found().map(({ href, label }, index) => [
        index === 0 ? null : index === found().length - 1 ? " ou " : ", ",
        <a href={href}>{label}</a>,
      ])}
      {"\u202f?"}
    </p>
  ));
}
