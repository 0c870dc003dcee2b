// As much of a document as the view layer needs, for tests without a browser. Import it before the view.

class Node {
  parentNode: Node | null = null;
  childNodes: Node[] = [];

  get nextSibling(): Node | null {
    const siblings = this.parentNode?.childNodes ?? [];
    return siblings[siblings.indexOf(this) + 1] ?? null;
  }

  get textContent(): string {
    return this.childNodes.map((node) => node.textContent).join("");
  }

  insertBefore(node: Node, before: Node | null): void {
    for (const one of node instanceof DocumentFragment ? [...node.childNodes] : [node]) {
      one.remove();
      const at = before === null ? this.childNodes.length : this.childNodes.indexOf(before);
      if (at < 0) throw new Error("The node is not a child.");
      this.childNodes.splice(at, 0, one);
      one.parentNode = this;
    }
  }

  appendChild(node: Node): void {
    this.insertBefore(node, null);
  }

  append(...nodes: Node[]): void {
    nodes.forEach((node) => this.appendChild(node));
  }

  replaceChildren(...nodes: Node[]): void {
    [...this.childNodes].forEach((node) => node.remove());
    this.append(...nodes);
  }

  removeChild(node: Node): void {
    if (node.parentNode !== this) throw new Error("The node is not a child.");
    node.remove();
  }

  remove(): void {
    if (this.parentNode === null) return;
    this.parentNode.childNodes.splice(this.parentNode.childNodes.indexOf(this), 1);
    this.parentNode = null;
  }
}

class Text extends Node {
  constructor(public data: string) {
    super();
  }

  override get textContent(): string {
    return this.data;
  }
}

class Comment extends Node {}
class DocumentFragment extends Node {}

class Element extends Node {
  attributes = new Map<string, string>();
  value = "";
  private listeners = new Map<string, ((event: object) => void)[]>();
  readonly style = { setProperty: (name: string, value: string) => void this.styles.set(name, value) };
  readonly styles = new Map<string, string>();

  constructor(readonly tag: string) {
    super();
  }

  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
  }

  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }

  addEventListener(name: string, listener: (event: object) => void): void {
    this.listeners.set(name, [...(this.listeners.get(name) ?? []), listener]);
  }

  dispatch(name: string): void {
    this.listeners.get(name)?.forEach((listener) => listener({}));
  }

  get html(): string {
    const attributes = [...this.attributes].map(([name, value]) => ` ${name}="${value}"`).join("");
    const children = this.childNodes.map((node) => (node instanceof Element ? node.html : node.textContent)).join("");
    return `<${this.tag}${attributes}>${children}</${this.tag}>`;
  }
}

const document = {
  createElement: (tag: string) => new Element(tag),
  createElementNS: (_: string, tag: string) => new Element(tag),
  createTextNode: (data: string) => new Text(data),
  createComment: () => new Comment(),
  createDocumentFragment: () => new DocumentFragment(),
};

Object.assign(globalThis, { Node, Text, Comment, DocumentFragment, Element, document });

export type TestElement = Element;
/** An empty element to mount views in. */
export const root = (): Element & globalThis.Element => new Element("root") as Element & globalThis.Element;
