// What moves the buttons of a page waits while one is pressed. A press that begins on a button and ends beside it, because the button
// has moved meanwhile, is no click: it is lost without a word.

import { effect, signal, untracked } from "view";

const isPressed = signal(false);

/** Follows whether the page is pressed. */
export function followPresses(): void {
  document.addEventListener("pointerdown", () => isPressed.set(true), true);
  for (const name of ["pointerup", "pointercancel"]) {
    // The click comes after the end of the press, and finds everything where it was.
    document.addEventListener(name, () => setTimeout(() => isPressed.set(false), 100), true);
  }
}

/** What `read` says, as it was when the press began that is not over yet. */
export function steady<T>(read: () => T): () => T {
  const shown = signal(untracked(read));
  effect(() => {
    if (!isPressed()) shown.set(read());
  });
  return shown;
}
