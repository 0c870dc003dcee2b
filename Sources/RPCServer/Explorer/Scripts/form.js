// The form of a method: one field for each parameter, one for each column of `values`.
// `input.read()` gives a value as JSON text, undefined when left empty; `input.dataset.path` says where it is in params.

function showFields(params) {
  // What must be given, then what is wanted back, then the rest.
  const rank = one => one.required ? 0 : one.name === "select" ? 1 : 2;
  const sorted = [...current.params].sort((one, other) => rank(one) - rank(other));
  const fields = sorted.map(parameter => field(parameter.name, parameter.schema, {
    path: `/${parameter.name}`, hint: parameter.summary, isRequired: parameter.required, value: params?.[parameter.name],
  }));
  $("fields").replaceChildren(
    ...(fields.length ? fields : [make("p", { className: "quiet wide" }, "Cette méthode n’a pas de paramètre.")]));
}

function field(name, schema, { path, hint, isRequired, value }) {
  const form = plain(schema);
  if (path === "/values" && form.properties) return group(name, form, { path, hint, isRequired, value });
  const id = `p${path.replaceAll("/", "-")}`;
  const input = inputFor(name, form, path, value);
  Object.assign(input, { id, name });
  input.dataset.path = path;
  const help = make("p", { className: "hint", id: `${id}-hint` }, hint ?? "");
  input.setAttribute("aria-describedby", help.id);
  if (isRequired) input.setAttribute("aria-required", "true");
  const label = make("label", { htmlFor: id }, name, make("span", { className: "type" }, typeName(form)));
  if (isRequired) label.append(make("span", { className: "required" }, "obligatoire"));
  const isCheck = input.type === "checkbox";
  const isWide = input.tagName === "TEXTAREA" && form.type !== "array";
  const box = make("div", { className: `field${isCheck ? " check" : ""}${isWide ? " wide" : ""}` });
  box.append(...(isCheck ? [input, label, help] : [label, help, input]));
  if (form["x-selection-of"]) box.append(picker(form["x-selection-of"], input));
  return box;
}

/** The columns of `values`, each a field of its own. */
function group(name, schema, { path, hint, isRequired, value }) {
  const legend = make("legend", {}, name, make("span", { className: "type" }, hint ?? ""));
  const required = schema.required ?? [];
  const fields = Object.entries(schema.properties).map(([column, property]) => field(column, property, {
    path: `${path}/${column}`, hint: property.description, isRequired: required.includes(column), value: value?.[column],
  }));
  const box = make("fieldset", { className: "field wide" }, legend, make("div", { className: "values" }, ...fields));
  box.name = name;
  box.dataset.group = path;
  box.read = () => {
    const text = members(box.querySelectorAll("[data-path]"));
    return text === "{}" && !isRequired ? undefined : text;
  };
  return box;
}

const typeName = schema =>
  schema.enum ? schema.enum.filter(Boolean).join(" · ").slice(0, 40)
  : schema.format === "date" || schema.format === "date-time" ? "date"
  : { integer: "entier", number: "nombre", string: "texte", boolean: "oui / non", array: "liste", object: "objet" }[schema.type] ?? "";

function inputFor(name, schema, path, value) {
  const isColumn = path.startsWith("/values/");
  const texts = value === undefined || value === null ? "" : String(value);
  if (schema.enum || schema.type === "boolean" && isColumn) {
    const words = schema.enum?.filter(word => word !== null) ?? ["true", "false"];
    const input = make("select", {}, make("option", { value: "" }, "–"), ...words.map(word => make("option", { value: word }, word)));
    input.value = texts;
    input.read = () => input.value ? (schema.enum ? JSON.stringify(input.value) : input.value) : undefined;
    return input;
  }
  if (schema.type === "boolean") {
    const input = make("input", { type: "checkbox", checked: value === true });
    input.read = () => input.checked ? "true" : undefined;
    return input;
  }
  if (schema.type === "integer" || schema.type === "number") {
    const input = make("input", { inputMode: "decimal", autocomplete: "off", value: texts });
    input.placeholder = schema.default === undefined ? "" : String(schema.default);
    // What is no number goes as it is: the service says what is wrong with it.
    input.read = () => {
      const text = input.value.trim();
      return text === "" ? undefined : /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? text : JSON.stringify(text);
    };
    return input;
  }
  if (schema["x-selection-of"] || schema["x-aggregates-of"]) {
    const input = make("textarea", { rows: 2, spellcheck: false, value: texts });
    if (schema["x-aggregates-of"] && !texts) input.value = "{ count }";
    input.placeholder = schema["x-selection-of"] ? "{ id … } – vide : toutes les colonnes" : "{ count sum { … } }";
    input.read = () => input.value.trim() ? JSON.stringify(input.value) : undefined;
    return input;
  }
  if (schema.type === "string") {
    const isTime = schema.pattern?.includes("2[0-3]") && schema.format === undefined;
    const type = isSecret(name) ? "password" : schema.format === "date" ? "date" : isTime ? "time" : "text";
    const input = make("input", { type, autocomplete: type === "password" ? "new-password" : "off", value: texts });
    if (type === "time") input.step = 1;
    if (schema.examples?.length) input.placeholder = schema.examples[0];
    input.read = () => input.value ? JSON.stringify(input.value) : undefined;
    return input;
  }
  const input = make("textarea", { rows: 1, spellcheck: false, value: value === undefined || value === null ? "" : JSON.stringify(value, null, 2) });
  input.placeholder = placeholder(name, schema);
  input.read = () => {
    const text = input.value.trim();
    if (!text) return undefined;
    try { JSON.parse(text); } catch (fault) {
      throw Object.assign(new Error(`« ${name} » n’est pas du JSON : ${fault.message}`), { path });
    }
    return text;
  };
  return input;
}

function placeholder(name, schema) {
  if (schema.type === "array") return `["${plain(schema.items).enum?.[0] ?? "…"}"]`;
  if (name !== "where") return "{ … }";
  const column = Object.keys(schema.properties ?? {}).find(one => !["and", "or", "not", "id"].includes(one));
  return `{ "${column}": … }`;
}

const members = inputs => {
  const list = [];
  for (const input of inputs) {
    const text = input.read?.();
    if (text !== undefined) list.push(`${JSON.stringify(input.name)}: ${text}`);
  }
  return `{${list.join(", ")}}`;
};
const formParams = () => members($("fields").querySelectorAll(":scope > .field > [data-path], :scope > [data-group]"));

/** The params as JSON text; throws a French sentence. */
function params() {
  if ($("as-form").checked) return formParams();
  const text = $("params").value.trim() || "{}";
  try { JSON.parse(text); } catch (fault) { throw new Error(`Les paramètres ne sont pas du JSON : ${fault.message}`); }
  return text;
}

function showRaw(raw) {
  $("raw-field").hidden = !raw;
  $("fields").hidden = raw;
}
$("as-json").onchange = $("as-form").onchange = () => {
  const raw = $("as-json").checked;
  $("form-error").textContent = "";
  try {
    if (raw) $("params").value = indented(formParams()); else showFields(JSON.parse($("params").value || "{}"));
    showRaw(raw);
  } catch (fault) {
    $(raw ? "as-form" : "as-json").checked = true;
    $("form-error").textContent = raw ? fault.message : `Les paramètres ne sont pas du JSON : ${fault.message}`;
  }
};
$("fill").onclick = () => {
  const example = current.examples?.[0]?.params ?? [];
  const given = Object.fromEntries(example.filter(one => !isSecret(one.name)).map(one => [one.name, one.value]));
  showFields(given);
  $("params").value = JSON.stringify(given, null, 2);
};
