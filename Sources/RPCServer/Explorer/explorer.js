"use strict";
const $ = id => document.getElementById(id);

/** An element with properties and children; texts become text nodes, never markup. */
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
  try { store.setItem(key, JSON.stringify(value)); } catch { /* full or forbidden: go on without */ }
};

let api, current, page = null;
let tokens = stored(sessionStorage, "explorer.tokens", null);
let past = stored(localStorage, "explorer.history", []);

// Theme

const themes = ["système", "clair", "sombre"];
let theme = stored(localStorage, "explorer.theme", 0);
function showTheme() {
  const value = [null, "light", "dark"][theme];
  if (value) document.documentElement.dataset.theme = value; else delete document.documentElement.dataset.theme;
  $("theme").textContent = `Thème : ${themes[theme]}`;
}
$("theme").onclick = () => { theme = (theme + 1) % 3; keep(localStorage, "explorer.theme", theme); showTheme(); };
showTheme();

// Calls. Params travel as JSON text: numbers keep the digits they were typed with.

const body = (method, params) =>
  `{"jsonrpc": "2.0", "id": 1, "method": ${JSON.stringify(method)}, "params": ${params}}`;

async function post(method, params, token) {
  const headers = { "Content-Type": "application/json" };
  if (token) headers.Authorization = `Bearer ${token}`;
  const response = await fetch("/rpc", { method: "POST", headers, body: body(method, params) });
  const text = await response.text();
  let answer;
  try { answer = JSON.parse(text); } catch { throw new Error(`réponse HTTP ${response.status} illisible`); }
  return { text, answer };
}

let renewal = null;
/** One renewal at a time: a refresh token is good for one use. */
function renew() {
  renewal ??= (async () => {
    const { answer } = await post("auth.refresh", JSON.stringify({ refresh_token: tokens.refresh_token }));
    if (answer.result) signedIn(answer.result); else signedOut();
    return Boolean(answer.result);
  })().finally(() => { renewal = null; });
  return renewal;
}

async function call(method, params) {
  let outcome = await post(method, params, tokens?.access_token);
  if (outcome.answer.error?.data?.reason === "expired" && tokens && await renew()) {
    outcome = await post(method, params, tokens.access_token);
  }
  return outcome;
}

function signedIn(result) {
  tokens = {
    access_token: result.access_token, refresh_token: result.refresh_token,
    email: result.user?.email ?? tokens?.email, role: result.user?.role ?? tokens?.role,
  };
  keep(sessionStorage, "explorer.tokens", tokens);
  showWho();
}
function signedOut() {
  tokens = null;
  sessionStorage.removeItem("explorer.tokens");
  showWho();
}
function showWho() {
  $("who").textContent = tokens ? `${tokens.email} (${tokens.role})` : "Non connecté";
  $("sign-in").hidden = Boolean(tokens);
  $("sign-out").hidden = !tokens;
  if (current) showRoles();
}

$("sign-in").onclick = () => { $("login-error").textContent = ""; $("login").showModal(); $("email").focus(); };
$("cancel").onclick = () => $("login").close();
$("login-form").onsubmit = async event => {
  event.preventDefault();
  const params = JSON.stringify({ email: $("email").value, password: $("password").value });
  try {
    const { answer } = await post("auth.login", params);
    if (answer.error) { $("login-error").textContent = answer.error.message; return; }
    $("password").value = "";
    signedIn(answer.result);
    $("form-error").textContent = "";
    $("login").close();
  } catch (fault) {
    $("login-error").textContent = `Le serveur n’a pas répondu : ${fault.message}`;
  }
};
$("sign-out").onclick = async () => {
  const { refresh_token } = tokens;
  signedOut();
  try { await post("auth.logout", JSON.stringify({ refresh_token })); } catch { /* signed out here in any case */ }
};

// Methods

