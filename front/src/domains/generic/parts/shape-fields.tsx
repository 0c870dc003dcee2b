// Objects and lists of objects in forms: a group of fields for each, which people add, move and take out.

import { each, effect, h, onCleanup, signal, untracked } from "view";
import type { Child } from "view";
import type { Field as FormField, Form } from "../../../parts/form";
import { FieldView } from "../../../parts/form/inputs";
import { Icon } from "../../../parts/icons";
import type { Field } from "../../../store/declared";
import { valueText } from "../../../words/values";
import { labelAt, mistakesIn, placeAt, textIn, treeOf } from "./shape-tree";
import type { Control, Group, Leaf, List, Node } from "./shape-tree";
import { parsed } from "./typing";

/** The milliseconds for which what was taken out can be put back. */
const offered = 10_000;

/** The field of a column or a parameter whose value has parts. */
export function shapeField(field: Field, more: { required?: string; hint?: string }, control: Control): FormField {
  const { name, label } = field;
  let tree: (() => Node) | undefined;
  return {
    kind: "group", name, label, wide: true, ...(more.required === undefined ? {} : { required: more.required }),
    view: (form) => {
      tree = followed(form, field, control);
      return () => {
        const node = tree!();
        return untracked(() => <NodeView form={form} node={node} place={name} label={label} hint={more.hint} />);
      };
    },
    placeAt: (path) => placeAt(field, path),
    labelAt: (place) => (tree === undefined ? label : labelAt(untracked(tree), place)),
    mistakes: () => (tree === undefined ? [] : mistakesIn(untracked(tree), name)),
    words: (value) => valueText(field, parsed(String(value))) ?? "",
  };
}

/** The tree of what the form holds; what is typed goes into the form, and what the form takes up anew, as a draft, makes a new tree. */
function followed(form: Form, field: Field, control: Control): () => Node {
  const raw = form.raw(field.name);
  const made = (text: string): Node => treeOf(field, text === "" ? undefined : parsed(text), control);
  const held = (): string => String(raw() ?? "");
  let [from, last] = [untracked(held), untracked(held)];
  const tree = signal(untracked(() => made(from)));
  let first = untracked(() => textIn(tree()));
  effect(() => {
    const text = held();
    if (text === last) return;
    untracked(() => {
      const node = made(text);
      [from, last, first] = [text, text, textIn(node)];
      tree.set(node);
    });
  });
  effect(() => {
    const text = textIn(tree());
    untracked(() => {
      // What is as it was when the tree was made is the same text, whatever the order of its members.
      last = text === first ? from : text;
      raw.set(last);
    });
  });
  return tree;
}

interface PartProps<N extends Node> { form: Form; node: N; place: string; label: string; hint?: string | undefined }

function NodeView({ node, ...rest }: PartProps<Node>): Child {
  switch (node.kind) {
    case "leaf": return <LeafView node={node} {...rest} />;
    case "group": return <GroupView node={node} {...rest} />;
    case "list": return <ListView node={node} {...rest} />;
    case "filled": return null;
  }
}

/** A field at its place: what the form knows of it, it knows by the place. */
function LeafView({ form, node, place, label }: PartProps<Leaf>): Child {
  const inner: Form = {
    ...form,
    raw: () => node.raw,
    set: (_, value) => node.raw.set(value),
    leave: (_, text) => {
      if (node.left !== null && text === null) form.clear(place);
      node.left = text;
    },
  };
  let began = false;
  effect(() => {
    node.raw();
    if (began) untracked(() => form.clear(place));
    began = true;
  });
  const { control } = node;
  const own = control.kind === "group" ? { view: () => control.view(inner, place) } : {};
  return <FieldView form={inner} field={{ ...control, ...own, name: place, label } as FormField} />;
}

interface PartsProps { form: Form; place: string; label: string; hint?: string | undefined; class: string; children?: Child }

/** A group of fields with its name. The focus that is led to it, as by a message, goes on to its first field. */
function Parts({ form, place, label, hint, class: kind, children }: PartsProps): Child {
  const id = `${form.id}-${place}`;
  const message = (): string | undefined => form.message(place);
  return (
    <fieldset
      id={id} class={() => `shape ${kind}${message() === undefined ? "" : " invalid"}`} tabindex="-1"
      aria-describedby={() => [message() === undefined ? null : `${id}-message`, hint === undefined ? null : `${id}-hint`].filter(Boolean).join(" ") || null}
      onfocus={(event) => {
        if (event.target === event.currentTarget) event.currentTarget.querySelector<HTMLElement>("input, select, textarea, button")?.focus();
      }}
    >
      <legend>{label}</legend>
      {hint === undefined ? null : <p class="hint" id={`${id}-hint`}>{hint}</p>}
      {children}
      {() => (message() === undefined ? null : <p class="field-message" id={`${id}-message`}>{message()}</p>)}
    </fieldset>
  );
}

