// The sentences that name prospects and their reminders in lists.

import { plainDate, today } from "../../../words/dates";
import { euros } from "../../../words/money";
import { count, sentence } from "../../../words/sentences";

interface ProspectWords { raison_sociale: string; ville: string | null; montant_estime: number | null }

/** "Office de tourisme du Mont-Vert, Chambéry, Contacté, 2 600,00 €, relance le 23 novembre". */
export function prospectSentence(row: ProspectWords, stage: string, due: string | null): string {
  return sentence(
    row.raison_sociale, row.ville, stage, row.montant_estime === null ? null : euros(row.montant_estime),
    due === null ? null : `relance le ${plainDate(due).replace(` ${today().slice(0, 4)}`, "")}`);
}

/** "Office de tourisme du Mont-Vert, Téléphone, Rappeler Anne, 2 jours de retard". */
export function reminderSentence(name: string, channel: string | null, note: string | null, late: number): string {
  return sentence(name, channel, note, late > 0 ? `${count(late, "jour")} de retard` : "aujourd’hui");
}
