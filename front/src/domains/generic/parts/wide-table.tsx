// A table that may be wider than the page: it scrolls by itself, by the keyboard too, says so, and keeps its first column in sight.

import { h, onCleanup, signal } from "view";
import type { Child } from "view";

export function WideTable({ label, children }: { label: string; children?: Child }): Child {
  const isWide = signal(false);
  const isAtEnd = signal(false);
  const look = (frame: Element): void => {
    isWide.set(frame.scrollWidth > frame.clientWidth + 1);
    isAtEnd.set(frame.scrollLeft + frame.clientWidth >= frame.scrollWidth - 1);
  };
  return (
    <div class="wide-table">
      {() => (isWide() ? <p class="quiet-text small wide-table-hint">Le tableau défile de gauche à droite.</p> : null)}
      <div
        class={() => `table-frame${isWide() && !isAtEnd() ? " goes-on" : ""}`} role="region" aria-label={label} tabindex="0"
        onscroll={(event) => look(event.currentTarget)}
        ref={(frame) => {
          const watcher = new ResizeObserver(() => look(frame));
          watcher.observe(frame);
          queueMicrotask(() => { if (frame.firstElementChild) watcher.observe(frame.firstElementChild); });
          onCleanup(() => watcher.disconnect());
        }}
      >
        {children}
      </div>
    </div>
  );
}
