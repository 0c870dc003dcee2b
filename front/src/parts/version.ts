// The new version that the service worker holds until the person agrees.

import { signal } from "view";

export const ready = signal<ServiceWorker | null>(null);
const postponed = signal(false);

export const version = {
  waiting: (): boolean => ready() !== null && !postponed(),
  /** Lets the new version take over; the page is loaded again when it has. */
  accept(): void {
    ready()?.postMessage("take over");
  },
  later(): void {
    postponed.set(true);
  },
};
