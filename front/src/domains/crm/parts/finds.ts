// What "Aller à" finds of this room.

import { computed, untracked } from "view";
import { optionOf, searchedText } from "../../../parts/form/options";
import type { Finds, Found } from "../../../screens/aller-a";
import { directory, may, sessionsOf } from "../../../store";
import type { Directory, Row } from "../../../store";
import { shortDate } from "../../../words/dates";
import { fold } from "../../../words/sentences";
import { prospects, textOfProspect } from "./prospects";

/** `kind` stands where a record has no detail of its own. */
function found<E extends Directory>(entity: E, row: Row<E>, kind: string): Found {
  const option = optionOf(entity, row);
  const detail = option.detail || kind;
  return { label: option.label, detail, icon: entity, href: `/${entity}/${option.id}`, text: fold(`${searchedText(option)} ${detail}`) };
}

export function finds(asked: () => string | null): Finds {
  const trainers = directory("formateurs");
  const customers = directory("clients");
  const schools = directory("ecoles");
  // The device's sessions answer at once, the service's a moment later.
  const sessions = computed(() => {
    const search = asked();
    return search === null ? null : untracked(() => sessionsOf({ search }));
  });
  const isAsked = computed(() => asked() !== null);
  const companies = computed(() => (isAsked() && may("prospects.list") ? untracked(prospects) : null));
  return {
    pages: [
      ["Prospects", "prospects", "prospects.list", "flag"], ["Doublons", "doublons", "clients.fusionner", "clients"],
      ["Organisme", "organisme", "organisme.update", "document"],
      ["Nouvelle session", "sessions/nouveau", "sessions.create"], ["Nouveau formateur", "formateurs/nouveau", "formateurs.create"],
      ["Nouveau client", "clients/nouveau", "clients.create"], ["Nouvelle école", "ecoles/nouveau", "ecoles.create"],
      ["Nouveau prospect", "prospects/nouveau", "prospects.create"],
    ],
    records: [
      computed(() => (trainers.value() ?? []).map((row) => found("formateurs", row, "Formateur"))),
      computed(() => (customers.value() ?? []).map((row) => found("clients", row, "Client"))),
      computed(() => (schools.value() ?? []).map((row) => found("ecoles", row, "École"))),
      computed(() => (companies()?.value() ?? []).map((row): Found => ({
        label: row.raison_sociale, detail: "Prospect", icon: "flag", href: `/prospects/${row.id}`, text: fold(`${textOfProspect(row)} prospect`),
      }))),
    ],
    found: () => (sessions()?.value() ?? []).map((row) => (
      { label: row.module, detail: shortDate(row.date), icon: "sessions", href: `/sessions/${row.id}` })),
  };
}
