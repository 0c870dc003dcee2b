// Moments as people in Paris read them.

import { dayNumber, shortDate, time, today } from "./dates";

/** An instant such as "2026-11-23T08:12:45Z" as it is read in Paris: "23 nov. 2026, 9 h 12". */
export function instant(value: string, timeZone = "Europe/Paris"): string {
  const [date, clock] = new Date(value).toLocaleString("sv-SE", { timeZone }).split(" ");
  return `${shortDate(date!)}, ${time(clock!)}`;
}

/** How long ago an instant was: "à l’instant", "il y a 5 min", "il y a 3 h", "hier", then its date. */
export function ago(value: string, now: Date = new Date()): string {
  const at = new Date(value);
  const minutes = Math.floor((now.getTime() - at.getTime()) / 60_000);
  if (minutes < 1) return "à l’instant";
  if (minutes < 60) return `il y a ${minutes} min`;
  const difference = dayNumber(today(now)) - dayNumber(today(at));
  if (difference === 0) return `il y a ${Math.floor(minutes / 60)} h`;
  if (difference === 1) return `hier, ${instant(value).split(", ")[1]}`;
  return instant(value);
}
