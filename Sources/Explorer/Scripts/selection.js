// Selections as text that is changed in place, so that the rest stays as it was written.

/**
 * The fields of a selection, each `{name, start, end, fields}`, and for a relation also where its set `opens` and `closes`
 * and its `first`. Null for a text that is incomplete or has more than names and `first`.
 */
function fieldsIn(text) {
  const root = { fields: [] }, open = [];
  let last = null;
  const pieces = text.matchAll(/\(\s*first\s*:\s*(\d+)\s*\)|(?<name>[A-Za-z_]\w*)|[{}]|[^\s,\ufeff]/g);
  for (const { 0: piece, 1: first, index, groups: { name } } of pieces) {
    const set = open.at(-1);
    if (piece === "{") {
      if (set ? !last : root.opens !== undefined) return null;
      const owner = set ? last : root;
      if (owner.opens !== undefined) return null;
      owner.opens = index;
      open.push(owner);
      last = null;
    } else if (piece === "}") {
      if (!set) return null;
      Object.assign(set, { closes: index, end: index + 1 });
      open.pop();
      last = null;
    } else if (first !== undefined) {
      if (!last || last.first) return null;
      last.first = { text: first, start: index, end: index + piece.length };
      last.end = index + piece.length;
    } else {
      // A repeated field, or other GraphQL syntax.
      if (!name || !set || set.fields.some(field => field.name === name)) return null;
      last = { name, start: index, end: index + piece.length, fields: [] };
      set.fields.push(last);
    }
  }
  return open.length ? null : root;
}

const replaced = (text, start, end, by) => text.slice(0, start) + by + text.slice(end);
const fieldAt = (root, path) => path.reduce((field, name) => field?.fields.find(one => one.name === name), root);

/** The text with one more field at the end of its set. */
function withField(text, path, field) {
  const set = fieldAt(fieldsIn(text), path.slice(0, -1));
  if (set.opens === undefined) return path.length === 1 ? `{ ${field} }` : replaced(text, set.end, set.end, ` { ${field} }`);
  const last = set.fields.at(-1);
  if (!last) return replaced(text, set.opens, set.closes + 1, `{ ${field} }`);
  // The field gets a line of its own if the field before it has one.
  const gap = text.slice(set.fields.at(-2)?.end ?? set.opens + 1, last.start);
  return replaced(text, last.end, last.end, (gap.match(/\n[ \t]*$/)?.[0] ?? " ") + field);
}

/** The text without a field. A relation that has no other field keeps its id, or is removed if that was the field. */
function withoutField(text, path) {
  const root = fieldsIn(text), set = fieldAt(root, path.slice(0, -1)), field = fieldAt(root, path);
  if (set.fields.length === 1) {
    if (path.length === 1) return "";
    return field.name === "id" ? withoutField(text, path.slice(0, -1)) : replaced(text, field.start, field.end, "id");
  }
  const before = set.fields[set.fields.indexOf(field) - 1];
  if (before) return replaced(text, before.end, field.end, "");
  return replaced(text, field.start, set.fields[1].start, "");
}

/** The text with the number of records of a relation; "" stands for all of them. */
function withFirst(text, path, first) {
  const field = fieldAt(fieldsIn(text), path), by = first ? `(first: ${first})` : "";
  if (field.first) return replaced(text, field.first.start, field.first.end, by);
  const end = field.start + field.name.length;
  return replaced(text, end, end, by);
}
