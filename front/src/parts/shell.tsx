// The frame of every screen: navigation, the list beside a record, the heading, statuses.

import { computed, each, effect, h, mount, scope, signal, untracked } from "view";
import type { Child } from "view";
import { account, bar, queue, signedOutByHand, sync } from "../store";
import { companies, company } from "../store/company";
import { recall, remember } from "../store/device";
import { Icon } from "./icons";
import type { IconName } from "./icons";
import { lastAccount } from "./last-account";
import { later } from "./later";
import { Failure, gestures, hasTouch, Outlines, undraw } from "./list";
import { dismiss, dismissOld, message, saySent, silence, warn, warning } from "./notices";
import { arrival, arriving, back, followSaved, forgetPlaces, go, lastAddress, path } from "./place";
import type { Room } from "./room";
import { followPresses, steady } from "./steady";
import { version } from "./version";

export type Params = Readonly<Record<string, string>>;

export interface Screen {
  /** The heading of level 1 and the document's title. undefined: not known yet. */
  heading: () => string | undefined;
  body: Child;
  /** Links and buttons beside the heading. */
  actions?: Child;
  /** Before the heading: a day block, initials. */
  mark?: Child;
  /** Below the heading: badges, a subtitle. */
  under?: Child;
  /** Where the arrow above the heading leads, when the screen lies under another. */
  up?: { href: () => string; label: string | (() => string) };
  class?: string;
  /** Without the list that stands beside its route. */
  alone?: true;
}

export type MakeScreen = (params: Params) => Screen;
export interface Route {
  /**
   * "/sessions/:id": `:id` is a number, a negative one of a record that is not saved yet; anything else is a
   * name, as of a domain.
   */
  path: string;
  load: () => Promise<MakeScreen>;
  /** The list that stands beside it from 1024 px: the same function, where it is the same list. */
  list?: () => Promise<() => Child>;
  /** Reached without being signed in, and shown without the navigation. */
  open?: boolean;
  /** For administrators alone. */
  admin?: boolean;
}

export interface NavigationItem {
  href: string;
  label: string;
  icon: IconName;
  /** Only where there is room; elsewhere the profile leads there. */
  wide?: boolean;
  admin?: boolean;
  /** The filters that the list had last are there again, from wherever one comes. */
  keeps?: boolean;
  /** Pages that are reached from this one and have no link of their own. */
  leads?: readonly string[];
}

/** In the order of the navigation. */
export let rooms: readonly Room[] = [];

const chosenName = "domaine";
const chosen = signal(recall(chosenName));
/** The domains of which the account sees something. Until they are known, it is LearnTrack. */
export const served = () => lastAccount()?.domains ?? [{ name: "crm", label: "" }];
/** The one that the navigation shows: that of the address, else the last one on this device. */
export const domain = () => served().find(({ name }) => name === chosen()) ?? served()[0];
const roomOf = (name: string): Room | undefined => rooms.find((room) => room.domain === name);
/** The first page of a domain. */
export const homeOf = (name: string): string => roomOf(name)?.navigation[0]!.href ?? `/${name}`;

/** Notes the domain that an address lies in. The kernel's pages lie in none. */
function choose(at: string): void {
  const found = rooms.find((room) => room.domain && match(room.routes, at))?.domain ?? at.split("/")[1]!;
  if (!served().some(({ name }) => name === found)) return;
  chosen.set(found);
  remember(chosenName, found);
}

/** The pages of the present domain that the account may see, and the kernel's, in the order of the navigation. */
export function destinations(): readonly NavigationItem[] {
  const name = domain()?.name;
  return rooms.filter((room) => !room.domain || room.domain === name)
    .flatMap(({ navigation }) => navigation.filter((item) => !item.admin || lastAccount()?.role === "admin"));
}

