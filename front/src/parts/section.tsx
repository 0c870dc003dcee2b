// A part of a record under its heading.

import { h } from "view";
import type { Child } from "view";

let sections = 0;

export function Section({ heading, children, wide }: { heading: string; children?: Child; wide?: boolean }): Child {
  const id = `section-${++sections}`;
  return (
    <section class={`card${wide ? " wide" : ""}`} aria-labelledby={id}>
      <h2 id={id}>{heading}</h2>
      {children}
    </section>
  );
}
