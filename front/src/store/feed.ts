// The change feed: one tab listens for all, keeps the device's copy up to date, and tells the others.

import { ChangesLostError, ServiceError } from "learntrack";
import { effect, untracked } from "view";
import { today } from "../words/dates";
import { account } from "./account";
import { client } from "./client";
import {
  deleteCopy, extent, flush, forgetCopy, isCopying, isListening, lose, readCopy, rewriteCopy, setExtent, tidyCopy, writeCopy,
} from "./copy";
import { contains, joined, keptDays, missingDays } from "./days";
import { openVault } from "./device";
import { askAgain, askFailed } from "./live";
import type { Days } from "./match";
import { isOnline, rested } from "./network";
import { fetchRows, loadDirectory, loadSessions } from "./records";
import { directories, followed, isEntity, tables, type AnyRow } from "./rows";
import { sendAll } from "./sending";
import { offlineCopy } from "./settings";
import { drop, isDeleted, put, saved } from "./tables";
import { isAwaited, locked, onMessage, post } from "./tabs";

interface Change {
  readonly table: string;
  readonly id: number;
  readonly op: "create" | "update" | "delete";
  readonly version: number | null;
}

/** What is loaded after LearnTrack's own tables. */
let further: () => readonly (() => Promise<void>)[] = () => [];

/** Copies other tables, too, as soon as this tab writes the copy. */
export function alsoCopy(steps: typeof further): void {
  further = steps;
  void listener?.fill();
}

/** Follows the feed while `signal` lasts, in the place of all tabs. */
class Listener {
  private waiting: Change[] = [];
  private cursor: string | null = null;
  private applying: Promise<void> = Promise.resolve();
  private isConnected = false;
  private connection = new AbortController();

  constructor(private readonly signal: AbortSignal) {
    signal.addEventListener("abort", () => this.connection.abort());
  }

  /** Connects at once, instead of after the pause that follows failures. */
  reconnect(): void {
    if (!this.isConnected) this.connection.abort();
  }

  async run(): Promise<void> {
    const tick = setInterval(() => void this.tick(), 20_000);
    try {
      while (!this.signal.aborted) {
        try {
          await this.listen();
        } catch (error) {
          if (error instanceof ChangesLostError) this.lost(error.cursor);
          else if (!this.signal.aborted) await pause(3_000, this.connection.signal);
        }
        if (this.connection.signal.aborted) this.connection = new AbortController();
      }
    } finally {
      clearInterval(tick);
      this.connected(false);
    }
  }

  private connected(is: boolean): void {
    this.isConnected = is;
    isListening.set(is);
    post({ kind: "copy", isListening: is, isWritten: false });
  }

  private async listen(): Promise<void> {
    const { signal } = this.connection;
    const start = untracked(extent).cursor;
    this.cursor = start;
    const onConnection = (is: boolean): void => {
      this.connected(is);
      if (!is) return void this.tick();
      if (untracked(extent).cursor === null) setExtent({ cursor: events.cursor });
      // The position was asked for meanwhile, and lies before that of this connection.
      else if (start === null) void this.ask();
    };
    const events = client.events({ after: start, signal, onConnection });
    void pause(300, signal).then(() => this.fill());
    for await (const change of events) {
      this.waiting.push(change);
      this.cursor = events.cursor;
      if (this.waiting.length === 1) setTimeout(() => this.apply(), 50);
    }
  }

  /** Takes the changes that have come: the rows first, then the cursor behind them. */
  private apply(): Promise<void> {
    this.applying = this.applying.then(async () => {
      const changes = this.waiting;
      const cursor = this.cursor;
      if (changes.length === 0 || this.signal.aborted) return;
      this.waiting = [];
      try {
        await take(changes);
        setExtent({ cursor });
      } catch {
        this.waiting = [...changes, ...this.waiting];
        setTimeout(() => void this.apply(), 3_000);
      }
    });
    return this.applying;
  }

