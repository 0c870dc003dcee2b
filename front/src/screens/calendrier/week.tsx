// A week as seven columns. The sessions of a day stand below each other: many have the same hours, and side by side they would
// be too narrow for words.

import { computed, each, h } from "view";
import type { Child } from "view";
import { sessionRowSentence } from "../../parts/session-row";
import { civil, times, today, weekday, weekdays } from "../../words/dates";
import type { Calendar } from "../calendrier";
import { dayName } from "./month";

export function Week({ calendar, name }: { calendar: Calendar; name: () => string }): Child {
  const days = computed(() => calendar.weeks()[0]!);
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
      <div class="week-days" role="row">
        {each(days, (day) => day, (day) => <Day calendar={calendar} day={day()} />)}
      </div>
    </div>
  );
}

function Day({ calendar, day }: { calendar: Calendar; day: string }): Child {
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
      {() => calendar.sessions(day).map((row) => (
        <a
          class={`week-session ${row.modalite === "P" ? "present" : "remote"}`} href={`/sessions/${row.id}`} tabindex="-1"
          aria-label={sessionRowSentence(row)}
        >
          <span>{times(row.debut, row.fin)}</span>
          <span class="week-what">{row.module}</span>
          <span>{row.formateur?.nom_complet ?? "Sans formateur"}</span>
        </a>
      ))}
    </div>
  );
}
