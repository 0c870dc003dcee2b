// What is offered when no session has the words of a search.

import { computed, h, untracked } from "view";
import type { Child } from "view";
import { Near } from "../../../parts/near";
import { ask, client } from "../../../store";
import { keyOf, request } from "../../../store/match";
import { shortDate } from "../../../words/dates";
import { fold, sentence } from "../../../words/sentences";
import type { SessionFilters } from "./session-filters";

/** What the service has that resembles the search: of more than are offered, those of the same nearness stand by their dates. */
export function NearSessions({ filters }: { filters: SessionFilters }): Child {
  const found = computed(() => {
    const filter = filters.values();
    const { search, where } = request(filter);
    return search === null ? null : untracked(() => ask(`near ${keyOf(filter)}`, async () => (await client.sessions.list({
      where: where as object, search, near: true, first: 30,
      select: "{ id module date ref_contrat lieu formateur { nom_complet } client { raison_sociale } }",
    })).items.sort((one, other) => one.date.localeCompare(other.date)), ["sessions"]));
  });
  return (
    <Near search={filters.search} set={(q) => filters.set({ q })} rows={() => found()?.value()}
      text={(row) => fold([row.module, row.ref_contrat, row.lieu, row.formateur?.nom_complet, row.client?.raison_sociale].join(" "))}
      record={(row) => ({ href: `/sessions/${row.id}`, label: sentence(row.module, row.client?.raison_sociale, shortDate(row.date)) })} />
  );
}
