// What only some installations serve.

import { effect, signal, untracked } from "view";
import { account } from "../store";

const counts = signal(false);

/** Whether people are counted, and the account may see it. */
export const isCountingServed = (): boolean => counts();

function recall(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function remember(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // Without storage each start asks.
  }
}

/** Asks once for each account, some time after the first screen has been painted. Until then it is as it was last time. */
export function followServed(): void {
  effect(() => {
    const id = account()?.id;
    if (id === undefined) return void counts.set(false);
    const key = `counting-${id}`;
    counts.set(recall(key) === "1");
    const timer = setTimeout(async () => {
      const is = await import("../later").then(({ counting }) => counting.isServed()).catch(() => undefined);
      // Without an answer it is asked again at the next start.
      if (is === undefined) return;
      remember(key, is ? "1" : "0");
      if (untracked(account)?.id === id) counts.set(is);
    }, 2_500);
    return () => clearTimeout(timer);
  });
}
