// Which domains the installation serves to this account.

import { untracked } from "view";
import { isKernel, loadDomains } from "../store/declared";
import { listName } from "../words/nouns";
import type { ServedDomain } from "./last-account";
import { iconOf } from "./list-icons";
import { go, path } from "./place";

export async function servedDomains(): Promise<ServedDomain[]> {
  const domains = await untracked(loadDomains);
  const served = domains.filter((one) => !isKernel(one)).map(({ name, label, entities }) => ({
    name, label, lists: entities.filter(({ methods }) => methods.includes("list")).map((entity) => [`/${name}/${entity.name}`, listName(entity), iconOf(entity)] as const),
  }));
  // The first page was guessed.
  if (served.length > 0 && !served.some(({ name }) => name === "crm") && untracked(path) === "/sessions") queueMicrotask(() => void go("/", { replace: true }));
  return served;
}
