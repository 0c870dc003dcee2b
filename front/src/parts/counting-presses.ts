// Corrections by hand: each press counts once, also when its answer is lost or there is no network.

import { signal, untracked } from "view";
import { account, askAgain, drafts, failureOf, isPassing, newKey } from "../store";
import { correct } from "./counting";
import type { Place } from "./counting";
import { say, warn } from "./notices";

interface Press {
  readonly place: Pick<Place, "id" | "name">;
  readonly delta: 1 | -1;
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The service keeps keys for 24 hours; later, a repetition might count twice. */
const longest = 23 * 3_600_000;
const pause = 3_000;

const waiting = signal<readonly Press[]>([]);
let owner: number | undefined;
let isSending = false;
let timer: ReturnType<typeof setTimeout> | undefined;

/** What waits to be counted in a place: how many presses, and what they add. */
export function unsent(place: number): { presses: number; sum: number } {
  const found = waiting().filter((one) => one.place.id === place);
  return { presses: found.length, sum: found.reduce((sum, { delta }) => sum + delta, 0) };
}

/** Reads what the account has pressed on this device and the service has not answered, and sends it. */
export async function readPresses(): Promise<void> {
  const id = untracked(account)?.id;
  if (id === owner) return;
  owner = id;
  waiting.set([]);
  const kept = await drafts.get<readonly Press[]>("counting");
  if (owner === id) waiting.update((pressed) => [...(kept ?? []), ...pressed]);
  void send();
}

export function press({ id, name }: Place, delta: 1 | -1): void {
  keep([...untracked(waiting), { place: { id, name }, delta, key: newKey(), at: Date.now() }]);
  void send();
}

function keep(next: readonly Press[]): void {
  waiting.set(next);
  void drafts.set("counting", next.length > 0 ? next : undefined);
}

async function send(): Promise<void> {
  clearTimeout(timer);
  if (isSending) return;
  isSending = true;
  while (untracked(waiting).length > 0 && await isAnswered(untracked(waiting)[0]!));
  isSending = false;
  if (untracked(waiting).length > 0) timer = setTimeout(() => void send(), pause);
}

/** Sends a press; false if it is to be sent again. */
async function isAnswered({ place, delta, key, at }: Press): Promise<boolean> {
  const one = delta > 0 ? "Une entrée" : "Une sortie";
  let problem: string | null = null;
  try {
    if (Date.now() - at > longest) problem = "elle attendait depuis plus de 23 heures.";
    else await correct(place.id, delta, key);
  } catch (error) {
    if (isPassing(error)) return false;
    problem = failureOf(error).message;
  }
  // Another account may have signed in meanwhile.
  if (untracked(account)?.id !== owner) return false;
  keep(untracked(waiting).filter((other) => other.key !== key));
  if (problem === null) say(`${one} ajoutée`);
  else warn(`${one} de «\u00a0${place.name}\u00a0» n’a pas été comptée\u202f: ${problem}`);
  askAgain(["counter_states", "locations"]);
  return true;
}
