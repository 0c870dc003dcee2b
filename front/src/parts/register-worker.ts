// The service worker, which keeps the files of the front on the device. It is registered when the first screen is there.

import { isPageKept } from "../store";
import { ready } from "./version";

interface TrustedScripts { createPolicy(name: string, rules: { createScriptURL(text: string): string }): { createScriptURL(text: string): string } }

/** The address of the worker, in the form that a page with trusted types demands. */
function workerAddress(): string {
  const types = (window as unknown as { trustedTypes?: TrustedScripts }).trustedTypes;
  return types ? types.createPolicy("worker", { createScriptURL: () => "/sw.js" }).createScriptURL("") : "/sw.js";
}

export async function registerWorker(): Promise<void> {
  // The first version controls the page without a question, and without a reload.
  const controlled = navigator.serviceWorker.controller !== null;
  let reloading = false;
  navigator.serviceWorker.addEventListener("controllerchange", () => {
    if (!controlled || reloading) return;
    reloading = true;
    location.reload();
  });
  const registration = await navigator.serviceWorker.register(workerAddress()).catch(() => null);
  const keep = (): void => isPageKept.set(true);
  // Its files are there when its installation ends, or the device refuses them.
  if (registration?.installing) registration.installing.addEventListener("statechange", keep);
  else keep();
  if (!registration) return;
  // A page that was being loaded while the first version took over is not controlled yet.
  if (!controlled) void navigator.serviceWorker.ready.then(({ active }) => active?.postMessage("claim"));
  const look = (worker: ServiceWorker | null): void => {
    if (!worker || !navigator.serviceWorker.controller) return;
    if (worker.state === "installed") ready.set(worker);
    else worker.addEventListener("statechange", () => {
      if (worker.state === "installed") ready.set(worker);
    });
  };
  look(registration.waiting);
  registration.addEventListener("updatefound", () => look(registration.installing));
  // An app on a phone's home screen stays open for days.
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) void registration.update().catch(() => undefined);
  });
}
