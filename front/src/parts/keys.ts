// The keyboard of the whole app. Keys of one character are ignored while one types, and can be switched off.

import { account } from "../store";
import { later } from "./later";
import { moveInList } from "./list";
import { go } from "./place";
import { singleKeys } from "./preferences";

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLInputElement && !["checkbox", "radio", "button", "submit"].includes(target.type);
}

/** The first of these that is seen, in the screen before the list beside it. */
function find<E extends HTMLElement>(selector: string): E | null {
  for (const place of ["main", ".beside"]) {
    for (const found of document.querySelectorAll<E>(`${place} ${selector}`)) {
      if (found.getClientRects().length > 0) return found;
    }
  }
  return null;
}

const actions: Readonly<Record<string, () => boolean>> = {
  "/": () => {
    const field = find("input[type=search]");
    field?.focus();
    (field as HTMLInputElement | null)?.select();
    return field !== null;
  },
  j: () => step(1),
  k: () => step(-1),
  n: () => {
    if (!follow("a[href*='/nouveau']")) void later().then((module) => module.openNew());
    return true;
  },
  e: () => follow("a[href$='/modifier']"),
  "?": () => {
    void later().then((module) => module.showShortcuts());
    return true;
  },
};

function step(by: 1 | -1): boolean {
  const here = document.activeElement?.closest("[data-rows]") ?? find("[data-rows]");
  return here !== null && moveInList(here, by);
}

function follow(selector: string): boolean {
  const href = find(selector)?.getAttribute("href");
  if (href) void go(href);
  return Boolean(href);
}

export function openPalette(): void {
  void later().then((module) => module.showPalette());
}

export function followKeys(): void {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || !account()) return;
    const inDialog = document.querySelector("dialog[open]") !== null;
    if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
      event.preventDefault();
      if (!inDialog) openPalette();
      return;
    }
    // Beside the fields, too, where the focus is after a move.
    const isFree = !(event.target as Element).closest("a, button, input, select, textarea, .beside");
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter" && !inDialog && isFree) {
      event.preventDefault();
      return find<HTMLFormElement>("form.form")?.requestSubmit();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || inDialog || singleKeys() === "off" || isTyping(event.target)) return;
    if (Object.prototype.hasOwnProperty.call(actions, event.key) && actions[event.key]!()) event.preventDefault();
  });
}
