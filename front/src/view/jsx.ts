// What TypeScript checks TSX against: the attributes of elements, each also as a function that follows signals.

import type { Child } from "./dom";

type Follows<T> = T | (() => T);

type Events<E> = {
  [name in keyof GlobalEventHandlersEventMap as `on${name}`]?: (event: GlobalEventHandlersEventMap[name] & { currentTarget: E }) => void;
};

type Attributes<E> = Events<E> & {
  ref?: (element: E) => void;
  class?: Follows<string | null>;
  style?: Follows<Record<string, string | null>>;
  children?: Child;
  for?: string;
} & { [name: string]: unknown };

type Tags = HTMLElementTagNameMap
  & Pick<SVGElementTagNameMap, "svg" | "g" | "path" | "rect" | "circle" | "line" | "polyline" | "text">;

declare global {
  namespace JSX {
    type Element = Child;
    type IntrinsicElements = { [tag in keyof Tags]: Attributes<Tags[tag]> };
    interface ElementChildrenAttribute { children: unknown }
  }
}