/** The route of a path, and its parameters. */
export function match(routes: readonly Route[], path: string): { route: Route; params: Params } | null {
  for (const route of routes) {
    const names: string[] = [];
    const pattern = route.path.replace(/:(\w+)/g, (_, name: string) => {
      names.push(name);
      return name === "id" ? "(-?\\d+)" : "([a-z]\\w*)";
    });
    const found = new RegExp(`^${pattern}$`).exec(path);
    if (found) return { route, params: Object.fromEntries(names.map((name, at) => [name, found[at + 1]!])) };
  }
  return null;
}

interface Shown { screen: Screen | null; failed: (() => void) | null; route: Route | null; path: string }

const wide = matchMedia("(min-width: 64rem)");
const roomy = matchMedia("(min-width: 40rem)");

function follow(query: MediaQueryList): () => boolean {
  const matches = signal(query.matches);
  query.addEventListener("change", () => matches.set(query.matches));
  return matches;
}

export function startShell(all: readonly Room[], missing: Route["load"], barred: Route["load"]): void {
  rooms = all;
  // The addresses of declared domains are any names that no other route has.
  const every = all.flatMap((room) => room.routes);
  const routes = [false, true].flatMap((isOpen) => every.filter((one) => one.path.startsWith("/:") === isOpen));
  const shown = signal<Shown | null>(null);
  const [isWide, isRoomy] = [follow(wide), follow(roomy)];
  let stop: (() => void) | undefined;
  let asked = 0;
  let moves = 0;

  const found = computed(() => {
    const one = match(routes, path());
    return one?.route.admin && account()?.role !== "admin" ? null : one;
  });
  // Again when it is known what is served.
  effect(() => choose(path()));
  const signedOut = computed(() => account() === null);
  const known = computed(() => account() !== undefined);

  const show = async (): Promise<void> => {
    const turn = ++asked;
    const [target, at] = [untracked(found), untracked(path)];
    let screen: Screen | null = null;
    let end: (() => void) | undefined;
    let failed: (() => void) | null = null;
    try {
      const make = await (untracked(bar) ? barred : target?.route.load ?? missing)();
      if (turn !== asked) return;
      ({ value: screen, stop: end } = scope(() => make(target?.params ?? {})));
    } catch (failure) {
      if (turn !== asked) return;
      console.error(failure);
      void renewOutdated();
      failed = () => void show();
    }
    const before = stop;
    stop = end;
    const first = moves++ === 0;
    document.querySelectorAll<HTMLElement>("main .many").forEach(undraw);
    shown.set({ screen, failed, route: untracked(bar) ? null : target?.route ?? null, path: at });
    before?.();
    settle(first);
  };

  effect(() => {
    path();
    if (path() === "/") return void go(homeOf(untracked(domain)?.name ?? "profil"), { replace: true });
    const target = found();
    if (target?.route.open || bar()) return void untracked(show);
    if (!known()) return;
    if (signedOut()) {
      const wanted = location.pathname + location.search;
      const isFirst = path() === "/sessions" && location.search === "";
      const isOver = untracked(signedOutByHand);
      if (isOver) forgetPlaces();
      dismiss();
      silence();
      return void go(
        isOver || isFirst ? "/connexion" : `/connexion?suite=${encodeURIComponent(wanted)}`, { replace: true, force: true });
    }
    untracked(dismissOld);
    void untracked(show);
  });

  // The same screen with the filters of before: its scroll comes back, the focus stays.
  effect(() => {
    if (arriving() !== null && path() === untracked(shown)?.path) untracked(() => settle(true));
  });

  queue.onRefused(async (write) => {
    // The page of what waits says it where it stands.
    if (path() === "/attente") return;
    const words = await later().then(({ refusal }) => refusal(write), () => "Une modification attend votre décision.");
    warn(words, { label: "Voir", run: () => void go("/attente") });
  });
  queue.onAllSent(saySent);

  followSaved();

  // The frame is there before it is known who is signed in, if an account was on this device last time.
  const opening = computed(() => shown() === null && !known() && lastAccount() === null);
  const bare = computed(() => bar() !== null || shown()?.route?.open === true || (shown() === null && known() && signedOut()));
  // The first screen has its list beside it from the beginning, or it would move aside when it comes.
  const beside = computed(() => (isWide() && !shown()?.screen?.alone && (shown() ?? found())?.route?.list) || null);

  followPresses();
  // On a phone the buttons of a form stand on the words, and move when these come and go.
  const state = steady(sync.words);
  const isWaiting = steady(() => queue.items().length > 0);

  mount(document.body, () => (
    <div class={() => `app${bare() ? " bare" : ""}${beside() ? " split" : ""}${warning() === null ? "" : " warned"}${state() === "À jour" ? "" : isWaiting() ? " unsynced unsent" : " unsynced"}`}>
      <a class="skip" href="#contenu" onclick={() => document.getElementById("contenu")?.focus()}>Aller au contenu</a>
      {() => (opening() ? <p class="opening">LearnTrack</p> : bare() ? null : <Navigation isWide={isWide} isRoomy={isRoomy} />)}
      {() => (opening() || bare() || isRoomy() ? null : <Companies />)}
      {() => {
        const list = beside();
        return list === null || bare() ? null : <Beside load={list} />;
      }}
      <main id="contenu" tabindex="-1" hidden={opening} ref={(main) => { if (hasTouch) void gestures().then((module) => module.followPull(main)); }}>
        {() => {
          const one = shown();
          if (one === null) return <Outlines />;
          if (one.failed) return <LoadFailure retry={one.failed} />;
          return <Frame screen={one.screen!} />;
        }}
      </main>
      <Statuses state={state} isWaiting={isWaiting} />
    </div>
  ));
  keepFocus();
  effect(() => {
    const heading = shown()?.screen?.heading();
    document.title = heading ? `${heading} · LearnTrack` : "LearnTrack";
  });
}

