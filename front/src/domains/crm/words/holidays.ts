// The public holidays that the calendar shows.

import { addDays, iso } from "../../../words/dates";

/** Easter Sunday of a year, by the anonymous Gregorian algorithm. */
export function easter(year: number): string {
  const a = year % 19;
  const [b, c] = [Math.floor(year / 100), year % 100];
  const [d, e] = [Math.floor(b / 4), b % 4];
  const g = Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3);
  const hh = (19 * a + b - d - g + 15) % 30;
  const [i, k] = [Math.floor(c / 4), c % 4];
  const l = (32 + 2 * e + 2 * i - hh - k) % 7;
  const m = Math.floor((a + 11 * hh + 22 * l) / 451);
  const n = hh + l - 7 * m + 114;
  return iso({ year, month: Math.floor(n / 31), day: (n % 31) + 1 });
}

/** The French public holidays of a year, by date. */
export function holidays(year: number): Map<string, string> {
  const sunday = easter(year);
  return new Map([
    [`${year}-01-01`, "Jour de l’An"],
    [addDays(sunday, 1), "Lundi de Pâques"],
    [`${year}-05-01`, "Fête du Travail"],
    [`${year}-05-08`, "Victoire 1945"],
    [addDays(sunday, 39), "Ascension"],
    [addDays(sunday, 50), "Lundi de Pentecôte"],
    [`${year}-07-14`, "Fête nationale"],
    [`${year}-08-15`, "Assomption"],
    [`${year}-11-01`, "Toussaint"],
    [`${year}-11-11`, "Armistice 1918"],
    [`${year}-12-25`, "Noël"],
  ]);
}
