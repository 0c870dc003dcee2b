// Lists of records: rows that are one link each, and what stands there while there are none.

import { computed, each, effect, h, onCleanup, signal, untracked } from "view";
import type { Child } from "view";
import { failureOf, rested, sync } from "../store";
import type { SessionList } from "../store";
import type { IconName } from "./icons";
import { later } from "./later";
import { address, arriving } from "./place";
import { count } from "../words/sentences";
import { firstRows, manyRows, slices } from "./slices";

export interface SwipeAction { label: string; icon: IconName; href?: string; run?: () => void; danger?: boolean }

export interface RecordListProps<T extends { id: number }> {
  /** The list's accessible name: "Sessions". */
  name: string;
  /** undefined: not known yet. */
  rows: () => readonly T[] | undefined;
  href: (row: T) => string;
  /** The link's name. */
  sentence: (row: T) => string;
  /** What is seen of a row; the sentence says it. */
  row: (row: T) => Child;
  /** "Résultats": "32 sessions". */
  results?: () => string;
  /** What the list says when it is empty, and what to do then. */
  empty: () => Child;
  failure?: () => string | null;
  retry?: () => void;
  /** Without it, the rows are all there are; otherwise what failed is said above them too. */
  isComplete?: () => boolean;
  /** A heading above the first row of each group: a letter, a month. Readers hear it in the sentence. */
  group?: (row: T) => string;
  /** What stands above the first of these rows, or below the last row of all if there is none. */
  mark?: { on: () => boolean; reached: (row: T) => boolean; view: (row: T | null) => Child };
  /** On touch screens, what pushing a row aside offers: things that buttons of the record do too. */
  swipe?: (row: T) => readonly SwipeAction[];
  /** The list whose rows come page by page. */
  more?: () => Pick<SessionList, "hasMore" | "more" | "count">;
  class?: string;
}

/** Gestures are loaded where there is a finger, at its first touch or some time after the first screen. */
export const hasTouch = matchMedia("(any-pointer: coarse)").matches;
const finger = rested.then(() => new Promise((resolve) => {
  setTimeout(resolve, 1_500);
  addEventListener("touchstart", resolve, { once: true, passive: true });
}));
export const gestures = () => finger.then(later).then(({ swipe }) => swipe);

/** Paper has all rows that are loaded, also those that a screen makes later, and words where a calendar has a grid. */
export const isPrinted = signal(false);
addEventListener("beforeprint", () => isPrinted.set(true));
addEventListener("afterprint", () => isPrinted.set(false));

export function RecordList<T extends { id: number }>(props: RecordListProps<T>): Child {
  let list: HTMLElement | undefined;
  // Who comes back to a place in the list finds it again.
  const wanted = signal(untracked(arriving) === null ? manyRows : Infinity);
  const isCurrent = (row: T): boolean => `${address()}/`.startsWith(`${props.href(row).split("?")[0]}/`);
  /** The last row that has to be made: that of today, or of the record that the list stands beside. */
  const markedAt = computed(() => {
    const rows = props.rows() ?? [];
    return Math.max(props.mark?.on() ? rows.findIndex(props.mark.reached) : 0, rows.findIndex(isCurrent));
  });
  // Many rows are taken out faster while they are not drawn.
  const limit = slices(() => props.rows()?.length ?? 0, () => {
    wanted.set(manyRows);
    if (!list?.isConnected) return;
    undraw(list);
    queueMicrotask(() => { list!.hidden = false; });
  }, () => Math.max(wanted(), markedAt() + firstRows));
  const shown = computed(() => props.rows()?.slice(0, isPrinted() ? Infinity : limit()));
  const isLate = signal(false);
  let late: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(late));
  let wasSeen = false;
  /** The first rows are seen when the marked one is among them, where the list opens: they would jump. A slow device shows them. */
  const isSeen = (): boolean => {
    late ??= setTimeout(() => isLate.set(true), 500);
    return (wasSeen ||= isLate() || (shown()?.length ?? 0) > markedAt());
  };
  const heads = computed(() => {
    const heads = new Map<number, string>();
    let last: string | undefined;
    for (const row of props.group ? props.rows() ?? [] : []) {
      const name = props.group!(row);
      if (name !== last) heads.set(row.id, name);
      last = name;
    }
    return heads;
  });
  const marked = computed((): number | "end" | null => {
    const rows = props.rows();
    if (!props.mark?.on() || !rows?.length) return null;
    return rows.find(props.mark.reached)?.id ?? (props.more?.().hasMore() ? null : "end");
  });
  const failed = computed(() => {
    const mayLack = (props.rows()?.length ?? 0) === 0 || props.isComplete?.() === false;
    return mayLack ? props.failure?.() ?? null : null;
  });
  const state = computed(() => {
    const rows = props.rows();
    if (rows !== undefined && rows.length > 0) return "rows";
    if (failed() !== null) return "failed";
    return rows === undefined ? "loading" : "empty";
  });
  return (
    <div class={`list${props.class ? ` ${props.class}` : ""}`}>
      {props.results ? <p class="results" role="status" aria-label="Résultats">{props.results}</p> : null}
      {() => (failed() === null ? null : <Failure text={failed()!} {...(props.retry ? { retry: props.retry } : {})} />)}
      {() => (state() === "loading" ? <Outlines /> : null)}
      {() => (state() === "empty" ? <div class="empty">{props.empty()}</div> : null)}
      {() => (state() === "rows" ? (
        <div class="list-frame">
          <ul class={() => ((shown()?.length ?? 0) > manyRows ? "rows many" : "rows")} style={() => ({ visibility: isSeen() ? null : "hidden" })}
            role="list" aria-label={props.name} data-rows="" onkeydown={walk} onall={() => wanted.set(Infinity)} ref={(element) => (list = element)}>
            {each(() => shown() ?? [], (row) => row.id, (row) => (
              <li class={() => (heads().has(row().id) ? "row-item headed" : "row-item")}>
                {props.mark ? <Mark here={computed(() => marked() === row().id)} view={() => props.mark!.view(untracked(row))} /> : null}
                {() => {
                  const head = heads().get(row().id);
                  return !head ? null : <span class="row-group" aria-hidden="true" data-group={head}>{head}</span>;
                }}
                <a class="row" ref={(link) => { if (props.swipe && hasTouch) void gestures().then((module) => module.swipeable(link, () => props.swipe!(untracked(row)))); }}
                  href={() => props.href(row())} aria-label={() => props.sentence(row())}
                  aria-current={() => (isCurrent(row()) ? "page" : null)}>
                  {() => props.row(row())}
                </a>
              </li>
            ))}
          </ul>
          {() => (marked() === "end" ? props.mark!.view(null) : null)}
          {() => (limit() < (props.rows()?.length ?? 0) ? <Rest made={limit} make={() => wanted.set(limit() + manyRows)} /> : null)}
          {() => (props.more?.().hasMore() ? [
            <More load={() => props.more!().more()} />,
            <p class="on-paper">{() => `… et ${count(props.more!().count()! - props.rows()!.length, "autre non chargée", "autres non chargées")}`}</p>,
          ] : null)}
        </div>
      ) : null)}
    </div>
  );
}

