// An object or a list of objects as people read it: labels and values, and a table where each element has few and short members.

import { h } from "view";
import type { Child } from "view";
import type { Field } from "../../../store/declared";
import { elementOf, elementsOf, hasParts, isObject, shapeOf, shownMembers } from "../../../words/shapes";
import type { KindsShape } from "../../../words/shapes";
import type { AnyValues } from "../../../words/titles";
import { isLong, valueText } from "../../../words/values";
import { WideTable } from "./wide-table";

/** As many members as a narrow page has columns for. */
const most = 4;

export function ShapeValue({ field, value }: { field: Field; value: unknown }): Child {
  const shape = shapeOf(field.shape);
  if (!hasParts(field)) return <span class={isLong(field) ? "lines" : null}>{valueText(field, value) ?? "–"}</span>;
  if (shape.kind === "kinds") return <OfKind shape={shape} value={value} />;
  if (isObject(shape)) return <Members members={shownMembers(shape, value)} value={value} />;
  const element = elementOf(field);
  const items = elementsOf(shape, value);
  if (shape.kind === "list" && shape.element.kind === "object") {
    const used = shownMembers(shape.element, null).filter(({ name }) => items.some((one) => !isNothing((one as AnyValues | null)?.[name])));
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

/** The kind as a heading, and below it what the value has of it. */
function OfKind({ shape, value }: { shape: KindsShape; value: unknown }): Child {
  const kind = (value as AnyValues | null)?.[shape.by.name];
  const label = valueText(shape.by, kind) ?? "–";
  const members = shownMembers(shape, value).filter(({ name }) => name !== shape.by.name);
  const [only, ...others] = members;
  return (
    <div class="shape-kind">
      <p class="shape-kind-name">{label}</p>
      {/* What the kind says already is not said twice. */}
      {only !== undefined && others.length === 0 && only.label === label ? <ShapeValue field={only} value={(value as AnyValues | null)?.[only.name]} />
        : members.length === 0 ? null : <Members members={members} value={value} />}
    </div>
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