function showMethods() {
  const word = $("filter").value.trim().toLowerCase();
  const groups = new Map();
  for (const method of api.methods) {
    if (!`${method.name} ${method.summary}`.toLowerCase().includes(word)) continue;
    const group = method.name.split(".")[0];
    groups.set(group, [...(groups.get(group) ?? []), method]);
  }
  const lists = [...groups].flatMap(([group, methods]) => [
    make("h2", {}, group),
    make("ul", {}, ...methods.map(method => {
      const open = () => { openMethod(method); $("main").focus(); };
      const button = make("button", { type: "button", title: method.summary, onclick: open }, method.name.split(".")[1]);
      button.setAttribute("aria-label", `${method.name} : ${method.summary}`);
      if (method === current) button.setAttribute("aria-current", "true");
      return make("li", {}, button);
    })),
  ]);
  $("methods").replaceChildren(
    ...(lists.length ? lists : [make("p", { className: "quiet", role: "status" }, "Aucune méthode.")]));
}
$("filter").oninput = showMethods;

/** A schema without its reference and without the null that may stand for leaving it out. */
function plain(schema) {
  if (schema?.$ref) return plain(api.components.schemas[schema.$ref.split("/").pop()]);
  if (schema?.anyOf) return plain(schema.anyOf.find(one => one.type !== "null"));
  const type = Array.isArray(schema?.type) ? schema.type.find(one => one !== "null") : schema?.type;
  return { ...schema, type };
}

function openMethod(method, params) {
  current = method;
  history.replaceState(null, "", `#${encodeURIComponent(method.name)}`);
  $("method").hidden = false;
  $("name").textContent = method.name;
  $("summary").textContent = method.summary;
  showRoles();
  clearAnswer();
  $("raw").checked = false;
  showFields(params);
  showRaw(false);
  showReference();
  showMethods();
}

function showRoles() {
  const roles = current["x-roles"] ?? [];
  const note = tokens && roles.length && !roles.includes(tokens.role) ? " – pas à votre rôle" : "";
  $("roles").textContent = roles.length ? `Ouverte à : ${roles.join(", ")}${note}` : "Ouverte à tous, sans jeton";
}

function clearAnswer() {
  page = null;
  $("form-error").textContent = "";
  $("outcome").className = "quiet";
  $("outcome").textContent = "Pas encore d’appel.";
  $("answer").textContent = "";
  $("problems").hidden = true;
  $("next").hidden = true;
  $("copied").textContent = "";
}

function showFields(params) {
  const fields = current.params.map(parameter => field(parameter, params?.[parameter.name]));
  $("fields").replaceChildren(...(fields.length ? fields : [make("p", { className: "quiet" }, "Aucun.")]));
}

/** One parameter's label, hint and input; `input.read()` gives its value as JSON text, undefined when left empty. */
function field(parameter, value) {
  const id = `p-${parameter.name}`;
  const schema = plain(parameter.schema);
  const input = inputFor(parameter, schema, value);
  Object.assign(input, { id, name: parameter.name });
  const hint = make("p", { className: "hint", id: `${id}-hint` }, parameter.summary ?? "");
  input.setAttribute("aria-describedby", hint.id);
  if (parameter.required) input.setAttribute("aria-required", "true");
  const label = make("label", { htmlFor: id }, parameter.name, parameter.required ? " (obligatoire)" : "");
  const box = make("div", { className: "field" }, label, hint, input);
  if (parameter.name === "select" && current["x-entity"]) box.append(picker(current["x-entity"], input));
  return box;
}

