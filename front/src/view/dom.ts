// JSX makes real nodes, once. A function in the place of an attribute or a child is an effect: it changes that attribute
// or those nodes and no others. Text is always a text node: no string is ever read as HTML.

import { effect, onCleanup, scope, signal, untracked, type Signal } from "./signal";

export type Child = Node | string | number | boolean | null | undefined | Child[] | (() => Child);
type Attribute = string | number | boolean | null | undefined | Record<string, string | null>;
type Props = { children?: Child; ref?: (element: Element) => void } & Record<string, unknown>;

const svgNamespace = "http://www.w3.org/2000/svg";
const svgTags = new Set(["svg", "g", "path", "rect", "circle", "line", "polyline", "text"]);
const properties = new Set(["value", "checked", "selected"]);

let addresses = (path: string): string => path;

/** How the paths of links become addresses. What `make` reads is followed where a link is a function. */
export function useAddresses(make: typeof addresses): void {
  addresses = make;
}

function setAttribute(element: Element, name: string, value: Attribute): void {
  if (properties.has(name)) {
    const target = element as unknown as Record<string, unknown>;
    // Writing the same text again would move the caret.
    if (target[name] !== value) target[name] = value ?? "";
  } else if (name === "style") {
    // The page's policy forbids style attributes; single properties may be set.
    const style = (element as HTMLElement).style;
    for (const [key, part] of Object.entries((value ?? {}) as Record<string, string | null>)) style.setProperty(key, part);
  } else if (value === null || value === undefined || (value === false && !name.startsWith("aria-"))) {
    element.removeAttribute(name);
  } else {
    element.setAttribute(name, value === true && !name.startsWith("aria-") ? "" : name === "href" ? addresses(String(value)) : String(value));
  }
}

/** An element, or what a component answers. A component is a function of its props that runs once. */
export function h<P>(tag: string | ((props: P) => Child), props: P | null, ...children: Child[]): Child {
  const given = { ...props, ...(children.length > 0 ? { children } : {}) } as unknown as Props;
  if (typeof tag === "function") return untracked(() => tag(given as unknown as P));
  const element = svgTags.has(tag) ? document.createElementNS(svgNamespace, tag) : document.createElement(tag);
  // The options come before the value of a select, which must find them.
  append(element, [given.children]);
  for (const [name, value] of Object.entries(given)) {
    if (name === "children" || name === "ref") continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value as EventListener);
    else if (typeof value === "function") effect(() => setAttribute(element, name, value() as Attribute));
    else setAttribute(element, name, value as Attribute);
  }
  given.ref?.(element);
  return element;
}

export const Fragment = (props: { children?: Child }): Child => props.children;

/** The nodes of a child. A function becomes a place in the document; the nodes there follow its signals. */
function nodesOf(child: Child): Node[] {
  if (child === null || child === undefined || typeof child === "boolean") return [];
  if (child instanceof Node) return child instanceof DocumentFragment ? [...child.childNodes] : [child];
  if (Array.isArray(child)) return child.flatMap(nodesOf);
  if (typeof child !== "function") return [document.createTextNode(String(child))];
  const { place, start, end } = gap();
  effect(() => {
    const nodes = nodesOf(child());
    const [only, old, parent] = [nodes[0], start.nextSibling, end.parentNode!];
    if (nodes.length === 1 && only instanceof Text && old instanceof Text && old.nextSibling === end) old.data = only.data;
    else {
      while (start.nextSibling !== end) parent.removeChild(start.nextSibling!);
      nodes.forEach((node) => parent.insertBefore(node, end));
    }
  });
  return [...place.childNodes];
}

/** A place between two comments, for nodes that come and go. */
function gap(): { place: DocumentFragment; start: Comment; end: Comment } {
  const [place, start, end] = [document.createDocumentFragment(), document.createComment(""), document.createComment("")];
  place.append(start, end);
  return { place, start, end };
}

export function append(parent: Node, children: Child[]): void {
  for (const child of children) for (const node of nodesOf(child)) parent.appendChild(node);
}

/** Puts a view into the document. The answer takes it out and ends its effects. */
export function mount(parent: Element, view: () => Child): () => void {
  const { stop } = scope(() => parent.replaceChildren(...nodesOf(view())));
  return () => {
    stop();
    parent.replaceChildren();
  };
}

/**
 * One element an item, made by `view`. It lives as long as the key of its item is in the list, moves with it, and follows
 * the item's changes through `item`.
 */
export function each<T>(items: () => readonly T[], key: (item: T) => string | number, view: (item: () => T) => Child): Child {
  interface Row { item: Signal<T>; element: Element; stop: () => void }
  let rows = new Map<string | number, Row>();
  const make = (one: T): Row => {
    const item = signal(one);
    const { value, stop } = scope(() => nodesOf(view(item)));
    if (value.length !== 1 || !(value[0] instanceof Element)) throw new Error("An item of a list is one element.");
    return { item, element: value[0], stop };
  };
  const { place, start, end } = gap();
  const show = (list: readonly T[]): void => {
    const next = new Map<string | number, Row>();
    for (const one of list) {
      const known = next.get(key(one)) ?? rows.get(key(one));
      known?.item.set(one);
      next.set(key(one), known ?? make(one));
    }
    rows.forEach((row, name) => {
      if (next.has(name)) return;
      row.stop();
      row.element.remove();
    });
    rows = next;
    let at: Node = start;
    next.forEach(({ element }) => {
      if (at.nextSibling !== element) end.parentNode!.insertBefore(element, at.nextSibling);
      at = element;
    });
  };
  effect(() => {
    const list = items();
    untracked(() => show(list));
  });
  onCleanup(() => rows.forEach((row) => row.stop()));
  return place;
}
