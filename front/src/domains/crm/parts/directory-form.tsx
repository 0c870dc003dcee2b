// The form of a record of a directory: a new one, the change of one, or one that a picker of another form makes.

import { h, untracked } from "view";
import type { Child } from "view";
import { firstKnown, FormView, recordForm } from "../../../parts/form";
import type { Form, NewRecord, Section, Value } from "../../../parts/form";
import { Empty } from "../../../parts/list";
import { back, go, lastAddress } from "../../../parts/place";
import type { Params, Screen } from "../../../parts/shell";
import { Unknown } from "../../../parts/unanswered";
import { may, record } from "../../../store";
import type { Directory, Row } from "../../../store";

export interface DirectoryFormSpec<E extends Directory, N extends string> {
  entity: E;
  /** "Nouveau formateur", "Modifier le formateur" */
  headings: { create: string; edit: string };
  /** "Formateurs": the list it lies under. */
  list: string;
  saved: string;
  missing: string;
  sections: () => Section<N>[];
  values: Partial<Record<N, Value>>;
  /** The values of the text that a picker searched. */
  named: (text: string) => Partial<Record<N, Value>>;
  label: (row: Row<E>) => string;
}

export function directoryForm<E extends Directory, N extends string>(spec: DirectoryFormSpec<E, N>, params: Params): Screen {
  const { entity, headings } = spec;
  const isNew = params["id"] === undefined;
  const id = Number(params["id"]);
  const here = isNew ? lastAddress(`/${entity}`) : `/${entity}/${id}`;
  const screen = {
    heading: () => (isNew ? headings.create : headings.edit),
    class: "directory-form",
    up: { href: () => here, label: isNew ? spec.list : "Fiche" },
  };
  if (!may(isNew ? `${entity}.create` : `${entity}.update`)) {
    return { ...screen, body: <div class="empty"><Empty text="Seuls les administrateurs peuvent modifier cet annuaire."><a class="button" href={here}>Revenir</a></Empty></div> };
  }
  const form = (base?: Row<E>): Child => (
    <FormView form={recordForm<E, N>({
      entity, sections: spec.sections(), ...(base === undefined ? { values: spec.values } : { base }), saved: spec.saved,
      done: (row) => go(`/${entity}/${(row as { id: number }).id}`, { replace: true }), cancel: () => back(here),
    })} />
  );
  if (isNew) return { ...screen, body: form() };
  const found = record(entity, id);
  const first = firstKnown(entity, found, `${entity}/${id}`);
  return {
    ...screen,
    body: () => {
      const row = first();
      if (row) return untracked(() => form(row));
      if (row === null) return <div class="empty"><Empty text={spec.missing} /></div>;
      return <Unknown live={found} />;
    },
  };
}

/** The form in the dialog behind "Créer « … »". */
export function newRecordOf<E extends Directory, N extends string>(spec: DirectoryFormSpec<E, N>): NewRecord<E> {
  return (text, { done, cancel }) => ({
    heading: spec.headings.create,
    form: recordForm<E, N>({
      entity: spec.entity, sections: spec.sections(), values: { ...spec.values, ...spec.named(text) }, saved: spec.saved, done, cancel,
      draft: false,
    }) as unknown as Form,
    label: spec.label,
  });
}
