// A choice of a few: radios that look like one control.

import { h } from "view";
import type { Child } from "view";

export interface SegmentsProps<T extends string> {
  label: string;
  options: readonly (readonly [value: T, label: string])[];
  value: () => T;
  set: (value: T) => void;
  /** Shows the label above; else it is the group's name alone. */
  shown?: boolean;
  describedBy?: () => string | null;
}

let number = 0;

export function Segments<T extends string>({ label, options, value, set, shown, describedBy }: SegmentsProps<T>): Child {
  const id = `segments-${++number}`;
  return (
    <div class="segments-field">
      {shown ? <span id={id} class="label">{label}</span> : null}
      <div class="segments" role="radiogroup" aria-label={shown ? null : label} aria-labelledby={shown ? id : null}
        aria-describedby={describedBy ?? null}>
        {options.map(([option, words]) => (
          <label class="segment">
            <input type="radio" name={id} value={option} checked={() => value() === option} onchange={() => set(option)} />
            <span>{words}</span>
          </label>
        ))}
      </div>
    </div>
  );
}
