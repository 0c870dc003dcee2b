// Whether this device says when others change sessions. What it does then is loaded when it is on.

import { effect } from "view";
import { account, setting } from "../store";
import { later } from "./later";

export const alerting = setting("avertir", false);

/** Switches the alerts on or off; the system asks the person when they are on for the first time. */
export async function setAlerting(on: boolean): Promise<void> {
  alerting.set(on);
  if (on && "Notification" in window && Notification.permission === "default") await Notification.requestPermission();
}

/** Follows the setting and the account. */
export function followAlerts(): void {
  effect(() => {
    if (!alerting() || !account()) return;
    let ended = false;
    let stop: (() => void) | undefined;
    void later().then(({ alerts }) => {
      if (!ended) stop = alerts.watch();
    }, () => undefined);
    return () => {
      ended = true;
      stop?.();
    };
  });
}
