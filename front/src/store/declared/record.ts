// One record of any declared table, with its figures.

import { signal, type Signal } from "view";
import { areShown, followsOf, parted, wholeSelect, withFigures, type FiguresById } from "../figures";
import { question, type Live } from "../live";
import { anyRecord as plainRecord, OneRecord } from "../record";
import { tables, type AnyRow } from "../rows";

class FiguredRecord extends OneRecord {
  private readonly figures: Signal<FiguresById> = signal<FiguresById>(new Map());
  private last: { given: readonly unknown[]; row: AnyRow } | null = null;

  constructor(entity: string, id: number) {
    super(entity, id, followsOf(entity));
  }

  /** The same object while nothing changes. */
  override value(): AnyRow | null | undefined {
    const row = super.value();
    if (!row) return row;
    const given = [row, this.figures(), areShown(this.entity)];
    if (this.last === null || given.some((one, at) => one !== this.last?.given[at])) {
      this.last = { given, row: withFigures(this.entity, row, this.figures()) };
    }
    return this.last.row;
  }

  protected override take(row: AnyRow): void {
    const { rows, figures } = parted(this.entity, [row]);
    super.take(rows[0]!);
    this.figures.set(figures);
  }

  protected override selection(): string | undefined {
    return wholeSelect(this.entity);
  }
}

/** One record of any table; null if there is none with this id. Forms, which show no figures, ask for it without them. */
export function anyRecord(entity: string, id: number): Live<AnyRow | null> {
  if (tables.get(entity)?.figures === undefined) return plainRecord(entity, id);
  return question(`figures ${entity} ${id}`, () => new FiguredRecord(entity, id));
}
