// Dates and times as people read them. A civil date is the text "2026-11-24", a time "09:00" or "09:00:00": no zone takes
// part, so that a session never moves to another day.

export interface Civil { year: number; month: number; day: number }

const months = [
  "janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre",
];
const days = ["lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"];
const shortDays = ["lun.", "mar.", "mer.", "jeu.", "ven.", "sam.", "dim."];
const shortMonths = ["janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.", "nov.", "déc."];
export const weekdays: readonly string[] = days;

const two = (value: number): string => String(value).padStart(2, "0");

export function civil(date: string): Civil {
  return { year: Number(date.slice(0, 4)), month: Number(date.slice(5, 7)), day: Number(date.slice(8, 10)) };
}

export function iso({ year, month, day }: Civil): string {
  return `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`;
}

/** The days since 1 January 1970. */
export function dayNumber(date: string): number {
  const { year, month, day } = civil(date);
  return Math.round(Date.UTC(year, month - 1, day) / 86_400_000);
}

function dateOf(number: number): string {
  return new Date(number * 86_400_000).toISOString().slice(0, 10);
}

export function addDays(date: string, count: number): string {
  return dateOf(dayNumber(date) + count);
}

/** "2026-11" and 2 give "2027-01". */
export function addMonths(month: string, count: number): string {
  const index = Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1 + count;
  return `${String(Math.floor(index / 12)).padStart(4, "0")}-${two((index % 12) + 1)}`;
}

/** 0 for Monday to 6 for Sunday. */
export function weekday(date: string): number {
  return (((dayNumber(date) + 3) % 7) + 7) % 7;
}

export function daysOfMonth(month: string): number {
  return dayNumber(`${addMonths(month, 1)}-01`) - dayNumber(`${month}-01`);
}

let parisian: Intl.DateTimeFormat | undefined;
let known = { minute: 0, day: "" };

/** The day it is in Paris. Each row of a list asks, so the answer is kept for the minute. */
export function today(now: Date = new Date()): string {
  const minute = Math.floor(now.getTime() / 60_000);
  // The Swedish form of a date is that of ISO 8601.
  parisian ??= new Intl.DateTimeFormat("sv-SE", { timeZone: "Europe/Paris" });
  if (known.minute !== minute) known = { minute, day: parisian.format(now) };
  return known.day;
}

const dayOfMonth = (day: number): string => (day === 1 ? "1er" : String(day));

/** "mardi 24 novembre 2026". */
export function longDate(date: string): string {
  const { year, month, day } = civil(date);
  return `${days[weekday(date)]} ${dayOfMonth(day)} ${months[month - 1]} ${year}`;
}

/** "24 novembre 2026". */
export function plainDate(date: string): string {
  const { year, month, day } = civil(date);
  return `${dayOfMonth(day)} ${months[month - 1]} ${year}`;
}

/** "24 nov. 2026". */
export function shortDate(date: string): string {
  const { year, month, day } = civil(date);
  return `${dayOfMonth(day)} ${shortMonths[month - 1]} ${year}`;
}

/** What the block of a day shows: "24", "mar.", "nov.". */
export function dayBlock(date: string): { figure: string; weekday: string; month: string } {
  const { month, day } = civil(date);
  return { figure: String(day), weekday: shortDays[weekday(date)]!, month: shortMonths[month - 1]! };
}

/** Whether a text is a month, as "2026-11". Of those up to 8999, so that the months beside it have four digits, too. */
export const isMonth = (text: string): boolean => /^[1-8]\d{3}-(0[1-9]|1[0-2])$/u.test(text);

/** "novembre 2026". */
export function monthName(month: string): string {
  return `${months[Number(month.slice(5, 7)) - 1]} ${Number(month.slice(0, 4))}`;
}

/** "nov." */
export function shortMonth(month: string): string {
  return shortMonths[Number(month.slice(5, 7)) - 1]!;
}

/** "9 h", "9 h 30". */
export function time(value: string): string {
  const [hours, minutes] = [Number(value.slice(0, 2)), value.slice(3, 5)];
  return minutes === "00" ? `${hours} h` : `${hours} h ${minutes}`;
}

/** "9 h – 17 h", each of which stays in one line. */
export function times(debut: string, fin: string): string {
  return [debut, fin].map((one) => time(one).replace(/ /g, "\u00a0")).join(" – ");
}

export function minutesOf(value: string): number {
  return Number(value.slice(0, 2)) * 60 + Number(value.slice(3, 5));
}

/** "7 h 30", "45 min". */
export function length(minutes: number): string {
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  if (hours === 0) return `${rest} min`;
  return rest === 0 ? `${hours} h` : `${hours} h ${two(rest)}`;
}
