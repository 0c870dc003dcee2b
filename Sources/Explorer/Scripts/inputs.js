// The inputs of a form, made from a schema. `input.read()` returns the value as JSON text, or undefined if the input is
// empty. Initial values are as `readJSON` returns them.

const asText = value => value === undefined || value.kind === "null" ? "" : value.value ?? value.text;
/** JSON text for editing: unchanged if it is short, otherwise with line breaks. */
const asJSON = value => value === undefined ? "" : value.text.length <= 80 ? value.text : indented(value.text);

function inputFor(name, schema, { isColumn, isFresh, value }) {
  if (schema.enum || schema.type === "boolean" && isColumn) return choiceInput(schema, value);
  if (schema.type === "boolean") {
    const input = make("input", { type: "checkbox", checked: value?.kind === "true" });
    input.read = () => input.checked ? "true" : undefined;
    return input;
  }
  if (schema.type === "integer" || schema.type === "number") return numberInput(schema, value);
  if (schema["x-selection-of"] || schema["x-aggregates-of"]) return selectionInput(schema, value, isFresh);
  if (schema.type === "string") return textInput(name, schema, value, isColumn);
  return jsonInput(name, schema, value);
}

/** A choice of one word; null is one of them if the schema allows it. */
function choiceInput(schema, value) {
  const words = schema.enum?.filter(word => word !== null) ?? [true, false];
  const choices = words.map(word => [[String(word), wordLabel(schema, word)].filter(Boolean).join(" – "), JSON.stringify(word)]);
  if (schema.isNullable) choices.push([nullWords, "null"]);
  const input = make("select", {}, make("option", { value: "" }, "–"),
    ...choices.map(([label, json]) => make("option", { value: json }, label)));
  input.value = value?.kind === "string" ? JSON.stringify(value.value) : value?.text ?? "";
  input.read = () => input.value || undefined;
  return input;
}

function numberInput(schema, value) {
  const input = make("input", { inputMode: "decimal", autocomplete: "off", value: asText(value) });
  input.placeholder = schema.default === undefined ? "" : String(schema.default);
  // Text that is not a number is sent unchanged, and the service reports the mistake.
  input.read = () => {
    const text = input.value.trim();
    return text === "" ? undefined : /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? text : JSON.stringify(text);
  };
  return input;
}

function selectionInput(schema, value, isFresh) {
  const input = make("textarea", { rows: 2, spellcheck: false, value: asText(value) });
  if (schema["x-aggregates-of"] && isFresh) input.value = "{ count }";
  input.placeholder = schema["x-selection-of"] ? "{ id … } – vide\u202f: toutes les colonnes" : "{ count sum { … } }";
  input.read = () => input.value.trim() ? JSON.stringify(input.value) : undefined;
  return input;
}

function textInput(name, schema, value, isColumn) {
  const isTime = schema.pattern?.includes("2[0-3]") && schema.format === undefined;
  const type = isSecret(name) ? "password" : schema.format === "date" ? "date" : isTime ? "time" : "text";
  // A text column without a format gets several lines if its length is long or unlimited.
  const isLong = isColumn && type === "text" && !schema["x-format"] && !schema.format && !(schema.maxLength <= 255);
  const input = isLong ? make("textarea", { rows: 1, className: "prose", value: asText(value) })
    : make("input", { type, autocomplete: type === "password" ? "new-password" : "off", value: asText(value) });
  if (type === "time") input.step = 1;
  if (schema.examples?.length) input.placeholder = schema.examples[0];
  input.read = () => input.value ? JSON.stringify(input.value) : undefined;
  return input;
}

/** An input for JSON text, for schemas without an input of their own. Lists of words can be typed as plain words. */
function jsonInput(name, schema, value) {
  const input = make("textarea", { rows: 1, spellcheck: false, value: asJSON(value) });
  const isWords = schema.type === "array" && plain(schema.items).type === "string";
  input.placeholder = placeholder(name, schema, isWords);
  input.read = () => {
    const text = input.value.trim();
    if (!text) return undefined;
    if (isWords && !/^(\[|null$)/.test(text)) {
      return JSON.stringify(text.split(/[\s,]+/).filter(Boolean).map(word => word.replace(/^"(.*)"$/, "$1")));
    }
    try { return readJSON(text).text; } catch (fault) {
      throw Object.assign(new Error(`«\u00a0${name}\u00a0» n’est pas du JSON\u202f: ${fault.message}`), { path: input.dataset.path });
    }
  };
  return input;
}

function placeholder(name, schema, isWords) {
  if (isWords) return (schema.default ?? [plain(schema.items).enum?.[0] ?? "…"]).join(", ");
  if (name !== "where") return schema.type === "array" ? "[ … ]" : "{ … }";
  const column = Object.keys(schema.properties ?? {}).find(one => !["and", "or", "not", "id"].includes(one));
  return `{ "${column}": … }`;
}

const nullWords = "vide (null)";
/** A checkbox beside an input that replaces the input's value by null. */
function nullChoice(input, isNull) {
  const box = make("input", { type: "checkbox", checked: isNull });
  const read = input.read;
  input.read = () => box.checked ? "null" : read();
  box.onchange = () => { if (box.checked) input.value = ""; };
  input.addEventListener("input", () => { box.checked = false; });
  return make("label", { className: "or-null" }, box, nullWords);
}
