// The announcement of a session on Discord: asked for by a button, sent later by the service.

import { computed, effect, h } from "view";
import type { Child } from "view";
import { command } from "../../../../parts/command";
import { Noted } from "../../../../parts/noted";
import { ask, client, may } from "../../../../store";
import type { SessionRow } from "../../../../store";
import { instant } from "../../../../words/instants";

export interface Sending {
  sent_at: string | null;
  gave_up_at: string | null;
  failures: number;
  last_error: string | null;
}

/** What became of it; why, stands behind it. */
export function announcementWords({ sent_at, gave_up_at, failures, last_error }: Sending): string {
  if (gave_up_at !== null) return "L’annonce n’a pas pu être envoyée sur Discord.";
  // It is ended with an error when it is not known whether Discord has it.
  if (sent_at !== null) return `Annonce ${last_error === null ? "envoyée sur Discord" : "traitée"} le ${instant(sent_at)}.`;
  return failures === 0 ? "L’annonce partira dans un instant." : "L’annonce est en attente. Le dernier essai a échoué.";
}

export function Announcement({ row }: { row: () => SessionRow }): Child {
  if (!may("sessions.annoncer")) return null;
  const id = computed(() => row().id);
  // The service shows what it sends to administrators alone.
  const found = computed(() => (may("outbox.list")
    ? ask(`annonce ${id()}`, async () => {
      const { items } = await client.outbox.list({
        where: { kind: "sessions.annonce", record_id: id() }, order_by: ["-id"], first: 20,
        select: "{ sent_at gave_up_at failures last_error }",
      });
      // What waits behind one that fails has no failure of its own.
      return items.find((one) => one.failures > 0 && one.sent_at === null && one.gave_up_at === null) ?? items[0] ?? null;
    }, ["outbox"])
    : null));
  const sending = computed(() => found()?.value() ?? null);
  effect(() => {
    const one = sending();
    if (one === null || one.sent_at !== null || one.gave_up_at !== null) return;
    const timer = setTimeout(() => void found()?.refresh(), one.failures === 0 ? 3_000 : 60_000);
    return () => clearTimeout(timer);
  });
  const announce = command(async (key) => {
    await client.sessions.annoncer({ id: id(), idempotency_key: key, select: "{ id }" });
    void found()?.refresh();
  }, { done: "L’annonce partira dans un instant" });
  return [
    <button type="button" class="plain" aria-busy={() => (announce.busy() ? "true" : null)} onclick={() => void announce()}>
      Annoncer sur Discord
    </button>,
    () => {
      const one = sending();
      return one === null ? null : <p class="quiet-text small">{announcementWords(one)}{one.last_error === null ? null : [" ", <Noted error={one.last_error} />]}</p>;
    },
  ];
}
