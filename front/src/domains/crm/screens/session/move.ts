// A session at another date or hour, and back again.

import type { ServiceError } from "learntrack";
import { untracked } from "view";
import { say, sayWritten, warn } from "../../../../parts/notices";
import { record } from "../../../../store";
import { move } from "../../../../store/pressing";
import type { SessionRow } from "../../../../store";

export interface Moment { date: string; debut: string; fin: string }

export const momentOf = ({ date, debut, fin }: Moment): Moment => ({ date, debut: debut.slice(0, 5), fin: fin.slice(0, 5) });

/** The last move: what is moved again while it can be taken back goes to where it was first. */
let last: { id: number; from: Moment; at: number } | null = null;

/** Moves a session, says `words` and offers the way back, after which `undone` has the old date; answers why it was refused. */
export async function relocate(
  row: SessionRow, to: Partial<Moment>, words: string, undone?: (date: string) => void): Promise<ServiceError | null> {
  const from = last?.id === row.id && Date.now() - last.at < 10_000 ? last.from : momentOf(row);
  const mine = last = { id: row.id, from, at: Date.now() };
  const outcome = await move(row, to);
  if (outcome.state === "refused") return outcome.error;
  // A later move of the session says where it is.
  if (last !== mine && last?.id === row.id) return null;
  sayWritten(words, outcome, async () => {
    last = null;
    const now = untracked(() => record("sessions", row.id).value());
    if (!now) return;
    const back = await move(now, from);
    if (back.state === "refused") return warn(back.error.message);
    say("Déplacement annulé");
    undone?.(from.date);
  });
  return null;
}
