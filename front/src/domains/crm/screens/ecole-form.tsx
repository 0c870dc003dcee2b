// The form of a school.

import { text } from "../../../parts/form";
import type { Params, Screen } from "../../../parts/shell";
import { addressSection, contactSection } from "../parts/directory-fields";
import type { AddressName, ContactName } from "../parts/directory-fields";
import { directoryForm, newRecordOf } from "../parts/directory-form";
import type { DirectoryFormSpec } from "../parts/directory-form";

type Name = "nom" | ContactName | AddressName;

const spec: DirectoryFormSpec<"ecoles", Name> = {
  entity: "ecoles", list: "Écoles", headings: { create: "Nouvelle école", edit: "Modifier l’école" },
  saved: "École enregistrée", missing: "Cette école n’existe pas, ou a été supprimée.",
  label: (row) => row.nom,
  values: {},
  named: (words) => ({ nom: words }),
  sections: () => [
    { fields: [text("nom", "Nom", { required: "Donnez le nom de l’école.", maxlength: 255, wide: true })] },
    contactSection(),
    addressSection(),
  ],
};

export const newRecord = newRecordOf(spec);

export default function ecoleForm(params: Params): Screen {
  return directoryForm(spec, params);
}
