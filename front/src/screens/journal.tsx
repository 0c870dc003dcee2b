// What was changed in all records, by whom, and when: for administrators.

import { computed, each, effect, Fragment, h, signal, untracked } from "view";
import type { Child } from "view";
import { ColumnValue, recordNames, targetOf } from "../parts/record-names";
import type { Names, Reference } from "../parts/record-names";
import { Empty, Failure, Outlines } from "../parts/list";
import { dropFalse, place, setQuery } from "../parts/place";
import type { Screen } from "../parts/shell";
import { ask, client, failureOf } from "../store";
import type { Failure as Failed } from "../store";
import { longDate, today } from "../words/dates";
import { instant } from "../words/instants";
import { changesOf, deed, entrySentence, entryWords, fileWords, nameIn, tableWords } from "../words/history";
import type { Entry } from "../words/history";
import { loadDomains } from "../store/declared";
import { learntTables } from "../words/declared";

const pageSize = 50;
const operations = [["create", "Créations"], ["update", "Modifications"], ["delete", "Suppressions"]] as const;
const ownTables = ["sessions", "formateurs", "clients", "ecoles", "programmes", "prospects", "relances", "signatures", "signatories", "users", "organisme"];

/** Those of other domains come behind. */
const shownTables = (): readonly string[] => [...new Set([...ownTables, ...learntTables().map(({ name }) => name)])];

export default function journal(): Screen {
  const entries = signal<readonly Entry[] | undefined>(undefined);
  const names = recordNames();
  const failed = signal<{ failure: Failed; after: string | null } | null>(null);
  const cursor = signal<string | null>(null);
  const users = ask("users/names", async () => (await client.users.list({ first: 500, order_by: ["username"] })).items);
  dropFalse({
    // The tables of other domains are known later.
    fiche: (text) => learntTables().length === 0 || shownTables().includes(text),
    action: (text) => operations.some(([name]) => name === text), par: (text) => /^\d{1,15}$/u.test(text),
  });
  const query = computed(() => {
    const { fiche, action, par } = place().query;
    return JSON.stringify({
      ...(fiche ? { table_name: fiche } : {}), ...(action ? { operation: action } : {}), ...(par ? { actor_id: Number(par) } : {}),
    });
  });
  const declared = loadDomains().catch(() => undefined);
  let turn = 0;
  const load = async (after: string | null): Promise<void> => {
    const mine = ++turn;
    failed.set(null);
    try {
      const [page] = await Promise.all([
        client.journal.list({ first: pageSize, after, where: JSON.parse(untracked(query)) as object, order_by: ["-id"] }), declared]);
      // Filters that changed meanwhile have their own answer.
      if (mine !== turn) return;
      const items = page.items as unknown as readonly Entry[];
      await names.load(items.flatMap(recordsIn));
      if (mine !== turn) return;
      entries.update((known) => (after === null ? items : [...(known ?? []), ...items]));
      cursor.set(page.has_next_page ? page.end_cursor : null);
    } catch (error) {
      if (mine !== turn) return;
      if (after === null) entries.set(undefined);
      failed.set({ failure: failureOf(error), after });
    }
  };
  effect(() => {
    query();
    void untracked(() => load(null));
  });
  /** The names of records in the entries of their deletions, by table and id. */
  const deleted = computed(() => new Map((entries() ?? []).filter(({ operation }) => operation === "delete")
    .map((entry) => [`${entry.table_name} ${entry.row_id}`, nameIn(entry)])));
  const days = computed(() => {
    const days: { day: string; entries: Entry[] }[] = [];
    // The words of other domains come later.
    learntTables();
    for (const entry of (entries() ?? []).map((one) => ({ ...one }))) {
      const day = today(new Date(entry.at));
      if (days[days.length - 1]?.day !== day) days.push({ day, entries: [] });
      days[days.length - 1]!.entries.push(entry);
    }
    return days;
  });
  return {
    heading: () => "Journal",
    body: (
      <div class="journal">
        <div class="toolbar">
          <Choice label="Fiches" name="fiche" all="Toutes" options={() => shownTables().map((table) => [table, tableWords(table)!.all])} />
          <Choice label="Action" name="action" all="Toutes" options={() => operations} />
          <Choice label="Par" name="par" all="Tout le monde"
            options={() => authors(users.value() ?? [])} />
        </div>
        {() => (entries() === undefined && !failed() ? <Outlines /> : null)}
        {() => (entries()?.length === 0 ? <div class="empty"><Empty text="Aucune entrée ne correspond à ces filtres." /></div> : null)}
        {each(days, (one) => one.day, (one) => (
          <section class="journal-day">
            <h2>{() => longDate(one().day)}</h2>
            <ul class="journal-entries" role="list" aria-label={() => longDate(one().day)}>
              {each(() => one().entries, (entry) => entry.id, (entry) => <Line entry={entry()} names={names.of} deleted={deleted} />)}
            </ul>
          </section>
        ))}
        {() => {
          const failure = failed();
          if (failure) return <Failure text={failure.failure.message} retry={() => void load(failure.after)} />;
          return cursor() === null
            ? null
            : <div class="more"><button type="button" onclick={() => void load(cursor())}>Afficher la suite</button></div>;
        }}
      </div>
    ),
  };
}

