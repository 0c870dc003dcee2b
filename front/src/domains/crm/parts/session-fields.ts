// The fields of a session, as its form asks for them.

import type { Child } from "view";
import { amount, date, making, number, optionsOf, radios, record, suggest, text, time } from "../../../parts/form";
import type { Field, NewRecord, Option, Options, Section } from "../../../parts/form";
import type { Directory, SessionRow } from "../../../store";
import { newRecord as newClient } from "../screens/client-form";
import { newRecord as newEcole } from "../screens/ecole-form";
import { newRecord as newFormateur } from "../screens/formateur-form";

export type SessionName =
  | "module" | "date" | "debut" | "fin" | "modalite" | "lieu" | "formateur_id" | "client_id" | "ecole_id" | "tarif_client"
  | "tarif_sous_traitant" | "frais_rembourser" | "ref_contrat" | "programme_id" | "effectif";

export interface Suggestions {
  modules: () => readonly string[];
  places: () => readonly string[];
  programmes: Options;
  /** The session that names its people before the directories are loaded. */
  from?: SessionRow | null;
  /** What stands under a field. */
  after?: Partial<Record<SessionName, () => Child>>;
  /** Another session of the trainer at that time. */
  conflict?: () => string | null;
}

export function sessionSections(suggestions: Suggestions): Section<SessionName>[] {
  return sections(suggestions).map((section) => ({
    ...section,
    fields: section.fields.map((field) => {
      const after = suggestions.after?.[field.name];
      const note = field.name === "date" || field.name === "formateur_id" ? suggestions.conflict : undefined;
      return { ...field, ...(after === undefined ? {} : { after }), ...(note === undefined ? {} : { note }) };
    }),
  }));
}

function sections(suggestions: Suggestions): Section<SessionName>[] {
  const known = (name: SessionName): Option | undefined => {
    const { formateur, client, ecole } = suggestions.from ?? {};
    if (name === "formateur_id") return formateur ? { id: formateur.id, label: formateur.nom_complet } : undefined;
    if (name === "client_id") return client ? { id: client.id, label: client.raison_sociale } : undefined;
    return ecole ? { id: ecole.id, label: ecole.nom } : undefined;
  };
  const directory = <E extends Directory>(name: SessionName, label: string, entity: E, newRecord: NewRecord<E>): Field<SessionName> =>
    record(name, label, optionsOf(entity), { make: making(entity, newRecord), known: known(name) });
  return [
    {
      fields: [
        suggest("module", "Module", suggestions.modules, { required: "Donnez l’intitulé de la formation.", maxlength: 500, wide: true }),
        date("date", "Date", { required: "Choisissez la date.", third: true }),
        time("debut", "Début", { required: "Donnez l’heure de début.", third: true }),
        time("fin", "Fin", { required: "Donnez l’heure de fin.", third: true }),
        radios("modalite", "Modalité", [{ value: "P", label: "Présentiel" }, { value: "D", label: "Distanciel" }], {
          required: "Choisissez la modalité.", wide: true,
        }),
        suggest("lieu", "Lieu", suggestions.places, { wide: true }),
      ],
    },
    {
      heading: "Intervenants",
      fields: [
        directory("formateur_id", "Formateur", "formateurs", newFormateur),
        directory("client_id", "Client", "clients", newClient),
        directory("ecole_id", "École", "ecoles", newEcole),
      ],
    },
    {
      heading: "Tarifs",
      fields: [
        amount("tarif_client", "Tarif client", { third: true }),
        amount("tarif_sous_traitant", "Tarif sous-traitant", { third: true }),
        amount("frais_rembourser", "Frais à rembourser", { third: true }),
        text("ref_contrat", "Référence du contrat", { maxlength: 100 }),
      ],
    },
    {
      heading: "Programme",
      fields: [
        record("programme_id", "Programme", suggestions.programmes, {
          hint: "Sans choix, celui qui a l’intitulé du module.",
          known: suggestions.from?.programme ? { id: suggestions.from.programme.id, label: suggestions.from.programme.intitule } : undefined,
        }),
        number("effectif", "Effectif"),
      ],
    },
  ];
}
