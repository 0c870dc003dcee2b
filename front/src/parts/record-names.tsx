// The names of the records that others refer to: in the journal, in histories, in the list of what waits.

import { h, signal, untracked } from "view";
import type { Child } from "view";
import { client, isPassing } from "../store";
import { selection } from "../store/declared/tables";
import { referencesOf } from "../store/rows";
import type { AnyRow, Values } from "../store/rows";
import { shown } from "../store/tables";
import { fieldOf, learnt } from "../words/declared";
import { tableWords, valueWords } from "../words/history";
import { titleOf } from "../words/titles";

/** `href`: its page, if it has one. */
export interface Named { readonly name: string; readonly href: string | null }

/** The name of a record; undefined: not known yet, null: the record cannot be read, as one that was deleted. */
export type Names = (table: string, id: number) => Named | null | undefined;

export interface RecordNames {
  of: Names;
  /** Reads some before the lines that have them are shown, so that no line changes under the eyes. */
  load(records: Iterable<Reference>): Promise<void>;
}

export type Reference = readonly [table: string, id: number];

/** What names the records of LearnTrack's own tables, which have words of their own in histories. */
const selections: Readonly<Record<string, string>> = {
  sessions: "{ id module }", formateurs: "{ id prenom nom }", clients: "{ id raison_sociale }", ecoles: "{ id nom }",
  programmes: "{ id intitule }", prospects: "{ id raison_sociale }", users: "{ id username email }",
  relances: "{ id date prospect { id raison_sociale } }", signatures: "{ id name method params }",
  signatories: "{ id name signature { method params } }",
};

/** As many as one call answers. */
const most = 500;

/** null: the account may not list the table. Undefined: it is not known yet whether it may. */
function selectOf(table: string): string | null | undefined {
  const entity = learnt(table);
  if (table in selections) return entity === undefined || entity.methods.includes("list") ? selections[table] : null;
  if (entity === undefined) return undefined;
  return entity.methods.includes("list") ? `{ ${selection(entity.title)} }` : null;
}

function namedBy(table: string, row: Values): Named {
  const [words, entity] = [tableWords(table), learnt(table)];
  const own = table in selections ? words?.name?.(row) : undefined;
  const name = own ? String(own) : titleOf(entity ?? { title: [] }, row);
  return { name, href: entity === undefined || entity.methods.includes("get") ? words?.href?.(row) ?? null : null };
}

/**
 * What the device has is named at once. All others that the lines of a page ask for at a time are read in one request. The answer
 * belongs to the component that calls it.
 */
export function recordNames(): RecordNames {
  const found = signal<ReadonlyMap<string, Named | null>>(new Map());
  const asked = new Set<string>();
  let wanted = new Map<string, Set<number>>();
  const read = async (): Promise<void> => {
    const all = [...wanted];
    wanted = new Map();
    const answers = await client.batch((calls) => all.map(([table, ids]) =>
      (calls.call as (method: string, params: object) => Promise<{ items: readonly AnyRow[] }>).call(calls, `${table}.list`,
        { where: { id: { in: [...ids].slice(0, most) } }, first: most, select: untracked(() => selectOf(table)) })
        // What the service refuses to read has no names. Without an answer one asks again when the line is drawn anew.
        .then(({ items }) => items, (error: unknown) => (isPassing(error) ? null : []))));
    found.update((before) => {
      const after = new Map(before);
      for (const [at, [table, ids]] of all.entries()) {
        const answer = answers[at];
        const rows = new Map(answer?.map((row) => [row.id, row]));
        for (const id of ids) {
          const key = `${table} ${id}`;
          if (answer === null) asked.delete(key);
          else after.set(key, rows.has(id) ? untracked(() => namedBy(table, rows.get(id)!)) : null);
        }
      }
      return after;
    });
  };
  let reading: Promise<void> = Promise.resolve();
  const of: Names = (table, id) => {
    const row = shown(table).get(id);
    if (row !== undefined) return namedBy(table, row);
    const key = `${table} ${id}`;
    const named = found().get(key);
    if (named !== undefined || asked.has(key)) return named;
    const select = selectOf(table);
    if (typeof select !== "string") return select;
    asked.add(key);
    if (wanted.size === 0) reading = Promise.resolve().then(read);
    wanted.set(table, (wanted.get(table) ?? new Set()).add(id));
    return undefined;
  };
  return {
    of,
    load: (records) => {
      untracked(() => { for (const [table, id] of records) of(table, id); });
      return reading;
    },
  };
}

/** The table whose records a column names. */
export const targetOf = (table: string, column: string): string | undefined => fieldOf(table, column)?.target ?? referencesOf(table)[column];

interface ColumnValueProps { names: Names; table: string; column: string; value: unknown; shorten?: (text: string) => string }

/** A value of a column as people read it: what refers to a record says its title, and leads there. */
export function ColumnValue({ names, table, column, value, shorten = (text) => text }: ColumnValueProps): Child {
  return () => {
    const target = typeof value === "number" ? targetOf(table, column) : undefined;
    const named = target === undefined ? null : names(target, value as number);
    if (named?.href) return <a href={named.href}>{shorten(named.name)}</a>;
    return shorten(valueWords(column, value, () => named?.name, table));
  };
}
