// The search of a list.

import { effect, h, onCleanup } from "view";
import type { Child } from "view";
import { Icon } from "./icons";

export interface SearchProps {
  label: string;
  value: () => string;
  set: (text: string) => void;
  /** The milliseconds that make a pause: longer where the service searches. */
  pause?: number;
}

/** Typing is passed on when it pauses. ArrowDown goes into the list that follows. */
export function Search({ label, value, set, pause = 120 }: SearchProps): Child {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let input!: HTMLInputElement;
  const pass = (): void => {
    clearTimeout(timer);
    if (input.value !== value()) set(input.value);
  };
  onCleanup(() => clearTimeout(timer));
  const view = (
    <div class="search">
      <Icon name="search" />
      <input type="search" ref={(element) => (input = element)} aria-label={label} placeholder="Rechercher…" autocomplete="off"
        autocapitalize="off" spellcheck="false" enterkeyhint="search" data-search=""
        oninput={() => { clearTimeout(timer); timer = setTimeout(pass, pause); }} onchange={pass}
        onkeydown={(event) => {
          if (event.key === "ArrowDown") {
            const list = input.closest("[data-list-place], main, aside")?.querySelector<HTMLElement>("[data-rows] a");
            if (list) { event.preventDefault(); pass(); list.focus(); }
          } else if (event.key === "Escape" && input.value !== "") {
            event.preventDefault();
            input.value = "";
            pass();
          } else if (event.key === "Enter") pass();
        }} />
    </div>
  );
  effect(() => {
    // Filters may change elsewhere; while one types, the field is the truth.
    const text = value();
    if (document.activeElement !== input || text === "") input.value = text;
  });
  return view;
}
