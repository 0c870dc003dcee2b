// The list of sessions: a month upwards, or all downwards.

import { computed, effect, h, onCleanup, signal, untracked } from "view";
import type { Child } from "view";
import { Icon } from "../../../parts/icons";
import { Empty, RecordList } from "../../../parts/list";
import type { SwipeAction } from "../../../parts/list";
import { address, arriving } from "../../../parts/place";
import type { Screen } from "../../../parts/shell";
import { may, sessionsOf } from "../../../store";
import type { SessionRow } from "../../../store";
import { addDays, longDate, monthName, today } from "../../../words/dates";
import { monday, weekOf } from "../../../words/weeks";
import { count } from "../../../words/sentences";
import { crm } from "../parts/script";
import { dropFalseFilters, FilterBar, sessionFilters, thisMonth } from "../parts/session-filters";
import type { SessionFilters } from "../parts/session-filters";
import { askSessionRemoval, sessionRowSentence, SessionRowView, sessionsFailure } from "../parts/session-row";

export default function sessions(): Screen {
  dropFalseFilters();
  const filters = sessionFilters();
  const list = listOf(filters);
  return {
    heading: () => "Sessions",
    class: "sessions",
    actions: [
      <button type="button" class="icon" aria-label="Actualiser" onclick={() => void list().refresh()}><Icon name="refresh" /></button>,
      may("sessions.create") ? <a class="button primary new" href="/sessions/nouveau"><Icon name="plus" /><span>Nouvelle session</span></a> : null,
    ],
    body: <Sessions filters={filters} list={list} opening={new Opening(filters)} />,
  };
}

/** Beside a record, from 1024 px. */
export function Beside(): Child {
  const filters = sessionFilters();
  return <div class="sessions beside-list"><Sessions filters={filters} list={listOf(filters)} beside /></div>;
}

function listOf(filters: SessionFilters): () => ReturnType<typeof sessionsOf> {
  const key = computed(() => JSON.stringify(filters.values()));
  return computed(() => {
    key();
    return sessionsOf(untracked(filters.values));
  });
}

interface SessionsProps {
  filters: SessionFilters;
  list: () => ReturnType<typeof sessionsOf>;
  beside?: boolean;
  opening?: Opening;
}

/**
 * Opens the list at today, and a list of other months or a search at its beginning. It leaves the place alone that a person has come
 * back to or has begun to move.
 */
class Opening {
  private isOver = untracked(arriving) !== null;

  constructor(private readonly filters: SessionFilters) {
    const end = (): void => { this.isOver = true; };
    for (const name of ["wheel", "touchstart", "pointerdown", "keydown"]) {
      addEventListener(name, end, { passive: true });
      onCleanup(() => removeEventListener(name, end));
    }
  }

  /** Other filters are chosen: what they show is opened anew. */
  again(): void {
    window.scrollTo(0, 0);
    const head = document.querySelector<HTMLElement>("main .row-mark");
    this.isOver = this.filters.search() !== "";
    if (head) this.at(head);
  }

  /** The heading of today is there. Rows below it may come with the next slices. */
  at(head: HTMLElement): void {
    let frames = 0;
    const show = (): void => {
      // Where nothing is above it, the list begins with today as it is.
      if (this.isOver || !head.isConnected || head.closest("li")?.matches(":first-child")) return;
      const bar = document.querySelector<HTMLElement>("main > .screen > .filters")!;
      window.scrollTo(0, head.getBoundingClientRect().top + scrollY - (getComputedStyle(bar).position === "sticky" ? bar.offsetHeight : 0));
      if (++frames < 40) requestAnimationFrame(show);
      else this.isOver = true;
    };
    requestAnimationFrame(show);
  }
}

const reached = (row: SessionRow): boolean => row.date >= today();

