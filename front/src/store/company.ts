// The company that this page shows, as long as it is open: another company is another page, which loads anew. What is in memory, on the
// screen and on its way is of one company, then.

import { signal, untracked, type Signal } from "view";
import { members, parsed, recall, remember } from "./device";

/** A company that the account is a member of, and its base role there. */
export interface Company {
  readonly id: number;
  readonly name: string;
  readonly role: string;
}

/** How an address begins that names its company: "/s/2" of "/s/2/sessions". */
const beginning = /^\/s\/([1-9]\d*)(?=\/|$)/u;
/** What the service answers beside screens, and the page to sign in: these belong to no company. */
const shared = /^\/(connexion|explorer|documents|files|app)\b/u;

/** The company that an address names; null: none. */
export const companyIn = (path: string): number | null => Number(beginning.exec(path)?.[1] ?? 0) || null;
/** The path without its company. */
export const pathIn = (path: string): string => path.replace(beginning, "") || "/";

const named = companyIn(location.pathname);
const known = Object.keys(members()).map(Number);

/** Null until it is known: that of the address, else the last one on this device. */
export const company: Signal<number | null> = signal(named ?? (Number(recall("societe")) || (known.length === 1 ? known[0]! : null)));

/** The companies of the account that is signed in, or, before that is known, of the one that was last, if it has several. */
export const companies: Signal<readonly Company[]> = signal<readonly Company[]>((parsed(recall("societes")) as readonly Company[] | undefined) ?? []);

/** Whether it is known that the account is a member of the company that is shown. */
const isMine = (): boolean => companies().some(({ id }) => id === company());

/** How the addresses of this page begin; with one company as if there were none. */
const prefix = (): string => (companies().length > 1 || (named !== null && !isMine()) ? `/s/${company()}` : "");

/** The path with its company, or without it where there is one alone. */
export const addressed = (path: string): string => {
  if (!path.startsWith("/") || shared.test(path)) return path;
  const of = companyIn(path);
  return of !== null && of !== company() ? path : prefix() + pathIn(path);
};

/** Whether a path leads to no screen of this app. */
export const isShared = (path: string): boolean => shared.test(path);

/** Takes note of the companies that the account has. */
export function noteCompanies(all: readonly Company[]): void {
  const text = JSON.stringify(all);
  remember("societes", all.length > 1 ? text : null);
  if (JSON.stringify(untracked(companies)) !== text) companies.set(all);
}

/** The page shows this company from now on; an address without one is of the company that was shown last. */
export function showCompany(id: number, all: readonly Company[]): void {
  remember("societe", all.length > 1 ? String(id) : null);
  company.set(id);
  noteCompanies(all);
}

export function forgetCompanies(): void {
  remember("societe", null);
  remember("societes", null);
  companies.set([]);
}