function GroupView({ form, node, place, label, hint }: PartProps<Group>): Child {
  return <Parts form={form} place={place} label={label} hint={hint} class="shape-group"><Members form={form} node={node} place={place} /></Parts>;
}

function Members({ form, node, place }: { form: Form; node: Group; place: string }): Child {
  let began = false;
  // The messages were of the members of another kind.
  effect(() => {
    node.members();
    if (began) untracked(() => form.clear(place));
    began = true;
  });
  // What stays keeps its controls: the focus is in the one that chooses the kind.
  return (
    <div class="fields">
      {each(() => node.members().filter((member) => member.kind !== "filled"), (member) => member.key, (found) => {
        const member = untracked(found);
        return <NodeView form={form} node={member} place={`${place}/${member.field.name}`} label={member.field.label} hint={member.field.summary} />;
      })}
    </div>
  );
}

function ListView({ form, node, place, label, hint }: PartProps<List>): Child {
  const { items } = node;
  const at = (index: number): string => `${place}/${index}`;
  const whole = (): HTMLElement | null => document.getElementById(`${form.id}-${place}`);
  const shown = (index: number): HTMLElement | undefined => whole()?.querySelectorAll<HTMLElement>(":scope > .shape-item")[index];
  /** Shows other elements; the messages were of those that stood there before. */
  const show = (next: readonly Node[], focused: () => HTMLElement | null | undefined): void => {
    form.clear(place);
    items.set(next);
    queueMicrotask(() => focused()?.focus());
  };
  const add = (): void => show([...items(), node.make()], () => shown(items().length - 1));
  const removed = signal<{ node: Node; index: number } | null>(null);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const forget = (): void => {
    clearTimeout(timer);
    removed.set(null);
  };
  onCleanup(() => clearTimeout(timer));
  const adding = (): HTMLElement | null | undefined => whole()?.querySelector<HTMLElement>(":scope > [data-does=add]");
  /** The way back is there for a while, and as long as it has the focus. */
  const expire = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (!whole()?.querySelector("[data-does=undo]:focus")) forget();
    }, offered);
  };
  // Not on the next button of its kind: a second press would take out another element.
  const remove = (index: number): void => {
    removed.set({ node: items()[index]!, index });
    expire();
    show(items().filter((_, one) => one !== index), adding);
  };
  const restore = (): void => {
    const { node: one, index } = removed()!;
    forget();
    const next = [...items()];
    next.splice(index, 0, one);
    show(next, () => shown(Math.min(index, next.length - 1)));
  };
  const move = (index: number, by: 1 | -1): void => {
    const next = [...items()];
    next.splice(index + by, 0, ...next.splice(index, 1));
    const button = (does: string): HTMLElement | null | undefined =>
      shown(index + by)?.querySelector<HTMLElement>(`:scope > .shape-actions > [data-does=${does}]`);
    // At an end of the list there is the other button alone.
    show(next, () => (by < 0 ? button("up") ?? button("down") : button("down") ?? button("up")));
  };
  return (
    <Parts form={form} place={place} label={label} hint={hint} class="shape-list">
      {() => {
        const all = items();
        return untracked(() => all.map((item, index) => (
          <Parts form={form} place={item.kind === "leaf" ? `${at(index)}/` : at(index)} label={`${label} ${index + 1}`} class="shape-item">
            {item.kind === "group" ? <Members form={form} node={item} place={at(index)} />
              : <NodeView form={form} node={item} place={at(index)} label={`${label} ${index + 1}`} />}
            <div class="shape-actions">
              {index === 0 ? null : <button type="button" data-does="up" onclick={() => move(index, -1)}>Monter</button>}
              {index === all.length - 1 ? null : <button type="button" data-does="down" onclick={() => move(index, 1)}>Descendre</button>}
              <button type="button" class="danger-text" data-does="remove" onclick={() => remove(index)}>Retirer</button>
            </div>
          </Parts>
        )));
      }}
      {() => {
        const one = removed();
        // A list that is full again has no place for it.
        return one === null || items().length >= node.maximum ? null : (
          <div class="shape-undo">
            <p role="status">{`${label} ${one.index + 1}\u202f: retiré.`}</p>
            <button type="button" data-does="undo" onclick={restore} onblur={expire}>Annuler</button>
          </div>
        );
      }}
      {() => (items().length < node.maximum
        ? <button type="button" data-does="add" onclick={add}><Icon name="plus" />Ajouter</button>
        : <p class="hint">{`${node.maximum} au plus.`}</p>)}
    </Parts>
  );
}
