// The form of a method: one field for each parameter and one for each column of `values`.
// `input.dataset.path` is the JSON Pointer of the value in params.

/** Shows the fields with the values of `given`, an object as `readJSON` returns it; undefined leaves them empty. */
function showFields(given) {
  // Required parameters come first, then the selection, then the rest.
  const rank = one => one.required ? 0 : one.name === "select" ? 1 : 2;
  const sorted = [...current.params].sort((one, other) => rank(one) - rank(other));
  const fields = sorted.map(parameter => field(parameter.name, parameter.schema, {
    path: `/${parameter.name}`, hint: parameter.summary, isRequired: parameter.required, isFresh: !given,
    value: member(given, parameter.name),
  }));
  $("fields").replaceChildren(
    ...(fields.length ? fields : [make("p", { className: "quiet wide" }, "Cette méthode n’a pas de paramètre.")]));
}

function field(name, schema, { path, hint, isRequired, isFresh, value }) {
  const form = plain(schema);
  if (path === "/values" && form.properties) return group(name, form, { path, hint, isRequired, value });
  const id = `p${path.replaceAll("/", "-")}`;
  const isColumn = path.startsWith("/values/");
  const input = inputFor(name, form, { isColumn, isFresh, value });
  Object.assign(input, { id, name });
  input.dataset.path = path;
  const help = make("p", { className: "hint", id: `${id}-hint` }, besideLabel(labelOf(form), hint));
  input.setAttribute("aria-describedby", help.id);
  if (isRequired) input.setAttribute("aria-required", "true");
  const label = make("label", { htmlFor: id }, name, ...labelElements(labelOf(form)), make("span", { className: "type" }, typeName(form)));
  if (isRequired) label.append(make("span", { className: "required" }, "obligatoire"));
  const isCheck = input.type === "checkbox";
  const isWide = input.tagName === "TEXTAREA" && !isColumn && form.type !== "array";
  const box = make("div", { className: `field${isCheck ? " check" : ""}${isWide ? " wide" : ""}` });
  box.append(...(isCheck ? [input, label, help] : [label, help, input]));
  const language = input.tagName === "TEXTAREA" ? languageOf(schema) : null;
  if (language) { editor(input, language); input.check(); }
  // In a record, null is a value. As a parameter it means the same as no value, and is shown only if it was given.
  const isNull = value?.kind === "null", below = [];
  if (form.isNullable && hasNoOtherNull(input, form) && (isColumn || isNull)) {
    const choice = nullChoice(input, isNull);
    choice.control.setAttribute("aria-label", `${name}\u202f: ${nullWords}`);
    below.push(choice);
  }
  const entity = input.tagName === "INPUT" ? entityNamed(form, path) : null;
  if (entity) below.push(recordChoice(input, entity));
  if (below.length) box.append(make("div", { className: "below" }, ...below));
  if (form["x-file"]) box.append(fileChoice(input, form["x-file"]));
  if (form["x-selection-of"]) {
    const relations = relationList(form["x-selection-of"], input);
    box.append(...[relations, picker(form["x-selection-of"], input)].filter(Boolean));
  }
  return box;
}

/** Whether null needs a checkbox. A choice lists null among its words, and JSON text can contain it. */
const hasNoOtherNull = (input, schema) => input.tagName !== "SELECT" && schema.type !== "array" && schema.type !== "object";

/** The columns of `values`, each as a field of its own. */
function group(name, schema, { path, hint, isRequired, value }) {
  const said = besideLabel(labelOf(schema), hint);
  const legend = make("legend", {}, name, ...labelElements(labelOf(schema)), make("span", { className: "type" }, said));
  const required = schema.required ?? [];
  const fields = Object.entries(schema.properties).map(([column, property]) => field(column, property, {
    path: `${path}/${column}`, hint: property.description, isRequired: required.includes(column), value: member(value, column),
  }));
  const box = make("fieldset", { className: "field wide" }, legend, make("div", { className: "values" }, ...fields));
  box.name = name;
  box.dataset.group = path;
  box.read = () => {
    const text = members(box.querySelectorAll("[data-path]"));
    return text === "{}" && !isRequired && !value ? undefined : text;
  };
  return box;
}

const typeName = schema =>
  schema.enum ? schema.enum.filter(word => word !== null).join(" · ").slice(0, 40)
  : schema.format === "date" || schema.format === "date-time" ? "date"
  : { integer: "entier", number: "nombre", string: "texte", boolean: "oui / non", array: "liste", object: "objet" }[schema.type] ?? "";

const members = inputs => {
  const list = [];
  for (const input of inputs) {
    const text = input.read?.();
    if (text !== undefined) list.push(`${JSON.stringify(input.name)}: ${text}`);
  }
  return `{${list.join(", ")}}`;
};
const formParams = () => members($("fields").querySelectorAll(
  ":scope > .field > [data-path], :scope > .field > .editor [data-path], :scope > [data-group]"));
