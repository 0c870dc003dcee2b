// What this device remembers of the account that was signed in last: the frame is painted with it before the service has answered,
// and nothing moves when the answer comes.

import { effect, signal, untracked } from "view";
import { account, rested } from "../store";
import { company } from "../store/company";
import type { IconName } from "./icons";
import { later } from "./later";

export interface ServedDomain {
  readonly name: string;
  readonly label: string;
  /** The lists of a domain without a room of its own. */
  readonly lists?: readonly (readonly [href: string, label: string, icon?: IconName])[];
}

interface LastAccount {
  readonly id: number;
  readonly role: string;
  /** The domains that the account may see, without those of the kernel. */
  readonly domains?: readonly ServedDomain[];
}

const name = "learntrack.account";
/** Where what is remembered of the account stands: in each company it has another role. */
const entry = (): string => ((untracked(company) ?? 1) === 1 ? name : `${name}.${untracked(company)}`);

function read(): LastAccount | null {
  try {
    return JSON.parse(localStorage.getItem(entry()) ?? "null") as LastAccount | null;
  } catch {
    return null;
  }
}

const kept = signal(read());

export function keep(next: LastAccount | null): void {
  kept.set(next);
  try {
    if (next !== null) localStorage.setItem(entry(), JSON.stringify(next));
    else for (const one of Object.keys(localStorage)) if (one.startsWith(name)) localStorage.removeItem(one);
  } catch {
    // Without storage the frame comes a moment later.
  }
}

/** The account that is signed in, or, before that is known, the one that was last; null: none. */
export const lastAccount = (): LastAccount | null => kept();

/** Follows who is signed in. Which domains are served is asked when the first screen has its answer. */
export function followAccount(): void {
  let isFollowed = false;
  effect(() => {
    const known = account();
    if (known === undefined) return;
    if (known === null) return keep(null);
    const { id, role } = known;
    const before = untracked(kept);
    keep({ ...(before?.id === id && before), id, role });
    // Without the script it is asked at the next start, and until then nobody is signed out for not being there.
    if (!isFollowed) void rested.then(later).then((module) => module.followAll(), () => undefined);
    isFollowed = true;
  });
}
