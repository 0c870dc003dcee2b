import { effect } from "view";
import { account, followNetwork, onEntered, startAccount } from "./account";
import { readCopy } from "./copy";
import { followFeed } from "./feed";
import { rest } from "./network";
import { readQueue } from "./book";

/** Shows what the device has, and begins to follow the service. Called once, before the first screen. */
export async function start(): Promise<void> {
  onEntered(async () => {
    // What the device cannot read, the service has.
    await Promise.all([readCopy(), readQueue()]).catch(() => undefined);
  });
  effect(() => {
    if (account() === null) rest();
  });
  followFeed();
  followNetwork();
  await startAccount();
}
