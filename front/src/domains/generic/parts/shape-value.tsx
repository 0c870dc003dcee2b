// An object or a list of objects as people read it: labels and values, and a table where each element has few and short members.

import { h } from "view";
import type { Child } from "view";
import type { Field } from "../../../store/declared";
import { elementOf, hasParts, shapeOf } from "../../../words/shapes";
import type { AnyValues } from "../../../words/titles";
import { isLong, valueText } from "../../../words/values";
import { WideTable } from "./wide-table";

/** As many members as a narrow page has columns for. */
const most = 4;

export function ShapeValue({ field, value }: { field: Field; value: unknown }): Child {
  const shape = shapeOf(field.shape);
  if (!hasParts(field)) return <span class={isLong(field) ? "lines" : null}>{valueText(field, value) ?? "–"}</span>;
  if (shape.kind === "object") return <Members members={shape.members} value={value} />;
  const element = elementOf(field);
  const items = Array.isArray(value) ? value as readonly unknown[] : [];
  if (shape.kind === "list" && shape.element.kind === "object") {
    const { members } = shape.element;
    const used = members.filter(({ name }) => items.some((one) => !isNothing((one as AnyValues | null)?.[name])));
    if (used.length > 0 && used.length <= most && !used.some(isLong)) return <Table field={field} members={used} items={items as readonly AnyValues[]} />;
  }
  return <ol class="shape-items">{items.map((one) => <li><ShapeValue field={element} value={one} /></li>)}</ol>;
}

const isNothing = (value: unknown): boolean => value === null || value === undefined || value === "";

function Members({ members, value }: { members: readonly Field[]; value: unknown }): Child {
  const values = (value ?? {}) as AnyValues;
  const given = members.filter(({ name }) => !isNothing(values[name]));
  return given.length === 0 ? "–" : (
    <dl class="shape-members">
      {given.map((member) => <div class={hasParts(member) || isLong(member) ? "wide" : null}><dt>{member.label}</dt><dd><ShapeValue field={member} value={values[member.name]} /></dd></div>)}
    </dl>
  );
}

function Table({ field, members, items }: { field: Field; members: readonly Field[]; items: readonly AnyValues[] }): Child {
  const isNumber = ({ type }: Field): boolean => type === "integer" || type === "decimal";
  return (
    <WideTable label={field.label}>
      <table class="generic-table" aria-label={field.label}>
        <thead><tr>{members.map((member) => <th scope="col" class={isNumber(member) ? "number" : null}>{member.label}</th>)}</tr></thead>
        <tbody>
          {items.map((item) => (
            <tr>{members.map((member) => <td class={isNumber(member) ? "number" : null}>{valueText(member, item?.[member.name]) ?? "–"}</td>)}</tr>
          ))}
        </tbody>
      </table>
    </WideTable>
  );
}
