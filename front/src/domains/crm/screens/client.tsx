// A client.

import { h } from "view";
import type { Child } from "view";
import type { Params, Screen } from "../../../parts/shell";
import { FailureOf } from "../../../parts/unanswered";
import { ask, client } from "../../../store";
import { euros } from "../../../words/money";
import { whole } from "../../../words/sentences";
import { AddressSection, ContactSection, Facts, recordScreen, Section, town } from "../parts/record";
import type { RecordSpec } from "../parts/record";

const spec: RecordSpec<"clients"> = {
  entity: "clients", list: "Clients", name: (row) => row.raison_sociale, reference: "client_id",
  missing: ["Client introuvable", "Ce client n’existe pas, ou a été supprimé."],
  removal: ["Supprimer ce client\u202f?", "Client supprimé"],
  under: town,
  sections: (row) => [
    <ContactSection row={row} />,
    <AddressSection row={row} />,
    <Section heading="Informations fiscales">
      <Facts none="Ni SIRET ni numéro de TVA" facts={[["SIRET", () => row().siret], ["Numéro de TVA", () => row().numero_tva]]} />
    </Section>,
    <Section heading="Statistiques"><Statistics id={row().id} /></Section>,
  ],
};

/** What the service counts over all sessions, also those that are not on the device. */
function Statistics({ id }: { id: number }): Child {
  if (id < 0) return <p class="quiet-text">Après l’envoi de cette fiche</p>;
  const figures = ask(`statistics of client ${id}`, () => client.clients.get({ id, select: "{ nombre_sessions ca_total }" }), ["sessions"]);
  const shown = (value: () => string | undefined): Child => () => value() ?? <span class="quiet-text">–</span>;
  return [
    <FailureOf of={figures} beside />,
    <dl class="figures-pair">
      <div><dt>Nombre de sessions</dt><dd>{shown(() => figures.value() && whole(figures.value()!.nombre_sessions))}</dd></div>
      <div><dt>Chiffre d’affaires total</dt><dd>{shown(() => figures.value() && euros(figures.value()!.ca_total))}</dd></div>
    </dl>,
  ];
}

export default function clientScreen(params: Params): Screen {
  return recordScreen(spec, params);
}
