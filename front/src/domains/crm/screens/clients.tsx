// The directory of clients.

import { h } from "view";
import type { Child } from "view";
import type { Screen } from "../../../parts/shell";
import { CustomerTabs } from "../parts/customers";
import { Avatar, directoryScreen, DirectoryView } from "../parts/directory";
import type { DirectorySpec } from "../parts/directory";
import { DuplicatesLink } from "../parts/duplicates";
import { clientSentence } from "../words/directories";

const spec: DirectorySpec<"clients"> = {
  entity: "clients", heading: "Clients", search: "Rechercher un client", one: "client",
  create: "Nouveau client", none: "Aucun client",
  sentence: clientSentence,
  sorted: (row) => row.raison_sociale,
  row: (row) => [
    <Avatar initials={row.initiales} />,
    <span class="row-main">
      <span class="row-title">{row.raison_sociale}</span>
      <span class="row-detail">{row.ville ?? ""}</span>
    </span>,
    <span class="row-end wide-screens">{row.nom_contact ?? ""}</span>,
  ],
  links: () => <DuplicatesLink table="clients" />,
  tabs: () => <CustomerTabs />,
};

export function Beside(): Child {
  return <DirectoryView spec={spec} beside />;
}

export default function clients(): Screen {
  return directoryScreen(spec);
}
