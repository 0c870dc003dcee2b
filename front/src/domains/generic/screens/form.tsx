// The form of any declared entity: a new record, or the change of one.

import { h, untracked } from "view";
import { firstKnown, FormView } from "../../../parts/form";
import { Empty } from "../../../parts/list";
import { back, go, lastAddress, place } from "../../../parts/place";
import type { Params, Screen } from "../../../parts/shell";
import { Unknown } from "../../../parts/unanswered";
import type { Live } from "../../../store";
import type { Entity } from "../../../store/declared";
import type { AnyRow } from "../../../store/rows";
import { writable } from "../parts/fields";
import { entityForm } from "../parts/form";
import { addressOf, oneOf, recordAddress } from "../parts/records";
import { isMissing, listName, newOne, the } from "../../../words/nouns";

export function formScreen(entity: Entity, params: Params): Screen {
  const isNew = params["id"] === undefined;
  const id = Number(params["id"]);
  const address = addressOf(entity);
  const here = isNew ? lastAddress(address) : recordAddress(entity, id);
  const screen = {
    heading: () => (isNew ? newOne(entity) : `Modifier ${the(entity)}`),
    class: "directory-form",
    up: { href: () => here, label: isNew || entity.single ? listName(entity) : "Fiche" },
    ...(entity.single ? { alone: true as const } : {}),
  };
  if (!entity.methods.includes(isNew ? "create" : "update")) {
    return { ...screen, body: <div class="empty"><Empty text={`Votre compte ne peut pas modifier ${entity.single ? the(entity) : "cette liste"}.`}><a class="button" href={here}>Revenir</a></Empty></div> };
  }
  const end = { done: (row: AnyRow) => go(recordAddress(entity, row.id), { replace: true }), cancel: () => back(here) };
  if (isNew) return { ...screen, body: like(entity, end) };
  const found = oneOf(entity, id);
  const first = firstKnown(entity.name as "clients", found as unknown as Live<never>, `${entity.name}/${id}`) as () => AnyRow | null | undefined;
  return {
    ...screen,
    body: () => {
      const row = first();
      if (row) return untracked(() => <FormView form={entityForm(entity, { base: row, ...end })} />);
      if (row === null) return <div class="empty"><Empty text={isMissing(entity)} /></div>;
      return <Unknown live={found} />;
    },
  };
}

/** A new record, with the values of another one or those that the address names. */
function like(entity: Entity, end: { done: (row: AnyRow) => unknown; cancel: () => void }): Screen["body"] {
  const { query } = untracked(place);
  const given = Object.fromEntries(writable(entity, "create").filter(({ name, target }) => target !== undefined && /^-?\d{1,16}$/.test(query[name] ?? ""))
    .map(({ name }) => [name, Number(query[name])]));
  const model = Number(query["comme"] ?? 0);
  if (model === 0) return <FormView form={entityForm(entity, { values: given, ...end })} />;
  const found = oneOf(entity, model);
  return () => {
    const row = found.value();
    if (row === undefined) return <Unknown live={found} />;
    const values = row === null ? given : Object.fromEntries(writable(entity, "create").map(({ name }) => [name, row[name]]));
    return untracked(() => <FormView form={entityForm(entity, { values, draftKey: `${entity.name}/comme/${model}`, ...end })} />);
  };
}