/** What has the focus may be removed with its row: the focus goes to the heading above, and not to the start of the page. */
function keepFocus(): void {
  let last: Element | null = null;
  document.addEventListener("focusin", ({ target }) => { last = target as Element; });
  // Who presses the ground leaves what had the focus.
  document.addEventListener("pointerdown", () => setTimeout(() => { if (document.activeElement === document.body) last = null; }));
  new MutationObserver(() => {
    if (last === null || last.isConnected || document.activeElement !== document.body) return;
    last = null;
    const place = [...document.querySelectorAll("dialog[open]")].pop() ?? document.getElementById("contenu");
    place?.querySelector<HTMLElement>("h1, [autofocus], button")?.focus({ preventScroll: true });
  }).observe(document.body, { childList: true, subtree: true });
}

/** Puts the focus on the heading, or after going back on the row one came from, unless it `stays`; restores the scroll. */
function settle(stays: boolean): void {
  const was = arrival();
  const main = document.getElementById("contenu")!;
  if (was === null) {
    if (stays) return;
    scrollTo(0, 0);
    main.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
    return;
  }
  const target = (): HTMLElement | null => (
    was.focus === null ? null : main.querySelector<HTMLElement>(`a[href="${CSS.escape(was.focus)}"]`)
  );
  let frames = 0;
  const restore = (): void => {
    const ready = document.documentElement.scrollHeight - innerHeight >= was.scroll && (was.focus === null || target() !== null);
    // The rows of a long list come within some frames.
    if (!ready && ++frames < 60) return void requestAnimationFrame(restore);
    scrollTo(0, was.scroll);
    const link = target();
    if (!stays) (link ?? main.querySelector<HTMLElement>("h1"))?.focus({ preventScroll: true });
    if (link) place(link, 3);
  };
  // Rows that are not drawn yet have an estimated height: the link goes where it was, and not the page.
  const place = (link: HTMLElement, times: number): void => {
    if (!link.isConnected) return;
    scrollBy(0, link.getBoundingClientRect().top - was.top);
    if (times > 0) requestAnimationFrame(() => place(link, times - 1));
  };
  restore();
}

