// Prospects: companies that may become clients, and the stages on their way. They are few, and not kept on the device.

import type { Selected } from "learntrack";
import { ask, client, mapped, queue } from "../../../store";
import type { Live } from "../../../store";
import { compareNames, phoneWords } from "../../../words/sentences";

export const selection = `{ id raison_sociale nom_contact email telephone ville source montant_estime probabilite prochaine_relance
  responsable_id etape etapes_suivantes motif client_id version telephone_uri client { id raison_sociale } }`;

export type Prospect = Selected<"prospects", typeof selection>;
export type Stage = Prospect["etape"];

export const stages: readonly (readonly [Stage, string])[] = [
  ["a_contacter", "À contacter"], ["contacte", "Contacté"], ["proposition", "Proposition"], ["gagne", "Gagné"], ["perdu", "Perdu"],
];

export const stageName = (stage: Stage): string => stages.find(([one]) => one === stage)![1];

export const channels = [
  ["telephone", "Téléphone"], ["email", "E-mail"], ["rendez_vous", "Rendez-vous"], ["courrier", "Courrier"], ["autre", "Autre"],
] as const;
export type Channel = typeof channels[number][0];
export const channelName = (channel: Channel): string => channels.find(([one]) => one === channel)![1];

const follows = ["prospects", "relances"];

/** The next reminder first, and names as French names are ordered, numbers by their value. */
const compare = (one: Prospect, other: Prospect): number =>
  (one.prochaine_relance ?? "9").localeCompare(other.prochaine_relance ?? "9") || compareNames(one.raison_sociale, other.raison_sociale);

/** What a search looks into. */
export const textOfProspect = (row: Prospect): string =>
  [row.raison_sociale, row.ville, row.nom_contact, row.source, phoneWords(row.telephone_uri)].filter(Boolean).join(" ");

const isThere = ({ id }: { id: number }): boolean => !queue.isRemoved("prospects", id);

export function prospects(): Live<readonly Prospect[]> {
  return mapped(ask("prospects", async () => {
    const all: Prospect[] = [];
    for (let after: string | null = null; ;) {
      const page: { items: Prospect[]; has_next_page: boolean; end_cursor: string | null } =
        await client.prospects.list({ first: 500, after, order_by: ["prochaine_relance", "raison_sociale"], select: selection });
      all.push(...page.items);
      if (!page.has_next_page) return all.sort(compare);
      after = page.end_cursor;
    }
  }, follows), (all) => all.filter(isThere));
}

export function prospect(id: number): Live<Prospect | null> {
  return mapped(ask(`prospect ${id}`, async () =>
    (await client.prospects.list({ where: { id }, first: 1, select: selection })).items[0] ?? null, follows), (one) => (one && isThere(one) ? one : null));
}

export function reminders(id: number) {
  return ask(`relances ${id}`, async () =>
    (await client.relances.list({ where: { prospect_id: id }, order_by: ["faite", "date"], first: 200, select: "{ id date canal note faite version }" })).items, follows);
}

export function dueToday() {
  return mapped(ask("relances du jour", async () =>
    (await client.relances_du_jour.list({ first: 100, select: "{ id prospect_id relance_id date retard canal note prospect { id raison_sociale telephone_uri } }" })).items, follows),
  (all) => all.filter(({ prospect_id: id }) => isThere({ id })));
}
