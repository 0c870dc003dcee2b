// An input for a text with a grammar: completes names where the caret is, and marks mistakes at their places. A mirror of
// the text behind the input's own carries the marks.

/** Texts that are longer are neither checked nor completed while they are typed. */
const longText = 50_000;

/** Makes a textarea an editor, and returns the element that contains it. */
function editor(input, language) {
  const mirror = make("div", { className: "mirror", ariaHidden: "true" });
  const checks = make("ul", { className: "checks", id: `${input.id}-check` });
  checks.setAttribute("aria-live", "polite");
  checks.setAttribute("aria-label", "Erreurs");
  const text = make("div", { className: "typed" }), box = make("div", { className: "editor" }, text, checks);
  input.replaceWith(box);
  text.append(input, mirror);
  input.setAttribute("aria-autocomplete", "list");
  input.setAttribute("aria-haspopup", "listbox");
  input.autocapitalize = "off";

  let problems = [], pause = 0;
  /** Finds the mistakes again. One that the caret is in may be a word that is not whole yet. */
  function check(isTyping = false) {
    const caret = isTyping ? input.selectionEnd : null;
    problems = input.value.length > longText ? [] : language.problems(input.value)
      .filter(one => caret === null || !touches(one, caret)).slice(0, 8);
    paint(problems);
    showChecks();
    describe(input);
  }
  input.check = check;
  let shown = "";
  /** Items that stay the same are not made again: one of them may be about to be clicked. */
  function showChecks() {
    const now = JSON.stringify([problems, input.value.length]);
    if (now === shown) return;
    shown = now;
    checks.replaceChildren(...problems.map(problemItem));
    checks.hidden = !problems.length;
  }
  // The input keeps the focus, without which it would be checked again before the click.
  checks.onpointerdown = event => { if (document.activeElement === input) event.preventDefault(); };
  /** Whether the input shows mistakes of its own. */
  input.isMarked = () => problems.length > 0;

  function paint(marks) {
    const pieces = [];
    let at = 0;
    for (const { start, end } of marks) {
      if (start < at) continue;
      pieces.push(input.value.slice(at, start), make("mark", {}, input.value.slice(start, end) || "\u00a0"));
      at = Math.max(end, start);
    }
    mirror.replaceChildren(...(marks.length ? [...pieces, input.value.slice(at)] : []));
    fit();
  }
  function fit() {
    if (!mirror.childNodes.length) return;
    mirror.style.width = `${input.clientWidth + 2}px`;
    mirror.scrollTop = input.scrollTop;
  }
  input.addEventListener("scroll", fit);

  function problemItem({ start, end, message, better }) {
    const { line, column } = placeIn(input.value, start);
    const go = () => { input.focus(); input.setSelectionRange(start, end); };
    const item = make("li", {}, make("button", { type: "button", onclick: go }, `Ligne ${line}, colonne ${column}`), `\u202f: ${message} `);
    if (better) item.append(make("button", { type: "button", className: "better", onclick: () => { replaceWord(start, end, better); check(); } }, `Remplacer par ${better}`));
    return item;
  }

  /** Replaces a part of the text by typing, so that it can be undone. */
  function type(start, end, by) {
    input.focus();
    input.setSelectionRange(start, end);
    if (document.execCommand("insertText", false, by)) return;
    input.setRangeText(by, start, end, "end");
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }
  function replaceWord(start, end, by) {
    const quote = input.value[start] === '"' ? '"' : "";
    type(start, end, quote + by + quote);
  }

  /** The rectangle of a place of the text, on the screen. */
  function rectangle(at) {
    paint([{ start: at, end: at }]);
    const { left, top, bottom } = mirror.querySelector("mark").getBoundingClientRect();
    paint(problems);
    const box = input.getBoundingClientRect();
    return { left, top: Math.max(top, box.top), bottom: Math.min(bottom, box.bottom) };
  }

  /** Offers what completes the text at the caret; `isAsked`: also where no letter has been typed. */
  function complete(isAsked) {
    const at = input.selectionEnd;
    const found = input.selectionStart !== at || input.value.length > longText ? null : language.complete(input.value, at);
    const typed = found ? plainWord(input.value.slice(found.start, at).replace(/^"/, "")) : "";
    if (!found || !typed && !isAsked) return closeSuggestions();
    const begins = found.options.filter(one => plainWord(one.label).startsWith(typed));
    // The shortest first: the one that has been typed whole, or nearly.
    if (typed) begins.sort((one, other) => one.label.length - other.label.length);
    // A word that is whole stays unless another is asked for.
    const isWhole = typed === plainWord(begins[0]?.label ?? "");
    if (isWhole && !begins[0].text.includes("|")) begins.shift();
    const has = typed.length < 2 || isWhole ? [] : found.options.filter(one => !begins.includes(one) && plainWord(one.label).includes(typed));
    const options = [...begins, ...has].slice(0, 100), isActive = typed && (!isWhole || begins[0]?.text.includes("|"));
    suggest(input, options, { active: isActive ? 0 : -1, place: () => rectangle(found.start), choose: option => insert(found, option) });
  }
  function insert({ start, word = /^\w*/ }, { text: given }) {
    const at = input.selectionEnd, hasQuote = input.value[start] === '"';
    // The rest of the word that the caret is in, and its closing quote.
    const end = at + (hasQuote ? /^[\w.()-]*/ : word).exec(input.value.slice(at))[0].length;
    const isQuoted = hasQuote && input.value[end] === '"';
    const [before, after] = given.includes("|") ? given.split("|") : [given, ""];
    type(start, isQuoted ? end + 1 : end, before + after);
    if (!given.includes("|")) return;
    const caret = start + before.length;
    input.setSelectionRange(caret, caret);
    complete(true);
  }

  input.addEventListener("input", event => {
    if (event.data?.length === 1) complete(/[{[(:"]\s?$/.test(input.value.slice(0, input.selectionEnd)));
    else if (event.inputType?.startsWith("delete") && suggestions.input === input) complete(false);
    else closeSuggestions();
    clearTimeout(pause);
    pause = setTimeout(() => check(document.activeElement === input), 200);
  });
  input.addEventListener("keydown", event => {
    if (takesKey(event)) return;
    if (event.key === " " && event.ctrlKey) { event.preventDefault(); complete(true); }
    if (/^(Arrow(Left|Right)|Home|End)$/.test(event.key)) closeSuggestions();
  });
  input.addEventListener("blur", () => { if (suggestions.input === input) closeSuggestions(); });
  input.addEventListener("change", () => { clearTimeout(pause); check(); });
  return box;
}
