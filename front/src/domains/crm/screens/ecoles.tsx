// The directory of schools.

import { h } from "view";
import type { Child } from "view";
import type { Screen } from "../../../parts/shell";
import { Avatar, directoryScreen, DirectoryView } from "../parts/directory";
import type { DirectorySpec } from "../parts/directory";
import { DuplicatesLink } from "../parts/duplicates";
import { ecoleSentence } from "../words/directories";

const spec: DirectorySpec<"ecoles"> = {
  entity: "ecoles", heading: "Écoles", search: "Rechercher une école", one: "école",
  create: "Nouvelle école", none: "Aucune école",
  sentence: ecoleSentence,
  sorted: (row) => row.nom,
  row: (row) => [
    <Avatar initials={row.initiales} />,
    <span class="row-main">
      <span class="row-title">{row.nom}</span>
      <span class="row-detail">{row.ville ?? ""}</span>
    </span>,
    <span class="row-end wide-screens">{row.nom_contact ?? ""}</span>,
  ],
  links: () => <DuplicatesLink table="ecoles" />,
};

export function Beside(): Child {
  return <DirectoryView spec={spec} beside />;
}

export default function ecoles(): Screen {
  return directoryScreen(spec);
}