/** What stands above a row, as long as that is its place. */
function Mark({ here, view }: { here: () => boolean; view: () => Child }): Child {
  return () => (here() ? view() : null);
}

/** Rows that are not drawn are taken out in a tenth of the time. */
export function undraw(list: HTMLElement): void {
  list.hidden = true;
  void list.offsetTop;
}

/** Arrows and j k go through the rows. */
function walk(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  if (event.metaKey || event.ctrlKey || event.altKey) return;
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step === 0) return;
  if (moveInList(event.currentTarget, step)) event.preventDefault();
}

/** Moves the focus by one row; from outside the list to its first row. Above the first it goes to the search. */
export function moveInList(list: Element, step: 1 | -1): boolean {
  const links = [...list.querySelectorAll<HTMLElement>("a.row")];
  const at = links.indexOf(document.activeElement?.closest("a.row") as HTMLElement);
  if (at < 0) {
    const current = links.find((link) => link.getAttribute("aria-current")) ?? links[0];
    current?.focus();
    return current !== undefined;
  }
  const next = links[at + step];
  if (next) {
    next.focus();
    return true;
  }
  if (step < 0) list.closest("main, aside")?.querySelector<HTMLElement>("[data-search]")?.focus();
  return step < 0;
}

/** Where the rows that are made end: the next are made before the thumb is there. */
function Rest({ made, make }: { made: () => number; make: () => void }): Child {
  return (
    <div ref={(element) => {
      const watcher = new IntersectionObserver((seen) => {
        if (seen.some((one) => one.isIntersecting)) make();
      }, { rootMargin: "1500px 0px" });
      // After each slice it is looked at anew.
      effect(() => {
        made();
        watcher.unobserve(element);
        watcher.observe(element);
      });
      onCleanup(() => watcher.disconnect());
    }} />
  );
}

/** The milliseconds that a button in sight waits for a press before it does without. */
const patience = 500;

/** Asks for the next rows before the thumb is there; the button does the same. */
function More({ load }: { load: () => Promise<void> }): Child {
  const busy = signal(false);
  const failed = signal<string | null>(null);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ask = async (): Promise<void> => {
    if (busy()) return;
    busy.set(true);
    try {
      await load();
      failed.set(null);
    } catch (error) {
      failed.set(failureOf(error).message);
    } finally {
      busy.set(false);
    }
  };
  const watch = ([seen]: readonly IntersectionObserverEntry[]): void => {
    clearTimeout(timer);
    if (!seen!.isIntersecting) return;
    // Who has jumped to the button may be about to press it: it must not go from under the finger.
    timer = setTimeout(() => void ask(), seen!.boundingClientRect.top < innerHeight ? patience : 0);
  };
  return (
    <div class="more" ref={(element) => {
      const watcher = new IntersectionObserver((seen) => watch(seen.slice(-1)), { rootMargin: "600px 0px" });
      watcher.observe(element);
      onCleanup(() => {
        watcher.disconnect();
        clearTimeout(timer);
      });
    }}>
      {() => (failed() === null
        ? (
          <button type="button" aria-busy={() => (busy() ? "true" : null)} onclick={() => void ask()}>
            Afficher la suite
          </button>
        )
        : <Failure text={failed()!} retry={() => void ask()} />)}
    </div>
  );
}

/** Grey outlines of rows; they appear after 200 ms, so that a quick answer does not flicker. */
export function Outlines({ count = 8 }: { count?: number }): Child {
  return (
    <div class="outlines" aria-hidden="true">
      {Array.from({ length: count }, () => <div class="outline"><span class="outline-mark" /><span class="outline-lines" /></div>)}
    </div>
  );
}

/** What failed, and a way to try again. It is not in red without a network, where nothing is wrong with the service. */
export function Failure({ text, retry }: { text: string; retry?: () => void }): Child {
  return (
    <div class={() => (sync.isOnline() ? "failure" : "failure calm")} role="alert">
      <p>{text}</p>
      {retry ? <button type="button" onclick={retry}>Réessayer</button> : null}
    </div>
  );
}

/** "Aucune session…", and what to do. */
export function Empty({ text, children }: { text: string; children?: Child }): Child {
  return (
    <div class="empty-words">
      <p>{text}</p>
      {children}
    </div>
  );
}
