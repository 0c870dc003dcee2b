// The calls that this browser has sent, without their passwords and tokens.

let past = stored(localStorage, "explorer.history", []).filter(entry => typeof entry.text === "string");

const isSecret = name => /password|token/.test(name);
const hasSecrets = node => (node.items ?? []).some(hasSecrets)
  || (node.members ?? []).some(({ name, value }) => isSecret(name) || hasSecrets(value));
function withoutSecrets(node) {
  if (node.kind === "array") return `[${node.items.map(withoutSecrets).join(", ")}]`;
  if (node.kind !== "object") return node.text;
  const kept = node.members.filter(({ name }) => !isSecret(name));
  return `{${kept.map(({ name, value }) => `${JSON.stringify(name)}: ${withoutSecrets(value)}`).join(", ")}}`;
}

function remember(name, text, good) {
  const given = readJSON(text), isPart = hasSecrets(given);
  const entry = { name, text: isPart ? withoutSecrets(given) : text, isPart, good, at: new Date().toISOString() };
  past = [entry, ...past].slice(0, 30);
  keep(localStorage, "explorer.history", past);
  showHistory();
}

function showHistory() {
  $("forget").hidden = !past.length;
  const entries = past.map(entry => {
    const method = api.methods.find(one => one.name === entry.name);
    const note = entry.isPart ? "Mots de passe et jetons ne sont pas gardés\u202f: donnez-les à nouveau." : "";
    const again = () => { openMethod(method, entry.text, note); $("main").focus(); };
    const state = make("span", { className: `small ${entry.good ? "good" : "bad"}` }, entry.good ? "réussi" : "refusé");
    state.append(" · ", make("span", { className: "quiet" }, moment(new Date(entry.at))));
    return make("li", {}, make("button", { type: "button", onclick: again, disabled: !method },
      make("strong", {}, entry.name), state, make("span", { className: "params" }, entry.text.slice(0, 200))));
  });
  $("history").replaceChildren(
    entries.length ? make("ol", {}, ...entries) : make("p", { className: "quiet" }, "Rien encore."));
}

/** The time of day, with the date unless it is today. */
function moment(date) {
  const time = date.toLocaleTimeString("fr");
  return date.toDateString() === new Date().toDateString() ? time
    : `${date.toLocaleDateString("fr", { day: "numeric", month: "short", year: "numeric" })}, ${time}`;
}
$("forget").onclick = () => { past = []; keep(localStorage, "explorer.history", past); showHistory(); };
