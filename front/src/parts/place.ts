// Where the person is: the address as signals, without the company that it begins with. Links are followed in place; going back restores
// the scroll and the focus.

import { batch, computed, effect, onCleanup, signal, untracked, useAddresses } from "view";
import { savedId } from "../store";
import { addressed, company, companyIn, isShared, pathIn } from "../store/company";

export type Query = Readonly<Record<string, string>>;
export interface Place { path: string; query: Query; hash: string }

/** How far a screen was scrolled, the link that led away from it, and where in the window that link was. */
interface Left { scroll: number; focus: string | null; top: number; at: string }
/** `over`: an entry that stands over the page's own while something covers it. */
interface State { index: number; over?: boolean }

function read(): Place {
  const path = pathIn(location.pathname);
  return {
    path: path.length > 1 ? path.replace(/\/+$/, "") : path,
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

/** The address that is shown. */
let here = location.href;
let { index = 0, over = false } = (history.state ?? {}) as Partial<State>;
/** An address that was typed into this tab is a new place, and not one to come back to. */
const isReturn = history.state !== null;
const left = new Map<number, Left>(readLeft());
const restoring = signal<Left | null>(null);
const guards = new Set<() => Promise<boolean>>();
/** What covers the page, such as dialogs, the last on top: each asks to be closed. */
const covers: (() => Promise<void>)[] = [];

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
    scroll: window.scrollY, focus: link?.getAttribute("href") ?? null, top: link?.getBoundingClientRect().top ?? 0, at: here,
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
  here = location.href;
  batch(() => {
    current.set(next);
    memory.get(next.path)?.set(next.query);
  });
}

/**
 * Puts the ids of saved records in the place of those that they had on this device alone, and the company where an account has several.
 * The screen stays as it is.
 */
export function followSaved(): void {
  effect(() => {
    current();
    const before = location.pathname + location.search + location.hash;
    // Other digits, such as those of a search, stay as they are.
    const after = (addressed(location.pathname) + location.search + location.hash).replace(/-\d{13,}/gu, (text) => {
      const id = savedId(Number(text));
      return id < 0 ? text : String(id);
    });
    if (after === before) return;
    history.replaceState({ index, over }, "", after);
    untracked(take);
  });
}

let ended: (() => void) | null = null;
/** Whether a person is asked before a form is left. */
let isAsking = false;
let moving: Promise<void> | null = null;

/** A move of our own through the history: it ends with its event, and what comes after has to wait for it. */
function move(by: number): Promise<void> {
  return (moving = new Promise((resolve) => {
    ended = resolve;
    history.go(by);
    // A browser that does not move says nothing.
    setTimeout(() => {
      if (ended !== resolve) return;
      ended = moving = null;
      over = false;
      resolve();
    }, 1_000);
  }));
}

/** Until the page's own entry is the present one. */
async function uncovered(): Promise<void> {
  while (over || moving !== null) await (moving ?? move(-1));
}

/** One entry stands over the page's own as long as something covers the page: Back takes it, and leaves the page as it is. */
function settle(): void {
  if (moving !== null || over === covers.length > 0) return;
  if (over) return void move(-1).then(settle);
  over = true;
  history.pushState({ index, over }, "");
}

/** Lets Back close what covers the page. The answer says that it is closed. */
export function cover(close: () => Promise<void>): () => void {
  covers.push(close);
  settle();
  return () => {
    covers.splice(covers.indexOf(close), 1);
    settle();
  };
}

async function allowed(): Promise<boolean> {
  for (const ask of [...guards].reverse()) if (!(await ask())) return false;
  return true;
}

/** Goes to an address of the app, if no guard holds or `force` says so. The answer says whether it did. */
export async function go(to: string, { replace = false, force = false } = {}): Promise<boolean> {
  const target = new URL(to, location.href);
  target.pathname = addressed(target.pathname);
  const same = target.pathname === location.pathname;
  if (!same && !force && !(await allowed())) return false;
  if ((companyIn(target.pathname) ?? company()) !== company()) {
    location.assign(target);
    return true;
  }
  if (over || moving !== null) await uncovered();
  restoring.set(null);
  // The present address does not fill the history.
  if (replace || target.href === location.href) history.replaceState({ index }, "", target);
  else {
    note();
    index += 1;
    left.delete(index);
    history.pushState({ index }, "", target);
  }
  arrive();
  settle();
  return true;
}

/** Back to where one came from, or to `otherwise` when the app was opened here. */
export async function back(otherwise: string): Promise<void> {
  await uncovered();
  // A form that was saved has left the page of its record twice.
  let by = 1;
  while (left.get(index - by)?.at === here) by += 1;
  if (index >= by) history.go(-by);
  else void go(otherwise, { replace: true });
}

function changed(query: URLSearchParams, changes: Record<string, string | null>): URLSearchParams {
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") query.delete(name);
    else query.set(name, value);
  }
  return query;
}

