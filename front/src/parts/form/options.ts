// The records of a directory as options of a picker.

import { computed, signal, untracked } from "view";
import { directory } from "../../store";
import type { Directory, Row } from "../../store";
import { phoneWords } from "../../words/sentences";
import type { Option, Options } from "./field";

const words: { [E in Directory]: (row: Row<E>) => readonly [label: string, detail: string | null, also: string | null] } = {
  formateurs: (row) => [row.nom_complet, row.specialite, row.societe],
  clients: (row) => [row.raison_sociale, row.ville, row.nom_contact],
  ecoles: (row) => [row.nom, row.ville, row.nom_contact],
};

export function optionOf<E extends Directory>(entity: E, row: Row<E>): Option {
  const { id, telephone_uri: telephone } = row as Row<Directory>;
  const [label, detail, also] = (words[entity] as (row: Row<E>) => ReturnType<typeof words[E]>)(row);
  return { id, label, detail: detail ?? "", also: `${also ?? ""} ${phoneWords(telephone)}` };
}

/** What the searches of pickers and of lists look into. */
export const searchedText = ({ label, detail = "", also = "" }: Option): string => `${label} ${detail} ${also}`;

/** Loads the directory when the options are first read. It belongs to the component that calls it. */
export function optionsOf(entity: Directory): Options {
  const needed = signal(false);
  const options = computed((): readonly Option[] | undefined => {
    if (!needed()) return undefined;
    return directory(entity).value()?.map((row) => optionOf(entity, row));
  });
  return () => {
    if (!untracked(needed)) needed.set(true);
    return options();
  };
}