  private polling: Promise<void> | null = null;

  private tick(): Promise<void> {
    void sendAll();
    if (this.isConnected && !untracked(isOnline)) probe();
    if (this.isConnected || untracked(extent).cursor === null) return this.fill();
    return this.ask();
  }

  /** Asks for what a connection would have brought. */
  private ask(): Promise<void> {
    this.polling ??= this.poll().finally(() => { this.polling = null; });
    return this.polling;
  }

  private async poll(): Promise<void> {
    try {
      for (;;) {
        const after = this.cursor ?? untracked(extent).cursor;
        if (after === null || this.signal.aborted) return;
        const page = await client.changes.list({ after, first: 500 });
        this.waiting.push(...page.items);
        this.cursor = page.end_cursor;
        if (page.items.length > 0) await this.apply();
        else if (this.waiting.length === 0) setExtent({ cursor: page.end_cursor });
        if (!page.has_next_page) return;
      }
    } catch (error) {
      if (!(error instanceof ServiceError && error.is("invalid_params"))) return;
      await client.changes.list().then((page) => this.lost(page.end_cursor)).catch(() => undefined);
    }
  }

  /** Changes are missing: everything is loaded again. */
  private lost(cursor: string): void {
    this.waiting = [];
    this.cursor = cursor;
    setExtent({ cursor, days: null, directories: [] });
    askAgain();
    post({ kind: "changes", tables: null });
    void this.fill();
  }

  private filling: Promise<void> | null = null;

  /** Loads what the copy does not have yet. */
  fill(): Promise<void> {
    this.filling ??= this.load().catch(() => {
      setTimeout(() => { if (!this.signal.aborted) void this.fill(); }, 3_000);
    }).finally(() => { this.filling = null; });
    return this.filling;
  }

  /** Whether what the first screen asked for is older than the position, and may lack what was changed in between. */
  private isBehind = false;

  private async load(): Promise<void> {
    this.isBehind ||= untracked(extent).days === null;
    if (untracked(extent).cursor === null) setExtent({ cursor: (await client.changes.list()).end_cursor });
    const { days: known, directories: loaded } = untracked(extent);
    const days = keptDays(today());
    const [first, ...others] = contains(known, days) ? [] : missingDays(known, days, today());
    const sessions = (part: Days) => async (): Promise<void> => {
      await loadSessions(part);
      if (!this.signal.aborted) setExtent({ days: joined(untracked(extent).days, part) });
    };
    const steps = [
      ...(first ? [sessions(first)] : []),
      // Those that the first screen loaded too: what the feed keeps up is not asked for again.
      ...directories.filter((entity) => this.isBehind || !loaded.includes(entity)).map((entity) => () => loadDirectory(entity)),
      ...others.map(sessions),
    ];
    // What this tab loaded before it wrote the copy may be all there is.
    if (steps.length === 0 && further().length === 0 && !untracked(isCopying)) return;
    for (const step of steps) {
      await step();
      if (this.signal.aborted) return;
    }
    if (first) {
      setExtent({ days });
      await tidyCopy();
    }
    if (this.isBehind) askAgain();
    this.isBehind = false;
    for (const step of further()) {
      if (this.signal.aborted) return;
      await step();
    }
    await flush();
    post({ kind: "copy", isListening: this.isConnected, isWritten: true });
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => resolve());
  });
}

/** The ids of each table that changed, without what is known already, and without what the device does not keep. */
function news(changes: readonly Change[]): ReadonlyMap<string, ReadonlySet<number>> {
  const found = new Map<string, Set<number>>();
  for (const { table, id, op, version } of changes) {
    if (!tables.has(table)) continue;
    const row = untracked(() => saved(table)).get(id);
    if (op === "delete" ? isDeleted(table, id) : row !== undefined && version !== null && row.version >= version) continue;
    const ids = found.get(table) ?? new Set();
    found.set(table, row !== undefined || followed.has(table) ? ids.add(id) : ids);
  }
  return found;
}

