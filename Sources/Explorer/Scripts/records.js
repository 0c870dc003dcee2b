// An input for the id of a record: it also takes words to search for, offers the records that have them, and shows which
// record the id is of.

/** The fields that name a record: its first text, and those that its list is ordered by. */
function namingFields(entity) {
  const known = fieldsOf(entity), list = api.methods.find(one => one.name === `${entity}.list`);
  const order = list?.params.find(one => one.name === "order_by")?.schema.default ?? [];
  const ordered = order.map(word => word.replace(/^-/, "")).filter(name => known[name] && !known[name]["x-target"]);
  const title = Object.keys(known).find(name => formsOf(known[name]).some(one => one.type === "string" && !one.enum && !one.format && !one.pattern));
  return title && !ordered.includes(title) ? [title, ...ordered] : ordered;
}

/** The names of records that have been seen, by entity and id. */
const recordNames = new Map();
function nameOf(entity, record) {
  const known = fieldsOf(entity), texts = [], others = [];
  for (const name of namingFields(entity)) {
    if (record[name] === null || record[name] === undefined) continue;
    const isText = formsOf(known[name]).some(one => one.type === "string" && !one.format && !one.pattern);
    (isText ? texts : others).push(String(record[name]).replace(/^(\d\d:\d\d):00$/, "$1"));
  }
  const words = [texts.join(" "), ...others].filter(Boolean).join(" · ") || `n° ${record.id}`;
  recordNames.set(`${entity} ${record.id}`, words);
  return words;
}

/** Makes an input one for records of an entity, and returns the text that names the record. */
function recordChoice(input, entity) {
  const named = make("p", { className: "record small", role: "status" });
  const method = api.methods.find(one => one.name === `${entity}.list`);
  input.role = "combobox";
  for (const [name, value] of [["autocomplete", "list"], ["haspopup", "listbox"], ["expanded", "false"]]) input.setAttribute(`aria-${name}`, value);
  input.inputMode = "text";
  input.placeholder = "Chercher, ou id";
  const isID = () => /^\d+$/.test(input.value.trim());
  const tell = (text, isBad = false) => { named.textContent = text; named.classList.toggle("bad", isBad); };
  const showName = () => tell(isID() ? recordNames.get(`${entity} ${input.value.trim()}`) ?? "" : "");

  let last = 0, pause = 0;
  /** The records that a call finds; null if it fails, or another call has begun since. */
  async function find(params) {
    const mine = last += 1;
    if (isBarred(method)) { tell(tokens ? "Votre rôle ne lit pas cette table." : "Connectez-vous pour chercher.", true); return null; }
    let outcome;
    try { outcome = await call(method, JSON.stringify(params)); } catch (fault) { outcome = { answer: { error: fault } }; }
    if (mine !== last) return null;
    const { error, result } = outcome.answer;
    if (error) { tell(error.message, true); return null; }
    return result.items;
  }
  const select = `{ ${[...new Set(["id", ...namingFields(entity)])].join(" ")} }`;

  async function offer() {
    const words = isID() ? "" : input.value.trim();
    const search = words && method.params.some(one => one.name === "search") ? { search: words } : {};
    const items = await find({ ...search, first: 20, select });
    if (!items || document.activeElement !== input) return;
    tell(items.length ? "" : "Aucun enregistrement ne correspond.");
    const options = items.map(record => ({ label: nameOf(entity, record), kind: `n° ${record.id}`, id: record.id }));
    suggest(input, options, { active: words ? 0 : -1, place: () => input.getBoundingClientRect(), choose, className: "records" });
    if (items.length) showName();
  }
  function choose({ id }) {
    input.value = String(id);
    for (const name of ["input", "change"]) input.dispatchEvent(new Event(name, { bubbles: true }));
    showName();
  }
  /** Asks for the name of the record whose id has been typed. */
  async function ask() {
    const id = input.value.trim();
    showName();
    if (!isID() || named.textContent || isBarred(method)) return;
    const items = await find({ where: { id: Number(id) }, first: 1, select });
    if (!items || input.value.trim() !== id) return;
    if (items.length) nameOf(entity, items[0]);
    if (items.length) showName(); else tell(`Aucun enregistrement n’a l’identifiant ${id}.`, true);
  }

  input.addEventListener("input", event => {
    clearTimeout(pause);
    last += 1;
    showName();
    if (!event.inputType || !input.value.trim() || isID()) closeSuggestions(); else pause = setTimeout(offer, 200);
  });
  input.addEventListener("keydown", event => {
    if (takesKey(event)) return;
    if (event.key === "ArrowDown" && !event.ctrlKey && !event.altKey) { event.preventDefault(); offer(); }
  });
  input.addEventListener("click", () => { if (suggestions.input !== input && !input.value) offer(); });
  input.addEventListener("blur", () => {
    clearTimeout(pause);
    last += 1;
    if (suggestions.input === input) closeSuggestions();
    ask();
  });
  showName();
  return named;
}

/** The entity whose records the values of a schema name, if they can be listed; `path` is the value's place in params. */
function entityNamed(schema, path) {
  const entity = schema["x-references"] ?? (path === "/id" && schema.type === "integer" ? current.name.split(".")[0] : null);
  return api.methods.some(one => one.name === `${entity}.list`) ? entity : null;
}
