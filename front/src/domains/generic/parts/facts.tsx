// The fields of a record with their labels.

import { Fragment, h } from "view";
import type { Child } from "view";
import type { Entity, Field } from "../../../store/declared";
import { isOnline } from "../../../store/network";
import type { AnyRow } from "../../../store/rows";
import { ago } from "../../../words/instants";
import { relationOf } from "../words/rows";
import { hasParts } from "../../../words/shapes";
import { titleIn } from "../../../words/titles";
import { isKept, isLong, valueText } from "../../../words/values";
import { FileLink } from "./file-link";
import { declaredEntity, recordAddress } from "./records";
import { ShapeValue } from "./shape-value";

/** Fields without a value leave their lines out; who needs them finds them in the form. */
export function EntityFacts({ entity, row }: { entity: Entity; row: () => AnyRow }): Child {
  // The heading has the title, and of the only record of its kind what it is.
  const title = entity.single ? undefined : entity.title[0];
  const fields = [...entity.columns, ...entity.derived].filter((field) => !isKept(field) && field.hidden !== true && field.name !== title);
  const figures = entity.derived.filter(({ about }) => about !== undefined);
  const areLeftOut = (): boolean => figures.length > 0 && !isOnline();
  const isEmpty = (): boolean => !areLeftOut() && fields.every((field) => isAbsent(row()[field.name]));
  return (
    <>
      {() => (isEmpty() ? <p class="quiet-text">Rien d’autre pour le moment.</p> : null)}
      <dl class="facts generic-facts">
        {fields.map((field) => () => (isAbsent(row()[field.name]) ? null : (
          <div class={isLong(field) ? "wide" : null}>
            <dt>{field.label}</dt>
            <dd><FieldValue entity={entity} field={field} row={row()} /></dd>
          </div>
        )))}
      </dl>
      {() => (areLeftOut() ? <p class="quiet-text small">{`Connu en ligne seulement\u202f: ${figures.map(({ label }) => label).join(", ")}.`}</p> : null)}
      {() => {
        const changed = row()["updated_at"];
        return typeof changed === "string" ? <p class="quiet-text small">{`Dernière modification ${ago(changed)}`}</p> : null;
      }}
    </>
  );
}

const isAbsent = (value: unknown): boolean => value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0);

/** A value as people read and use it: a record is a link, an address writes, a number calls. */
export function FieldValue({ entity, field, row }: { entity: Entity; field: Field; row: AnyRow }): Child {
  const value = row[field.name];
  const relation = relationOf(entity, field);
  if (relation !== undefined) {
    const target = declaredEntity(relation.target);
    const words = titleIn(target, row[relation.name]) ?? `n°\u00a0${String(value)}`;
    return target?.methods.includes("get") ? <a class="record-link" href={recordAddress(target, String(value))}>{words}</a> : words;
  }
  if (field.file !== undefined) return <FileLink field={field} id={Number(value)} />;
  if (hasParts(field) && !isAbsent(value)) return <ShapeValue field={field} value={value} />;
  const text = valueText(field, value);
  if (text === null) return "–";
  if (field.format?.name === "email") return <a class="record-link" href={`mailto:${encodeURIComponent(text).replace(/%40/g, "@")}`}>{text}</a>;
  if (field.format?.name === "phone") return <a class="record-link" href={`tel:${text.replace(/[^\d+]/g, "")}`}>{text}</a>;
  if (/^https?:\/\/\S+$/.test(text)) return <a class="record-link" href={text} target="_blank" rel="noopener noreferrer">{text}</a>;
  if (field.name === "color" || /^#[0-9a-f]{6}$/i.test(text)) return <><span class="swatch" style={{ background: text }} aria-hidden="true" />{text}</>;
  return isLong(field) ? <span class="lines">{text}</span> : text;
}
