// A session as a row of a list: the day, what, when, where, with whom.

import { h } from "view";
import type { Child } from "view";
import { DayBlock } from "../../../parts/day";
import { Icon } from "../../../parts/icons";
import { later } from "../../../parts/later";
import { lastAddress } from "../../../parts/place";
import { QueuedBadge, queuedWords } from "../../../parts/queued";
import { keptSessions, sync } from "../../../store";
import type { SessionList, SessionRow } from "../../../store";
import { longDate, plainDate, times } from "../../../words/dates";
import { modalities, sentence, sessionSentence } from "../../../words/sentences";

export function Modality({ value }: { value: "P" | "D" }): Child {
  const name = value === "P" ? "present" : "remote";
  return <span class={`badge ${name}`}><Icon name={name} /><span>{modalities[value]}</span></span>;
}

export function sessionRowSentence(row: SessionRow): string {
  return sentence(sessionSentence(row), queuedWords("sessions", row.id));
}

export interface SessionRowViewProps {
  row: SessionRow;
  /** The month stands in the block of the day. */
  month?: boolean;
}

export function SessionRowView({ row, month }: SessionRowViewProps): Child {
  return [
    <DayBlock date={row.date} month={month === true} />,
    <span class="session-row">
      <span class="session-what">
        <span class="row-title">{row.module}</span>
        <QueuedBadge entity="sessions" id={() => row.id} />
      </span>
      <span class="session-when">{times(row.debut, row.fin)}</span>
      <Modality value={row.modalite} />
      <span class={`session-who${row.formateur ? "" : " missing"}`}>{row.formateur?.nom_complet ?? "Sans formateur"}</span>
      <span class="session-for">{row.client?.raison_sociale ?? row.ecole?.nom ?? ""}</span>
    </span>,
  ];
}

/** Why a list of sessions may lack some; without a network, what the device keeps. */
export function sessionsFailure(list: SessionList): string | null {
  const failure = list.failure();
  if (failure === null || sync.isOnline()) return failure?.message ?? null;
  if (list.isComplete()) return null;
  const kept = keptSessions();
  if (kept === null) return `Vous êtes hors connexion, et cet appareil ne garde pas encore ${list.value()?.length ? "toutes les" : "de"} sessions.`;
  const days = `du ${plainDate(kept.from)} au ${plainDate(kept.to)}`;
  return list.value()?.length
    ? `Vous êtes hors connexion. Cet appareil garde les sessions ${days}.`
    : `Vous êtes hors connexion. Aucune session ne correspond sur cet appareil, qui garde celles ${days}.`;
}

export async function askSessionRemoval(row: SessionRow): Promise<void> {
  (await later()).removal.askRemoval({
    entity: "sessions", row, heading: "Supprimer cette session\u202f?",
    text: `${row.module}, ${longDate(row.date)}.`,
    done: "Session supprimée", to: lastAddress("/sessions"),
  });
}
