// A part of a record under its heading, and what is known of the record.

import { computed, h } from "view";
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

export type Fact = readonly [label: string, value: () => string | null, view?: (text: string) => Child];

/** Facts that are known; what is not known leaves its line out, and all of them leave a sentence. */
export function Facts({ facts, none }: { facts: readonly Fact[]; none: string }): Child {
  const some = computed(() => facts.some(([, value]) => value() !== null));
  return () => (some()
    ? (
      <dl class="facts">
        {facts.map(([label, value, view]) => () => {
          const text = value();
          return text === null ? null : <div><dt>{label}</dt><dd>{view ? view(text) : text}</dd></div>;
        })}
      </dl>
    )
    : <p class="quiet-text">{none}</p>);
}
