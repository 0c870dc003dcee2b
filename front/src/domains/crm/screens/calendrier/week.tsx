// A week as seven columns of hours. Sessions that overlap stand beside each other; a day of many is wider, and what has no room is
// counted and leads to the list of the day.

import { computed, each, h, onCleanup, signal } from "view";
import type { Child } from "view";
import type { SessionRow } from "../../../../store";
import { civil, times, today, weekday, weekdays } from "../../../../words/dates";
import { count } from "../../../../words/sentences";
import { sessionRowSentence } from "../../parts/session-row";
import type { Calendar } from "../calendrier";
import { hoursOf, lanesOf, weekLanes } from "./layout";
import type { Placed } from "./layout";
import { dayName } from "./month";
import { movable } from "./move";

/** In rem: the height of an hour, which is the width of the hours' names too, and the width that a session needs for its words. */
const [hour, lane] = [3, 4.75];

const pixels = (): number => hour * parseFloat(getComputedStyle(document.documentElement).fontSize);

export function Week({ calendar, name }: { calendar: Calendar; name: () => string }): Child {
  const days = computed(() => calendar.weeks()[0]!);
  const range = computed(() => {
    const { from, to } = hoursOf(days().flatMap(calendar.sessions));
    return `${from} ${to}`;
  });
  const [from, to] = [0, 1].map((at) => (): number => Number(range().split(" ")[at])) as [() => number, () => number];
  /** The sessions that have room beside each other in the seven days. */
  const room = signal(14);
  const lanes = computed(() => weekLanes(days().map(calendar.sessions), room()).join(" "));
  const columns = (): Record<string, string> => ({
    "grid-template-columns": `${hour}rem ${lanes().replace(/\d+/g, "minmax(0, $&fr)")}`,
  });
  return (
    <div class="week" role="grid" aria-label={name} onkeydown={calendar.keys} ref={(element) => {
      const watcher = new ResizeObserver(() => room.set(Math.floor((element.clientWidth / pixels() - 1) * hour / lane)));
      watcher.observe(element);
      onCleanup(() => watcher.disconnect());
    }}>
      <div class="week-head" role="row" style={columns}>
        <span aria-hidden="true" />
        {() => days().map((day, index) => (
          <span role="columnheader" class={day === today() ? "today" : null} aria-label={weekdays[index]!}>
            {`${weekdays[index]!.slice(0, 3)}.`} <b>{civil(day).day}</b>
            {() => (calendar.holiday(day) === undefined ? null : <span class="month-holiday">{calendar.holiday(day)}</span>)}
          </span>
        ))}
      </div>
      <div class="week-days" role="row" style={() => ({ ...columns(), height: `${(to() - from()) * hour}rem` })}>
        <div class="week-hours" aria-hidden="true">
          {() => Array.from({ length: to() - from() }, (_, index) => <span>{`${from() + index} h`}</span>)}
        </div>
        {each(days, (day) => day, (day) => <Day calendar={calendar} day={day()} from={from} lanes={() => Number(lanes().split(" ")[weekday(day())])} />)}
      </div>
    </div>
  );
}

function Day({ calendar, day, from, lanes }: { calendar: Calendar; day: string; from: () => number; lanes: () => number }): Child {
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
      {each(() => lanesOf(calendar.sessions(day), lanes()), ({ rows }) => (rows.length > 1 ? `+${rows[0]!.id}` : rows[0]!.id), (placed) => {
        const place = (): Record<string, string> => {
          const { from: begins, to, lane: at, lanes } = placed();
          return {
            top: `${(begins / 60 - from()) * hour}rem`, height: `${(to - begins) / 60 * hour}rem`,
            left: `${at / lanes * 100}%`, width: `${100 / lanes}%`,
          };
        };
        return placed().rows.length > 1
          // The click goes on to the day, which opens its list.
          ? <button type="button" class="week-session week-more" tabindex="-1" style={place}>{() => count(placed().rows.length, placed().lane === 0 ? "session" : "autre")}</button>
          : <Session calendar={calendar} placed={placed} place={place} />;
      })}
    </div>
  );
}

interface SessionProps { calendar: Calendar; placed: () => Placed<SessionRow>; place: () => Record<string, string> }

function Session({ calendar, placed, place }: SessionProps): Child {
  const row = (): SessionRow => placed().rows[0]!;
  return (
    <a
      class={() => `week-session ${row().modalite === "P" ? "present" : "remote"}${placed().to - placed().from < 60 ? " short" : ""}`}
      href={() => `/sessions/${row().id}`} tabindex={() => calendar.tab(row())} aria-label={() => sessionRowSentence(row())} style={place}
      ref={(element) => movable(calendar, element as HTMLElement, row, pixels)}
    >
      <span>{() => times(row().debut, row().fin)}</span>{" "}
      <span class="week-what">{() => row().module}</span>{" "}
      <span>{() => row().formateur?.nom_complet ?? "Sans formateur"}</span>
    </a>
  );
}
