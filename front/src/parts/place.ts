// Where the person is: the address as signals. Links are followed in place; going back restores the scroll and the focus.

import { batch, computed, effect, onCleanup, signal, untracked } from "view";
import { savedId } from "../store";

export type Query = Readonly<Record<string, string>>;
export interface Place { path: string; query: Query; hash: string }

/** How far a screen was scrolled, the link that led away from it, and where in the window that link was. */
interface Left { scroll: number; focus: string | null; top: number }
interface State { index: number }

function read(): Place {
  return {
    path: location.pathname.length > 1 ? location.pathname.replace(/\/+$/, "") : location.pathname,
    query: Object.fromEntries(new URLSearchParams(location.search)),
    hash: location.hash,
  };
}

const current = signal<Place>(read());
/** The path that leads to the screen: it does not change with filters, nor when a record on it is saved. */
export const path = signal<string>(current().path);
/** The present address. */
export const place = (): Place => current();
/** The path of the present address. */
export const address = computed(() => current().path);

let index = (history.state as State | null)?.index ?? 0;
const left = new Map<number, Left>(readLeft());
let restoring: Left | null = null;
const guards = new Set<() => Promise<boolean>>();

function readLeft(): [number, Left][] {
  try {
    return JSON.parse(sessionStorage.getItem("left") ?? "[]") as [number, Left][];
  } catch {
    return [];
  }
}

/** Notes the place that is about to be left, for the way back. */
function note(): void {
  const link = document.activeElement?.closest("a");
  left.set(index, {
    scroll: window.scrollY, focus: link?.getAttribute("href") ?? null, top: link?.getBoundingClientRect().top ?? 0,
  });
  keep();
}

function keep(): void {
  try {
    sessionStorage.setItem("left", JSON.stringify([...left].slice(-50)));
  } catch {
    // Without room only a reload forgets the scroll.
  }
}

function arrive(): void {
  batch(() => {
    take();
    path.set(current().path);
  });
}

function take(): void {
  const next = read();
  batch(() => {
    current.set(next);
    memory.get(next.path)?.set(next.query);
  });
}

/** Puts the ids of saved records in the place of those that they had on this device alone. The screen stays as it is. */
export function followSaved(): void {
  effect(() => {
    current();
    const before = location.pathname + location.search + location.hash;
    const after = before.replace(/-\d{13,}/gu, (id) => String(savedId(Number(id))));
    if (after === before) return;
    history.replaceState({ index }, "", after);
    untracked(take);
  });
}

async function allowed(): Promise<boolean> {
  for (const ask of [...guards].reverse()) if (!(await ask())) return false;
  return true;
}

/** Goes to an address of the app, if no guard holds or `force` says so. The answer says whether it did. */
export async function go(to: string, { replace = false, force = false } = {}): Promise<boolean> {
  const target = new URL(to, location.href);
  const same = target.pathname === location.pathname;
  if (!same && !force && !(await allowed())) return false;
  restoring = null;
  if (replace) history.replaceState({ index }, "", target);
  else {
    note();
    index += 1;
    left.delete(index);
    history.pushState({ index }, "", target);
  }
  arrive();
  return true;
}

/** Back to where one came from, or to `otherwise` when the app was opened here. */
export function back(otherwise: string): void {
  if (index > 0) history.back();
  else void go(otherwise, { replace: true });
}

/** Changes the filters in the address, without a new entry in the history. null and "" take one out. */
export function setQuery(changes: Record<string, string | null>): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  history.replaceState({ index }, "", location.pathname + (text === "" ? "" : `?${text}`) + location.hash);
  arrive();
}

/** Takes words that mean nothing out of the address of this screen, which shows what it shows without them. */
export function dropFalse(meanings: Readonly<Record<string, (word: string) => boolean>>): void {
  const at = untracked(current).path;
  effect(() => {
    const { path: here, query } = current();
    const wrong = here === at ? Object.keys(meanings).filter((name) => query[name] !== undefined && !meanings[name]!(query[name]!)) : [];
    if (wrong.length > 0) untracked(() => setQuery(Object.fromEntries(wrong.map((name) => [name, null]))));
  });
}

/** The address of a list with the filters it had last: what leads back to the list as it was left. */
export function lastAddress(list: string): string {
  const text = new URLSearchParams(filtersOf(list).values() as Record<string, string>).toString();
  return text === "" ? list : `${list}?${text}`;
}

const memory = new Map<string, ReturnType<typeof signal<Query>>>();

/**
 * The filters of a list. On the list's own screen they stand in the address; beside a record the list keeps the ones it had
 * last.
 */
export function filtersOf(list: string): { values(): Query; set(changes: Record<string, string | null>): void } {
  let held = memory.get(list);
  if (!held) memory.set(list, (held = signal<Query>(current().path === list ? current().query : {})));
  const values = held;
  return {
    values: () => values(),
    set(changes) {
      if (read().path === list) return setQuery(changes);
      const next: Record<string, string> = { ...values() };
      for (const [name, value] of Object.entries(changes)) {
        if (value === null || value === "") delete next[name];
        else next[name] = value;
      }
      values.set(next);
    },
  };
}

/** Forgets filters and visited places before another person signs in. */
export function forgetPlaces(): void {
  memory.clear();
  left.clear();
  keep();
}

/** Asks before this screen is left. It ends with the effect or scope that called it. */
export function guard(ask: () => Promise<boolean>): void {
  guards.add(ask);
  onCleanup(() => guards.delete(ask));
}

/** What to restore on the screen that is being shown: null after a new move. */
export function arrival(): Left | null {
  const found = restoring;
  restoring = null;
  return found;
}

function followLink(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = (event.target as Element | null)?.closest("a");
  if (!link || link.target !== "" || link.hasAttribute("download")) return;
  const target = new URL(link.href, location.href);
  if (target.origin !== location.origin || /^\/(explorer|files|app)\b/.test(target.pathname)) return;
  // The skip link and the index of a list move within the page.
  if (target.hash !== "" && target.pathname === location.pathname && target.search === location.search) return;
  event.preventDefault();
  // A link to the present address does not fill the history.
  void go(target.href, { replace: target.href === location.href });
}

let returned: (() => void) | null = null;

async function moved(event: PopStateEvent): Promise<void> {
  const next = (event.state as State | null)?.index ?? 0;
  if (returned !== null) {
    returned();
    returned = null;
    return;
  }
  if (event.state === null) {
    // An address that was typed into this page, or that a script made, is a new place.
    index += 1;
    history.replaceState({ index }, "");
    restoring = null;
    return arrive();
  }
  const distance = next - index;
  if (guards.size > 0 && read().path !== current().path) {
    // The browser has moved already: it goes to the form again, and on when the person agrees.
    await new Promise<void>((resolve) => {
      returned = resolve;
      history.go(-distance);
    });
    if (!(await allowed())) return;
    guards.clear();
    history.go(distance);
    return;
  }
  note();
  index = next;
  restoring = left.get(next) ?? null;
  arrive();
}

history.scrollRestoration = "manual";
history.replaceState({ index }, "");
document.addEventListener("click", followLink);
window.addEventListener("popstate", (event) => void moved(event));
// A reload keeps the scroll.
window.addEventListener("pagehide", note);
restoring = left.get(index) ?? null;