function Frame({ screen }: { screen: Screen }): Child {
  return (
    <div class={`screen${screen.class ? ` ${screen.class}` : ""}`}>
      <header class="screen-head">
        {screen.up ? (
          <a class="up" href={screen.up.href} onclick={(event) => {
            // The list is left as it was: its own address leads there.
            if (event.metaKey || event.ctrlKey || event.shiftKey) return;
            event.preventDefault();
            void back(screen.up!.href());
          }}><Icon name="back" />{screen.up.label}</a>
        ) : null}
        <div class="screen-title">
          {screen.mark ?? null}
          <div class="screen-words">
            <h1 tabindex="-1">{() => screen.heading() ?? "…"}</h1>
            {screen.under ? <div class="screen-under">{screen.under}</div> : null}
          </div>
        </div>
        {screen.actions ? <div class="screen-actions">{screen.actions}</div> : null}
      </header>
      {screen.body}
    </div>
  );
}

/** A server with a newer version has no parts of this one any more: the page is loaded again, once. */
async function renewOutdated(): Promise<void> {
  const loaded = document.querySelector<HTMLScriptElement>("script[type=module]")?.src ?? "";
  const answer = await fetch(loaded, { method: "HEAD", cache: "no-store" }).catch(() => null);
  if (answer?.status !== 404 || sessionStorage.getItem("outdated") === loaded) return;
  sessionStorage.setItem("outdated", loaded);
  location.reload();
}

function LoadFailure({ retry }: { retry: () => void }): Child {
  return (
    <div class="screen">
      <header class="screen-head"><h1 tabindex="-1">Page indisponible</h1></header>
      <Failure text={untracked(sync.isOnline) ? "Cette page n’a pas pu être chargée." : "Cette page n’a pas pu être chargée\u202f: vous êtes hors connexion."} retry={retry} />
    </div>
  );
}

function Beside({ load }: { load: () => Promise<() => Child> }): Child {
  const list = signal<(() => Child) | null>(null);
  const failed = signal(false);
  const ask = (): void => {
    failed.set(false);
    void load().then(list.set, () => failed.set(true));
  };
  ask();
  return (
    <aside class="beside" aria-label="Liste" ref={showCurrent}>
      {() => {
        const View = list();
        if (failed()) return <Failure text="La liste n’a pas pu être chargée." retry={ask} />;
        return View ? <View /> : <Outlines />;
      }}
    </aside>
  );
}

/**
 * Brings the row of the record, or today beside a new session, into sight as soon as it is there, and again as long as rows come above it, unless a person has moved
 * the list meanwhile.
 */
function showCurrent(list: HTMLElement): void {
  effect(() => {
    path();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = (): void => {
      const row = list.querySelector(path().endsWith("/nouveau") ? ".row-mark" : '.row[aria-current="page"]');
      if (row === null) return;
      clearTimeout(timer);
      timer = setTimeout(end, 2_000);
      place(row, 3);
    };
    // Rows that are not drawn yet have an estimated height: the row may need several steps.
    const place = (row: Element, times: number): void => {
      const [at, room] = [row.getBoundingClientRect(), list.getBoundingClientRect()];
      if (at.top < room.top || at.bottom > room.bottom) list.scrollTop += at.top - room.top - room.height / 3;
      if (times > 1) requestAnimationFrame(() => place(row, times - 1));
    };
    const watcher = new MutationObserver(look);
    const events = ["wheel", "pointerdown", "keydown"] as const;
    const end = (): void => {
      clearTimeout(timer);
      watcher.disconnect();
      events.forEach((name) => list.removeEventListener(name, end));
    };
    events.forEach((name) => list.addEventListener(name, end, { passive: true }));
    watcher.observe(list, { childList: true, subtree: true, attributeFilter: ["aria-current"] });
    look();
    return end;
  });
}

