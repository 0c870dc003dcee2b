// A school.

import { h } from "view";
import type { Params, Screen } from "../../../parts/shell";
import { AddressSection, ContactSection, recordScreen, town } from "../parts/record";
import type { RecordSpec } from "../parts/record";

const spec: RecordSpec<"ecoles"> = {
  entity: "ecoles", list: "Écoles", name: (row) => row.nom, reference: "ecole_id",
  missing: ["École introuvable", "Cette école n’existe pas, ou a été supprimée."],
  removal: ["Supprimer cette école\u202f?", "École supprimée"],
  under: town,
  sections: (row) => [
    <ContactSection row={row} />,
    <AddressSection row={row} />,
  ],
};

export default function ecole(params: Params): Screen {
  return recordScreen(spec, params);
}
