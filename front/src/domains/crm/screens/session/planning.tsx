// Moving a session, and repeating it on further days.

import { computed, each, h, signal, untracked } from "view";
import type { Child } from "view";
import { openDialog } from "../../../../parts/dialog";
import { date, FormView, makeForm, time } from "../../../../parts/form";
import { Icon } from "../../../../parts/icons";
import { say } from "../../../../parts/notices";
import { askAgain, client, failureOf, newKey } from "../../../../store";
import type { SessionRow } from "../../../../store";
import { addDays, dayNumber, longDate, minutesOf, weekday } from "../../../../words/dates";
import { count } from "../../../../words/sentences";
import { holidays } from "../../words/holidays";
import { shifted } from "../calendrier/layout";
import { relocate } from "./move";

/** Another day or hour; the length stays. */
export function openMove(row: SessionRow): void {
  openDialog({
    heading: "Décaler la session",
    body: (close) => {
      const form = makeForm({
        sections: [{
          fields: [
            date("date", "Nouvelle date", { required: "Choisissez la date." }),
            time("debut", "Nouveau début", { required: "Donnez l’heure de début.", hint: "La durée reste la même." }),
          ],
        }],
        values: { date: row.date, debut: row.debut },
        submit: "Décaler",
        send: async ({ date: day, debut }) => {
          const by = minutesOf(String(debut)) - minutesOf(row.debut);
          // Past midnight the service refuses it, and says so at the field.
          const isWithin = minutesOf(row.fin) + by < 24 * 60;
          const hours = isWithin ? shifted(row, by) : { debut: String(debut) };
          const refusal = await relocate(row, { date: String(day), ...hours }, "Session décalée");
          if (refusal !== null) throw refusal;
          return true;
        },
        done: close,
        cancel: close,
      });
      return <FormView form={form} inDialog />;
    },
  });
}

const mostDates = 60;

export function openRepeat(row: SessionRow): void {
  openDialog({ heading: "Répéter la session", body: (close) => <Repeat row={row} close={close} /> });
}

function Repeat({ row, close }: { row: SessionRow; close: () => void }): Child {
  const dates = signal<readonly string[]>([]);
  const failed = signal<string | null>(null);
  const busy = signal(false);
  const next = (days: number): string => addDays(dates().slice(-1)[0] ?? row.date, days);
  const add = (day: string): void => {
    if (!/^\d{4}-\d{2}-\d{2}$/u.test(day) || dates().includes(day) || dates().length >= mostDates) return;
    failed.set(null);
    dates.update((before) => [...before, day].sort());
  };
  const own = signal("");
  const note = (day: string): string | null => {
    if (weekday(day) === 6) return "dimanche";
    return holidays(Number(day.slice(0, 4))).get(day) ?? null;
  };
  // These dates are created once, however often the button is pressed after a failure.
  const key = computed(() => {
    dates();
    return newKey();
  });
  const send = async (): Promise<void> => {
    if (busy() || dates().length === 0) return;
    busy.set(true);
    try {
      const made = await client.sessions.repeter({ id: row.id, dates: dates(), idempotency_key: key(), select: "{ id }" }, { retries: 2 });
      askAgain(["sessions"]);
      close();
      say(`${count(made.items.length, "session")} ${made.items.length < 2 ? "créée" : "créées"}`);
    } catch (error) {
      failed.set(failureOf(error).message);
    } finally {
      busy.set(false);
    }
  };
  const label = computed(() => (dates().length === 0 ? "Créer les sessions" : `Créer ${count(dates().length, "session")}`));
  return (
    <div class="repeat">
      <p class="quiet-text">Chaque copie garde les horaires, le lieu, les intervenants et les tarifs. Les délais comptent à partir de la dernière date.</p>
      {() => (failed() === null ? null : <div role="alert" class="form-alert"><p>{failed()}</p></div>)}
      <div class="actions">
        <button type="button" onclick={() => add(next(1))}>Le lendemain</button>
        <button type="button" onclick={() => add(next(7))}>Une semaine plus tard</button>
        <button type="button" onclick={() => add(next(14))}>Deux semaines plus tard</button>
      </div>
      <div class="repeat-own">
        <label for="repeat-date" class="label">Autre date</label>
        <div class="actions">
          <input id="repeat-date" type="date" value={own} oninput={(event) => own.set(event.currentTarget.value)} />
          <button
            type="button"
            onclick={() => {
              add(own());
              own.set("");
            }}
          >
            Ajouter
          </button>
        </div>
      </div>
      <ul class="repeat-dates" role="list" aria-label="Dates">
        {each(dates, dayNumber, (day) => (
          <li>
            <span>
              {() => longDate(day())}
              {() => {
                const found = note(day());
                return found === null ? null : <span class="badge external">{found}</span>;
              }}
            </span>
            <button
              type="button" class="icon" aria-label={`Retirer ${longDate(untracked(day))}`}
              onclick={() => dates.update((before) => before.filter((one) => one !== day()))}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
      <div class="form-end">
        <button type="button" class="primary" disabled={() => dates().length === 0} aria-busy={() => (busy() ? "true" : null)} onclick={() => void send()}>
          {label}
        </button>
        <button type="button" onclick={close}>Annuler</button>
      </div>
    </div>
  );
}
