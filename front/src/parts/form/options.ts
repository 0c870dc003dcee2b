// The records of a directory as options of a picker.

import { computed, signal, untracked } from "view";
import { directory } from "../../store";
import type { Directory, Row } from "../../store";
import type { Option, Options } from "./field";

const words: { [E in Directory]: (row: Row<E>) => Omit<Option, "id"> } = {
  formateurs: (row) => ({ label: row.nom_complet, detail: row.specialite ?? "" }),
  clients: (row) => ({ label: row.raison_sociale, detail: row.ville ?? "" }),
  ecoles: (row) => ({ label: row.nom, detail: row.ville ?? "" }),
};

export function labelOf<E extends Directory>(entity: E, row: Row<E>): string {
  return (words[entity] as (row: Row<E>) => Omit<Option, "id">)(row).label;
}

/** Loads the directory when the options are first read. It belongs to the component that calls it. */
export function optionsOf(entity: Directory): Options {
  const needed = signal(false);
  const describe = words[entity] as (row: unknown) => Omit<Option, "id">;
  const options = computed((): readonly Option[] | undefined => {
    if (!needed()) return undefined;
    return directory(entity).value()?.map((row) => ({ id: (row as { id: number }).id, ...describe(row) }));
  });
  return () => {
    if (!untracked(needed)) needed.set(true);
    return options();
  };
}
