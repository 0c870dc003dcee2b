// Lists of any declared entity, page by page: rows of a table by their ids, rows of a view as they were answered.

import { signal, untracked, type Signal } from "view";
import { areShown, figuredPage, followsOf, parted, withFigures, type FiguresById } from "../figures";
import { forgetUnused, Question, question, questions, type Live } from "../live";
import { savedId, type Page } from "../records";
import { followed, type AnyRow, type Values } from "../rows";
import { arrivedBefore, arrivedSince, hidden, put, saved, shown, trim, writes } from "../tables";
import { declaredTable, isWhole } from "./declare";
import { comparison } from "./match";

export interface PagesRequest {
  readonly where?: Values | undefined;
  readonly search?: string | null | undefined;
  readonly order_by?: readonly string[] | undefined;
  /** What a view is asked with. */
  readonly parameters?: Values | undefined;
  /**
   * Whether a row that the service has not named is among them: one that waits to be created, and without a network those of a table
   * that the device has as a whole. It follows from `where` and `search`, which `matcher` reads.
   */
  readonly matches?: ((row: AnyRow) => boolean) | undefined;
}

export interface PageList extends Live<readonly AnyRow[]> {
  /** How many there are, also those that are not loaded; null while it is not known. */
  count(): number | null;
  hasMore(): boolean;
  /** Loads the next hundred, or this many. */
  more(length?: number): Promise<void>;
  /** Whether nothing is missing: the device has all of them, or the service has answered. */
  isComplete(): boolean;
}

interface Answered {
  /** In the order of the service; of a view the rows stand beside them. */
  readonly ids: readonly number[];
  readonly known: ReadonlySet<number>;
  readonly rows: readonly AnyRow[];
  readonly figures: FiguresById;
  readonly cursor: string | null;
  readonly hasMore: boolean;
  readonly total: number | null;
}

const pageSize = 100;
const noRows: readonly AnyRow[] = [];
/** The rows in memory above which those that no list shows are forgotten. */
const memoryLimit = 4_000;

class Pages extends Question<readonly AnyRow[]> implements PageList {
  private readonly answered: Signal<Answered | null> = signal<Answered | null>(null);
  private readonly wanted: Signal<number> = signal(pageSize);
  private readonly isView: boolean;
  private readonly params: Values;
  private readonly matches: (row: AnyRow) => boolean;
  /** The records that were created here since the last answer: they stay in their place when they are saved. */
  private made: readonly number[] = [];
  private last: { given: readonly unknown[]; rows: readonly AnyRow[] } | null = null;
  private loading: Promise<void> | null = null;

  constructor(readonly entity: string, private readonly request: PagesRequest) {
    const isView = declaredTable(entity)?.isView ?? false;
    // The declaration does not say what a view reads: any change may concern it.
    super(isView ? new Set() : followsOf(entity));
    this.isView = isView;
    this.params = paramsOf(request);
    this.matches = request.matches ?? (() => this.takesAll());
  }

  private takesAll(): boolean {
    return !("where" in this.params) && !("search" in this.params);
  }

  /** Whether the device can answer in the place of the service. */
  private isKnown(): boolean {
    return !this.isView && (this.takesAll() || this.request.matches !== undefined) && isWhole(this.entity);
  }

  isComplete(): boolean {
    return this.answered() !== null || this.isKnown();
  }

  private all(): readonly AnyRow[] {
    const answered = this.answered();
    if (this.isView) return answered?.rows ?? noRows;
    const given = [answered, shown(this.entity), writes(), hidden(this.entity), this.isKnown(), areShown(this.entity)];
    if (this.last === null || given.some((one, at) => one !== this.last?.given[at])) this.last = { given, rows: this.rows(answered) };
    return this.last.rows;
  }

  private rows(answered: Answered | null): readonly AnyRow[] {
    const rows = shown(this.entity);
    const left = hidden(this.entity);
    for (const { entity, kind, recordId, problem } of writes()) {
      if (entity === this.entity && kind === "create" && problem === null && !this.made.includes(recordId)) this.made = [...this.made, recordId];
    }
    const first = [...new Set(this.made.map(savedId))].flatMap((id) => rows.get(id) ?? []).filter((row) =>
      !answered?.known.has(row.id) && !left.has(row.id) && this.matches(row));
    if (answered !== null) return [...first, ...answered.ids.flatMap((id) => {
      const row = rows.get(id);
      return row === undefined ? [] : withFigures(this.entity, row, answered.figures);
    })];
    if (!this.isKnown()) return first;
    const others = [...rows.values()].filter((row) => !first.includes(row) && !left.has(row.id) && this.matches(row));
    return [...first, ...others.sort(comparison(this.request.order_by ?? []))];
  }

