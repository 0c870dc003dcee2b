// A text with suggestions: one of its own, or one of those.

import { h, signal } from "view";
import type { Child, Signal } from "view";
import { Combobox } from "./combobox";
import type { Entry } from "./combobox";
import type { Field, Named, OwnField } from "./field";
import { matching } from "./picker";

interface SuggestMore { required?: string; hint?: string; wide?: boolean; when?: OwnField<string>["when"]; maxlength?: number }

export function suggest<N extends string>(
  name: N, label: string, suggestions: () => readonly string[], { maxlength, ...more }: SuggestMore = {},
): Field<N> {
  return {
    kind: "own", name, label, ...more as object,
    control: (named, raw) => <Suggester named={named} text={raw as Signal<string>} suggestions={suggestions} maxlength={maxlength} />,
  };
}

interface SuggesterProps { named: Named; text: Signal<string>; suggestions: () => readonly string[]; maxlength: number | undefined }

function Suggester({ named, text, suggestions, maxlength }: SuggesterProps): Child {
  const searching = signal(false);
  const entries = (): readonly Entry[] => {
    const typed = searching() ? text() : "";
    return matching([...new Set(suggestions())], (one) => one, typed).slice(0, 8).map((one) => ({ key: one, label: one }));
  };
  return (
    <Combobox
      {...named} text={text} entries={entries} maxlength={maxlength}
      typed={() => searching.set(true)} settle={() => searching.set(false)}
      pick={({ label }) => {
        searching.set(false);
        text.set(label);
      }}
    />
  );
}
