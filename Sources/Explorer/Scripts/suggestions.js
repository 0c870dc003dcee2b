// The list of suggestions below an input: completions of a text, or records to choose from. Only one is open at a time.
// The focus stays in the input, whose `aria-activedescendant` names the active option.

const suggestions = { input: null, options: [], active: -1, choose: null, place: null };

/**
 * Opens the list. Options are `{label, kind, hint}`; `place()` is the rectangle beside which the list stands, and `choose`
 * takes the option that is chosen. `className` is for the look of the list.
 */
function suggest(input, options, { place, choose, active = -1, className = "" }) {
  if (!options.length) { closeSuggestions(); return; }
  if (suggestions.input !== input) closeSuggestions();
  Object.assign(suggestions, { input, options, choose, place });
  $("suggestions").replaceChildren(...options.map((option, index) => {
    const item = make("li", { id: `suggestion-${index}`, role: "option" }, make("span", { className: "label" }, option.label));
    if (option.kind) item.append(make("span", { className: "kind" }, option.kind));
    if (option.hint) item.append(make("span", { className: "about" }, option.hint));
    // The input keeps the focus.
    item.onpointerdown = event => event.preventDefault();
    item.onclick = () => chooseSuggestion(index);
    return item;
  }));
  $("suggestions").className = className;
  $("suggestions").hidden = false;
  $("suggestions").scrollTop = 0;
  input.setAttribute("aria-controls", "suggestions");
  if (input.role === "combobox") input.setAttribute("aria-expanded", "true");
  $("suggested").textContent = `${options.length} proposition${options.length > 1 ? "s" : ""}`;
  activate(active);
  placeSuggestions();
}

function activate(index) {
  suggestions.active = index;
  [...$("suggestions").children].forEach((item, at) => {
    item.setAttribute("aria-selected", String(at === index));
    if (at === index) item.scrollIntoView({ block: "nearest" });
  });
  if (index >= 0) suggestions.input.setAttribute("aria-activedescendant", `suggestion-${index}`);
  else suggestions.input.removeAttribute("aria-activedescendant");
}

function closeSuggestions() {
  const { input } = suggestions;
  if (!input) return;
  suggestions.input = null;
  for (const name of ["aria-activedescendant", "aria-controls"]) input.removeAttribute(name);
  if (input.role === "combobox") input.setAttribute("aria-expanded", "false");
  $("suggestions").hidden = true;
  $("suggested").textContent = "";
}

function chooseSuggestion(index) {
  const { options, choose } = suggestions;
  closeSuggestions();
  choose(options[index]);
}

/** Below the place, or above it if there is more room. */
function placeSuggestions() {
  if (!suggestions.input) return;
  const list = $("suggestions"), { left, top, bottom } = suggestions.place();
  // A keyboard on the screen covers the lower part of the window.
  const end = visualViewport ? visualViewport.offsetTop + visualViewport.height : innerHeight;
  const below = end - bottom - 12, above = top - 12;
  const isBelow = below >= Math.min(list.scrollHeight, 240) || below >= above;
  list.style.maxHeight = `${Math.min(288, Math.max(96, isBelow ? below : above))}px`;
  list.style.left = `${Math.max(8, Math.min(left, innerWidth - list.offsetWidth - 8))}px`;
  list.style.top = `${isBelow ? bottom + 4 : Math.max(8, top - list.offsetHeight - 4)}px`;
}
addEventListener("resize", placeSuggestions);
document.addEventListener("scroll", event => { if (event.target !== $("suggestions")) placeSuggestions(); }, true);

/** Handles a key of the input; returns whether the list took it. */
function takesKey(event) {
  const { input, options, active } = suggestions;
  if (input !== event.target || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return false;
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) activate(active < 0 && step < 0 ? options.length - 1 : (active + step + options.length) % options.length);
  else if (event.key === "Escape") closeSuggestions();
  else if ((event.key === "Enter" || event.key === "Tab" && !event.shiftKey) && active >= 0) chooseSuggestion(active);
  else return false;
  event.preventDefault();
  event.stopPropagation();
  return true;
}