function inputFor(parameter, schema, value) {
  let input;
  if (schema.enum) {
    const words = schema.enum.filter(word => word !== null);
    input = make("select", {}, make("option", { value: "" }, ""), ...words.map(word => make("option", { value: word }, word)));
    input.value = value ?? "";
    input.read = () => input.value ? JSON.stringify(input.value) : undefined;
  } else if (schema.type === "boolean") {
    input = make("input", { type: "checkbox", checked: value === true });
    input.read = () => input.checked ? "true" : undefined;
  } else if (schema.type === "integer") {
    input = make("input", { inputMode: "numeric", autocomplete: "off", value: value ?? "" });
    const isNumber = text => /^-?(0|[1-9][0-9]*)$/.test(text);
    input.read = () => {
      const text = input.value.trim();
      return text === "" ? undefined : isNumber(text) ? text : JSON.stringify(text);
    };
  } else if (parameter.name === "select") {
    input = make("textarea", { rows: 4, spellcheck: false, value: value ?? "" });
    input.read = () => input.value.trim() ? JSON.stringify(input.value) : undefined;
  } else if (schema.type === "string") {
    const type = /password|token/.test(parameter.name) ? "password" : "text";
    input = make("input", { type, autocomplete: "off", value: value ?? "" });
    input.read = () => input.value ? JSON.stringify(input.value) : undefined;
  } else {
    input = make("textarea", { rows: 3, spellcheck: false, value: value === undefined ? "" : JSON.stringify(value, null, 2) });
    input.placeholder = placeholder(parameter.name, schema);
    input.read = () => {
      const text = input.value.trim();
      if (!text) return undefined;
      try { JSON.parse(text); } catch (fault) { throw new Error(`« ${parameter.name} » n’est pas du JSON : ${fault.message}`); }
      return text;
    };
  }
  return input;
}

function placeholder(name, schema) {
  if (schema.type === "array") return `["${plain(schema.items).enum?.[0] ?? "…"}"]`;
  if (name !== "values") return "{ … }";
  const names = schema.required?.length ? schema.required : Object.keys(schema.properties ?? {}).slice(0, 4);
  return `{ ${names.map(one => `"${one}": …`).join(", ")} }`;
}

/** Checkboxes for the fields of an entity, ticked as the selection has them; ticking writes the selection. */
function picker(entity, target) {
  const box = make("div", { className: "picker" });
  const details = make("details", {}, make("summary", {}, "Choisir les champs"), box);
  details.ontoggle = () => {
    if (!details.open) return;
    const chosen = chosenIn(target.value);
    if (!chosen) {
      const note = "Cette sélection a des arguments, des alias ou des fragments : modifiez son texte.";
      box.replaceChildren(make("p", { className: "quiet" }, note));
      return;
    }
    const tree = level(entity, chosen, () => { target.value = tree.text() ? `{ ${tree.text()} }` : ""; });
    box.replaceChildren(tree.list);
  };
  return details;
}

/** The names of a selection as nested maps; null for one that says more than names. */
function chosenIn(text) {
  if (!/^[\s,{}\w]*$/.test(text)) return null;
  const root = new Map(), open = [root];
  let last = null;
  for (const piece of text.match(/\w+|[{}]/g)?.slice(1) ?? []) {
    if (piece === "{") { if (!last) return null; open.push(last); last = null; }
    else if (piece === "}") { open.pop(); last = null; }
    else { if (!open.length) return null; last = new Map(); open.at(-1).set(piece, last); }
  }
  return root;
}

function level(entity, chosen, changed) {
  const schema = api.components.schemas[entity] ?? {};
  const items = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const box = make("input", { type: "checkbox" });
    const item = make("li", {}, make("label", { title: property.description ?? "" }, box, name));
    const target = property["x-target"];
    let below;
    const show = () => {
      if (target && box.checked && !below) {
        below = level(target, chosen.get(name) ?? new Map(), changed);
        item.append(below.list);
      }
      if (below) below.list.hidden = !box.checked;
    };
    box.onchange = () => { show(); changed(); };
    box.checked = chosen.has(name);
    show();
    item.text = () => {
      if (!box.checked) return "";
      return target ? `${name} { ${below.text() || "id"} }` : name;
    };
    return item;
  });
  return { list: make("ul", {}, ...items), text: () => items.map(item => item.text()).filter(Boolean).join(" ") };
}

/** What can be read about the method beyond its form. */
function showReference() {
  const errors = (current.errors ?? []).map(error => api.components.errors[error.$ref?.split("/").pop()] ?? error);
  const parts = [
    make("h4", {}, "Erreurs"),
    make("ul", {}, ...errors.map(error => make("li", {}, make("code", {}, String(error.code)), ` ${error.message}`))),
    make("h4", {}, "Résultat"),
    make("pre", { tabIndex: 0 }, JSON.stringify(current.result.schema, null, 2)),
    ...current.params.flatMap(parameter => [
      make("h4", {}, parameter.name),
      make("pre", { tabIndex: 0 }, JSON.stringify(parameter.schema, null, 2)),
    ]),
  ];
  $("reference-body").replaceChildren(...parts);
}

