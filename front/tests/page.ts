// An address and a window without a browser, for tests of forms and of screens. Import it before what they show.

import "./document";

const target = new EventTarget();
const location = { href: "http://test/", origin: "http://test", pathname: "/", search: "", hash: "" };
const entries: { state: unknown; href: string }[] = [{ state: null, href: location.href }];
let at = 0;
let moving: ReturnType<typeof setTimeout> | undefined;
function show(): void {
  const { href, pathname, search, hash } = new URL(entries[at]!.href);
  Object.assign(location, { href, pathname, search, hash });
}
const history = {
  get state(): unknown {
    return entries[at]!.state;
  },
  replaceState(state: unknown, _: string, to: string | URL = location.href): void {
    entries[at] = { state, href: new URL(String(to), location.href).href };
    show();
  },
  pushState(state: unknown, title: string, to?: string | URL): void {
    entries.length = ++at;
    history.replaceState(state, title, to);
  },
  /** Comes later, as in browsers, and instead of a move that has not come yet, as in Safari. */
  go(by: number): void {
    clearTimeout(moving);
    moving = setTimeout(() => {
      at += by;
      show();
      target.dispatchEvent(Object.assign(new Event("popstate"), { state: history.state }));
    }, 1);
  },
  back: (): void => history.go(-1),
  forward: (): void => history.go(1),
};

Object.assign(document, { addEventListener: () => undefined, getElementById: () => null, activeElement: null });
Object.assign(globalThis, {
  window: globalThis, location, history, scrollY: 0, scrollTo: () => undefined,
  matchMedia: () => ({ matches: false, addEventListener: () => undefined }),
  addEventListener: target.addEventListener.bind(target), dispatchEvent: target.dispatchEvent.bind(target),
});
