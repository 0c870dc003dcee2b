// Calls that are not stored: what they did is said, what failed too, and what is on screen is asked for again.

import { signal } from "view";
import { askAgain, failureOf, isPassing, newKey } from "../store";
import { say, warn } from "./notices";

export interface Command<A extends unknown[]> {
  (...given: A): Promise<boolean>;
  busy(): boolean;
}

/** The milliseconds after which the same press means another thing than the one that was not answered. */
const patience = 300_000;

/** Says what failed, with a button where the same may succeed later. */
export function warnFailure(error: unknown, again: () => void): void {
  warn(failureOf(error).message, isPassing(error) ? { label: "Réessayer", run: again } : undefined);
}

/**
 * A command for a button: it runs once at a time. `done` is said after it; `tables` are those it changes. What is tried again
 * after a failure has the same `key`, so that the service executes it once, whichever button the person presses for it.
 */
export function command<A extends unknown[]>(
  work: (key: string, ...given: A) => Promise<unknown>, { done, tables }: { done?: string; tables?: readonly string[] } = {}): Command<A> {
  const busy = signal(false);
  /** The last attempt, if the service may have executed it without an answer. */
  let lost: { key: string; given: string; at: number } | null = null;
  const attempt = async (key: string, given: A): Promise<boolean> => {
    if (busy()) return false;
    busy.set(true);
    try {
      await work(key, ...given);
      lost = null;
      if (tables !== undefined) askAgain(tables);
      if (done !== undefined) say(done);
      return true;
    } catch (error) {
      lost = isPassing(error) ? { key, given: JSON.stringify(given), at: Date.now() } : null;
      // What is refused shows that the screen is not up to date.
      if (tables !== undefined) askAgain(tables);
      warnFailure(error, () => void attempt(key, given));
      return false;
    } finally {
      busy.set(false);
    }
  };
  const keyFor = (given: A): string => {
    const isRepeated = lost !== null && lost.given === JSON.stringify(given) && Date.now() - lost.at < patience;
    return isRepeated ? lost!.key : newKey();
  };
  const run = ((...given: A) => attempt(keyFor(given), given)) as Command<A>;
  run.busy = () => busy();
  return run;
}
