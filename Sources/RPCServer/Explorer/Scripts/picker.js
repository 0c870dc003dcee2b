// The field picker: checkboxes for the fields of an entity, ticked as the selection has them; ticking writes it.

function picker(entity, target) {
  const box = make("div");
  const details = make("details", { className: "picker" }, make("summary", {}, "Choisir les champs"), box);
  const show = () => {
    const chosen = chosenIn(target.value);
    if (!chosen) {
      const note = "Cette sélection a des arguments, des alias ou des fragments : modifiez son texte.";
      box.replaceChildren(make("p", { className: "quiet small" }, note));
      return;
    }
    const tree = level(entity, chosen, () => { target.value = tree.text() ? `{ ${tree.text()} }` : ""; });
    box.replaceChildren(tree.list);
  };
  details.open = !narrow.matches;
  if (details.open) show();
  details.ontoggle = () => { if (details.open) show(); };
  target.onchange = () => { if (details.open) show(); };
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
    box.dataset.field = name;
    const item = make("li", {}, make("label", { title: property.description ?? "" }, box, name));
    const target = property["x-target"];
    if (target) item.className = "relation"; else if (property["x-derived"]) item.className = "derived";
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
