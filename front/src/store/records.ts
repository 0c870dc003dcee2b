// Directories and lists of sessions.

import { signal, untracked, type Signal } from "view";
import { today } from "../words/dates";
import { compareNames } from "../words/sentences";
import { client } from "./client";
import { extent, isCovered, isListening, setExtent } from "./copy";
import { entryOf, keptDays } from "./days";
import { forgetUnused, Question, question, questions, type Live } from "./live";
import { comparison, keyOf, matcher, request, type Days, type SessionFilter } from "./match";
import { tables, type AnyRow, type Directory, type Row, type SessionRow } from "./rows";
import { arrivedBefore, arrivedSince, drop, hidden, put, saved, savedIds, shown, trim, writes } from "./tables";

export interface Page {
  items: AnyRow[];
  end_cursor: string | null;
  has_next_page: boolean;
  total?: number;
}

/** A page of any entity, with the store's selection. */
export function list(entity: string, params: object): Promise<Page> {
  return client.call(`${entity}.list` as "sessions.list", { ...params, select: tables.get(entity)?.select } as object) as Promise<unknown> as Promise<Page>;
}

/** All records of a list, in the order of the service. */
async function listWhole(entity: string, params: object): Promise<AnyRow[]> {
  const rows: AnyRow[] = [];
  for (let after: string | null = null; ;) {
    const page: Page = await list(entity, { ...params, first: 500, after });
    rows.push(...page.items);
    if (!page.has_next_page) return rows;
    after = page.end_cursor;
  }
}

/** The records with these ids; those that are not among them do not exist. */
export async function fetchRows(entity: string, ids: readonly number[]): Promise<void> {
  for (let start = 0; start < ids.length; start += 500) {
    const some = ids.slice(start, start + 500);
    const { items } = await list(entity, { where: { id: { in: some } }, first: 500 });
    put(entity, items);
    drop(entity, some.filter((id) => !items.some((row) => row.id === id)));
  }
}

function nameOf(entity: Directory, row: AnyRow): string {
  if (entity === "formateurs") return `${String(row["nom"])}\n${String(row["prenom"])}`;
  return String(entity === "clients" ? row["raison_sociale"] : row["nom"]);
}

/**
 * Takes all rows that the service has of those in `scope`. Others that were known there are asked for: they are gone, or
 * have moved from one page to another between two answers.
 */
async function replace(entity: string, rows: readonly AnyRow[], began: number, scope: (row: AnyRow) => boolean): Promise<void> {
  const ids = new Set(rows.map((row) => row.id));
  const missing = [...untracked(() => saved(entity)).values()].filter(
    (row) => scope(row) && !ids.has(row.id) && !arrivedSince(entity, row.id, began));
  put(entity, rows);
  await fetchRows(entity, missing.map((row) => row.id));
}

/** Loads a whole table; the feed keeps it complete from then on. */
export async function loadDirectory(entity: string): Promise<void> {
  const began = arrivedBefore();
  await replace(entity, await listWhole(entity, {}), began, () => true);
  const { directories } = untracked(extent);
  if (!directories.includes(entity)) setExtent({ directories: [...directories, entity] });
}

/** Loads the sessions of some days. */
export async function loadSessions({ from, to }: Days): Promise<void> {
  const began = arrivedBefore();
  const rows = await listWhole("sessions", { where: { date: { gte: from, lte: to } }, order_by: ["date"] });
  await replace("sessions", rows, began, ({ date }) => String(date) >= from && String(date) <= to);
}

class WholeTable extends Question<readonly AnyRow[]> {
  private last: {
    rows: ReadonlyMap<number, AnyRow>; left: ReadonlySet<number>; sorted: readonly AnyRow[];
  } | null = null;

  constructor(private readonly entity: Directory) {
    super(new Set([entity]));
  }

  value(): readonly AnyRow[] | undefined {
    const rows = shown(this.entity);
    if (!extent().directories.includes(this.entity) && (rows.size === 0 || this.failure() === null)) return undefined;
    const left = hidden(this.entity);
    if (this.last?.rows !== rows || this.last.left !== left) {
      const compare = (one: AnyRow, other: AnyRow): number =>
        compareNames(nameOf(this.entity, one), nameOf(this.entity, other)) || one.id - other.id;
      this.last = { rows, left, sorted: [...rows.values()].filter(({ id }) => !left.has(id)).sort(compare) };
    }
    return this.last.sorted;
  }

