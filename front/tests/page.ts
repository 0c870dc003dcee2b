// An address and a window without a browser, for tests of forms and of screens. Import it before what they show.

import "./document";

const target = new EventTarget();
const location = { href: "http://test/", origin: "http://test", pathname: "/", search: "", hash: "" };
const history = {
  state: null as unknown,
  replaceState(state: unknown, _: string, to?: string | URL): void {
    history.state = state;
    if (to === undefined) return;
    const { href, pathname, search, hash } = new URL(String(to), location.href);
    Object.assign(location, { href, pathname, search, hash });
  },
  pushState: (state: unknown, title: string, to: string | URL): void => history.replaceState(state, title, to),
};

Object.assign(document, { addEventListener: () => undefined, getElementById: () => null, activeElement: null });
Object.assign(globalThis, {
  window: globalThis, location, history, scrollY: 0, scrollTo: () => undefined,
  addEventListener: target.addEventListener.bind(target), dispatchEvent: target.dispatchEvent.bind(target),
});