/** The names of accounts; equal ones with what tells them apart. */
export function authors(users: readonly { id: number; username: string | null; email: string }[]): [string, string][] {
  return users.map(({ id, username, email }) => {
    const isShared = users.some((other) => other.id !== id && other.username === username);
    return [String(id), username === null ? email : isShared ? `${username} (${email})` : username];
  });
}

interface ChoiceProps { label: string; name: string; all: string; options: () => readonly (readonly [string, string])[] }

function Choice({ label, name, all, options }: ChoiceProps): Child {
  const value = computed(() => place().query[name] ?? "");
  return (
    <label class="field">
      <span class="label">{label}</span>
      <select onchange={(event) => setQuery({ [name]: event.currentTarget.value })}>
        <option value="" selected={() => value() === ""}>{all}</option>
        {() => options().map(([key, words]) => <option value={key} selected={() => value() === key}>{words}</option>)}
      </select>
    </label>
  );
}

interface LineProps { entry: Entry; names: Names; deleted: () => ReadonlyMap<string, string | undefined> }

function Line({ entry, names, deleted }: LineProps): Child {
  const table = tableWords(entry.table_name);
  const found = computed(() => (table?.name && entry.row_id !== null ? names(entry.table_name, entry.row_id) ?? null : null));
  const known = (): string | undefined => found()?.name ?? deleted().get(`${entry.table_name} ${entry.row_id}`);
  // A table without names has one record, and its screen.
  const href = (): string | null => (table?.name ? found()?.href ?? null : table?.href?.({}) ?? null);
  const value = (column: string, one: unknown): Child => (
    <ColumnValue names={names} table={entry.table_name} column={column} value={one} shorten={sentenceOf} />
  );
  const changes = changesOf(entry);
  return (
    <li class="journal-entry">
      <span class={`journal-mark ${entry.operation}`} aria-hidden="true" />
      <div class="journal-words">
        <p>
          {() => {
            const screen = href();
            if (screen === null) return entrySentence(entry, known());
            return table?.name ? <>{entryWords(entry)} <a href={screen}>{known()}</a></> : <>{deed(entry)} <a href={screen}>{table!.one}</a></>;
          }}
          {" "}<time class="quiet-text small nowrap" datetime={entry.at}>{instant(entry.at).split(", ")[1]}</time>
        </p>
        {changes.length === 0 ? null : (
          <dl class="journal-changes">
            {changes.map((change) => (
              <div>
                <dt>{change.label}</dt>
                <dd>
                  {fileWords(change) ?? [
                    value(change.column, change.before),
                    <span aria-hidden="true"> → </span>, <span class="visually-hidden"> remplacé par </span>,
                    value(change.column, change.after),
                  ]}
                </dd>
              </div>
            ))}
          </dl>
        )}
      </div>
    </li>
  );
}

/** Long texts are cut: the journal says that they changed. */
function sentenceOf(text: string): string {
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

/** The records that an entry speaks of: its own, and those that changed columns refer to. */
function recordsIn(entry: Entry): Reference[] {
  const { table_name: table, row_id: id } = entry;
  const referred = changesOf(entry).flatMap(({ column, before, after }) => {
    const target = targetOf(table, column);
    return target === undefined ? [] : [before, after].flatMap((one): Reference[] => (typeof one === "number" ? [[target, one]] : []));
  });
  return [...(id !== null && tableWords(table)?.name ? [[table, id] as const] : []), ...referred];
}
