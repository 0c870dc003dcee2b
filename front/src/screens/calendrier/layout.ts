// Where the days of a month stand.

import { addDays, addMonths, daysOfMonth, monday } from "../../words/dates";

/** The weeks that a month touches, each from Monday to Sunday. */
export function weeksOf(month: string): string[][] {
  const weeks: string[][] = [];
  const last = `${month}-${daysOfMonth(month)}`;
  for (let day = monday(`${month}-01`); day <= last; day = addDays(day, 7)) weeks.push(weekDays(day));
  return weeks;
}

/** The days of the week of a day, from Monday on. */
export function weekDays(day: string): string[] {
  const first = monday(day);
  return Array.from({ length: 7 }, (_, index) => addDays(first, index));
}

/** The same day of another month, or its last day. */
export function shiftMonth(day: string, by: number): string {
  const month = addMonths(day.slice(0, 7), by);
  return `${month}-${String(Math.min(Number(day.slice(8)), daysOfMonth(month))).padStart(2, "0")}`;
}
