// Which domains the installation serves to this account.

import { untracked } from "view";
import { isKernel, loadDomains } from "../store/declared";
import { listName } from "../words/nouns";
import type { ServedDomain } from "./last-account";
import { iconOf } from "./list-icons";
import { go, path } from "./place";
import { rooms, served } from "./shell";

export async function servedDomains(): Promise<ServedDomain[]> {
  const domains = await untracked(loadDomains);
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
