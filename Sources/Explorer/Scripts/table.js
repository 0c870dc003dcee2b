// The records of a page as a table. Lists in them open as tables of their own.

function tableOf(payload) {
  const items = member(readJSON(payload), "items")?.items ?? [];
  return items.length && items.every(item => item.kind === "object") ? recordTable(items) : null;
}

function recordTable(items) {
  const rows = items.map(item => flatten(item));
  const columns = [...new Set(rows.flatMap(row => [...row.keys()]))].filter((name, _, all) =>
    // A relation that is null in some rows has no column beside those of its fields.
    !(all.some(other => other.startsWith(`${name}.`)) && rows.every(row => (row.get(name)?.kind ?? "null") === "null")));
  const head = columns.map(name => { const th = make("th", {}, name); th.scope = "col"; return th; });
  return make("table", {},
    make("thead", {}, make("tr", {}, ...head)),
    make("tbody", {}, ...rows.map(row => make("tr", {}, ...columns.map(name => cell(row.get(name)))))));
}
/** A record's values by column. The columns of a nested record have its name in front of their own. */
function flatten(record, prefix = "", row = new Map()) {
  for (const { name, value } of record.members) {
    if (value.kind === "object" && value.members.length) flatten(value, `${prefix}${name}.`, row);
    else row.set(prefix + name, value);
  }
  return row;
}

const isText = value => value.kind === "string";
function cell(value) {
  if (value === undefined || value.kind === "null") return make("td", { className: "null" }, "–");
  if (value.kind === "number") return make("td", { className: "number" }, value.text);
  if (value.kind === "array") return listCell(value.items);
  const text = isText(value) ? value.value : value.text;
  return make("td", { title: text }, text);
}
function listCell(items) {
  const count = `${items.length} élément${items.length > 1 ? "s" : ""}`;
  if (!items.length) return make("td", { className: "null" }, count);
  const details = make("details", {}, make("summary", {}, count));
  details.addEventListener("toggle", () => {
    // Made when it is opened, since there may be many.
    if (!details.open || details.children.length > 1) return;
    details.append(items.every(item => item.kind === "object") ? recordTable(items)
      : make("ul", {}, ...items.map(item => make("li", {}, isText(item) ? item.value : item.text))));
  });
  return make("td", { className: "list" }, details);
}

function showView(table) {
  $("views").hidden = !table;
  if (table) $("table").replaceChildren(table);
  const isTable = Boolean(table) && $("as-table").checked;
  $("table").hidden = !isTable;
  $("answer").hidden = isTable;
}
$("as-table").onchange = $("as-text").onchange = () => {
  $("table").hidden = !$("as-table").checked;
  $("answer").hidden = $("as-table").checked;
};