/** Takes changes of the feed: the rows that the device keeps are asked for, and the screens that show others are told. */
export async function take(changes: readonly Change[]): Promise<void> {
  const found = news(changes);
  for (const [entity, ids] of found) {
    await fetchRows(entity, [...ids]);
    const now = untracked(() => saved(entity));
    const rows = [...ids].map((id) => now.get(id)).filter((row): row is AnyRow => row !== undefined);
    post({ kind: "rows", entity, rows, gone: [...ids].filter((id) => !now.has(id)) });
  }
  // LearnTrack's own that are known were asked for again when they became known. Rows of others may have come with a copy.
  const names = [...new Set(changes.map((one) => one.table))].filter((table) => !isEntity(table) || found.has(table));
  if (names.length === 0) return;
  // The position passes changes of tables that are on the device, and that nobody has declared or read in this page yet.
  const lost = names.filter((name) => !followed.has(name));
  lose(lost);
  askAgain(names);
  post({ kind: "changes", tables: names, lost });
}

onMessage("rows", ({ entity, rows, gone }) => {
  put(entity, rows);
  drop(entity, gone);
});
onMessage("changes", ({ tables: names, lost = [] }) => {
  lose(lost);
  askAgain(names ?? undefined);
});
onMessage("copy", ({ isListening: is, isWritten }) => {
  if (is !== untracked(isListening)) probe();
  isListening.set(is);
  if (isWritten) void readCopy();
});

let listener: Listener | null = null;

/** Finds out by a request whether there is a network. */
function probe(): void {
  if (untracked(account)) client.changes.list().catch(() => undefined);
}

async function lead(signal: AbortSignal): Promise<void> {
  // A new copy begins with what comes on the screen. One that is there is read again, and does not keep the first screen waiting.
  if (untracked(extent).days !== null) await rested;
  // What another tab wrote after this one started is newer than what this one has.
  if (openVault() !== null) await readCopy();
  writeCopy(true);
  await rested;
  listener = new Listener(signal);
  try {
    await listener.run();
  } finally {
    await flush();
    listener = null;
    writeCopy(false);
  }
}

onMessage("hello", () => {
  if (listener === null) return;
  void flush().then(() => post({ kind: "copy", isListening: untracked(isListening), isWritten: true }));
});

/** Listens, or waits for the tab that does, while an account is signed in. */
export function followFeed(): void {
  let turn: AbortController | null = null;
  const begin = (): void => {
    const mine = (turn = new AbortController());
    void locked("feed", () => lead(mine.signal), { signal: mine.signal }).catch(() => undefined);
  };
  const end = (): void => {
    turn?.abort();
    turn = null;
  };
  let id: number | null = null;
  effect(() => {
    const next = account()?.id ?? null;
    if (next === id) return;
    id = next;
    end();
    if (next === null) forgetCopy();
    else {
      post({ kind: "hello" });
      begin();
      void sendAll();
    }
  });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") {
      listener?.reconnect();
      void sendAll();
    } else if (listener !== null) {
      // A tab that is seen listens sooner than one that may be put to sleep.
      void isAwaited("feed").then((is) => {
        if (!is || document.visibilityState === "visible" || turn === null) return;
        end();
        begin();
      });
    }
  });
  window.addEventListener("offline", probe);
  window.addEventListener("online", () => {
    probe();
    listener?.reconnect();
    void sendAll();
  });
  effect(() => {
    if (!isOnline()) return;
    void sendAll();
    askFailed();
    listener?.reconnect();
  });
  let isKept = untracked(offlineCopy);
  effect(() => {
    if (offlineCopy() === isKept) return;
    isKept = !isKept;
    void (isKept ? rewriteCopy() : deleteCopy()).catch(() => undefined);
  });
}
