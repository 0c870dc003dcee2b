// A curve of a view's rows over their time. The table below it says the same.

import { h } from "view";
import type { Child } from "view";
import { Curve } from "../../../parts/curve";
import type { Entity, Field } from "../../../store/declared";
import type { AnyRow } from "../../../store/rows";
import { shortDate } from "../../../words/dates";
import { instant } from "../../../words/instants";

export function Line({ entity, rows }: { entity: Entity; rows: readonly AnyRow[] }): Child {
  const relations = new Set(entity.relations.map(({ column }) => column));
  const times = entity.columns.filter(({ type }) => type === "date" || type === "timestamp");
  const figures = entity.columns.filter(({ name, type, target }) =>
    (type === "integer" || type === "decimal") && name !== "id" && target === undefined && !relations.has(name));
  const [time, figure] = [times[0], figures[0]];
  // Several series, as of several records, would be one tangle.
  const isOne = time !== undefined && entity.order[0]?.replace("-", "") === time.name && new Set(rows.map((row) => row[time.name])).size === rows.length;
  if (time === undefined || figure === undefined || times.length > 1 || !isOne || rows.length < 3) return null;
  const points = [...rows].sort((a, b) => (String(a[time.name]) < String(b[time.name]) ? -1 : 1)).map((row) => {
    const value = Number(row[figure.name] ?? 0);
    return { label: labelOf(time, row[time.name]), value, average: value };
  });
  return (
    <figure class="card generic-line" role="figure" aria-label={`${figure.label} par ${time.label.toLowerCase()}`}>
      <figcaption>{figure.label}</figcaption>
      <Curve points={points} plain />
    </figure>
  );
}

const labelOf = (field: Field, value: unknown): string => (field.type === "date" ? shortDate(String(value)) : instant(String(value)));
