// Which domains the installation serves to this account.

import { untracked } from "view";
import { loadDomains } from "../store/declared";
import { go, path } from "./place";

/** Those of the kernel, whose screens are administration. */
const kernel = ["accounts", "journal", "outgoing", "signing"];

export async function servedDomains(): Promise<{ name: string; label: string }[]> {
  const domains = await untracked(loadDomains);
  const served = domains.filter(({ name }) => !kernel.includes(name)).map(({ name, label }) => ({ name, label }));
  // The first page was guessed.
  if (served.length > 0 && !served.some(({ name }) => name === "crm") && untracked(path) === "/sessions") queueMicrotask(() => void go("/", { replace: true }));
  return served;
}