  protected override isKeptUp(): boolean {
    return isListening() && extent().directories.includes(this.entity);
  }

  protected ask(): Promise<void> {
    return loadDirectory(this.entity);
  }
}

/** A table as a whole, sorted by name as French names are. */
export function directory<E extends Directory>(entity: E): Live<readonly Row<E>[]> {
  return question(`directory ${entity}`, () => new WholeTable(entity)) as unknown as Live<readonly Row<E>[]>;
}

export interface SessionList extends Live<readonly SessionRow[]> {
  /** How many there are, also those that are not loaded; null while it is not known. */
  count(): number | null;
  hasMore(): boolean;
  /** Loads the next hundred, or this many. */
  more(length?: number): Promise<void>;
  /** Whether nothing is missing: the device has all of them, or the service has answered. */
  isComplete(): boolean;
}

/** The days of which the device has all sessions; null before they are loaded. */
export const keptSessions = (): Days | null => extent().days;

interface Answered {
  readonly ids: ReadonlySet<number>;
  readonly last: SessionRow | null;
  readonly cursor: string | null;
  readonly hasMore: boolean;
  readonly total: number | null;
  /** What arrived later is not in the answer. */
  readonly moment: number;
}

const pageSize = 100;
/** The sessions in memory above which those that are far from today are forgotten. */
const memoryLimit = 4_000;

class Sessions extends Question<readonly SessionRow[]> implements SessionList {
  private readonly answered: Signal<Answered | null> = signal<Answered | null>(null);
  private readonly matches: (row: SessionRow) => boolean;
  private readonly compare: (one: SessionRow, other: SessionRow) => number;
  private last: { given: readonly unknown[]; rows: readonly SessionRow[] } | null = null;
  private readonly wanted: Signal<number> = signal(pageSize);
  private part: { rows: readonly SessionRow[]; first: readonly SessionRow[] } | null = null;
  private loading: Promise<void> | null = null;

  constructor(private readonly filter: SessionFilter) {
    super(new Set(["sessions"]));
    this.matches = matcher(filter);
    this.compare = comparison(filter);
  }

  /** Whether the device has all of them, so that the answer adds none. */
  private isWhole(): boolean {
    return !this.filter.search?.trim() && isCovered(this.filter);
  }

  isComplete(): boolean {
    return this.isWhole() || this.answered() !== null;
  }

  private all(): readonly SessionRow[] {
    const answered = this.answered();
    const isWhole = this.isWhole();
    const given = [shown("sessions"), answered, writes(), hidden("sessions"), isWhole];
    if (this.last === null || given.some((one, at) => one !== this.last?.given[at])) {
      this.last = { given, rows: this.rows(isWhole ? null : answered) };
    }
    return this.last.rows;
  }

  /** How many are shown of those that the device has. What was loaded before it had all stays. */
  private reach(): number {
    return Math.max(this.wanted(), this.answered()?.ids.size ?? 0);
  }

  value(): readonly SessionRow[] | undefined {
    const rows = this.all();
    if (this.isWhole()) {
      const length = Math.min(this.reach(), rows.length);
      if (this.part?.rows !== rows || this.part.first.length !== length) {
        this.part = { rows, first: length < rows.length ? rows.slice(0, length) : rows };
      }
      return this.part.first;
    }
    // Without an answer, what the copy has is shown at once, and what is known by chance when there is no more to come.
    const isKnown = rows.length > 0 && (isCovered(this.filter) || this.failure() !== null);
    return this.answered() !== null || isKnown ? rows : undefined;
  }

  private rows(answered: Answered | null): readonly SessionRow[] {
    const waiting = new Set(writes().filter((one) => one.entity === "sessions").map((one) => one.recordId));
    const left = hidden("sessions");
    const taken: SessionRow[] = [];
    for (const row of shown("sessions").values() as IterableIterator<unknown> as IterableIterator<SessionRow>) {
      if (left.has(row.id)) continue;
      const isLater = answered === null || waiting.has(row.id) || arrivedSince("sessions", row.id, answered.moment);
      if (!isLater) {
        if (answered.ids.has(row.id)) taken.push(row);
      } else if (this.matches(row) && (answered === null || answered.ids.has(row.id) || this.isReached(row, answered))) {
        taken.push(row);
      }
    }
    return taken.sort(this.compare);
  }

