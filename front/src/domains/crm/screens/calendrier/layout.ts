// Where the days of a month stand, and the sessions of a day.

import { addDays, addMonths, daysOfMonth, minutesOf } from "../../../../words/dates";
import { monday } from "../../../../words/weeks";

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

/** The sessions that stand beside each other in a day at most; further ones are in the list of the day. */
export const mostLanes = 6;
/** The least minutes that a session takes up, so that it can be read and pressed. */
const least = 30;

interface Hours { readonly debut: string; readonly fin: string }

/** A place in a day: minutes since midnight, and the lane of so many. `rows` are several sessions for which there is no lane. */
export interface Placed<T> { from: number; to: number; lane: number; lanes: number; rows: T[] }

/** Puts the sessions of a day beside each other where they overlap, in no more than so many lanes. */
export function lanesOf<T extends Hours>(rows: readonly T[], most = mostLanes): Placed<T>[] {
  const result: Placed<T>[] = [];
  const sorted = rows.map((row) => {
    const from = minutesOf(row.debut);
    return { row, from, to: Math.max(minutesOf(row.fin), from + least) };
  }).sort((one, other) => one.from - other.from || other.to - one.to);
  for (let at = 0; at < sorted.length;) {
    // Those that overlap each other, directly or by others between them, share the width of the day.
    const group: Placed<T>[] = [];
    const ends: number[] = [];
    for (let end = 0; at < sorted.length && (group.length === 0 || sorted[at]!.from < end); at++) {
      const { row, from, to } = sorted[at]!;
      const free = ends.findIndex((one) => one <= from);
      const lane = free < 0 ? ends.length : free;
      ends[lane] = to;
      end = Math.max(end, to);
      group.push({ from, to, lane, lanes: 0, rows: [row] });
    }
    const lanes = Math.min(ends.length, most);
    const left = ends.length > lanes ? group.filter(({ lane }) => lane >= lanes - 1) : [];
    for (const one of group) if (!left.includes(one)) result.push({ ...one, lanes });
    if (left.length > 0) {
      result.push({
        from: Math.min(...left.map(({ from }) => from)), to: Math.max(...left.map(({ to }) => to)), lane: lanes - 1, lanes,
        rows: left.flatMap((one) => one.rows),
      });
    }
  }
  return result;
}

/** The lanes of each day of a week that has room for so many: those it needs, and fewer where most stand beside each other. */
export function weekLanes(days: readonly (readonly Hours[])[], room: number): number[] {
  const lanes = days.map((rows) => Math.max(1, ...lanesOf(rows).map((one) => one.lanes)));
  for (let over = lanes.reduce((sum, one) => sum + one, 0) - room, most = Math.max(...lanes); over > 0 && most > 1; over--, most = Math.max(...lanes)) {
    lanes[lanes.lastIndexOf(most)] = most - 1;
  }
  return lanes;
}

/** The hours that a week shows: those of a usual day, and those of its sessions. */
export function hoursOf(rows: readonly Hours[]): { from: number; to: number } {
  return {
    from: Math.min(8, ...rows.map(({ debut }) => Math.floor(minutesOf(debut) / 60))),
    to: Math.max(20, ...rows.map(({ fin }) => Math.ceil(minutesOf(fin) / 60))),
  };
}

/** Hours that begin some minutes later, within the day. */
export function shifted({ debut, fin }: Hours, minutes: number): { debut: string; fin: string } {
  const [from, to] = [minutesOf(debut), minutesOf(fin)];
  const by = Math.max(-from, Math.min(minutes, 24 * 60 - 1 - to));
  const text = (minute: number): string => [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, "0")).join(":");
  return { debut: text(from + by), fin: text(to + by) };
}
