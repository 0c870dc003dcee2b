// The dialog of two people who changed the same field.

import { h, signal } from "view";
import type { Child, Signal } from "view";
import { merged } from "../../store";
import { openDialog } from "../dialog";

/** The values of a record, as they are stored or typed. */
export type Version = Readonly<Record<string, unknown>>;

export interface ConflictField {
  name: string;
  label: string;
  /** A value as people read it. */
  words: (value: unknown, version: Version) => string;
}

export interface Conflict {
  fields: readonly ConflictField[];
  base: Version;
  stored: Version;
  /** The values that I changed. */
  mine: Version;
  /** Who stored the other version, and when: "Claire Martin, mardi 24 novembre 2026 à 9 h 12". */
  by: () => Promise<string | null>;
}

type Side = "mine" | "stored";

/** The changes to send over the stored version, merged or chosen by a person; null: the form stays as it is. */
export async function settle(conflict: Conflict): Promise<Record<string, unknown> | null> {
  const merge = merged(conflict.base, conflict.mine, conflict.stored);
  const [changes, conflicts]: [Record<string, unknown>, readonly string[]] = [{ ...merge.changes }, merge.conflicts];
  if (conflicts.length === 0) return changes;
  const sides = await askSides(conflict, conflicts);
  if (sides === null) return null;
  for (const [name, side] of sides) if (side === "stored") delete changes[name];
  return changes;
}

function askSides(conflict: Conflict, names: readonly string[]): Promise<Map<string, Side> | null> {
  const fields = names.map((name) => conflict.fields.find((field) => field.name === name) ?? { name, label: name, words: String });
  const sides = new Map<string, Signal<Side>>(names.map((name) => [name, signal<Side>("mine")]));
  const by = signal<string | null>(null);
  void conflict.by().then((words) => by.set(words), () => undefined);
  return new Promise((resolve) => {
    let answer: Map<string, Side> | null = null;
    openDialog({
      wide: true,
      heading: "Modifiée entre-temps",
      closed: () => resolve(answer),
      body: (close) => (
        <form
          class="conflict" novalidate
          onsubmit={(event) => {
            event.preventDefault();
            answer = new Map([...sides].map(([name, side]) => [name, side()]));
            close();
          }}
        >
          <p>
            {() => by() ?? "Une autre personne"}
            {" a changé cette fiche pendant votre saisie. Choisissez ce qui doit rester\u202f; le reste est réuni."}
          </p>
          <Versions conflict={conflict} fields={fields} />
          {fields.map((field) => <Choice conflict={conflict} field={field} side={sides.get(field.name)!} />)}
          <div class="form-end">
            <button type="submit" class="primary">Enregistrer ce choix</button>
            <button type="button" onclick={close}>Annuler</button>
          </div>
        </form>
      ),
    });
  });
}

function wordsOf(field: ConflictField, version: Version): string {
  return field.words(version[field.name], version) || "vide";
}

// On a phone the rows stand as blocks, which would take the roles of a table from them.
function Versions({ conflict, fields }: { conflict: Conflict; fields: readonly ConflictField[] }): Child {
  return (
    <table class="versions" role="table">
      <thead>
        <tr role="row">
          <th scope="col" role="columnheader">Champ</th>
          <th scope="col" role="columnheader">Ma version</th>
          <th scope="col" role="columnheader">Version enregistrée</th>
          <th scope="col" role="columnheader">Version d’origine</th>
        </tr>
      </thead>
      <tbody>
        {fields.map((field) => (
          <tr role="row">
            <th scope="row" role="rowheader">{field.label}</th>
            <td role="cell" data-label="Ma version">{wordsOf(field, conflict.mine)}</td>
            <td role="cell" data-label="Version enregistrée">{wordsOf(field, conflict.stored)}</td>
            <td role="cell" data-label="Version d’origine">{wordsOf(field, conflict.base)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Choice({ conflict, field, side }: { conflict: Conflict; field: ConflictField; side: Signal<Side> }): Child {
  const radio = (value: Side, label: string, version: Version): Child => {
    const id = `conflict-${field.name}-${value}`;
    return (
      <span class="conflict-side">
        <label class="choice">
          <input
            type="radio" name={`conflict-${field.name}`} checked={() => side() === value} aria-describedby={id}
            onchange={() => side.set(value)}
          />
          <span>{label}</span>
        </label>
        <span class="conflict-value" id={id}>{wordsOf(field, version)}</span>
      </span>
    );
  };
  return (
    <fieldset class="conflict-field">
      <legend>{field.label}</legend>
      {radio("mine", "Ma version", conflict.mine)}
      {radio("stored", "Version enregistrée", conflict.stored)}
    </fieldset>
  );
}
