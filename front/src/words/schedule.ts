// When the jobs of the server run, in French.

import { longDate, time, today, addDays } from "./dates";
import { instant } from "./instants";
import { count } from "./sentences";

const units = [
  { seconds: 86_400, one: "Chaque jour", many: "Tous les", name: "jours" },
  { seconds: 3_600, one: "Chaque heure", many: "Toutes les", name: "heures" },
  { seconds: 60, one: "Chaque minute", many: "Toutes les", name: "minutes" },
  { seconds: 1, one: "Chaque seconde", many: "Toutes les", name: "secondes" },
] as const;

/** "Chaque jour à 7 h 30", "Chaque minute", "Toutes les 90 secondes"; a rule of another kind as the service has it. */
export function scheduleWords(schedule: string): string {
  const [, hours, minutes] = /^daily (\d{1,2}):(\d\d)$/.exec(schedule) ?? [];
  if (hours !== undefined) return `Chaque jour à ${time(`${hours.padStart(2, "0")}:${minutes}`)}`;
  const seconds = Number(/^every (\d+)$/.exec(schedule)?.[1] ?? 0);
  const unit = units.find((one) => seconds > 0 && seconds % one.seconds === 0);
  if (unit === undefined) return schedule;
  const times = seconds / unit.seconds;
  return times === 1 ? unit.one : `${unit.many} ${times} ${unit.name}`;
}

/** "moins d’une seconde", "12 secondes", "3 min 5 s" between two instants. */
export function durationWords(from: string, to: string): string {
  const seconds = Math.round((Date.parse(to) - Date.parse(from)) / 1_000);
  if (seconds < 1) return "moins d’une seconde";
  if (seconds < 60) return count(seconds, "seconde");
  const rest = seconds % 60;
  return `${Math.floor(seconds / 60)} min${rest === 0 ? "" : ` ${rest} s`}`;
}

/** When something that is to come will be: "dans un instant", "dans 5 min", "aujourd’hui à 18 h", "demain à 7 h 30", then its day. */
export function soon(value: string, now: Date = new Date()): string {
  const minutes = Math.round((Date.parse(value) - now.getTime()) / 60_000);
  if (minutes < 1) return "dans un instant";
  if (minutes < 60) return `dans ${minutes} min`;
  const [day, clock] = [today(new Date(value)), instant(value).split(", ")[1]!];
  if (day === today(now)) return `aujourd’hui à ${clock}`;
  return day === addDays(today(now), 1) ? `demain à ${clock}` : `${longDate(day)} à ${clock}`;
}
