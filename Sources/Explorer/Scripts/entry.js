// Params are entered in a form or as JSON. They are passed from one to the other as text, and to the form only if it
// returns them unchanged.

/** The params as JSON text. Throws a French sentence if they are not valid. */
function params() {
  if ($("as-form").checked) return formParams();
  const text = $("params").value.trim() || "{}";
  try { readJSON(text); } catch (fault) { throw new Error(`Les paramètres ne sont pas du JSON\u202f: ${fault.message}`); }
  return text;
}

/** Fills the form. Returns why it cannot hold the params unchanged, or null if it can. */
function fillForm(text) {
  const given = readJSON(text);
  if (given.kind !== "object") return "ce ne sont pas des paramètres par nom";
  showFields(given);
  const lost = difference(given, readJSON(formParams()));
  if (lost === null) return null;
  const hasField = ["path", "group"].some(kind => $("fields").querySelector(`[data-${kind}="${CSS.escape(lost)}"]`));
  return `le formulaire ${hasField ? "ne rendrait pas" : "n’a pas de champ pour"} «\u00a0${lost.slice(1)}\u00a0»${hasField ? " tel quel" : ""}`;
}

/** Shows params, given as JSON text, in the form if it can hold them, and otherwise as JSON, together with `note`. */
function enter(text, note = "") {
  const why = text === undefined ? showFields() : fillForm(text);
  $("params").value = text ?? "";
  showRaw(Boolean(why), why ? `Ouvert en JSON\u202f: ${why}. ${note}` : note);
}

editor($("params"), jsonLanguage(paramsSchema));

function showRaw(raw, note) {
  $(raw ? "as-json" : "as-form").checked = true;
  $("raw-field").hidden = !raw;
  $("fields").hidden = raw;
  $("params").check();
  $("entry-note").textContent = note;
}

$("as-json").onchange = $("as-form").onchange = () => {
  const raw = $("as-json").checked;
  forgetFault();
  clearProblems();
  try {
    if (raw) {
      $("params").value = indented(formParams());
      showRaw(true, "");
    } else {
      const why = fillForm($("params").value.trim() || "{}");
      showRaw(Boolean(why), why ? `Gardé en JSON\u202f: ${why}.` : "");
      if (why) $("as-json").focus();
    }
  } catch (fault) {
    // Return to the text that has the mistake.
    const kept = raw ? "as-form" : "as-json";
    $(kept).checked = true;
    $(kept).focus();
    showFault(raw ? fault : new Error(`Les paramètres ne sont pas du JSON\u202f: ${fault.message}`));
  }
};

$("fill").onclick = () => {
  const example = current.examples?.[0]?.params ?? [];
  const given = Object.fromEntries(example.filter(one => !isSecret(one.name)).map(one => [one.name, one.value]));
  const text = JSON.stringify(given, null, 2);
  forgetFault();
  clearProblems();
  if (!$("as-json").checked) { enter(text); return; }
  $("params").value = text;
  $("params").check();
};

// The message about a mistake stays until the mistake is corrected.

let fault = null;
function showFault(found) {
  clearProblems();
  fault = found;
  $("form-error").textContent = found.message;
  if (found.path) {
    showProblems({ errors: [{ path: found.path, message: found.message }] });
    inputAt(found.path)?.focus();
  } else if ($("as-json").checked) {
    describe($("params"), "form-error");
  }
}
function forgetFault() {
  fault = null;
  $("form-error").textContent = "";
}
$("call").addEventListener("input", () => {
  if (!fault) return;
  try { params(); } catch { return; }
  forgetFault();
  clearProblems();
});
