// An object or a list of objects as people read it: labels and values, and a table where each element has few and short members.

import { h } from "view";
import type { Child } from "view";
import type { Field } from "../../../store/declared";
import { elementOf, elementsOf, hasParts, isObject, shapeOf, shownMembers } from "../../../words/shapes";
import type { KindsShape } from "../../../words/shapes";
import type { AnyValues } from "../../../words/titles";
import { isLong, valueText } from "../../../words/values";
import { FileLink } from "./file-link";
import { WideTable } from "./wide-table";

/** As many members as a narrow page has columns for. */
const most = 4;

/** `caption`: what the object says of its files. */
export function ShapeValue({ field, value, caption }: { field: Field; value: unknown; caption?: string | undefined }): Child {
  const shape = shapeOf(field.shape);
  if (field.file !== undefined) return <FileLink field={field} id={Number(value)} caption={caption} />;
  if (!hasParts(field)) return <span class={isLong(field) ? "lines" : null}>{valueText(field, value) ?? "–"}</span>;
  if (shape.kind === "kinds") return <OfKind shape={shape} value={value} />;
  if (isObject(shape)) return <Members members={shownMembers(shape, value)} value={value} />;
  const element = elementOf(field);
  const items = elementsOf(shape, value);
  if (shape.kind === "list" && shape.element.kind === "object") {
    const used = shownMembers(shape.element, null).filter(({ name }) => items.some((one) => !isNothing((one as AnyValues | null)?.[name])));
    if (used.length > 0 && used.length <= most && !used.some((one) => isLong(one) || one.file !== undefined)) return <Table field={field} members={used} items={items as readonly AnyValues[]} />;
  }
  return <ol class="shape-items">{items.map((one) => <li><ShapeValue field={element} value={one} /></li>)}</ol>;
}

const isNothing = (value: unknown): boolean => value === null || value === undefined || value === "";

function Members({ members, value }: { members: readonly Field[]; value: unknown }): Child {
  const values = (value ?? {}) as AnyValues;
  const given = members.filter(({ name }) => !isNothing(values[name]));
  const caption = captionIn(members, values);
  return given.length === 0 ? "–" : (
    <dl class="shape-members">
      {given.map((member) => (
        <div class={given.length === 1 || hasParts(member) || isLong(member) || member.file !== undefined ? "wide" : null}>
          <dt>{member.label}</dt>
          <dd><ShapeValue field={member} value={values[member.name]} caption={caption} /></dd>
        </div>
      ))}
    </dl>
  );
}

/** What the first text of an object says of its files. */
function captionIn(members: readonly Field[], values: AnyValues): string | undefined {
  const text = members.find(({ type, name }) => type === "text" && !isNothing(values[name]));
  return text && String(values[text.name]);
}

/** The kind as a heading, and below it what the value has of it. */
function OfKind({ shape, value }: { shape: KindsShape; value: unknown }): Child {
  const kind = (value as AnyValues | null)?.[shape.by.name];
  const label = valueText(shape.by, kind) ?? "–";
  const values = (value ?? {}) as AnyValues;
  const members = shownMembers(shape, value).filter(({ name }) => name !== shape.by.name && !isNothing(values[name]));
  // What the kind says already is not said twice: the text of a text, the picture of a photo.
  const own = members.find((member) => member.label === label);
  const others = members.filter((member) => member !== own);
  return (
    <div class="shape-kind">
      <p class="shape-kind-name">{label}</p>
      {own === undefined ? null : <ShapeValue field={own} value={values[own.name]} caption={captionIn(members, values)} />}
      {others.length === 0 ? null : <Members members={others} value={values} />}
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
