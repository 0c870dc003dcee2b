// A trainer.

import { h } from "view";
import type { Params, Screen } from "../../../parts/shell";
import { euros } from "../../../words/money";
import { AddressSection, contactFacts, Facts, recordScreen, Section } from "../parts/record";
import type { RecordSpec } from "../parts/record";
import { TypeBadge } from "./formateurs";

const spec: RecordSpec<"formateurs"> = {
  entity: "formateurs", list: "Formateurs", name: (row) => row.nom_complet, reference: "formateur_id", sms: true,
  missing: ["Formateur introuvable", "Ce formateur n’existe pas, ou a été supprimé."],
  removal: ["Supprimer ce formateur\u202f?", "Formateur supprimé"],
  under: (row) => [() => <TypeBadge value={row().exterieur} />, <span>{() => row().specialite ?? ""}</span>],
  sections: (row) => [
    <Section heading="Coordonnées"><Facts none="Ni téléphone ni adresse e-mail" facts={contactFacts(row)} /></Section>,
    <Section heading="Informations professionnelles">
      <Facts none="Rien n’est renseigné" facts={[
        ["Taux horaire", () => (row().taux_horaire === null ? null : `${euros(row().taux_horaire!)} / h`)],
        ["Numéro de déclaration d’activité", () => row().nda],
        ["SIRET", () => row().siret],
      ]} />
    </Section>,
    () => (row().exterieur === 1
      ? <Section heading="Société"><Facts none="Aucune société" facts={[["Nom", () => row().societe]]} /></Section>
      : null),
    <AddressSection row={row} />,
  ],
};

export default function formateur(params: Params): Screen {
  return recordScreen(spec, params);
}
