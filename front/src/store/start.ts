import { effect } from "view";
import { account, followActivity, followNetwork, onEntered, startAccount } from "./account";
import { readCopy } from "./copy";
import { followFeed } from "./feed";
import { rest } from "./network";
import { isInMemoryAlone, readQueue } from "./book";
import { sendHeld } from "./queue";

/** Shows what the device has, and begins to follow the service. Called once, before the first screen. */
export async function start(): Promise<void> {
  onEntered(async () => {
    // What the device cannot read, the service has.
    await Promise.all([readCopy(), readQueue()]).catch(() => undefined);
  });
  effect(() => {
    if (account() === null) rest();
  });
  window.addEventListener("beforeunload", (event) => {
    if (!isInMemoryAlone()) return;
    event.preventDefault();
    // Chrome asked for it until version 119.
    event.returnValue = "";
  });
  // The page may not come back.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) void sendHeld();
  });
  followFeed();
  followNetwork();
  followActivity();
  await startAccount();
}
