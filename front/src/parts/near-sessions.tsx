// What is offered when no session has the words of a search.

import { computed, h, untracked } from "view";
import type { Child } from "view";
import { ask, client } from "../store";
import { keyOf, request } from "../store/match";
import { shortDate } from "../words/dates";
import { Near } from "./near";
import type { SessionFilters } from "./session-filters";

/** What the service has that resembles the search. */
export function NearSessions({ filters }: { filters: SessionFilters }): Child {
  const found = computed(() => {
    const filter = filters.values();
    const { search, where } = request(filter);
    return search === null ? null : untracked(() => ask(`near ${keyOf(filter)}`, async () =>
      (await client.sessions.list({ where: where as object, search, near: true, first: 3, select: "{ id module date }" })).items, ["sessions"]));
  });
  return <Near found={() => (found()?.value() ?? []).map(({ id, module, date }) => ({ href: `/sessions/${id}`, label: `${module}, ${shortDate(date)}` }))} />;
}
