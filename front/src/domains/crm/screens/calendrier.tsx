// The calendar: a month or a week, and the sessions of each day.

import { computed, effect, h, signal, untracked } from "view";
import { Icon } from "../../../parts/icons";
import { Failure, isPrinted } from "../../../parts/list";
import { dropFalse, place, setQuery } from "../../../parts/place";
import { Segments } from "../../../parts/segments";
import type { Screen } from "../../../parts/shell";
import { failureOf, may, sessionsOf } from "../../../store";
import type { SessionRow } from "../../../store";
import { addDays, civil, isMonth, iso, monthName, today } from "../../../words/dates";
import { weekOf } from "../../../words/weeks";
import { sessionsFailure } from "../parts/session-row";
import { holidays } from "../words/holidays";
import { DayList, openDay, Paper } from "./calendrier/day";
import { shiftMonth, weekDays, weeksOf } from "./calendrier/layout";
import { Month } from "./calendrier/month";
import { moveByKey, putDown } from "./calendrier/move";
import { openSubscriptions } from "./calendrier/subscriptions";
import { Week } from "./calendrier/week";
import { FreeButton } from "./session/free";

export interface Calendar {
  /** The day that is chosen; its month or week is shown. */
  day: () => string;
  month: () => string;
  /** The weeks that are shown. */
  weeks: () => readonly (readonly string[])[];
  choose: (day: string, options?: { focus?: boolean; step?: boolean }) => void;
  /** Shows the sessions of a day, where they do not stand below. */
  open: (day: string) => void;
  sessions: (day: string) => readonly SessionRow[];
  holiday: (day: string) => string | undefined;
  /** Where Tab stops at a session: at those of the chosen day, and not at each of a month. */
  tab: (row: SessionRow) => string | null;
  /** Whether the days have hours, as those of a week do. */
  hasHours: () => boolean;
  /** Phones and tablets: dots in the days, and the list of one day below. */
  narrow: () => boolean;
  keys: (event: KeyboardEvent) => void;
}

const wide = matchMedia("(min-width: 64rem)");
const narrow = signal(!wide.matches);
wide.addEventListener("change", () => narrow.set(!wide.matches));
const views = [["mois", "Mois"], ["semaine", "Semaine"]] as const;
/** More sessions than a person looks at in a month. */
const most = 1_000;

