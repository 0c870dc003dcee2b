// The sessions of a day: below a month of dots, in a dialog elsewhere.

import { h } from "view";
import type { Child } from "view";
import { openDialog } from "../../parts/dialog";
import { Icon } from "../../parts/icons";
import { Empty, RecordList } from "../../parts/list";
import { sessionRowSentence, SessionRowView } from "../../parts/session-row";
import { may } from "../../store";
import { longDate } from "../../words/dates";
import type { Calendar } from "../calendrier";

function Sessions({ calendar, day, known }: { calendar: Calendar; day: () => string; known?: () => boolean }): Child {
  return (
    <div class="sessions day-sessions">
      {() => {
        const holiday = calendar.holiday(day());
        return holiday === undefined ? null : <p class="day-holiday">{holiday}, jour férié</p>;
      }}
      {() => (
        <RecordList
          name={longDate(day())} rows={() => (known?.() === false ? undefined : calendar.sessions(day()))}
          href={(row) => `/sessions/${row.id}`} sentence={sessionRowSentence} row={(row) => <SessionRowView row={row} />}
          empty={() => <Empty text="Aucune session ce jour-là." />}
        />
      )}
    </div>
  );
}

export function DayList({ calendar, day, known }: { calendar: Calendar; day: () => string; known: () => boolean }): Child {
  return (
    <section
      class="day-list" aria-labelledby="day-list-heading"
      onkeydown={(event) => {
        if (event.altKey) calendar.keys(event);
      }}
    >
      <h2 id="day-list-heading" class="day-heading">{() => longDate(day())}</h2>
      <Sessions calendar={calendar} day={day} known={known} />
    </section>
  );
}

export function openDay(calendar: Calendar, day: string): void {
  openDialog({
    heading: longDate(day),
    body: () => [
      <Sessions calendar={calendar} day={() => day} />,
      may("sessions.create")
        ? <div class="actions day-actions"><a class="button" href={`/sessions/nouveau?date=${day}`}><Icon name="plus" />Nouvelle session</a></div>
        : null,
    ],
  });
}
