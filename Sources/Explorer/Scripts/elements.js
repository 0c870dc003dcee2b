"use strict";
const $ = id => document.getElementById(id);

/** An element with properties and children. Strings become text nodes, never markup. */
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element) element[name] = value; else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

const stored = (store, key, otherwise) => {
  try { return JSON.parse(store.getItem(key)) ?? otherwise; } catch { return otherwise; }
};
const keep = (store, key, value) => {
  try { store.setItem(key, JSON.stringify(value)); } catch { /* The storage is full or forbidden: nothing is kept. */ }
};

// The OpenRPC document, the method that is shown, and the cursor of the next page.
let api, current, page = null;

// Theme

const themes = ["système", "clair", "sombre"];
let theme = stored(localStorage, "explorer.theme", 0);
function showTheme() {
  const value = [null, "light", "dark"][theme];
  if (value) document.documentElement.dataset.theme = value; else delete document.documentElement.dataset.theme;
  $("theme").setAttribute("aria-label", `Thème\u202f: ${themes[theme]}`);
  $("theme").replaceChildren(
    make("span", { ariaHidden: "true" }, ["◐", "☀", "☾"][theme]), make("span", {}, ` Thème ${themes[theme]}`));
}
$("theme").onclick = () => { theme = (theme + 1) % 3; keep(localStorage, "explorer.theme", theme); showTheme(); };
showTheme();

// Tabs. The Tab key stops once at all of them, and the arrow keys go from one to the next.

const tabs = [...document.querySelectorAll("[role=tab]")];
function showTab(tab) {
  for (const one of tabs) {
    one.setAttribute("aria-selected", String(one === tab));
    one.tabIndex = one === tab ? 0 : -1;
    $(one.getAttribute("aria-controls")).hidden = one !== tab;
  }
  if (tab.id === "tab-code") showCode();
}
tabs.forEach((tab, index) => {
  tab.onclick = () => showTab(tab);
  tab.onkeydown = event => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const next = event.key === "Home" ? 0 : event.key === "End" ? tabs.length - 1
      : step ? (index + step + tabs.length) % tabs.length : undefined;
    if (next === undefined) return;
    event.preventDefault();
    showTab(tabs[next]);
    tabs[next].focus();
  };
});
