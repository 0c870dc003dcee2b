// Which domains the installation serves to this account.

import { effect, untracked } from "view";
import { account } from "../store";
import { domains, isKernel } from "../store/declared";
import type { Domain } from "../store/declared";
import { listName } from "../words/nouns";
import { keep, lastAccount } from "./last-account";
import type { ServedDomain } from "./last-account";
import { iconOf } from "./list-icons";
import { go, path } from "./place";
import { rooms, served } from "./shell";

/** Notes what is served to the account that is signed in, now and whenever it changes. */
export function followServed(): void {
  effect(() => {
    const known = account() ? domains().value() : undefined;
    if (known !== undefined) untracked(() => keep({ ...lastAccount()!, domains: servedOf(known) }));
  });
}

function servedOf(domains: readonly Domain[]): readonly ServedDomain[] {
  const served = domains.filter((one) => !isKernel(one)).map(({ name, label, entities }) => ({
    name, label, lists: entities.filter(({ methods }) => methods.includes("list")).map((entity) => [`/${name}/${entity.name}`, listName(entity), iconOf(entity)] as const),
  }));
  // The first page was guessed.
  if (served.length > 0 && !served.some(({ name }) => name === "crm") && untracked(path) === "/sessions") queueMicrotask(() => void go("/", { replace: true }));
  return served;
}

/** Whether a page is there: one of a domain with a room is where the domain is served. */
export const isServed = (page: string): boolean => rooms.some(({ domain, routes }) =>
  routes.some(({ path: one }) => one === page) && (domain === undefined || served().some(({ name }) => name === domain)));
