// Signing out after a time without use, which begins when the first screen is there.

import { untracked } from "view";
import { account, isIdle, leaveFor, noteActivity } from "./account";

/** Signs out after the time of the setting without a press or a key in any tab. What waits to be sent is kept. */
export function followActivity(): void {
  for (const event of ["pointerdown", "keydown", "scroll"]) {
    window.addEventListener(event, noteActivity, { capture: true, passive: true });
  }
  setInterval(() => { if (untracked(account) && isIdle()) void leaveFor(true); }, 15_000);
}
