// The reference of a method: its errors, and the schemas of its params and result in words.

function showReference() {
  const errors = current.errors ?? [];
  $("panel-reference").replaceChildren(
    ...current.params.flatMap(({ name, summary, schema }) => [
      make("h3", {}, make("code", {}, name), " ", ...labelElements(labelOf(schema)), ` ${besideLabel(labelOf(schema), summary)}`),
      ...described(schema, true)]),
    make("h3", {}, "Résultat"),
    ...described(current.result.schema, true),
    make("h3", {}, "Erreurs"),
    make("ul", {}, ...errors.map(error => make("li", {}, make("code", {}, String(error.code)), ` ${error.message}`,
      ...(error.code === 409 ? reasons() : [])))));
}

/** The reasons of the conflicts that the method's rules lead to. */
const reasons = () => (current["x-conflicts"] ?? []).flatMap(reason => [" ", make("code", {}, reason)]);

/** The type of a value and its parts; `isOpen` shows the parts unfolded. */
function described(schema, isOpen = false) {
  const form = plain(schema);
  const words = make("p", { className: "small" }, `${kindOf(schema)}${form.isNullable ? " ou null" : ""}. `, besideLabel(labelOf(schema), schema.description));
  const inner = form.type === "array" ? plain(form.items) : form;
  const values = inner.enum?.filter(word => word !== null) ?? [];
  if (values.length) {
    const list = make("p", { className: "small values-list" }, ...values.flatMap(word => [wordElement(inner, word), " "]));
    return [words, values.length > 12 ? unfolding(`${values.length} valeurs`, false, () => [list]) : list];
  }
  const count = Object.keys(inner.properties ?? {}).length;
  if (!count) return [words];
  return [words, unfolding(`${count} champ${count > 1 ? "s" : ""}`, isOpen && count <= 12, () => [memberList(inner)])];
}

/** A word of a choice with its label. Both stay on one line. */
const wordElement = (form, word) =>
  make("span", { className: "choice-word" }, make("code", {}, String(word)), ...labelElements(wordLabel(form, word)));

/** A part that is made when it is unfolded, since schemas refer to themselves. */
function unfolding(title, isOpen, make_) {
  const details = make("details", {}, make("summary", {}, title));
  const fill = () => { if (details.children.length === 1) details.append(...make_()); };
  details.addEventListener("toggle", () => { if (details.open) fill(); });
  details.open = isOpen;
  if (isOpen) fill();
  return details;
}

function memberList(schema) {
  return make("dl", {}, ...Object.entries(schema.properties).flatMap(([name, property]) => {
    const marks = [(schema.required ?? []).includes(name) ? "obligatoire" : "", property.readOnly ? "en lecture seule" : "", property.writeOnly ? "en écriture seule" : ""];
    const term = make("dt", {}, make("code", {}, name), ...labelElements(labelOf(property)), make("span", { className: "quiet small" }, marks.filter(Boolean).join(", ")));
    return [term, make("dd", {}, ...(operatorsOf(property) ?? described(property)))];
  }));
}

/** The operators of a condition on a column; null for a schema that is not a condition. */
function operatorsOf(property) {
  const resolved = property.$ref ? api.components.schemas[property.$ref.split("/").pop()] : property;
  const [value, object] = resolved.anyOf ?? [];
  if (!object?.properties?.eq) return null;
  const choices = value.enum?.filter(word => word !== null).flatMap(word => [wordElement(value, word), " "]);
  const words = Object.keys(object.properties).flatMap(word => [make("code", {}, word), " "]);
  return [make("p", { className: "small" }, ...(choices ?? [kindOf(value)]), "\u202f: ", ...words)];
}

function kindOf(schema) {
  const form = plain(schema), name = schema.$ref?.split("/").pop() ?? schema.anyOf?.find(one => one.$ref)?.$ref.split("/").pop();
  const title = name && form.type === "object" ? ` ${name}` : "";
  if (form.type === "array") return `liste\u202f: ${kindOf(form.items)}`;
  if (form.enum && form.type === "integer") return "un de ces nombres";
  if (form.enum) return form.enum.length <= 12 ? "un de ces mots" : "un mot d’une liste";
  const range = [form.minimum, form.maximum].every(Number.isSafeInteger) ? ` de ${form.minimum} à ${form.maximum}` : "";
  const length = form.maxLength ? ` de ${form.maxLength} caractères au plus` : "";
  const kind = typeName({ ...form, enum: undefined }) || "valeur";
  return kind + title + range + length;
}
