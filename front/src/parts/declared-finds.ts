// What "Aller à" finds in domains without finds of their own: their lists and views by name, and records by the search of their entities.

import { computed, untracked } from "view";
import type { Finds, Found, Target } from "../screens/aller-a";
import { ask, client } from "../store";
import { domains, isKernel, isWhole } from "../store/declared";
import type { Domain, Entity } from "../store/declared";
import { selection } from "../store/declared/tables";
import type { AnyRow } from "../store/rows";
import { shown } from "../store/tables";
import { capital, listName, newOne } from "../words/nouns";
import { fold } from "../words/sentences";
import { titleOf } from "../words/titles";
import { iconOf } from "./list-icons";
import { destinations, domain as present, rooms } from "./shell";

interface Placed { readonly entity: Entity; readonly href: string; readonly within: string }

/** As many records of an entity as one reads beside those of others. */
const few = 3;
/** As many searches as one request has. */
const most = 20;

/** Those of the present domain come first. */
function placed(): Placed[] {
  const hasFinds = ({ name }: Domain): boolean => rooms.some((room) => room.domain === name && room.finds !== undefined);
  const all = (domains().value() ?? []).filter((one) => !isKernel(one) && !hasFinds(one));
  return all.sort((one, other) => Number(other.name === present()?.name) - Number(one.name === present()?.name))
    .flatMap(({ name, label, entities }) => entities.filter(({ methods }) => methods.includes("list"))
      .map((entity) => ({ entity, href: `/${name}/${entity.name}`, within: label })));
}

const targetOf = ({ entity, href }: Placed, row: AnyRow): Target =>
  ({ label: titleOf(entity, row), detail: capital(entity.singular), icon: iconOf(entity), href: `${href}/${row.id}` });

function search(text: string, among: readonly Placed[]): Promise<(readonly AnyRow[])[]> {
  return client.batch((calls) => among.map(({ entity }) =>
    (calls.call as (method: string, params: object) => Promise<{ items: readonly AnyRow[] }>)
      .call(calls, `${entity.name}.list`, { search: text, first: few, select: `{ ${selection(entity.title)} }` })
      // What one list refuses, as a word that is too short for it, hides nothing of the others.
      .then(({ items }) => items, () => [] as readonly AnyRow[])));
}

export function declaredFinds(asked: () => string | null): Finds {
  const all = computed(placed);
  // What there is one of is found by its name.
  const searched = computed(() => all().filter(({ entity }) => entity.search === true && !entity.single && entity.methods.includes("get")).slice(0, most));
  const answer = computed(() => {
    const [text, among] = [asked(), searched()];
    if (text === null || among.length === 0) return null;
    return { among, live: untracked(() => ask(`finds ${text}`, () => search(text.trim(), among), among.map(({ entity }) => entity.name))) };
  });
  const lists = computed((): Found[] => {
    const shownAlready = new Set(destinations().map(({ href }) => href));
    return all().flatMap(({ entity, href, within }): Found[] => {
      const found = (target: Omit<Target, "detail">): Found => ({ ...target, detail: within, text: fold(`${target.label} ${within}`) });
      return [
        ...(shownAlready.has(href) ? [] : [found({ label: listName(entity), icon: iconOf(entity), href })]),
        ...(entity.methods.includes("create") ? [found({ label: newOne(entity), icon: "plus", href: `${href}/nouveau` })] : []),
      ];
    });
  });
  /** What the device has answers at once, also without a network. */
  const known = computed((): Found[] => searched().filter(({ entity }) => isWhole(entity.name)).flatMap((one) =>
    [...shown(one.entity.name).values()].map((row) => {
      const target = targetOf(one, row);
      return { ...target, text: fold(`${target.label} ${target.detail}`) };
    })));
  return {
    pages: [], records: [lists, known],
    found: () => {
      const current = answer();
      return (current?.live.value() ?? []).flatMap((rows, at) => rows.map((row) => targetOf(current!.among[at]!, row)));
    },
  };
}
