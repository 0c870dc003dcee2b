// The field picker: a checkbox for each field of an entity, ticked if the selection has it. Ticking changes the text.

function picker(entity, target) {
  const box = make("div");
  const details = make("details", { className: "picker" }, make("summary", {}, "Choisir les champs"), box);
  const change = edit => {
    target.value = edit(target.value);
    target.check();
    target.dispatchEvent(new Event("picked"));
    show();
  };
  let list = null;
  function show() {
    const root = fieldsIn(target.value);
    if (!root) {
      const note = "Cette sélection a des arguments, des alias, des fragments ou des commentaires, ou n’est pas entière\u202f: modifiez son texte.";
      box.replaceChildren(make("p", { className: "quiet small" }, note));
      list = null;
      return;
    }
    if (!list) box.replaceChildren(list = fieldList(entity, [], change));
    list.show(root);
  }
  details.open = !narrow.matches;
  if (details.open) show();
  details.ontoggle = () => { if (details.open) show(); };
  for (const name of ["input", "change"]) target.addEventListener(name, () => { if (details.open) show(); });
  return details;
}

/** The fields of an entity as a list; `list.show(set)` ticks those of a selection set. */
function fieldList(entity, path, change) {
  const properties = Object.entries(api.components.schemas[entity]?.properties ?? {});
  const items = properties.map(([name, property]) => fieldItem([...path, name], property, change));
  const list = make("ul", {}, ...items);
  list.show = set => items.forEach(item => item.show(set.fields.find(field => field.name === item.name)));
  return list;
}

function fieldItem(path, property, change) {
  const name = path.at(-1), target = property["x-target"], hasMany = isMany(property);
  const box = make("input", { type: "checkbox" });
  box.dataset.field = name;
  const item = make("li", {}, make("label", { title: hintOf(property) }, box, name));
  item.name = name;
  if (target) item.className = "relation"; else if (property["x-derived"]) item.className = "derived";
  const field = target ? `${name}${hasMany ? "(first: 10)" : ""} { id }` : name;
  box.onchange = () => change(text => box.checked ? withField(text, path, field) : withoutField(text, path));
  const first = hasMany ? firstInput(path, change) : null;
  if (first) item.append(first);
  let below;
  item.show = found => {
    box.checked = Boolean(found);
    if (target && found && !below) item.append(below = fieldList(target, path, change));
    if (below) below.hidden = !found;
    if (found) below?.show(found);
    first?.show(found);
  };
  return item;
}

/** The input for the number of records of a to-many relation. */
function firstInput(path, change) {
  const input = make("input", { type: "number", min: 1, max: 500, placeholder: "tous" });
  input.setAttribute("aria-label", `${path.join(".")} : combien au plus`);
  input.oninput = () => change(text => withFirst(text, path, input.value.replace(/\D/g, "")));
  const label = make("label", { className: "first" }, "first", input);
  label.show = found => {
    label.hidden = !found;
    input.value = found?.first?.text ?? "";
  };
  return label;
}
