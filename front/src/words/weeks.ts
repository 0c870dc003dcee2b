// Weeks, which begin on Monday.

import { addDays, plainDate, weekday } from "./dates";

/** The Monday of a date's week. */
export function monday(date: string): string {
  return addDays(date, -weekday(date));
}

/** "semaine du 23 novembre 2026". */
export function weekOf(date: string): string {
  return `semaine du ${plainDate(monday(date))}`;
}
