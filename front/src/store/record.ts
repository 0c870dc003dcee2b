// Single records. The first page does without.

import { ServiceError } from "learntrack";
import { signal, untracked, type Signal } from "view";
import { client } from "./client";
import { Question, question, type Live } from "./live";
import { savedId } from "./records";
import { referencesOf, tables, type AnyRow, type Entity, type Row } from "./rows";
import { drop, put, shown, writes } from "./tables";

export class OneRecord extends Question<AnyRow | null> {
  private readonly isMissing: Signal<boolean>;

  constructor(
    protected readonly entity: string, private readonly id: number,
    follows: ReadonlySet<string> = new Set([entity, ...Object.values(referencesOf(entity))]),
  ) {
    super(follows);
    // No record has such a number, which may stand in an address: the service would say what a number is.
    this.isMissing = signal(!id || !Number.isSafeInteger(id));
  }

  value(): AnyRow | null | undefined {
    const id = savedId(this.id);
    const row = shown(this.entity).get(id);
    if (row !== undefined) return row;
    const isDeleted = writes().some((one) => one.entity === this.entity && one.recordId === id && one.kind === "delete");
    return id < 0 || isDeleted || this.isMissing() ? null : undefined;
  }

  protected selection(): string | undefined {
    return tables.get(this.entity)?.select;
  }

  protected take(row: AnyRow): void {
    put(this.entity, [row]);
  }

  protected async ask(): Promise<void> {
    const id = untracked(() => savedId(this.id));
    if (id <= 0 || !Number.isSafeInteger(id)) return;
    try {
      this.take(await client.call(`${this.entity}.get` as "sessions.get", { id, select: this.selection() } as never) as unknown as AnyRow);
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
