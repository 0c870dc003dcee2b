// What moves the buttons of a page waits while one is pressed. A press that begins on a button and ends beside it, because the button
// has moved meanwhile, is no click: it is lost without a word.

import { effect, signal, untracked } from "view";

const isPressed = signal(false);

/** How long a press lasts at most: a browser need not tell of the end of one that opens a menu of its own. */
const longest = 3_000;

/** Follows whether the page is pressed. */
export function followPresses(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = (after: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => isPressed.set(false), after);
  };
  document.addEventListener("pointerdown", () => {
    isPressed.set(true);
    end(longest);
  }, true);
  // The click comes after the end of the press, and finds everything where it was.
  for (const name of ["pointerup", "pointercancel"]) document.addEventListener(name, () => end(100), true);
}

/** What `read` says, as it was when the press began that is not over yet. */
export function steady<T>(read: () => T): () => T {
  const shown = signal(untracked(read));
  effect(() => {
    if (!isPressed()) shown.set(read());
  });
  return shown;
}
