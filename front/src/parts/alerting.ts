// Whether this device says when others change sessions. What it does then is loaded when it is on.

import { effect } from "view";
import { account, setting } from "../store";

export const alerting = setting("avertir", false);

/** Switches the alerts on or off; the system asks the person when they are on for the first time. */
export async function setAlerting(on: boolean): Promise<void> {
  alerting.set(on);
  if (on && "Notification" in window && Notification.permission === "default") await Notification.requestPermission();
}

/** Follows the setting and the account. `load` gives what watches until its answer is called. */
export function followAlerts(load: () => Promise<() => () => void>): void {
  effect(() => {
    if (!alerting() || !account()) return;
    let ended = false;
    let stop: (() => void) | undefined;
    void load().then((watch) => {
      if (!ended) stop = watch();
    }, () => undefined);
    return () => {
      ended = true;
      stop?.();
    };
  });
}