  /** Whether the pages that were loaded would have the row. */
  private isReached(row: SessionRow, { hasMore, last }: Answered): boolean {
    return !hasMore || last === null || this.compare(row, last) <= 0;
  }

  count(): number | null {
    if (this.value() === undefined) return null;
    const [rows, answered] = [this.all(), this.answered()];
    if (this.isWhole() || answered === null || !answered.hasMore || answered.total === null) return rows.length;
    return answered.total + rows.length - answered.ids.size;
  }

  hasMore(): boolean {
    return this.isWhole() ? this.all().length > this.reach() : this.answered()?.hasMore ?? false;
  }

  more(length: number = pageSize): Promise<void> {
    if (untracked(() => this.isWhole())) {
      this.wanted.set(untracked(() => this.reach()) + length);
      return Promise.resolve();
    }
    this.loading ??= this.next(length);
    return this.loading;
  }

  private async next(length: number): Promise<void> {
    const found = await this.following(length).finally(() => { this.loading = null; });
    // Whoever follows the list may ask for the page after this one at once.
    if (found) this.take(found.page.items, found.page, found.before);
  }

  private async following(length: number): Promise<{ page: Page; before: Answered } | null> {
    for (;;) {
      const before = untracked(this.answered);
      if (before === null || !before.hasMore) return null;
      const page = await list("sessions", { ...request(this.filter), first: length, after: before.cursor });
      if (untracked(this.answered) === before) return { page, before };
      // The list was asked for anew meanwhile, so these rows may not follow its last one.
    }
  }

  protected async ask(): Promise<void> {
    const began = arrivedBefore();
    // What is loaded meanwhile is asked for, too: the list would lose it.
    const loaded = (): number => untracked(this.answered)?.ids.size ?? 0;
    const rows: AnyRow[] = [];
    let page = null as Page | null;
    let total: number | undefined;
    do {
      const first = Math.min(500, Math.max(pageSize, loaded() - rows.length));
      const after: string | null = page?.end_cursor ?? null;
      page = await list("sessions", { ...request(this.filter), first, after, count: page === null });
      total ??= page.total;
      rows.push(...page.items);
    } while (page.has_next_page && rows.length < loaded());
    this.take(rows, { ...page, total: total ?? rows.length }, null);
    await this.verify(began);
  }

  /** Asks for what the service should have named, and did not: it was changed or deleted. */
  private async verify(began: number): Promise<void> {
    const answered = untracked(this.answered);
    if (answered === null || this.filter.search?.trim()) return;
    const rows = [...untracked(() => saved("sessions")).values()] as unknown as SessionRow[];
    const missing = rows.filter((row) => this.matches(row) && !answered.ids.has(row.id)
      && this.isReached(row, answered) && !arrivedSince("sessions", row.id, began));
    if (missing.length > 0) await fetchRows("sessions", missing.map((row) => row.id));
  }

  /** What is on screen of it. */
  has(id: number): boolean {
    return untracked(this.answered)?.ids.has(id) ?? false;
  }

  private take(rows: readonly AnyRow[], page: Page, before: Answered | null): void {
    const last = rows[rows.length - 1] as unknown as SessionRow | undefined;
    const ids = new Set([...(before?.ids ?? []), ...rows.map((row) => row.id)]);
    put("sessions", rows);
    this.answered.set({
      ids, last: last ?? before?.last ?? null, cursor: page.end_cursor ?? before?.cursor ?? null,
      hasMore: page.has_next_page, total: page.total ?? before?.total ?? null, moment: arrivedBefore(),
    });
    if (untracked(() => saved("sessions")).size > memoryLimit) forgetFarSessions();
  }
}

/** Forgets the sessions that neither the screen nor the device's copy has. */
function forgetFarSessions(): void {
  forgetUnused();
  const lists = questions().filter((one): one is Sessions => one instanceof Sessions);
  const days = keptDays(today());
  trim("sessions", (row) => entryOf("sessions", row, days) !== null || lists.some((one) => one.has(row.id)));
}

/** The sessions that a filter takes, page by page. */
export function sessionsOf(filter: SessionFilter): SessionList {
  return question(`sessions ${keyOf(filter)}`, () => new Sessions(filter));
}

/** The id that a record has now: that of the service once a temporary record is saved. */
export function savedId(id: number): number {
  return savedIds().get(id) ?? id;
}