  value(): readonly AnyRow[] | undefined {
    const rows = this.all();
    if (this.answered() !== null) return rows;
    return this.isKnown() ? rows.slice(0, this.wanted()) : undefined;
  }

  count(): number | null {
    if (this.value() === undefined) return null;
    const [rows, answered] = [this.all(), this.answered()];
    if (answered === null || !answered.hasMore || answered.total === null) return rows.length;
    return answered.total + rows.length - answered.known.size;
  }

  hasMore(): boolean {
    const answered = this.answered();
    return answered === null ? this.isKnown() && this.all().length > this.wanted() : answered.hasMore;
  }

  more(length: number = pageSize): Promise<void> {
    if (untracked(this.answered) === null) {
      this.wanted.update((before) => before + length);
      return Promise.resolve();
    }
    this.loading ??= this.next(length).finally(() => { this.loading = null; });
    return this.loading;
  }

  private async next(length: number): Promise<void> {
    for (;;) {
      const before = untracked(this.answered);
      if (before === null || !before.hasMore) return;
      const page = await figuredPage(this.entity, { ...this.params, first: length, after: before.cursor });
      // The list was asked for anew meanwhile, so these rows may not follow its last one.
      if (untracked(this.answered) === before) return this.take(page.items, page, before);
    }
  }

  protected async ask(): Promise<void> {
    const began = arrivedBefore();
    // What is loaded meanwhile is asked for, too: the list would lose it. One that is there to its end may have become longer.
    const loaded = (): number => {
      const { known: { size }, hasMore } = untracked(this.answered) ?? { known: { size: 0 }, hasMore: true };
      return hasMore ? size : size + pageSize;
    };
    const rows: AnyRow[] = [];
    let page = null as Page | null;
    let total: number | undefined;
    do {
      const first = Math.min(500, Math.max(pageSize, loaded() - rows.length));
      const after: { after?: string | null } = page === null ? {} : { after: page.end_cursor };
      page = await figuredPage(this.entity, { ...this.params, first, ...after, ...(page === null ? { count: true } : {}) });
      total ??= page.total;
      rows.push(...page.items);
    } while (page.has_next_page && rows.length < loaded());
    // A record that was saved after the question is not in the answer.
    this.made = this.made.filter((one) => untracked(() => savedId(one)) === one || arrivedSince(this.entity, untracked(() => savedId(one)), began));
    this.take(rows, { ...page, total: total ?? rows.length }, null);
  }

  private take(items: readonly AnyRow[], page: Page, before: Answered | null): void {
    const { rows, figures } = this.isView ? { rows: items, figures: new Map<number, Values>() } : parted(this.entity, items);
    if (!this.isView) put(this.entity, rows);
    const ids = [...new Set([...(before?.ids ?? []), ...items.map((row) => row.id)])];
    this.answered.set({
      ids, known: new Set(ids), rows: this.isView ? [...(before?.rows ?? []), ...rows] : noRows,
      figures: new Map([...(before?.figures ?? []), ...figures]),
      cursor: page.end_cursor ?? before?.cursor ?? null, hasMore: page.has_next_page, total: page.total ?? before?.total ?? null,
    });
    if (!this.isView && !followed.has(this.entity) && untracked(() => saved(this.entity)).size > memoryLimit) forgetOthers(this.entity);
  }

  has(id: number): boolean {
    return untracked(this.answered)?.known.has(id) ?? false;
  }
}

/** Forgets the rows that no list has. */
function forgetOthers(entity: string): void {
  forgetUnused();
  const lists = questions().filter((one): one is Pages => one instanceof Pages && one.entity === entity);
  trim(entity, (row) => lists.some((one) => one.has(row.id)));
}

/** The parameters of the call, without those that say nothing: an entity without a search does not take one. */
function paramsOf({ where = {}, search, order_by = [], parameters = {} }: PagesRequest): Values {
  return {
    ...parameters, ...(Object.keys(where).length > 0 ? { where } : {}), ...(search?.trim() ? { search: search.trim() } : {}),
    ...(order_by.length > 0 ? { order_by } : {}),
  };
}

/** The rows of an entity that a request takes, page by page. The entity has to be declared. */
export function pagesOf(entity: string, request: PagesRequest = {}): PageList {
  return question(`pages ${entity} ${JSON.stringify(paramsOf(request))}`, () => new Pages(entity, request));
}
