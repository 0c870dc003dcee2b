// What the device has written and the service does not have yet, at the rows and heads of records.

import { h } from "view";
import type { Child } from "view";
import { queue } from "../store";

const states = { waiting: "En attente d’envoi", refused: "À corriger" } as const;

/** What waits to be sent, or was refused. */
export function queuedWords(entity: string, id: number): string | null {
  const state = queue.of(entity, id);
  return state === null ? null : states[state];
}

/** These words as a badge; with `leads`, as a link to the list of what waits. Waiting is no fault and looks calm. */
export function QueuedBadge({ entity, id, leads = false }: { entity: string; id: () => number; leads?: boolean }): Child {
  return () => {
    const words = queuedWords(entity, id());
    if (words === null) return null;
    const look = words === states.refused ? "badge warn" : "badge waiting";
    return leads ? <a class={look} href="/attente">{words}</a> : <span class={look}>{words}</span>;
  };
}
