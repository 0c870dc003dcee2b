// Problems, each in the list of problems and at its field.

function clearProblems() {
  $("problems").replaceChildren();
  $("problems").hidden = true;
  for (const input of $("call").querySelectorAll("[aria-invalid]")) {
    describe(input);
  }
  for (const note of $("fields").querySelectorAll(".problem")) note.remove();
}

/** Describes an input by its hint and its own mistakes, after the problem of this id if there is one. */
function describe(input, noteID) {
  const isInvalid = Boolean(noteID) || Boolean(input.isMarked?.());
  const ids = [noteID, `${input.id}-hint`, input.isMarked?.() ? `${input.id}-check` : null];
  const described = ids.filter(id => id && document.getElementById(id)).join(" ");
  if (isInvalid) input.setAttribute("aria-invalid", "true"); else input.removeAttribute("aria-invalid");
  if (described) input.setAttribute("aria-describedby", described); else input.removeAttribute("aria-describedby");
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
    if (problems.length) describe($("params"), "problems");
    return;
  }
  problems.forEach((problem, index) => {
    const input = inputAt(problem.path);
    // An input that shows its own mistakes has marked them before the call.
    if (!input || input.isMarked?.()) return;
    const note = make("p", { className: "problem", id: `problem-${index}` }, problem.message);
    (input.closest(".editor") ?? input).after(note);
    describe(input, note.id);
  });
}