/** Which company the page shows, where the account has several, and the way to the others. */
export function Companies(): Child {
  return () => (companies().length < 2 ? null : (
    <select class="company" aria-label="Société" onchange={({ currentTarget: select }) => void go(`/s/${select.value}/`).then((went) => {
      if (!went) select.value = String(company());
    })}>
      {companies().some(({ id }) => id === company()) ? null : <option value="" selected>Choisir une société</option>}
      {companies().map(({ id, name, role }) => (
        <option value={id} selected={id === company()}>{name} · {role === "admin" ? "Administrateur" : "Utilisateur"}</option>
      ))}
    </select>
  ));
}

function Navigation({ isWide, isRoomy }: { isWide: () => boolean; isRoomy: () => boolean }): Child {
  const isWithin = ({ href, leads = [] }: NavigationItem): boolean => [href, ...leads].some((one) => `${path()}/`.startsWith(`${one}/`));
  // What has no link of its own on a phone lies under the profile.
  const isCurrent = (item: NavigationItem): boolean => (
    isWithin(item) || (item.href === "/profil" && !isWide() && destinations().some((one) => one.wide && isWithin(one)))
  );
  return (
    <nav class="navigation" aria-label="Navigation principale">
      <div class="brand" aria-hidden="true"><Icon name="mark" /><span>LearnTrack</span></div>
      {() => (isRoomy() ? <Companies /> : null)}
      {() => (served().length < 2 ? null : (
        <button type="button" class="domain-switch" aria-label={() => `Domaine\u202f: ${domain()!.label}`} aria-haspopup="dialog" onclick={() => void later().then((module) => module.showDomains())}>
          {() => domain()!.label}
        </button>
      ))}
      <ul role="list">
        {each(destinations, (item) => item.href, (item) => (
          <li class={item().wide ? "wide-only" : null}>
            <a href={() => (path() !== item().href && (item().keeps || isWithin(item())) ? lastAddress(item().href) : item().href)}
              aria-current={() => (isCurrent(item()) ? "page" : null)}>
              <Icon name={item().icon} /><span>{item().label}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

interface StatusesProps {
  /** The words of the status "Synchronisation". */
  state: () => string;
  /** Whether writes wait: then the words lead to them. */
  isWaiting: () => boolean;
}

function Statuses({ state, isWaiting }: StatusesProps): Child {
  return (
    <div class="statuses">
      <div class={() => `sync${state() === "À jour" ? " quiet" : ""}`} role="status" aria-label="Synchronisation">
        {() => (!account() ? "" : isWaiting() ? <a href="/attente">{state}</a> : state())}
      </div>
      <div class="message" role="status" aria-label="Message">
        {() => {
          const said = message();
          return said === null ? null : <span class="message-text">{said.text}</span>;
        }}
      </div>
      {() => {
        const action = message()?.action;
        return action ? <button type="button" class="message-action" onclick={() => { silence(); action.run(); }}>{action.label}</button> : null;
      }}
      {() => {
        const failed = warning();
        return failed === null ? null : (
          <div class="warning">
            <div role="alert">{failed.text}</div>
            {failed.action ? <button type="button" onclick={() => { dismiss(); failed.action!.run(); }}>{failed.action.label}</button> : null}
            <button type="button" class="icon" aria-label="Fermer" onclick={dismiss}><Icon name="close" /></button>
          </div>
        );
      }}
      {() => (version.waiting() ? (
        <div class="warning version">
          <div role="status" aria-label="Nouvelle version">Une nouvelle version est prête.</div>
          <button type="button" onclick={version.accept}>Mettre à jour</button>
          <button type="button" class="icon" aria-label="Plus tard" onclick={version.later}><Icon name="close" /></button>
        </div>
      ) : null)}
    </div>
  );
}
