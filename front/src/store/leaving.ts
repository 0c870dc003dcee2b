// A page that is left or hidden may not come back: what it holds is sent, and it asks before writes are lost that it alone has.

import { untracked } from "view";
import { change, isInMemoryAlone } from "./book";
import { client } from "./client";
import { sendAll } from "./sending";
import { writes } from "./tables";
import { callOf, heldFor } from "./writes";

/**
 * Sends the deletions that could still be taken back. A page that is closed has the time for calls that begin at once; they are
 * repeated, under the same keys, by what then notes their answers, in this page or at the next visit.
 */
export async function sendHeld(): Promise<void> {
  const held = untracked(writes).filter((one) => heldFor(one, Date.now()) > 0);
  if (held.length === 0) return;
  await Promise.allSettled(held.map((one) => {
    const { method, params } = callOf(one);
    return document.hidden ? client.call(method as "sessions.delete", params as never) : null;
  }));
  await change((before) => before.map((one) => ({ ...one, until: 0 })));
  await sendAll();
}

export function followLeaving(): void {
  window.addEventListener("beforeunload", (event) => {
    if (!isInMemoryAlone()) return;
    event.preventDefault();
    // Chrome asked for it until version 119.
    event.returnValue = "";
  });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) void sendHeld();
  });
}
