// Running a call and showing what comes back.

function clearAnswer() {
  page = null;
  $("form-error").textContent = "";
  $("outcome").className = "quiet";
  $("outcome").textContent = "Pas encore d’appel.";
  for (const id of ["answer", "table", "problems", "next", "views"]) $(id).hidden = true;
  $("answer").replaceChildren();
  $("table").replaceChildren();
  $("empty").hidden = false;
  clearProblems();
}

/** Whether the answer stands below the form. */
const stacked = matchMedia("(max-width: 75rem)");

async function run() {
  clearAnswer();
  showTab($("tab-answer"));
  let given;
  try { given = params(); } catch (fault) { showFault(fault); return; }
  $("outcome").textContent = "Appel en cours…";
  const method = current;
  const started = performance.now();
  try {
    const { text, answer } = await call(method.name, given);
    const taken = `${Math.round(performance.now() - started)} ms · ${size(new Blob([text]).size)}`;
    remember(method.name, JSON.parse(given), !answer.error);
    if (method.name === "auth.login" && answer.result) signedIn(answer.result);
    if (method.name === "auth.logout" && answer.result) signedOut();
    if (method !== current) return;
    $("outcome").className = answer.error ? "bad" : "good";
    $("outcome").textContent =
      answer.error ? `Erreur ${String(answer.error.code).replace("-", "−")} · ${answer.error.message} · ${taken}` : `Réussi · ${taken}`;
    $("empty").hidden = true;
    $("answer").replaceChildren(...coloured(indented(payload(text))));
    showView(answer.result ? tableOf(text) : null);
    if (answer.error) showProblems(answer.error.data);
    if (stacked.matches) $("side").scrollIntoView();
    if (answer.result?.has_next_page && method.params.some(one => one.name === "after")) {
      page = answer.result.end_cursor;
      $("next").hidden = false;
    }
  } catch (fault) {
    $("outcome").className = "bad";
    $("outcome").textContent = `Le serveur n’a pas répondu : ${fault.message}`;
  }
}
$("call").onsubmit = event => { event.preventDefault(); run(); };

const size = bytes => bytes < 10_000 ? `${bytes} octets` : `${Math.round(bytes / 1000)} ko`;

$("next").onclick = () => {
  if ($("as-json").checked) {
    $("params").value = JSON.stringify({ ...JSON.parse($("params").value || "{}"), after: page }, null, 2);
  } else {
    $("fields").querySelector('[data-path="/after"]').value = page;
  }
  run();
};

document.addEventListener("keydown", event => {
  if ($("login").open) return;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && current) { event.preventDefault(); run(); }
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? "");
  if (event.key === "/" && !isTyping) { event.preventDefault(); $("menu").open = true; $("filter").focus(); }
});

// Problems, each where it is: in the list, and on its field.

function clearProblems() {
  $("problems").replaceChildren();
  for (const input of $("fields").querySelectorAll("[aria-invalid]")) {
    input.removeAttribute("aria-invalid");
    input.setAttribute("aria-describedby", `${input.id}-hint`);
  }
  for (const note of $("fields").querySelectorAll(".problem")) note.remove();
}

function showFault(fault) {
  $("form-error").textContent = fault.message;
  if (fault.path) {
    showProblems({ errors: [{ path: fault.path, message: fault.message }] });
    inputAt(fault.path)?.focus();
  }
}

/** The field that a path leads to or into. */
function inputAt(path) {
  for (let at = path; at; at = at.slice(0, at.lastIndexOf("/"))) {
    const input = $("fields").querySelector(`[data-path="${CSS.escape(at)}"]`);
    if (input) return input;
  }
  return null;
}

function showProblems(data) {
  if (data?.reason === "missing") $("form-error").textContent = "Connectez-vous d’abord.";
  const problems = data?.errors ?? [];
  $("problems").hidden = !problems.length;
  $("problems").replaceChildren(...problems.map(problem => {
    const input = $("as-form").checked ? inputAt(problem.path) : null;
    const place = input ? make("button", { type: "button", onclick: () => input.focus() }, problem.path)
      : make("code", {}, problem.path || "/");
    return make("li", {}, place, ` ${problem.message}`);
  }));
  problems.forEach((problem, index) => {
    const input = inputAt(problem.path);
    if (!input) return;
    const note = make("p", { className: "problem", id: `problem-${index}` }, problem.message);
    input.setAttribute("aria-invalid", "true");
    input.setAttribute("aria-describedby", `${note.id} ${input.getAttribute("aria-describedby") ?? ""}`);
    input.after(note);
  });
}

// A table of the records of a page

/** Numbers with the digits they came with. */
class Digits { constructor(text) { this.text = text; } }

function tableOf(text) {
  const { result } = JSON.parse(text, (_, value, context) =>
    typeof value === "number" ? new Digits(context?.source ?? String(value)) : value);
  if (!Array.isArray(result?.items) || !result.items.length) return null;
  const columns = new Set();
  const rows = result.items.map(item => {
    const row = new Map();
    flatten(item, "", row);
    for (const name of row.keys()) columns.add(name);
    return row;
  });
  const head = [...columns].map(name => { const th = make("th", {}, name); th.scope = "col"; return th; });
  return make("table", {},
    make("thead", {}, make("tr", {}, ...head)),
    make("tbody", {}, ...rows.map(row => make("tr", {}, ...[...columns].map(name => cell(row.get(name)))))));
}
function flatten(value, prefix, row) {
  for (const [name, inner] of Object.entries(value)) {
    const isRecord = inner && typeof inner === "object" && !Array.isArray(inner) && !(inner instanceof Digits);
    if (isRecord) flatten(inner, `${prefix}${name}.`, row); else row.set(prefix + name, inner);
  }
}
function cell(value) {
  if (value === null || value === undefined) return make("td", { className: "null" }, "–");
  if (value instanceof Digits) return make("td", { className: "number" }, value.text);
  if (Array.isArray(value)) return make("td", {}, `${value.length} élément${value.length > 1 ? "s" : ""}`);
  return make("td", { title: String(value) }, String(value));
}

function showView(table) {
  $("views").hidden = !table;
  if (table) $("table").replaceChildren(table);
  const isTable = Boolean(table) && $("as-table").checked;
  $("table").hidden = !isTable;
  $("answer").hidden = isTable;
}
$("as-table").onchange = $("as-text").onchange = () => {
  $("table").hidden = !$("as-table").checked;
  $("answer").hidden = $("as-table").checked;
};
