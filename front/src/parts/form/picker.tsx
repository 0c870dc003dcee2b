// Choosing a record of a directory, and a text with suggestions: comboboxes of the values behind them.

import { computed, effect, h, signal, untracked } from "view";
import type { Child } from "view";
import { savedId } from "../../store";
import { finder, fold } from "../../words/sentences";
import { later } from "../later";
import { Combobox } from "./combobox";
import type { ComboboxProps, Entry } from "./combobox";
import type { Option, Options } from "./field";
import { searchedText } from "./options";

/** More entries than a person reads; the search finds the others. */
export const shownAtOnce = 40;

const known = new Map<string, string>();

/** `fold`, once for each text: a directory of thousands is searched with each key. */
function folded(text: string): string {
  let found = known.get(text);
  if (found === undefined) {
    if (known.size > 20_000) known.clear();
    known.set(text, (found = fold(text)));
  }
  return found;
}

type Shared = Pick<ComboboxProps, "id" | "label" | "labelled" | "placeholder" | "required" | "invalid" | "describedby">;

export interface PickerProps extends Shared {
  value: () => number | null;
  choose: (id: number | null) => void;
  options: Options;
  /** The record that is chosen at first; its name is known before the directory is loaded. */
  known?: Option | undefined;
  /** The directory has a last entry "Créer « … »", which makes a record from the text. */
  make?: ((text: string) => Promise<Option | null>) | undefined;
  /**
   * What was typed that names no record, and stays in the field; null: there is no such text any more. Without it the field goes
   * back to what is chosen.
   */
  leave?: (text: string | null) => void;
  /** Told what is typed, where the service searches among more records than the options have. */
  look?: ((text: string) => void) | undefined;
}

/** What a list would find by the text, what begins with its first word first. */
export function matching<T>(items: readonly T[], words: (item: T) => string, typed: string): T[] {
  const [first] = fold(typed).split(" ") as [string];
  if (first === "") return items.slice(0, shownAtOnce);
  const finds = finder(typed);
  const found: { item: T; isFirst: boolean }[] = [];
  for (const item of items) {
    const text = folded(words(item));
    if (finds(text)) found.push({ item, isFirst: text.startsWith(first) });
  }
  return [...found.filter(({ isFirst }) => isFirst), ...found.filter(({ isFirst }) => !isFirst)].slice(0, shownAtOnce).map(({ item }) => item);
}

type Nearest = typeof import("../../words/near").nearest;
const near = signal<Nearest | null>(null);

export function Picker(props: PickerProps): Child {
  const made = signal<Option | null>(props.known ?? null);
  const labelOf = (id: number | null): string => {
    if (id === null) return "";
    const fresh = made();
    return props.options()?.find((option) => option.id === savedId(id))?.label ?? (fresh?.id === id ? fresh.label : "");
  };
  const text = signal("");
  // Typing begins a search. Without one the field shows what is chosen, also when it is loaded or renamed later.
  const searching = signal(false);
  const label = computed(() => labelOf(props.value()));
  effect(() => {
    const now = label();
    if (!untracked(searching)) text.set(now);
  });
  /** Shows what is chosen. */
  const back = (): void => {
    searching.set(false);
    props.leave?.(null);
    text.set(untracked(label));
  };
  const chosen = (id: number | null): void => {
    props.choose(id);
    back();
  };
  // A record that is chosen elsewhere, as by a button beside the field, ends the search.
  effect(() => {
    props.value();
    untracked(back);
  });
  /** The records that the text names: of several that differ by case and accents, the one that is spelt like it. */
  const named = (typed: string): readonly Option[] => {
    const alike = (props.options() ?? []).filter((option) => folded(searchedText(option)).startsWith(fold(typed)) && fold(option.label) === fold(typed));
    const same = alike.filter((option) => option.label === typed);
    return same.length > 0 ? same : alike;
  };
  const settle = (): void => {
    if (!searching()) return;
    const typed = text().trim();
    const meant = named(typed);
    if (typed === "") chosen(null);
    else if (meant.length === 1) chosen(meant[0]!.id);
    else if (props.leave !== undefined) props.leave(typed);
    else back();
  };
  // Read only while the list is open, so that a directory is asked for when it is needed.
  const entries = (): readonly Entry[] => {
    const options = props.options();
    // Whether a record of this name exists is not known yet.
    if (options === undefined) return [];
    const typed = searching() ? text() : "";
    const exact = matching(options, searchedText, typed);
    // What resembles the text comes with the later script.
    if (exact.length === 0) void later().then((module) => near.set(module.nearest), () => undefined);
    const found: Entry[] = (exact.length > 0 ? exact : near()?.(typed, options, (option) => folded(searchedText(option))) ?? [])
      .map((option) => ({ key: String(option.id), label: option.label, detail: option.detail, isNear: exact.length === 0 }));
    const wanted = typed.trim();
    if (props.make !== undefined && wanted !== "" && !found.some((entry) => fold(entry.label) === fold(wanted))) {
      found.push({ key: "", label: `Créer «\u00a0${wanted}\u00a0»`, makes: true });
    }
    return found;
  };
  const pick = (entry: Entry): void => {
    const wanted = text().trim();
    if (entry.makes !== true) return chosen(Number(entry.key));
    back();
    void props.make?.(wanted).then((option) => {
      if (option === null) return;
      made.set(option);
      props.choose(option.id);
    });
  };
  return (
    <Combobox
      {...shared(props)} text={text} entries={entries} settle={settle} pick={pick}
      none={() => (props.options() === undefined ? "Chargement…" : "Aucun résultat")}
      chosen={() => (props.value() === null ? null : String(props.value()))}
      typed={() => {
        searching.set(true);
        props.leave?.(text().trim() || null);
        props.look?.(text().trim());
      }}
      back={back}
      clear={() => chosen(null)}
    />
  );
}

function shared({ id, label, labelled, placeholder, required, invalid, describedby }: Shared): Shared {
  return {
    id, label,
    ...(labelled === undefined ? {} : { labelled }), ...(placeholder === undefined ? {} : { placeholder }),
    ...(required === undefined ? {} : { required }), ...(invalid === undefined ? {} : { invalid }),
    ...(describedby === undefined ? {} : { describedby }),
  };
}
