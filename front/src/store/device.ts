// The vault of the account that is signed in, and what the device remembers without one.

import { Vault } from "./vault";

let vault: Vault | null = null;
let opening: { account: number; done: Promise<Vault | null> } | null = null;

export const openVault = (): Vault | null => vault;

/** Opens the vault of an account, which stays open until it is left. */
export function enterVault(account: number): Promise<Vault | null> {
  if (opening?.account === account) return opening.done;
  leaveVault()?.close();
  const done = Vault.of(account).then((one) => {
    if (opening?.done === done) vault = one;
    else one?.close();
    return vault;
  });
  opening = { account, done };
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