// The form

function formParams() {
  const members = [];
  for (const input of $("fields").querySelectorAll("[name]")) {
    const text = input.read();
    if (text !== undefined) members.push(`${JSON.stringify(input.name)}: ${text}`);
  }
  return `{${members.join(", ")}}`;
}
function showRaw(raw) {
  $("raw-field").hidden = !raw;
  $("fields").hidden = raw;
}
$("raw").onchange = () => {
  $("form-error").textContent = "";
  try {
    if ($("raw").checked) $("params").value = indented(formParams()); else showFields(JSON.parse($("params").value || "{}"));
    showRaw($("raw").checked);
  } catch (fault) {
    $("raw").checked = !$("raw").checked;
    $("form-error").textContent = `Les paramètres ne sont pas du JSON : ${fault.message}`;
  }
};
$("fill").onclick = () => {
  const example = current.examples?.[0]?.params ?? [];
  const params = Object.fromEntries(example.map(one => [one.name, one.value]));
  showFields(params);
  $("params").value = JSON.stringify(params, null, 2);
};

/** The params as JSON text; throws a French sentence. */
function params() {
  if (!$("raw").checked) return formParams();
  const text = $("params").value.trim() || "{}";
  try { JSON.parse(text); } catch (fault) { throw new Error(`Les paramètres ne sont pas du JSON : ${fault.message}`); }
  return text;
}

async function run() {
  clearAnswer();
  for (const input of $("fields").querySelectorAll("[aria-invalid]")) input.removeAttribute("aria-invalid");
  let given;
  try { given = params(); } catch (fault) { $("form-error").textContent = fault.message; return; }
  $("outcome").textContent = "Appel en cours…";
  const method = current;
  const started = performance.now();
  try {
    const { text, answer } = await call(method.name, given);
    remember(method.name, JSON.parse(given), !answer.error);
    if (method !== current) return;
    const taken = `${Math.round(performance.now() - started)} ms, ${new Blob([text]).size} octets`;
    $("outcome").className = answer.error ? "bad" : "good";
    $("outcome").textContent =
      answer.error ? `Erreur ${answer.error.code} : ${answer.error.message} – ${taken}` : `Réussi – ${taken}`;
    $("answer").textContent = indented(payload(text));
    if (answer.error) showProblems(answer.error.data);
    if (method.name === "auth.login" && answer.result) signedIn(answer.result);
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

$("next").onclick = () => {
  if ($("raw").checked) {
    $("params").value = JSON.stringify({ ...JSON.parse($("params").value || "{}"), after: page }, null, 2);
  } else {
    $("fields").querySelector('[name="after"]').value = page;
  }
  run();
};

/** Problems, each where it is: in the list, and on its field. */
function showProblems(data) {
  if (data?.reason === "missing") $("form-error").textContent = "Connectez-vous d’abord.";
  const problems = data?.errors ?? [];
  $("problems").hidden = !problems.length;
  $("problems").replaceChildren(...problems.map(problem =>
    make("li", {}, make("code", {}, problem.path || "/"), ` ${problem.message}`)));
  for (const problem of problems) {
    const name = problem.path.split("/")[1];
    $("fields").querySelector(`[name="${CSS.escape(name ?? "")}"]`)?.setAttribute("aria-invalid", "true");
  }
}

document.addEventListener("keydown", event => {
  if ($("login").open) return;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && current) { event.preventDefault(); run(); }
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? "");
  if (event.key === "/" && !isTyping) { event.preventDefault(); $("filter").focus(); }
});

// JSON as text

