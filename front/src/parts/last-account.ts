// What this device remembers of the account that was signed in last: the frame is painted with it before the service has answered,
// and nothing moves when the answer comes.

import { effect, signal, untracked } from "view";
import { account } from "../store";
import { later } from "./later";

interface LastAccount {
  readonly id: number;
  readonly role: string;
  /** Whether this installation counts people, and the account may see it. */
  readonly counts: boolean;
}

const name = "learntrack.account";

function read(): LastAccount | null {
  try {
    return JSON.parse(localStorage.getItem(name) ?? "null") as LastAccount | null;
  } catch {
    return null;
  }
}

const kept = signal(read());

function keep(next: LastAccount | null): void {
  kept.set(next);
  try {
    if (next === null) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(next));
  } catch {
    // Without storage the frame comes a moment later.
  }
}

/** The account that is signed in, or, before that is known, the one that was last; null: none. */
export const lastAccount = (): LastAccount | null => kept();

/** Follows who is signed in. Whether people are counted is asked some time after the first screen has been painted. */
export function followAccount(): void {
  effect(() => {
    const known = account();
    if (known === undefined) return;
    if (known === null) return keep(null);
    const { id, role } = known;
    const before = untracked(kept);
    keep({ id, role, counts: before?.id === id && before.counts });
    const timer = setTimeout(async () => {
      const counts = await later().then(({ counting }) => counting.isServed()).catch(() => undefined);
      // Without an answer it is asked again at the next start.
      if (counts !== undefined && untracked(account)?.id === id) keep({ id, role, counts });
    }, 2_500);
    return () => clearTimeout(timer);
  });
}
