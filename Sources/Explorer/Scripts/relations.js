// The relations of an entity, beside the text of a selection: a click adds one to it, or removes it.

function relationList(entity, target) {
  const relations = Object.entries(fieldsOf(entity)).filter(([, property]) => property["x-target"]);
  if (!relations.length) return null;
  const buttons = relations.map(([name, property]) => {
    const button = make("button", { type: "button", title: hintOf(property) },
      make("span", { ariaHidden: "true" }, "+ "), name, make("span", { className: "quiet" }, ` → ${property["x-target"]}${isMany(property) ? " […]" : ""}`));
    button.dataset.relation = name;
    button.onclick = () => {
      const found = relationIn(target.value, name);
      const edit = found ? withoutPart(target.value, found) : withRelation(target.value, entity, name, property);
      target.value = edit;
      for (const event of ["input", "change"]) target.dispatchEvent(new Event(event, { bubbles: true }));
    };
    return button;
  });
  const show = () => buttons.forEach(button => {
    const isChosen = Boolean(relationIn(target.value, button.dataset.relation));
    button.setAttribute("aria-pressed", String(isChosen));
    button.firstChild.textContent = isChosen ? "✓ " : "+ ";
  });
  target.addEventListener("input", show);
  target.addEventListener("change", show);
  target.addEventListener("picked", show);
  show();
  const list = make("div", { className: "relations", role: "group" }, make("span", { className: "quiet small" }, "Relations"), ...buttons);
  list.setAttribute("aria-label", `Relations de ${entity}`);
  return list;
}

/** The field of a selection that is this relation, at its top level. */
const relationIn = (text, name) => new Reader(text).document().set?.fields.find(one => one.kind === "field" && one.name === name);

/** The text with a relation, of which it selects what names its records. */
function withRelation(text, entity, name, property) {
  const target = property["x-target"];
  const names = fields => `{ ${[...new Set(["id", ...fields])].join(" ")} }`;
  const field = `${name}${isMany(property) ? "(first: 10)" : ""} ${names(namingFields(target))}`;
  const { set } = new Reader(text).document();
  if (!set || !set.fields.length) return names(namingFields(entity)).replace(/ \}$/, ` ${field} }`);
  const last = set.fields.at(-1), end = endOf(last);
  // The field gets a line of its own if the field before it has one.
  const gap = /\n[ \t]*$/.exec(text.slice(0, last.start))?.[0] ?? " ";
  return text.slice(0, end) + gap + field + text.slice(end);
}
const endOf = field => field.set?.end ?? field.parameters?.end ?? field.end;

function withoutPart(text, field) {
  const start = field.alias?.start ?? field.start;
  const before = text.slice(0, start).replace(/[\s,]+$/, "");
  const rest = text.slice(endOf(field));
  return before.endsWith("{") && /^[\s,]*\}/.test(rest) ? "" : before + rest;
}