/** The result or the error of a response, cut out of its text. */
function payload(text) {
  const head = /^\{"jsonrpc":"2\.0","id":1,"(?:result|error)":/.exec(text);
  return head ? text.slice(head[0].length, text.lastIndexOf("}")) : text;
}

/** JSON text with line breaks; numbers and escapes stay as they are. */
function indented(text) {
  const pieces = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
  let out = "", depth = 0;
  const line = () => "\n" + "  ".repeat(depth);
  pieces.forEach((piece, index) => {
    const before = pieces[index - 1], isEmpty = "{[".includes(before) && "}]".includes(piece) && before;
    if ("}]".includes(piece)) { depth -= 1; if (!isEmpty) out += line(); }
    else if (before === "{" || before === "[" || before === ",") out += line();
    out += piece === ":" ? ": " : piece;
    if (piece === "{" || piece === "[") depth += 1;
  });
  return out;
}

// Copies

const shellQuoted = text => `'${text.replaceAll("'", "'\\''")}'`;
const snippets = {
  curl: (url, text, open) => [
    `curl -s ${shellQuoted(url)}`, `-H 'Content-Type: application/json'`,
    ...(open ? [] : [`-H "Authorization: Bearer $TOKEN"`]), `-d ${shellQuoted(text)}`,
  ].join(" \\\n  "),
  JavaScript: (url, text, open) => `const response = await fetch(${JSON.stringify(url)}, {
  method: "POST",
  headers: { "Content-Type": "application/json"${open ? "" : ", Authorization: `Bearer ${token}`"} },
  body: JSON.stringify(${text}),
});
const { result, error } = await response.json();`,
  Python: (url, text, open) => `import json, os, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(url)},
    ${JSON.stringify(text)}.encode(),
    {"Content-Type": "application/json"${open ? "" : ', "Authorization": "Bearer " + os.environ["TOKEN"]'}},
)
answer = json.load(urllib.request.urlopen(request))`,
};
$("copy").onclick = async () => {
  let text;
  try { text = body(current.name, params()); } catch (fault) { $("form-error").textContent = fault.message; return; }
  const snippet = snippets[$("language").value](`${location.origin}/rpc`, text, !current["x-roles"]?.length);
  try {
    await navigator.clipboard.writeText(snippet);
    $("copied").textContent = "Copié.";
  } catch {
    $("answer").textContent = snippet;
    $("copied").textContent = "Le presse-papiers est fermé : le texte est sous « Réponse ».";
  }
};

// History: what was called, never a password or a token

const isSecret = name => /password|token/.test(name);
const withoutSecrets = object => Object.fromEntries(Object.entries(object).filter(([name]) => !isSecret(name)));
function remember(name, given, good) {
  const safe = withoutSecrets(given);
  if (safe.values && typeof safe.values === "object") safe.values = withoutSecrets(safe.values);
  past = [{ name, params: safe, good, at: new Date().toISOString() }, ...past].slice(0, 30);
  keep(localStorage, "explorer.history", past);
  showHistory();
}
function showHistory() {
  $("forget").hidden = !past.length;
  const entries = past.map(entry => {
    const method = api.methods.find(one => one.name === entry.name);
    const again = () => { if (method) { openMethod(method, entry.params); $("main").focus(); } };
    return make("li", {},
      make("button", { type: "button", onclick: again, disabled: !method }, entry.name),
      make("span", { className: entry.good ? "good" : "bad" }, entry.good ? " réussi " : " refusé "),
      make("span", { className: "quiet" },
        `${new Date(entry.at).toLocaleTimeString("fr")} ${JSON.stringify(entry.params).slice(0, 90)}`));
  });
  $("history").replaceChildren(entries.length ? make("ol", {}, ...entries) : make("p", { className: "quiet" }, "Vide."));
}
$("forget").onclick = () => { past = []; keep(localStorage, "explorer.history", past); showHistory(); };

(async () => {
  showWho();
  try {
    const response = await fetch("/openrpc.json");
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    api = await response.json();
  } catch (fault) {
    $("loading").className = "bad";
    $("loading").textContent = `Le document OpenRPC ne se lit pas : ${fault.message}`;
    return;
  }
  $("loading").remove();
  $("title").textContent = api.info.title;
  document.title = `${api.info.title} – explorateur de l’API`;
  showHistory();
  const wanted = decodeURIComponent(location.hash.slice(1));
  openMethod(api.methods.find(method => method.name === wanted) ?? api.methods[0]);
})();
