// The form of a client.

import { text } from "../../../parts/form";
import type { Params, Screen } from "../../../parts/shell";
import { addressSection, contactSection, siret } from "../parts/directory-fields";
import type { AddressName, ContactName } from "../parts/directory-fields";
import { directoryForm, newRecordOf } from "../parts/directory-form";
import type { DirectoryFormSpec } from "../parts/directory-form";

type Name = "raison_sociale" | "siret" | "numero_tva" | ContactName | AddressName;

const spec: DirectoryFormSpec<"clients", Name> = {
  entity: "clients", list: "Clients", headings: { create: "Nouveau client", edit: "Modifier le client" },
  saved: "Client enregistré", missing: "Ce client n’existe pas, ou a été supprimé.",
  label: (row) => row.raison_sociale,
  values: {},
  named: (words) => ({ raison_sociale: words }),
  sections: () => [
    { fields: [text("raison_sociale", "Raison sociale", { required: "Donnez la raison sociale.", maxlength: 255, wide: true })] },
    contactSection(),
    addressSection(),
    { heading: "Informations fiscales", fields: [siret(), text("numero_tva", "Numéro de TVA", { maxlength: 20 })] },
  ],
};

export const newRecord = newRecordOf(spec);

export default function clientForm(params: Params): Screen {
  return directoryForm(spec, params);
}
