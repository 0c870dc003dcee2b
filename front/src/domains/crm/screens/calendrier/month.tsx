// A month as a grid of days. Where words have room a day has the first of its sessions, elsewhere dots.

import { each, h } from "view";
import type { Child } from "view";
import type { SessionRow } from "../../../../store";
import { civil, longDate, time, today, weekday, weekdays } from "../../../../words/dates";
import { count, sentence } from "../../../../words/sentences";
import { sessionRowSentence } from "../../parts/session-row";
import type { Calendar } from "../calendrier";
import { movable } from "./move";

/** As many sessions as a day of the month has room for. */
const room = 3;

export function dayName(calendar: Calendar, day: string): string {
  const number = calendar.sessions(day).length;
  return sentence(longDate(day), number === 0 ? null : count(number, "session"));
}

export function Month({ calendar, name }: { calendar: Calendar; name: () => string }): Child {
  return (
    <div class="month" role="grid" aria-label={name} onkeydown={calendar.keys}>
      <Weekdays />
      {each(calendar.weeks, (week) => week[0]!, (week) => (
        <div class="month-week" role="row">
          {each(week, (day) => day, (day) => <Day calendar={calendar} day={day()} />)}
        </div>
      ))}
    </div>
  );
}

export function Weekdays(): Child {
  return (
    <div class="month-head" role="row">
      {weekdays.map((day) => (
        <span role="columnheader" aria-label={day}>{day.slice(0, 1)}<span class="wide-word">{`${day.slice(1, 3)}.`}</span></span>
      ))}
    </div>
  );
}

function Day({ calendar, day }: { calendar: Calendar; day: string }): Child {
  const holiday = (): string | undefined => calendar.holiday(day);
  return (
    <div
      role="gridcell" data-day={day} tabindex={() => (calendar.day() === day ? "0" : "-1")}
      class={() => ["month-day", calendar.month() === day.slice(0, 7) ? "" : "other", day === today() ? "today" : "",
        weekday(day) > 4 || holiday() !== undefined ? "free-day" : ""].filter(Boolean).join(" ")}
      aria-label={() => dayName(calendar, day)} aria-description={() => holiday() ?? null}
      aria-selected={() => String(calendar.day() === day)} aria-current={day === today() ? "date" : null}
      onclick={(event) => {
        if ((event.target as Element).closest("a") !== null) return;
        if (calendar.narrow()) calendar.choose(day);
        else calendar.open(day);
      }}
    >
      <span class="month-figure">{civil(day).day}</span>
      {() => (holiday() === undefined ? null : <span class="month-holiday">{holiday()}</span>)}
      {() => (calendar.narrow() ? <Dots rows={calendar.sessions(day)} /> : <Chips calendar={calendar} day={day} />)}
    </div>
  );
}

function Dots({ rows }: { rows: readonly SessionRow[] }): Child {
  return (
    <span class="dots" aria-hidden="true">
      {rows.slice(0, 4).map((row) => <span class={row.modalite === "P" ? "dot present" : "dot remote"} />)}
    </span>
  );
}

function Chips({ calendar, day }: { calendar: Calendar; day: string }): Child {
  const rows = (): readonly SessionRow[] => calendar.sessions(day);
  const shown = (): readonly SessionRow[] => (rows().length > room ? rows().slice(0, room - 1) : rows());
  return (
    <span class="chips">
      {each(shown, (row) => row.id, (row) => (
        <a class={() => `chip ${row().modalite === "P" ? "present" : "remote"}`} href={() => `/sessions/${row().id}`}
          tabindex={() => calendar.tab(row())} aria-label={() => sessionRowSentence(row())}
          ref={(element) => movable(calendar, element as HTMLElement, row)}>
          <span class="chip-time">{() => time(row().debut)}</span> {() => row().module}
        </a>
      ))}
      {() => (rows().length > room ? <span class="chip-more">{`${rows().length - room + 1} de plus`}</span> : null)}
    </span>
  );
}
