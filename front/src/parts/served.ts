// Which domains the installation serves to this account.

import { untracked } from "view";
import { loadDomains } from "../store/declared";
import { listName } from "../words/nouns";
import type { ServedDomain } from "./last-account";
import { go, path } from "./place";

/** Those of the kernel, whose screens are administration. */
const kernel = ["accounts", "journal", "outgoing", "signing"];

export async function servedDomains(): Promise<ServedDomain[]> {
  const domains = await untracked(loadDomains);
  const served = domains.filter(({ name }) => !kernel.includes(name)).map(({ name, label, entities }) => ({
    name, label, lists: entities.filter(({ methods }) => methods.includes("list")).map((entity) => [`/${name}/${entity.name}`, listName(entity)] as const),
  }));
  // The first page was guessed.
  if (served.length > 0 && !served.some(({ name }) => name === "crm") && untracked(path) === "/sessions") queueMicrotask(() => void go("/", { replace: true }));
  return served;
}