export default function calendrier(): Screen {
  dropFalse({ affichage: (text) => views.some(([name]) => name === text), jour: isDay, mois: isMonth });
  const view = computed(() => (place().query["affichage"] === "semaine" ? "semaine" : "mois"));
  const day = computed(() => {
    const { jour = "", mois = "" } = place().query;
    if (isDay(jour)) return jour;
    if (isMonth(mois)) return mois === today().slice(0, 7) ? today() : `${mois}-01`;
    return today();
  });
  const weeks = computed(() => (view() === "mois" ? weeksOf(day().slice(0, 7)) : [weekDays(day())]));
  const range = computed(() => `${weeks()[0]![0]!} ${weeks()[weeks().length - 1]![6]!}`);
  const list = computed(() => {
    const [du, au] = range().split(" ");
    return untracked(() => sessionsOf({ du: du!, au: au! }));
  });
  const paging = signal<string | null>(null);
  const page = async (): Promise<void> => {
    paging.set(null);
    await untracked(list).more().catch((error) => paging.set(failureOf(error).message));
  };
  // The pages of a long month follow each other.
  effect(() => {
    if (list().hasMore() && (list().value()?.length ?? 0) < most) void untracked(page);
    else paging.set(null);
  });
  const byDay = computed(() => {
    const days = new Map<string, SessionRow[]>();
    for (const row of list().value() ?? []) days.set(row.date, [...(days.get(row.date) ?? []), row]);
    return days;
  });
  const named = computed(() => new Map([...new Set(weeks().flat().map((one) => civil(one).year))].flatMap((year) => [...holidays(year)])));
  const name = (): string => (view() === "mois" ? monthName(day()) : weekOf(day()));
  const choose: Calendar["choose"] = (next, { focus = false, step = false } = {}) => {
    setQuery({ jour: next === today() ? null : next, mois: null }, step);
    // The day may be in a month that is drawn only now.
    if (focus) queueMicrotask(() => document.querySelector<HTMLElement>(`[data-day="${next}"]`)?.focus());
  };
  const shift = (by: -1 | 1): void => choose(view() === "mois" ? shiftMonth(day(), by) : addDays(day(), 7 * by), { step: true });
  const calendar: Calendar = {
    day, weeks, choose, narrow,
    month: () => day().slice(0, 7),
    sessions: (one) => byDay().get(one) ?? [],
    holiday: (one) => named().get(one),
    open: (one) => {
      choose(one);
      if (narrow()) document.querySelector<HTMLElement>(".day-list a")?.focus();
      else openDay(calendar, one);
    },
    tab: (row) => (row.date === day() ? null : "-1"),
    hasHours: () => view() === "semaine" && !narrow(),
    keys: (event) => walk(calendar, event),
  };
  return {
    heading: () => "Calendrier",
    class: "calendar",
    actions: [
      <FreeButton day={day} />,
      may("calendriers.abonner")
        ? <button type="button" onclick={() => openSubscriptions()}><Icon name="link" /><span class="label-word">S’abonner…</span></button>
        : null,
      may("sessions.create")
        ? <a class="button primary new" href={() => `/sessions/nouveau?date=${day()}`}><Icon name="plus" /><span>Nouvelle session</span></a>
        : null,
    ],
    body: (
      <div class="calendar-body">
        <div class="calendar-tools">
          <div class="calendar-moves">
            <button type="button" class="icon" aria-label="Précédent" onclick={() => shift(-1)}><Icon name="left" /></button>
            <button type="button" onclick={() => choose(today(), { step: true })}>Aujourd’hui</button>
            <button type="button" class="icon" aria-label="Suivant" onclick={() => shift(1)}><Icon name="right" /></button>
          </div>
          <p class="calendar-name" aria-live="polite">{name}</p>
          <Segments label="Affichage" options={views} value={view} set={(next) => setQuery({ affichage: next === "mois" ? null : next })} />
        </div>
        {() => {
          const failure = paging() ?? (list().isComplete() ? null : sessionsFailure(list()));
          return failure === null ? null : <Failure text={failure} retry={() => void (paging() === null ? list().refresh() : page())} />;
        }}
        {() => (calendar.hasHours() ? <Week calendar={calendar} name={name} /> : <Month calendar={calendar} name={name} />)}
        {() => (narrow() ? <DayList calendar={calendar} day={day} known={() => list().value() !== undefined} /> : null)}
        {() => (isPrinted() ? <Paper calendar={calendar} /> : null)}
      </div>
    ),
  };
}

function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/u.test(text)) return false;
  const { year, month, day } = civil(text);
  return month >= 1 && month <= 12 && day >= 1 && addDays(text, 0) === iso({ year, month, day });
}

/** Arrows go through the days, Home and End to the ends of the week, Page Up and Page Down by months. */
function walk(calendar: Calendar, event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey) return;
  if (event.altKey) {
    if (moveByKey(calendar, event)) event.preventDefault();
    return;
  }
  if (event.key !== "Alt") putDown();
  const { day } = calendar;
  const week = weekDays(day());
  const moves: Readonly<Record<string, () => string>> = {
    ArrowLeft: () => addDays(day(), -1), ArrowRight: () => addDays(day(), 1),
    ArrowUp: () => addDays(day(), -7), ArrowDown: () => addDays(day(), 7),
    Home: () => week[0]!, End: () => week[6]!,
    PageUp: () => shiftMonth(day(), -1), PageDown: () => shiftMonth(day(), 1),
  };
  const move = moves[event.key];
  if (move) {
    event.preventDefault();
    calendar.choose(move(), { focus: true });
  } else if ((event.key === "Enter" || event.key === " ") && (event.target as Element).getAttribute("role") === "gridcell") {
    event.preventDefault();
    calendar.open(day());
  }
}
