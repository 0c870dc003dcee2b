// What was called from this browser, never a password or a token.

let past = stored(localStorage, "explorer.history", []);

const isSecret = name => /password|token/.test(name);
const withoutSecrets = object => Object.fromEntries(Object.entries(object).filter(([name]) => !isSecret(name)));

function remember(name, given, good) {
  const safe = withoutSecrets(given);
  if (safe.values && typeof safe.values === "object") safe.values = withoutSecrets(safe.values);
  past = [{ name, params: safe, good, at: new Date().toISOString() }, ...past].slice(0, 30);
  keep(localStorage, "explorer.history", past);
  showHistory();
}

function showHistory() {
  $("forget").hidden = !past.length;
  const entries = past.map(entry => {
    const method = api.methods.find(one => one.name === entry.name);
    const again = () => { openMethod(method, entry.params); $("main").focus(); };
    const state = make("span", { className: `small ${entry.good ? "good" : "bad"}` }, entry.good ? "réussi" : "refusé");
    state.append(" · ", make("span", { className: "quiet" }, new Date(entry.at).toLocaleTimeString("fr")));
    return make("li", {}, make("button", { type: "button", onclick: again, disabled: !method },
      make("strong", {}, entry.name), state,
      make("span", { className: "params" }, JSON.stringify(entry.params).slice(0, 200))));
  });
  $("history").replaceChildren(
    entries.length ? make("ol", {}, ...entries) : make("p", { className: "quiet" }, "Rien encore."));
}
$("forget").onclick = () => { past = []; keep(localStorage, "explorer.history", past); showHistory(); };
