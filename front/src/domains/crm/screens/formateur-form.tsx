// The form of a trainer.

import { amount, digits, email, radios, telephone, text } from "../../../parts/form";
import type { Params, Screen } from "../../../parts/shell";
import { addressSection, siret } from "../parts/directory-fields";
import type { AddressName } from "../parts/directory-fields";
import { directoryForm, newRecordOf } from "../parts/directory-form";
import type { DirectoryFormSpec } from "../parts/directory-form";

type Name =
  | "prenom" | "nom" | "email" | "telephone" | "specialite" | "taux_horaire" | "exterieur" | "societe" | "siret" | "nda" | AddressName;

const spec: DirectoryFormSpec<"formateurs", Name> = {
  entity: "formateurs", list: "Formateurs", headings: { create: "Nouveau formateur", edit: "Modifier le formateur" },
  saved: "Formateur enregistré", missing: "Ce formateur n’existe pas, ou a été supprimé.",
  label: (row) => row.nom_complet,
  values: { exterieur: 0 },
  named: (words) => {
    const [prenom = "", ...rest] = words.split(/\s+/);
    return rest.length === 0 ? { nom: prenom } : { prenom, nom: rest.join(" ") };
  },
  sections: () => [
    {
      fields: [
        text("prenom", "Prénom", { required: "Donnez le prénom.", maxlength: 100 }),
        text("nom", "Nom", { required: "Donnez le nom.", maxlength: 100 }),
        email("email", "Adresse e-mail"),
        telephone("telephone", "Téléphone"),
      ],
    },
    {
      heading: "Informations professionnelles",
      fields: [
        radios("exterieur", "Type", [{ value: 0, label: "Interne" }, { value: 1, label: "Externe" }], { required: "Choisissez le type.", wide: true }),
        text("specialite", "Spécialité"),
        amount("taux_horaire", "Taux horaire"),
        text("societe", "Société", { maxlength: 255, wide: true, when: (read) => read("exterieur") === 1 }),
        siret(),
        digits("nda", "Numéro de déclaration d’activité", { maxlength: 50 }),
      ],
    },
    addressSection(),
  ],
};

export const newRecord = newRecordOf(spec);

export default function formateurForm(params: Params): Screen {
  return directoryForm(spec, params);
}
