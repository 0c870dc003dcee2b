// The sessions of a day: below a month of dots, in a dialog elsewhere.

import { h } from "view";
import type { Child } from "view";
import { openDialog } from "../../../../parts/dialog";
import { Icon } from "../../../../parts/icons";
import { Empty, RecordList } from "../../../../parts/list";
import { may } from "../../../../store";
import { longDate, times } from "../../../../words/dates";
import { modalities, sentence } from "../../../../words/sentences";
import { sessionRowSentence, SessionRowView } from "../../parts/session-row";
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

/** On paper, the days that are shown and their sessions: all days of a week, and those of a month that have sessions. */
export function Paper({ calendar }: { calendar: Calendar }): Child {
  const days = (): readonly string[] => {
    const weeks = calendar.weeks();
    return weeks.flat().filter((day) => weeks.length === 1 || (day.startsWith(calendar.month()) && calendar.sessions(day).length > 0));
  };
  return (
    <div class="paper">
      {() => (days().length === 0 ? <p>Aucune session.</p> : days().map((day) => (
        <section>
          <h2 class="day-heading">{sentence(longDate(day), calendar.holiday(day))}</h2>
          {calendar.sessions(day).map((row) => (
            <p>
              <b>{times(row.debut, row.fin)}</b> {sentence(
                row.module, modalities[row.modalite], row.lieu, row.formateur?.nom_complet ?? "Sans formateur", row.client?.raison_sociale)}
            </p>
          ))}
          {calendar.sessions(day).length === 0 ? <p>Aucune session</p> : null}
        </section>
      )))}
    </div>
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
