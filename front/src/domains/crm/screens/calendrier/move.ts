// Moving a session in the calendar: to another day, in a week to another hour.

import { untracked } from "view";
import { warn } from "../../../../parts/notices";
import { may } from "../../../../store";
import type { SessionRow } from "../../../../store";
import { addDays, longDate, times } from "../../../../words/dates";
import { draggable, focusSoon } from "../../parts/drag";
import type { Calendar } from "../calendrier";
import { momentOf, relocate } from "../session/move";
import type { Moment } from "../session/move";
import { shifted } from "./layout";

/** The minutes of one step. */
const step = 15;

/** Where sessions are going whose move is not noted yet: a key that is held moves one many times a second. */
const aims = new Map<number, Moment>();
/** The session that keys have moved last, also to a day that does not show it. */
let carried: number | null = null;

/** The keys go on with what has the focus. */
export function putDown(): void { carried = null; }

async function moveTo(calendar: Calendar, row: SessionRow, to: Moment, undone?: (date: string) => void): Promise<void> {
  const before = momentOf(row);
  if (JSON.stringify(before) === JSON.stringify(to)) return;
  const others = untracked(() => calendar.sessions(to.date)).filter((one) =>
    one.id !== row.id && one.formateur_id === row.formateur_id && one.debut.slice(0, 5) < to.fin && to.debut < one.fin.slice(0, 5));
  const words = `Session décalée\u202f: ${longDate(to.date)}, ${times(to.debut, to.fin)}`;
  aims.set(row.id, to);
  const refusal = await relocate(
    row, to.debut === before.debut ? { date: to.date } : to,
    others.length > 0 && row.formateur_id !== null ? `${words}. Son formateur a une autre session à ce moment` : words, undone);
  if (aims.get(row.id) === to) aims.delete(row.id);
  if (refusal !== null) warn(refusal.message);
}

/** Lets a mouse move a session to another day, and with `hour`, its pixels, to another hour. */
export function movable(calendar: Calendar, element: HTMLElement, row: () => SessionRow, hour?: () => number): void {
  if (!may("sessions.decaler")) return;
  draggable(element, (under, y) => {
    const place = under.closest<HTMLElement>("[data-day]");
    if (place === null) return null;
    const one = untracked(row);
    const hours = hour ? shifted(one, Math.round(y / hour() * 60 / step) * step) : momentOf(one);
    return {
      place, words: hour ? times(hours.debut, hours.fin) : "",
      run: () => void moveTo(calendar, one, { date: place.dataset["day"]!, debut: hours.debut, fin: hours.fin }),
    };
  });
}

/** Alt and arrows move the session that has the focus, or the only one of the day. */
export function moveByKey(calendar: Calendar, event: KeyboardEvent): boolean {
  const target = event.target as Element;
  const id = Number(/\/sessions\/(-?\d+)$/u.exec(target.closest("a")?.getAttribute("href") ?? "")?.[1] ?? 0);
  const rows = untracked(() => calendar.sessions(target.closest<HTMLElement>("[data-day]")?.dataset["day"] ?? calendar.day()));
  const found = rows.find((one) => one.id === id)
    ?? (target.matches("[data-day]") ? rows.find((one) => one.id === carried) ?? (rows.length === 1 ? rows[0] : undefined) : undefined);
  const down = { ArrowUp: -1, ArrowDown: 1 }[event.key] ?? 0;
  const days = { ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? (calendar.hasHours() ? 0 : 7 * down);
  if (found === undefined || (days === 0 && down === 0) || !may("sessions.decaler")) return false;
  const row: SessionRow = { ...found, ...aims.get(found.id) };
  carried = row.id;
  const follow = (date: string): void => {
    // The focus waits at the day until the session is there.
    calendar.choose(date, { focus: true });
    focusSoon(`${calendar.narrow() ? ".day-list" : `[data-day="${date}"]`} a[href$="/sessions/${row.id}"]`);
  };
  const date = addDays(row.date, days);
  const hours = shifted(row, calendar.hasHours() ? down * step : 0);
  if (days === 0 && hours.debut === row.debut.slice(0, 5)) warn("Une session commence et finit le même jour.");
  else void moveTo(calendar, row, { date, ...hours }, follow);
  if (days !== 0) follow(date);
  return true;
}
