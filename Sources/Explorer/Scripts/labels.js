// What people read in the place of a method, a parameter, a field or a word: `x-label` and `x-labels` of the OpenRPC document.

/** The label of a method or of a schema; "" if it has none. */
const labelOf = described => described?.["x-label"] ?? "";
/** The label of a word of a choice; "" if it has none. */
const wordLabel = (form, word) => form?.["x-labels"]?.[word] ?? "";

/** What is said beside a label, without the label as its first sentence. */
function besideLabel(label, text) {
  if (!label || !text) return text ?? "";
  return text === `${label}.` ? "" : text.startsWith(`${label}. `) ? text.slice(label.length + 2) : text;
}

/** The label and what is said about it in one text, for hints. A text that begins with the label is enough. */
function withLabel(label, text) {
  if (!label || !text) return label || text || "";
  const isSaid = text.toLowerCase().startsWith(label.toLowerCase()) && !/^[\p{L}\p{N}]/u.test(text.slice(label.length));
  return isSaid ? text : `${label} – ${text}`;
}
const hintOf = schema => withLabel(labelOf(schema), schema?.description);

/** The label as an element beside a name; none without a label. */
const labelElements = label => label ? [make("span", { className: "says" }, label)] : [];

/** The labels along a path that an order or a group names, such as `-day`, `author.name` or `month(day)`; "" for other words. */
function labelAlong(entity, word) {
  const labels = [];
  let table = entity;
  for (const name of word.replace(/^-/, "").replace(/^\w+\((.+)\)$/, "$1").split(".")) {
    const known = fieldsOf(table), property = Object.hasOwn(known, name) ? known[name] : null;
    if (!labelOf(property)) return "";
    labels.push(labelOf(property));
    table = property["x-target"];
  }
  return labels.join(" › ");
}
