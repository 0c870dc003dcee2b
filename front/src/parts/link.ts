// The links of mails and of the setup have their secret behind the address of the app. It is read once, and kept in memory alone:
// neither the address nor the history has it while its form is open.

import { signal } from "view";

export type Purpose = "reset" | "setup" | "invitation";
interface Link { purpose: Purpose; token: string }

const pattern = /^#(reset|setup|invitation)(?:=(.*))?$/u;
const companyOf = /^\/s\/[1-9]\d*\/$/u;
const held = signal<Link | null>(null);

function take(): void {
  const [, purpose, token] = pattern.exec(location.hash) ?? [];
  if (token === undefined) {
    // What else stands there may be the secret of a link that was cut or mistyped.
    if (purpose === undefined && location.pathname === "/connexion" && location.hash !== "") history.replaceState(history.state, "", location.pathname + location.search);
    return;
  }
  held.set({ purpose: purpose as Purpose, token: readable(token) });
  // A link that names a company leads there, when one has signed in.
  const of = companyOf.exec(location.pathname)?.[0];
  history.replaceState(history.state, "", `/connexion${of === undefined ? "" : `?suite=${encodeURIComponent(of)}`}#${purpose}`);
}

function readable(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}

/** What the part of an address behind its # is for; null for others. */
export function purposeOf(hash: string): Purpose | null {
  return (pattern.exec(hash)?.[1] ?? null) as Purpose | null;
}

/** The secret of the link for this purpose; null after the page was loaded again. */
export function tokenFor(purpose: Purpose): string | null {
  const link = held();
  return link?.purpose === purpose ? link.token : null;
}

export function forgetLink(): void {
  held.set(null);
}

take();
// The link may also be opened in a page that is there already. This listens before those that read the address.
window.addEventListener("popstate", take);
