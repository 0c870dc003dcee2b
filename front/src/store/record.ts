// Single records. The first page does without.

import { ServiceError } from "learntrack";
import { signal, untracked, type Signal } from "view";
import { client } from "./client";
import { areShown, followsOf, parted, wholeSelect, withFigures, type FiguresById } from "./figures";
import { Question, question, type Live } from "./live";
import { savedId } from "./records";
import type { AnyRow, Entity, Row } from "./rows";
import { drop, put, shown, writes } from "./tables";

class OneRecord extends Question<AnyRow | null> {
  private readonly isMissing: Signal<boolean>;
  private readonly figures: Signal<FiguresById> = signal<FiguresById>(new Map());
  private last: { given: readonly unknown[]; row: AnyRow } | null = null;

  constructor(private readonly entity: string, private readonly id: number) {
    super(followsOf(entity));
    // No record has such a number, which may stand in an address: the service would say what a number is.
    this.isMissing = signal(!id || !Number.isSafeInteger(id));
  }

  value(): AnyRow | null | undefined {
    const id = savedId(this.id);
    const row = shown(this.entity).get(id);
    if (row !== undefined) return this.whole(row);
    const isDeleted = writes().some((one) => one.entity === this.entity && one.recordId === id && one.kind === "delete");
    return id < 0 || isDeleted || this.isMissing() ? null : undefined;
  }

  /** With its figures; the same object while nothing changes. */
  private whole(row: AnyRow): AnyRow {
    const given = [row, this.figures(), areShown(this.entity)];
    if (this.last === null || given.some((one, at) => one !== this.last?.given[at])) {
      this.last = { given, row: withFigures(this.entity, row, this.figures()) };
    }
    return this.last.row;
  }

  protected async ask(): Promise<void> {
    const id = untracked(() => savedId(this.id));
    if (id <= 0 || !Number.isSafeInteger(id)) return;
    try {
      const row = await client.call(`${this.entity}.get` as "sessions.get", { id, select: wholeSelect(this.entity) } as never) as unknown;
      const { rows, figures } = parted(this.entity, [row as AnyRow]);
      put(this.entity, rows);
      this.figures.set(figures);
      this.isMissing.set(false);
    } catch (error) {
      if (!(error instanceof ServiceError && error.is("not_found"))) throw error;
      drop(this.entity, [id]);
      this.isMissing.set(true);
    }
  }
}

/** One record of any table; null if there is none with this id. */
export function anyRecord(entity: string, id: number): Live<AnyRow | null> {
  return question(`record ${entity} ${id}`, () => new OneRecord(entity, id));
}

/** One record; null if there is none with this id. */
export const record = anyRecord as unknown as <E extends Entity>(entity: E, id: number) => Live<Row<E> | null>;
