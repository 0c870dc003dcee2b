// Problems, each in the list of problems and at its field.

function clearProblems() {
  $("problems").replaceChildren();
  $("problems").hidden = true;
  for (const input of $("call").querySelectorAll("[aria-invalid]")) {
    input.removeAttribute("aria-invalid");
    const hint = document.getElementById(`${input.id}-hint`);
    if (hint) input.setAttribute("aria-describedby", hint.id); else input.removeAttribute("aria-describedby");
  }
  for (const note of $("fields").querySelectorAll(".problem")) note.remove();
}

function markInvalid(input, noteID) {
  input.setAttribute("aria-invalid", "true");
  input.setAttribute("aria-describedby", `${noteID} ${input.getAttribute("aria-describedby") ?? ""}`.trim());
}

/** The field with the value that a path names or lies in. */
function inputAt(path) {
  for (let at = path; at; at = at.slice(0, at.lastIndexOf("/"))) {
    const input = $("fields").querySelector(`[data-path="${CSS.escape(at)}"]`);
    if (input) return input;
  }
  return null;
}

function showProblems(data) {
  if (data?.reason === "missing") $("form-error").textContent = "Connectez-vous d’abord.";
  const problems = data?.errors ?? [];
  const isForm = $("as-form").checked;
  $("problems").hidden = !problems.length;
  $("problems").replaceChildren(...problems.map(problem => {
    const input = isForm ? inputAt(problem.path) : $("params");
    const place = problem.path || "/";
    return make("li", {},
      input ? make("button", { type: "button", onclick: () => input.focus() }, place) : make("code", {}, place),
      ` ${problem.message}`);
  }));
  if (!isForm) {
    if (problems.length) markInvalid($("params"), "problems");
    return;
  }
  problems.forEach((problem, index) => {
    const input = inputAt(problem.path);
    if (!input) return;
    const note = make("p", { className: "problem", id: `problem-${index}` }, problem.message);
    markInvalid(input, note.id);
    input.after(note);
  });
}
