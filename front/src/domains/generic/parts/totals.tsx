// Totals of a list, by the groups of one field: how many, and the sums of its amounts.

import { computed, h, signal } from "view";
import type { Child } from "view";
import { openDialog } from "../../../parts/dialog";
import { Unknown } from "../../../parts/unanswered";
import { ask, client } from "../../../store";
import { followsOf } from "../../../store/declared";
import type { Entity, Field } from "../../../store/declared";
import { monthName } from "../../../words/dates";
import { decimal } from "../../../words/money";
import { whole } from "../../../words/sentences";
import { titleIn } from "../../../words/titles";
import { valueText } from "../../../words/values";
import { entityFilters, filterable } from "./filters";
import { addressOf, declaredEntity } from "./records";
import { WideTable } from "./wide-table";

interface Group { readonly [key: string]: unknown; readonly count: number; readonly sum?: Readonly<Record<string, number | null>> }

export function TotalsButton({ entity }: { entity: Entity }): Child {
  return groupable(entity).length === 0 ? null : <button type="button" onclick={() => openTotals(entity)}>Totaux</button>;
}

/** As many groups as a person reads. */
const most = 200;

/** Moments are no groups. */
const groupable = (entity: Entity): Field[] => filterable(entity).filter(({ type }) => type !== "timestamp");

/** The fields that are added up. */
const summed = ({ columns, derived }: Entity): Field[] => [...columns, ...derived].filter(({ type, hidden }) => type === "decimal" && hidden !== true);

/** A group by this field, as the service names it: days by their months, records by what they are known by. */
function keyOf(entity: Entity, field: Field): string {
  if (field.type === "date") return `month(${field.name})`;
  const relation = entity.relations.find((one) => one.column === field.name && one.many === undefined);
  const title = relation && declaredEntity(relation.target)?.title.find((path) => path !== "id" && !path.includes("."));
  return relation && title ? `${relation.name}.${title}` : field.name;
}

function wordsOf(field: Field, key: string, group: Group): string {
  const value = group[key];
  if (value === null || value === undefined) return "Sans";
  if (field.type === "date") return monthName(String(value).slice(0, 7));
  return key === field.name ? valueText(field, value) ?? "Sans" : titleIn({ title: ["name"] }, { name: value }) ?? "Sans";
}

function openTotals(entity: Entity): void {
  const fields = groupable(entity);
  const chosen = signal(fields[0]!.name);
  const filters = entityFilters(addressOf(entity), entity);
  const amounts = summed(entity);
  const select = amounts.length === 0 ? "{ count }" : `{ count sum { ${amounts.map(({ name }) => name).join(" ")} } }`;
  openDialog({
    heading: "Totaux", wide: true,
    body: () => {
      const found = computed(() => {
        const field = fields.find(({ name }) => name === chosen())!;
        const key = keyOf(entity, field);
        const params = { ...parametersOf(filters), group_by: [key], select, order_by: [field.type === "date" ? key : "-count"], first: most };
        const live = ask(`totals ${entity.name} ${JSON.stringify(params)}`, () =>
          client.call(`${entity.name}.aggregate` as "sessions.aggregate", params as never) as Promise<unknown> as Promise<{ items: readonly Group[] }>, [...followsOf(entity.name)]);
        return { field, key, live };
      });
      return [
        <div class="field">
          <label class="label" for="totals-by">Par</label>
          <select id="totals-by" class="control" onchange={(event) => chosen.set(event.currentTarget.value)}>
            {fields.map(({ name, label, type }) => <option value={name} selected={() => chosen() === name}>{type === "date" ? `${label}, par mois` : label}</option>)}
          </select>
        </div>,
        () => {
          const { field, key, live } = found();
          const groups = live.value()?.items;
          if (groups === undefined) return <Unknown live={live} count={3} />;
          return (
            <WideTable label="Totaux">
              <table class="generic-table" aria-label="Totaux">
                <thead>
                  <tr><th scope="col">{field.label}</th><th scope="col" class="number">Nombre</th>{amounts.map(({ label }) => <th scope="col" class="number">{label}</th>)}</tr>
                </thead>
                <tbody>
                  {groups.map((group) => (
                    <tr>
                      <th scope="row">{wordsOf(field, key, group)}</th>
                      <td class="number">{whole(group.count)}</td>
                      {amounts.map(({ name, scale }) => <td class="number">{decimal(Number(group.sum?.[name] ?? 0), scale ?? 2)}</td>)}
                    </tr>
                  ))}
                </tbody>
              </table>
              {groups.length < most ? null : <p class="quiet-text small">{`Les ${most} premiers.`}</p>}
            </WideTable>
          );
        },
      ];
    },
  });
}

/** What the list behind is narrowed by. */
function parametersOf(filters: ReturnType<typeof entityFilters>): { where: object; search?: string } {
  const search = filters.search().trim();
  return { where: filters.condition().where, ...(search === "" ? {} : { search }) };
}