function Sessions({ filters, list, beside, opening }: SessionsProps): Child {
  const isNow = (): boolean => filters.month() === thisMonth();
  // The rows of a long month come until today is among them, or the record that the list stands beside.
  const lacksItsPlace = (): boolean => {
    const rows = list().value();
    const id = beside && filters.month() !== null && /-?\d+/.exec(address());
    const isThere = id ? rows?.some((row) => row.id === Number(id)) : !isNow() || rows?.some(reached);
    return !!rows?.length && !isThere && list().hasMore();
  };
  const failed = signal<unknown>(null);
  effect(() => {
    const one = list();
    if (lacksItsPlace()) untracked(() => one.more(500)).catch(() => failed.set(one));
  });
  let shown: unknown = null;
  // Before that there is no place to open the list at. Rows that were shown stay.
  const rows = (): readonly SessionRow[] | undefined => {
    const one = list();
    if (shown !== one && failed() !== one && lacksItsPlace()) return undefined;
    if (one.value() !== undefined) shown = one;
    return one.value();
  };
  return [
    <FilterBar
      filters={filters} beside={beside === true} chosen={() => opening?.again()}
      results={() => {
        const found = list().count();
        return found === null ? "" : count(found, "session");
      }}
    />,
    () => {
      const all = filters.month() === null;
      return untracked(() => (
        <RecordList
          name="Sessions" rows={rows} href={(row) => `/sessions/${row.id}`} sentence={sessionRowSentence}
          row={(row) => <SessionRowView row={row} />} swipe={swipes}
          group={(row) => (all ? monthName(row.date) : weekName(row.date))}
          mark={{ on: isNow, reached, view: (row) => <Today row={row} opening={opening} /> }}
          empty={() => <NoSessions filters={filters} />}
          failure={() => sessionsFailure(list())} isComplete={() => list().isComplete()} retry={() => void list().refresh()}
          more={list}
        />
      ));
    },
  ];
}

/** Parts what was from what comes. */
function Today({ row, opening }: { row: SessionRow | null; opening: Opening | undefined }): Child {
  return (
    <div class="row-mark" ref={(element) => opening?.at(element as HTMLElement)}>
      <h2>Aujourd’hui</h2>
      <span>{row?.date === today() ? longDate(today()) : row ? "Aucune session" : "Aucune autre session ce mois-ci"}</span>
    </div>
  );
}

/** What the buttons of the record do, for a thumb. */
function swipes(row: SessionRow): SwipeAction[] {
  return [
    ...(may("sessions.share")
      ? [{ label: "Partager", icon: "share", run: () => void crm().then(({ openShare }) => openShare(row.id)) } as const]
      : []),
    ...(may("sessions.update") ? [{ label: "Modifier", icon: "edit", href: `/sessions/${row.id}/modifier` } as const] : []),
    ...(may("sessions.delete")
      ? [{ label: "Supprimer", icon: "trash", danger: true, run: () => askSessionRemoval(row) } as const]
      : []),
  ];
}

/** The weeks of a month part its list as the pages of an agenda do. */
function weekName(date: string): string {
  const [week, now] = [monday(date), monday(today())];
  // The heading of today says it.
  if (date === today()) return "";
  if (week === now) return date < today() ? "plus tôt cette semaine" : "plus tard cette semaine";
  if (week === addDays(now, 7)) return "semaine prochaine";
  return weekOf(date);
}

/** What the service has that resembles the search; no first page has that to show. */
function NearSessions({ filters }: { filters: SessionFilters }): Child {
  const near = signal<Child>(null);
  void crm().then((module) => near.set(<module.NearSessions filters={filters} />), () => undefined);
  return near;
}

function NoSessions({ filters }: { filters: SessionFilters }): Child {
  const month = filters.month();
  const narrowed = filters.active() > 0 || filters.search() !== "";
  const where = month === null ? "" : ` en ${monthName(month)}`;
  return (
    <Empty text={narrowed ? `Aucune session ne correspond${where}.` : `Aucune session${where}.`}>
      <NearSessions filters={filters} />
      <div class="actions">
        {narrowed && month !== null
          ? <button type="button" onclick={() => filters.setMonth(null)}>Chercher dans tous les mois</button>
          : null}
        {!narrowed && month !== null && month !== thisMonth()
          ? <button type="button" onclick={() => filters.setMonth(thisMonth())}>Revenir à ce mois-ci</button>
          : null}
        {!narrowed && may("sessions.create") ? <a class="button" href="/sessions/nouveau">Créer une session</a> : null}
      </div>
    </Empty>
  );
}
