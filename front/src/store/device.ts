// The vault of the account that is signed in, in the company that is shown, and what the device remembers without one.

import { Vault } from "./vault";

let vault: Vault | null = null;
let opening: { name: string; done: Promise<Vault | null> } | null = null;

export const openVault = (): Vault | null => vault;

/** Opens the vault of a member of a company, which stays open until it is left. */
export function enterVault(company: number, member: number): Promise<Vault | null> {
  const name = `${company} ${member}`;
  if (opening?.name === name) return opening.done;
  leaveVault()?.close();
  const done = Vault.of(company, member).then((one) => {
    if (opening?.done === done) vault = one;
    else one?.close();
    return vault;
  });
  opening = { name, done };
  return done;
}

/** The vault that was open, for its last entries. */
export function leaveVault(): Vault | null {
  const left = vault;
  vault = null;
  opening = null;
  return left;
}

const remembered = "learntrack.";

/** What the browser refused to keep, as private windows of some do: it lasts as long as the page. */
const unkept = new Map<string, string>();

/** Text that is no secret, such as a setting. */
export function recall(name: string): string | null {
  try {
    return unkept.get(name) ?? localStorage.getItem(remembered + name);
  } catch {
    return null;
  }
}

export function remember(name: string, text: string | null): void {
  unkept.delete(name);
  try {
    if (text === null) localStorage.removeItem(remembered + name);
    else localStorage.setItem(remembered + name, text);
  } catch {
    if (text !== null) unkept.set(name, text);
  }
}

/** What a text says that was kept as JSON; undefined for any other. */
export function parsed(text: string | null): unknown {
  try {
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The ids that the account of this device has as a member of companies, by their ids. */
export type Members = { readonly [company: string]: number };

const membersName = "compte";

/** The members that the account of this device is, in the companies that were shown here. */
export function members(): Members {
  const kept = parsed(recall(membersName));
  // Earlier versions knew of the first company alone.
  return typeof kept === "number" ? { 1: kept } : (kept as Members | undefined) ?? {};
}

export function rememberMembers(all: Members): void {
  remember(membersName, Object.keys(all).length === 0 ? null : JSON.stringify(all));
}

const asideName = "restes";

/** Members whose writes wait here, and of whom it is not known whether they are the person who has signed in since. */
export const aside = (): readonly (readonly [company: number, member: number])[] =>
  (parsed(recall(asideName)) as [number, number][] | undefined) ?? [];

export function rememberAside(all: ReturnType<typeof aside>): void {
  remember(asideName, all.length === 0 ? null : JSON.stringify(all));
}

export function setAside(): void {
  rememberAside([...aside(), ...Object.entries(members()).map(([of, member]) => [Number(of), member] as const)].slice(-20));
  rememberMembers({});
}
