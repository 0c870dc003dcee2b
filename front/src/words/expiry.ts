// Until when something is valid. A person gives the last day, the service has the moment after it, in Paris.

import { addDays, shortDate, today } from "./dates";
import { instant } from "./instants";

const paris = (at: number): string => new Date(at).toLocaleString("sv-SE", { timeZone: "Europe/Paris" });

/** The end of a day in Paris: "2026-12-31" gives "2026-12-31T23:00:00.000Z". */
export function endOfDay(day: string): string {
  const next = Date.parse(`${addDays(day, 1)}T00:00:00Z`);
  // Midnight in Paris is an hour or two before that of Greenwich.
  const offset = Date.parse(`${paris(next - 7_200_000).replace(" ", "T")}Z`) - (next - 7_200_000);
  return new Date(next - offset).toISOString();
}

/** "jusqu’au 31 déc. 2026", "expirée depuis le 1er janv. 2026, 9 h", "sans limite de temps". */
export function expiryWords(until: string | null, now: Date = new Date()): string {
  if (until === null) return "sans limite de temps";
  const at = Date.parse(until);
  const isMidnight = paris(at).endsWith(" 00:00:00");
  const words = isMidnight ? shortDate(addDays(today(new Date(at)), -1)) : instant(until);
  return at <= now.getTime() ? `expirée depuis le ${words}` : `jusqu’au ${words}`;
}
