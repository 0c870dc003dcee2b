// A week as seven columns of hours.

import { computed, each, h } from "view";
import type { Child } from "view";
import { sessionRowSentence } from "../../parts/session-row";
import type { SessionRow } from "../../store";
import { civil, minutesOf, times, today, weekday, weekdays } from "../../words/dates";
import type { Calendar } from "../calendrier";
import { hoursOf, placed } from "./layout";
import { dayName } from "./month";

/** The height of an hour, in rem. */
const hour = 3;

interface Timed { row: SessionRow; start: number; end: number }

const timed = (row: SessionRow): Timed => ({ row, start: minutesOf(row.debut), end: Math.max(minutesOf(row.fin), minutesOf(row.debut) + 20) });

export function Week({ calendar, name }: { calendar: Calendar; name: () => string }): Child {
  const days = computed(() => calendar.weeks()[0]!);
  const hours = computed(() => hoursOf(days().flatMap((day) => calendar.sessions(day).map(timed))));
  const height = (): string => `${(hours().last - hours().first) * hour}rem`;
  return (
    <div class="week" role="grid" aria-label={name} onkeydown={calendar.keys}>
      <div class="week-head" role="row">
        {() => days().map((day, index) => (
          <span role="columnheader" class={day === today() ? "today" : null} aria-label={weekdays[index]!}>
            {`${weekdays[index]!.slice(0, 3)}.`} <b>{civil(day).day}</b>
            {() => (calendar.holiday(day) === undefined ? null : <span class="month-holiday">{calendar.holiday(day)}</span>)}
          </span>
        ))}
      </div>
      <div class="week-body">
        <div class="week-hours" aria-hidden="true" style={() => ({ height: height() })}>
          {() => Array.from({ length: hours().last - hours().first }, (_, index) => <span>{`${hours().first + index} h`}</span>)}
        </div>
        <div class="week-days" role="row" style={() => ({ height: height() })}>
          {each(days, (day) => day, (day) => <Day calendar={calendar} day={day()} first={() => hours().first} />)}
        </div>
      </div>
    </div>
  );
}

function Day({ calendar, day, first }: { calendar: Calendar; day: string; first: () => number }): Child {
  const rem = (minutes: number): string => `${(minutes / 60) * hour}rem`;
  return (
    <div
      role="gridcell" data-day={day} tabindex={() => (calendar.day() === day ? "0" : "-1")}
      class={`week-day${day === today() ? " today" : ""}${weekday(day) > 4 || calendar.holiday(day) !== undefined ? " free-day" : ""}`}
      aria-label={() => dayName(calendar, day)} aria-description={() => calendar.holiday(day) ?? null}
      aria-selected={() => String(calendar.day() === day)} aria-current={day === today() ? "date" : null}
      onclick={(event) => {
        if ((event.target as Element).closest("a") === null) calendar.open(day);
      }}
    >
      {() => placed(calendar.sessions(day).map(timed)).map(({ item: { row, start, end }, lane, lanes }) => (
        <a
          class={`week-session ${row.modalite === "P" ? "present" : "remote"}${lanes > 2 ? " tight" : ""}`} href={`/sessions/${row.id}`} tabindex="-1"
          aria-label={sessionRowSentence(row)}
          style={{
            top: rem(start - first() * 60), height: rem(end - start),
            left: `${(lane / lanes) * 100}%`, width: `${100 / lanes}%`,
          }}
        >
          <span class="week-what">{row.module}</span>
          <span class="week-when">{times(row.debut, row.fin)}</span>
          <span class="week-who">{row.formateur?.nom_complet ?? "Sans formateur"}</span>
        </a>
      ))}
    </div>
  );
}
