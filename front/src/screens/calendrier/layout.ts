// Where the days of a month and the sessions of a day stand.

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

interface Span { start: number; end: number }
export interface Placed<T> { item: T; lane: number; lanes: number }

/** Puts what overlaps side by side: each gets a lane, and as many lanes as those it meets need. */
export function placed<T extends Span>(items: readonly T[]): Placed<T>[] {
  const all: Placed<T>[] = [];
  let group: Placed<T>[] = [];
  let end = -Infinity;
  const close = (): void => {
    const lanes = Math.max(0, ...group.map(({ lane }) => lane + 1));
    all.push(...group.map((one) => ({ ...one, lanes })));
    group = [];
  };
  for (const item of [...items].sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (item.start >= end) close();
    const taken = new Set(group.filter((one) => one.item.end > item.start).map(({ lane }) => lane));
    let lane = 0;
    while (taken.has(lane)) lane += 1;
    group.push({ item, lane, lanes: 1 });
    end = group.length === 1 ? item.end : Math.max(end, item.end);
  }
  close();
  return all;
}

/** The hours that a week shows: the working day, and earlier and later ones as its sessions need. */
export function hoursOf(items: readonly Span[]): { first: number; last: number } {
  return {
    first: Math.min(8, ...items.map(({ start }) => Math.floor(start / 60))),
    last: Math.max(18, ...items.map(({ end }) => Math.ceil(end / 60))),
  };
}
