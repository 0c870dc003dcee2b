// The directory of trainers.

import { h } from "view";
import type { Child } from "view";
import { dropFalse } from "../../../parts/place";
import { Segments } from "../../../parts/segments";
import type { Screen } from "../../../parts/shell";
import { initials } from "../../../words/sentences";
import { Avatar, directoryScreen, DirectoryView } from "../parts/directory";
import type { DirectorySpec } from "../parts/directory";
import { DuplicatesLink } from "../parts/duplicates";
import { formateurSentence } from "../words/directories";
import { FreeButton } from "./session/free";

const types = [["", "Tous"], ["interne", "Internes"], ["externe", "Externes"]] as const;

const spec: DirectorySpec<"formateurs"> = {
  entity: "formateurs", heading: "Formateurs", search: "Rechercher un formateur", one: "formateur",
  create: "Nouveau formateur", none: "Aucun formateur",
  sentence: formateurSentence,
  sorted: (row) => row.nom,
  row: (row) => [
    <Avatar initials={row.initiales || initials(row.nom_complet)} />,
    <span class="row-main">
      <span class="row-title"><span class="given">{row.prenom}</span> {row.nom}</span>
      <span class="row-detail">{row.specialite ?? ""}</span>
    </span>,
    <TypeBadge value={row.exterieur} />,
  ],
  choice: {
    name: "type",
    takes: (row, value) => (value.startsWith("ext") ? 1 : 0) === row.exterieur,
    view: (filters) => (
      <Segments label="Type" options={types} set={(type) => filters.set({ type })}
        value={() => types.find(([value]) => value !== "" && filters.values()["type"]?.startsWith(value))?.[0] ?? ""} />
    ),
  },
  links: () => [<FreeButton />, <DuplicatesLink table="formateurs" />],
};

export function TypeBadge({ value }: { value: 0 | 1 }): Child {
  return <span class={`badge ${value ? "external" : "internal"}`}>{value ? "Externe" : "Interne"}</span>;
}

export function Beside(): Child {
  return <DirectoryView spec={spec} beside />;
}

export default function formateurs(): Screen {
  dropFalse({ type: (text) => types.some(([value]) => value !== "" && text.startsWith(value)) });
  return directoryScreen(spec);
}
