// The settings of this device, shared by its tabs.

import { signal, type Signal } from "view";
import { parsed, recall, remember } from "./device";

const all = new Map<string, Signal<unknown>>();

/** A setting of this device. `initial` holds until another value is chosen. */
export function setting<T>(name: string, initial: T): Signal<T> {
  const found = all.get(name);
  if (found) return found as Signal<T>;
  const inner = signal<T>((parsed(recall(`setting.${name}`)) as T | undefined) ?? initial);
  const outer = (() => inner()) as Signal<T>;
  outer.set = (value) => {
    remember(`setting.${name}`, JSON.stringify(value));
    inner.set(value);
  };
  outer.update = (change) => outer.set(change(inner()));
  all.set(name, outer as Signal<unknown>);
  if (typeof window !== "undefined") {
    window.addEventListener("storage", (event) => {
      if (event.key === `learntrack.setting.${name}`) inner.set((parsed(event.newValue) as T | undefined) ?? initial);
    });
  }
  return outer;
}

/** Whether the device keeps a copy of the records. */
export const offlineCopy = setting("copie", true);
/** The minutes without use after which the device signs out. */
export const inactivity = setting("inactivite", 43_200);
