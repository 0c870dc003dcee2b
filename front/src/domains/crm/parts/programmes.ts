// Programmes: what contracts say of a training besides its day and its price. They are few, and not kept on the device.

import type { Selected } from "learntrack";
import { ask, client, mapped, queue } from "../../../store";
import type { Live } from "../../../store";
import { compareNames } from "../../../words/sentences";

const selection = `{ id intitule objectifs public prerequis contenu moyens suivi_evaluation sanction duree_conseillee version
  nombre_sessions }`;

export type Programme = Selected<"programmes", typeof selection>;

export const texts = [
  ["objectifs", "Objectifs"], ["public", "Public"], ["prerequis", "Prérequis"], ["contenu", "Contenu"],
  ["moyens", "Moyens pédagogiques et techniques"], ["suivi_evaluation", "Suivi et évaluation"], ["sanction", "Sanction"],
] as const;

export function programmes(): Live<readonly Programme[]> {
  return mapped(ask("programmes", async () => {
    const all = [];
    for await (const row of client.programmes.listAll({ first: 500, select: selection })) all.push(row);
    return all.sort((one, other) => compareNames(one.intitule, other.intitule));
  }, ["programmes", "sessions"]), (all) => all.filter(({ id }) => !queue.isRemoved("programmes", id)));
}
