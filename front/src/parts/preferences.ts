// What a person chose for this device. The choices hold no data of the organisation, so they stay outside the store.

import { effect, signal } from "view";

function preference<T extends string>(name: string, values: readonly T[]): { (): T; set(value: T): void } {
  let kept: string | null = null;
  try {
    kept = localStorage.getItem(name);
  } catch {
    // A browser that refuses storage has the default.
  }
  const value = signal<T>(values.find((one) => one === kept) ?? values[0]!);
  const read = (() => value()) as { (): T; set(value: T): void };
  read.set = (next) => {
    value.set(next);
    try {
      localStorage.setItem(name, next);
    } catch {
      // The choice holds until the app is closed.
    }
  };
  return read;
}

export const theme = preference("theme", ["system", "light", "dark"] as const);
export const density = preference("density", ["comfortable", "compact"] as const);
export const singleKeys = preference("single-keys", ["on", "off"] as const);

/** Puts the theme and the density on the document, now and after each change. */
export function applyPreferences(): void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = signal(dark.matches);
  dark.addEventListener("change", () => isDark.set(dark.matches));
  effect(() => {
    document.documentElement.dataset["theme"] = theme() === "system" ? (isDark() ? "dark" : "light") : theme();
  });
  effect(() => void (document.documentElement.dataset["density"] = density()));
}