/** Changes the filters in the address; a `step`, such as to another month, is one that Back undoes. null and "" take one out. */
export function setQuery(changes: Record<string, string | null>, step = false): void {
  const text = changed(new URLSearchParams(location.search), changes).toString();
  const to = location.pathname + (text === "" ? "" : `?${text}`) + location.hash;
  if (step) return void go(to);
  history.replaceState({ index, over }, "", to);
  arrive();
}

/** Takes words that mean nothing out of the address of this screen, which shows what it shows without them. */
export function dropFalse(meanings: Readonly<Record<string, (word: string) => boolean>>): void {
  const at = untracked(current).path;
  effect(() => {
    const { path: now, query } = current();
    const wrong = now === at ? Object.keys(meanings).filter((name) => query[name] !== undefined && !meanings[name]!(query[name]!)) : [];
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
export function filtersOf(list: string): { values(): Query; set: typeof setQuery } {
  let held = memory.get(list);
  if (!held) memory.set(list, (held = signal<Query>(current().path === list ? current().query : {})));
  const values = held;
  return {
    values: () => values(),
    set(changes, step) {
      if (read().path === list) return setQuery(changes, step);
      values.set(Object.fromEntries(changed(new URLSearchParams(values() as Record<string, string>), changes)));
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
export const arriving: () => Left | null = restoring;

/** The same, once. */
export function arrival(): Left | null {
  const found = untracked(restoring);
  restoring.set(null);
  return found;
}

function followLink(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = (event.target as Element | null)?.closest("a");
  if (!link || link.target !== "" || link.hasAttribute("download")) return;
  const target = new URL(link.href, location.href);
  if (target.origin !== location.origin || (isShared(target.pathname) && target.pathname !== "/connexion")) return;
  // The skip link and the index of a list move within the page.
  if (target.hash !== "" && target.pathname === location.pathname && target.search === location.search) return;
  event.preventDefault();
  void go(target.href);
}

async function moved(event: PopStateEvent): Promise<void> {
  const state = event.state as State | null;
  const next = state?.index ?? 0;
  const own = ended;
  ended = moving = null;
  own?.();
  over = state?.over === true;
  if (state === null) {
    // An address that was typed into this page, or that a script made, is a new place.
    index += 1;
    history.replaceState({ index }, "");
    restoring.set(null);
    return arrive();
  }
  if (next === index) {
    // The page stays, with the filters that were chosen under what covers it.
    history.replaceState({ index, over }, "", here);
    if (own !== null) return;
    await covers[covers.length - 1]?.();
    return settle();
  }
  const distance = next - index;
  if (guards.size > 0 && read().path !== current().path) {
    // The browser has moved already: it goes to the form again, and on when the person agrees.
    await move(-distance);
    if (isAsking) return;
    isAsking = true;
    const isAllowed = await allowed().finally(() => { isAsking = false; });
    if (!isAllowed) return;
    guards.clear();
    await uncovered();
    history.go(distance);
    return;
  }
  note();
  index = next;
  batch(() => {
    restoring.set(left.get(next) ?? null);
    arrive();
  });
  settle();
}

useAddresses(addressed);
history.scrollRestoration = "manual";
history.replaceState({ index, over }, "");
document.addEventListener("click", followLink);
window.addEventListener("popstate", (event) => void moved(event));
// A reload keeps the scroll.
window.addEventListener("pagehide", note);
restoring.set(isReturn ? left.get(index) ?? null : null);
// A page that was loaded again has no dialog any more.
settle();
