// A text field with a list of options under it: the combobox of ARIA 1.2, where the focus stays in the text.

import { batch, computed, each, effect, h, onCleanup, signal } from "view";
import type { Child, Signal } from "view";

export interface Entry {
  key: string;
  label: string;
  detail?: string | undefined;
  /** Makes a record, where other entries choose one. */
  makes?: boolean;
  /** Resembles the text, which may mean another one. */
  isNear?: boolean;
}

export interface ComboboxProps {
  id: string;
  /** Names the list, and the field where no label does. */
  label: string;
  /** The label is beside the field, with its id. */
  labelled?: boolean;
  text: Signal<string>;
  /** The entries for the present text, best first. */
  entries: () => readonly Entry[];
  /** The key of the entry that is chosen, marked in the list. */
  chosen?: () => string | null;
  pick: (entry: Entry) => void;
  /** After each key typed. */
  typed?: () => void;
  /** The focus goes elsewhere. */
  settle?: () => void;
  /** Escape: what was typed is taken back. Without it, as `settle`. */
  back?: () => void;
  /** Empties the field, by a button that is there while this is given and the text is not empty. */
  clear?: () => void;
  /** What the list says without an entry, where one must be chosen. Without it the text is the value. */
  none?: () => string;
  placeholder?: string;
  maxlength?: number | undefined;
  required?: boolean;
  invalid?: () => boolean;
  describedby?: () => string | null;
}

export function Combobox(props: ComboboxProps): Child {
  const open = signal(false);
  const active = signal(-1);
  const above = signal(false);
  const room = signal("18rem");
  const list = `${props.id}-list`;
  const option = (index: number): string => `${list}-${index}`;
  let input!: HTMLInputElement;

  /** The entries while the list is open: they are searched once for each key. */
  const entries = computed(() => (open() ? props.entries() : []));

  const isAny = computed(() => entries().length > 0);

  const show = (): void => {
    if (open()) return;
    const { top, bottom } = input.getBoundingClientRect();
    const below = window.innerHeight - bottom;
    above.set(below < 220 && top > below);
    room.set(`${Math.max(140, Math.min(288, (above() ? top : below) - 16))}px`);
    open.set(true);
    const chosen = props.chosen?.() ?? null;
    active.set(chosen === null ? -1 : entries().findIndex(({ key }) => key === chosen));
  };
  const hide = (): void => {
    open.set(false);
    active.set(-1);
  };
  const choose = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    hide();
    props.pick(entry);
  };
  const move = (by: number): void => {
    if (!open()) show();
    const count = entries().length;
    if (count === 0) return;
    const next = active() < 0 ? (by > 0 ? 0 : count - 1) : (active() + by + count) % count;
    active.set(next);
  };

  const keydown = (event: KeyboardEvent): void => {
    if (event.isComposing || event.ctrlKey || event.metaKey) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!open() && active() < 0) show();
      else move(event.key === "ArrowDown" ? 1 : -1);
      if (active() < 0) move(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Enter" && open()) {
      // One match alone is meant by Enter, also beside what would make another record.
      const [match, other] = entries().filter(({ makes }) => !makes);
      const only = props.none !== undefined && props.text().trim() !== "" && !other && !match?.isNear ? match : undefined;
      event.preventDefault();
      if (active() >= 0 || only !== undefined) choose(entries()[active()] ?? only);
      else hide();
    } else if (event.key === "Escape" && open()) {
      // The dialog around the field stays.
      event.preventDefault();
      event.stopPropagation();
      hide();
      (props.back ?? props.settle)?.();
    } else if (event.key === "Tab" && open() && active() >= 0 && !entries()[active()]?.makes) {
      choose(entries()[active()]);
    }
  };

  effect(() => {
    const index = active();
    if (!open() || index < 0) return;
    queueMicrotask(() => document.getElementById(option(index))?.scrollIntoView({ block: "nearest" }));
  });
  onCleanup(hide);

  return (
    <div class={() => (props.clear !== undefined && props.text() !== "" ? "combobox clearable" : "combobox")}>
      <input
        ref={(element) => (input = element)}
        id={props.id} type="text" role="combobox" class="control" autocomplete="off" autocapitalize="off" spellcheck="false"
        aria-autocomplete="list" aria-expanded={() => String(open())} aria-controls={list}
        aria-activedescendant={() => (open() && active() >= 0 ? option(active()) : null)}
        aria-label={props.labelled ? null : props.label}
        aria-required={props.required ? "true" : null}
        aria-invalid={() => (props.invalid?.() === true ? "true" : null)} aria-describedby={() => props.describedby?.() ?? null}
        placeholder={props.placeholder} maxlength={props.maxlength}
        value={() => props.text()}
        oninput={(event) => {
          const { value } = event.currentTarget;
          batch(() => {
            props.text.set(value);
            props.typed?.();
            show();
            active.set(-1);
          });
        }}
        onclick={show}
        onkeydown={keydown}
        onblur={() => {
          hide();
          props.settle?.();
        }}
      />
      {() => (props.clear !== undefined && props.text() !== ""
        ? (
          <button
            type="button" class="combobox-clear" tabindex="-1" aria-label={`Effacer le champ ${props.label}`}
            onmousedown={(event) => event.preventDefault()}
            onclick={() => {
              props.clear?.();
              input.focus();
            }}
          >
            <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d="M4 4l8 8M12 4l-8 8" /></svg>
          </button>
        )
        : null)}
      {() => (open() && (props.none !== undefined || isAny())
        ? (
          <ul
            id={list} role="listbox" aria-label={props.label} class={() => (above() ? "options above" : "options")}
            style={() => ({ "max-height": room() })} onmousedown={(event) => event.preventDefault()}
          >
            {/* An entry keeps its element when an answer makes the list anew: a press that has begun on it still counts. */}
            {each(entries, ({ key }) => key, (entry) => {
              const index = (): number => entries().indexOf(entry());
              return (
                <li
                  id={() => option(index())} role="option" class={() => (entry().makes ? "option makes" : "option")}
                  aria-selected={() => String(active() === index())}
                  onclick={() => choose(entry())}
                >
                  <span>{() => entry().label}</span>
                  {() => (entry().detail ? <span class="option-detail">{entry().detail}</span> : null)}
                </li>
              );
            })}
            {() => (!isAny()
              ? <li role="option" aria-disabled="true" aria-selected="false" class="option none">{props.none?.()}</li>
              : null)}
          </ul>
        )
        : null)}
    </div>
  );
}
