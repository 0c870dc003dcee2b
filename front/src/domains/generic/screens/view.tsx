// A view of any domain: its parameters, its rows as a table, and a curve where they follow a time.

import { computed, each, h, onCleanup, signal, untracked } from "view";
import type { Child } from "view";
import { Empty, Failure, Outlines } from "../../../parts/list";
import { filtersOf } from "../../../parts/place";
import type { Screen } from "../../../parts/shell";
import type { Entity, Field } from "../../../store/declared";
import type { AnyRow } from "../../../store/rows";
import { addDays, today } from "../../../words/dates";
import { count } from "../../../words/sentences";
import { FieldValue } from "../parts/facts";
import { Parameters, problemsAt } from "../parts/parameters";
import { Line } from "../parts/line";
import { momentOf } from "../parts/typing";
import { WideTable } from "../parts/wide-table";
import { addressOf, domainOf, pages } from "../parts/records";
import { listName, none } from "../../../words/nouns";

export function viewScreen(entity: Entity): Screen {
  const domain = domainOf(entity);
  return {
    heading: () => listName(entity),
    class: "generic-list",
    up: { href: () => `/${domain.name}`, label: domain.label },
    body: <ViewRows entity={entity} />,
  };
}

function ViewRows({ entity }: { entity: Entity }): Child {
  const filters = filtersOf(addressOf(entity));
  const given = computed(() => parametersOf(entity, filters.values()));
  const missing = computed(() => (entity.parameters ?? []).filter(({ name, required }) => required && given()[name] === undefined));
  const found = computed(() => (missing().length > 0 ? null : pages(entity, { parameters: given() })));
  const columns = [...entity.columns, ...entity.derived].filter(({ name, hidden }) => name !== "id" && hidden !== true);
  const errors = computed(() => problemsAt(entity.parameters ?? [], found()?.failure()?.error));
  const results = (): string => {
    const number = found()?.count() ?? null;
    return number === null ? "" : count(number, entity.singular, entity.plural);
  };
  // An answer that follows another one changes the rows, and leaves the table with its place.
  const state = computed(() => {
    const live = found();
    if (live === null) return "unasked";
    const rows = live.value();
    return rows !== undefined ? (rows.length === 0 ? "empty" : "rows") : live.failure() === null ? "loading" : "failed";
  });
  const rows = computed((): readonly AnyRow[] => found()?.value() ?? []);
  const phone = matchMedia("(max-width: 39.99rem)");
  const isNarrow = signal(phone.matches);
  const look = (): void => isNarrow.set(phone.matches);
  phone.addEventListener("change", look);
  onCleanup(() => phone.removeEventListener("change", look));
  const shownAs = (now: ReturnType<typeof state>): Child => {
    switch (now) {
      case "unasked": return () => <div class="empty"><Empty text={`Choisissez d’abord\u202f: ${missing().map(({ label }) => label).join(", ")}.`} /></div>;
      case "loading": return <Outlines count={4} />;
      // What stands at the parameters is changed there: to try again would change nothing.
      case "failed": return () => (errors().length > 0
        ? <div class="empty"><Empty text="Corrigez d’abord les choix signalés." /></div>
        : <Failure text={found()?.failure()?.message ?? ""} retry={() => void found()?.refresh()} />);
      case "empty": return <div class="empty"><Empty text={`${none(entity)} pour ce choix.`} /></div>;
      case "rows": return [
        () => <Line entity={entity} rows={rows()} />,
        () => (isNarrow() && columns.length > most
          ? untracked(() => <RowCards entity={entity} columns={columns} rows={rows} />)
          : untracked(() => <Table entity={entity} columns={columns} rows={rows} />)),
        () => (found()?.hasMore() ? <div class="more"><button type="button" onclick={() => void found()?.more()}>Afficher la suite</button></div> : null),
      ];
    }
  };
  return (
    <div class="generic-body">
      <Parameters entity={entity} values={() => given()} errors={errors} set={(name, value) => filters.set({ [name]: value })} />
      <p class="results" role="status" aria-label="Résultats">{results}</p>
      {() => {
        const now = state();
        return untracked(() => shownAs(now));
      }}
    </div>
  );
}

/** As many columns as a table has on a phone: rows of more are cards. */
const most = 5;
/** What a card shows at once, below the first column, which is its heading. */
const first = 4;

/** Each row as a card, where a table of so many columns would be seen a finger's width at a time. */
function RowCards({ entity, columns, rows }: { entity: Entity; columns: readonly Field[]; rows: () => readonly AnyRow[] }): Child {
  const placed = computed(() => rows().map((row, at) => ({ row, at })));
  const [name, ...others] = columns;
  const facts = (fields: readonly Field[], row: () => AnyRow): Child => (
    <dl class="facts generic-facts">
      {fields.map((field) => (
        <div>
          <dt>{field.label}</dt>
          <dd>{() => <FieldValue entity={entity} field={field} row={row()} />}</dd>
        </div>
      ))}
    </dl>
  );
  return (
    <ul class="row-cards" role="list" aria-label={listName(entity)}>
      {each(placed, ({ at }) => at, (one) => {
        const row = (): AnyRow => one().row;
        return (
          <li class="card">
            <p class="row-card-name"><span class="quiet-text small">{name!.label}</span> {() => <FieldValue entity={entity} field={name!} row={row()} />}</p>
            {facts(others.slice(0, first), row)}
            <details>
              <summary>Plus</summary>
              {facts(others.slice(first), row)}
            </details>
          </li>
        );
      })}
    </ul>
  );
}

const isNumber = ({ type, target }: Field): boolean => (type === "integer" || type === "decimal") && target === undefined;

function Table({ entity, columns, rows }: { entity: Entity; columns: readonly Field[]; rows: () => readonly AnyRow[] }): Child {
  const relations = new Set(entity.relations.map(({ column }) => column));
  const placed = computed(() => rows().map((row, at) => ({ row, at })));
  const shown = columns.map((field) => ({ field, isNumber: isNumber(field) && !relations.has(field.name) }));
  return (
    <WideTable label={listName(entity)}>
      <table class="generic-table" aria-label={listName(entity)}>
        <thead><tr>{shown.map(({ field, isNumber: right }) => <th scope="col" class={right ? "number" : null}>{field.label}</th>)}</tr></thead>
        <tbody>
          {each(placed, ({ at }) => at, (one) => (
            <tr>{shown.map(({ field, isNumber: right }, at) => {
              const value = (): Child => <FieldValue entity={entity} field={field} row={one().row} />;
              return at === 0 ? <th scope="row" class={right ? "number" : null}>{value}</th> : <td class={right ? "number" : null}>{value}</td>;
            })}</tr>
          ))}
        </tbody>
      </table>
    </WideTable>
  );
}

/** What the address gives, and for days that have to be given the last thirty. */
function parametersOf(entity: Entity, query: Readonly<Record<string, string>>): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  const days = (entity.parameters ?? []).filter(({ type, required }) => type === "date" && required);
  for (const field of entity.parameters ?? []) {
    const text = query[field.name] ?? "";
    if (text !== "") found[field.name] = valueOf(field, text);
    else if (days.includes(field)) found[field.name] = days.length > 1 && field !== days[0] ? today() : addDays(today(), -30);
  }
  return found;
}

function valueOf(field: Field, text: string): unknown {
  // The address has what the control holds: the hour of the device.
  if (field.type === "timestamp") return momentOf(text);
  if (field.type === "integer" || field.type === "decimal") return Number.isFinite(Number(text)) ? Number(text) : text;
  return field.type === "boolean" ? text === "oui" : text;
}
