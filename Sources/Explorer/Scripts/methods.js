// The list of methods, and the method that is shown.

const plainWord = text => text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
const isBarred = method => {
  const roles = method["x-roles"] ?? [];
  return roles.length > 0 && (!tokens || !roles.includes(tokens.role));
};

function showMethods() {
  const words = plainWord($("filter").value).split(/\s+/);
  const groups = new Map();
  let count = 0;
  for (const method of api.methods) {
    const text = plainWord(`${method.name} ${labelOf(method)} ${method.summary}`);
    if (!words.every(word => text.includes(word))) continue;
    count += 1;
    const group = method.name.split(".")[0];
    groups.set(group, [...(groups.get(group) ?? []), method]);
  }
  const lists = [...groups].flatMap(([group, methods]) => [
    make("h2", {}, group),
    make("ul", {}, ...methods.map(method => {
      const open = () => { openMethod(method); closeMenu(); $("main").focus(); };
      const said = withLabel(labelOf(method), method.summary);
      const button = make("button", { type: "button", title: said, onclick: open }, method.name.split(".")[1]);
      button.setAttribute("aria-label", `${method.name} : ${said}`);
      if (method === current) button.setAttribute("aria-current", "true");
      if (tokens && isBarred(method)) button.className = "barred";
      return make("li", {}, button);
    })),
  ]);
  $("methods").replaceChildren(...(lists.length ? lists : [make("p", { className: "quiet" }, "Aucune méthode.")]));
  $("found").textContent = $("filter").value ? `${count} méthode${count > 1 ? "s" : ""}` : "";
}
$("filter").oninput = showMethods;
$("filter").onkeydown = event => {
  if (event.key === "Enter") $("methods").querySelector("button")?.click();
};

// On a narrow screen the list is opened by a button.
const narrow = matchMedia("(max-width: 50rem)");
const fitMenu = () => { $("menu").open = !narrow.matches; };
narrow.onchange = fitMenu;
fitMenu();
function closeMenu() { if (narrow.matches) $("menu").open = false; }

/** A schema with its reference resolved and without the type null; `isNullable` says whether null was allowed. */
function plain(schema) {
  if (schema?.$ref) return plain(api.components.schemas[schema.$ref.split("/").pop()]);
  if (schema?.anyOf) {
    const { anyOf, ...rest } = schema;
    return { ...plain(anyOf.find(one => one.type !== "null")), ...rest, isNullable: anyOf.some(one => one.type === "null") };
  }
  const types = [schema?.type].flat();
  return { ...schema, type: types.find(one => one !== "null"), isNullable: types.includes("null") };
}

const inAddress = () => api.methods.find(method => location.hash === `#${method.name}`);

/** Shows a method, and params given as JSON text with a note, if there are any. */
function openMethod(method, text, note) {
  // Each method is an entry of the browser's history, except the first one that is shown, which has its entry already.
  const change = current && inAddress() !== method ? "pushState" : "replaceState";
  history[change](null, "", `#${method.name}`);
  current = method;
  $("method").hidden = false;
  $("side").hidden = false;
  const [group, ...name] = method.name.split(".");
  $("name").replaceChildren(make("span", { className: "quiet" }, `${group}.`), name.join("."));
  $("method-label").textContent = labelOf(method);
  $("method-label").hidden = !labelOf(method);
  $("summary").textContent = method.summary;
  showRoles();
  clearAnswer();
  showTab($("tab-answer"));
  enter(text, note);
  showReference();
  $("main").scrollTop = 0;
  showMethods();
}

function showRoles() {
  const roles = current["x-roles"] ?? [];
  const chips = roles.length ? roles.map(role => make("span", { className: "chip" }, role))
    : [make("span", { className: "chip" }, "ouverte à tous, sans jeton")];
  if (isBarred(current)) {
    chips.push(make("span", { className: "chip bad" }, tokens ? "pas à votre rôle" : "connexion nécessaire"));
  }
  $("roles").replaceChildren(make("span", { className: "unseen" }, "Ouverte à\u202f: "), ...chips);
}
