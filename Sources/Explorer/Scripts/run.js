// Runs a call, and the call for the next page.

/** The number of the last call or view. A response to an earlier one is not shown. */
let turn = 0;

function clearAnswer() {
  turn += 1;
  page = null;
  forgetFault();
  $("outcome").className = "quiet";
  $("outcome").textContent = "Pas encore d’appel.";
  for (const id of ["answer", "table", "next", "views", "document", "shown", "refused"]) $(id).hidden = true;
  $("answer").replaceChildren();
  $("table").replaceChildren();
  $("shown").replaceChildren();
  $("empty").hidden = false;
  clearProblems();
}

/** Whether the response is below the form instead of beside it. */
const stacked = matchMedia("(max-width: 75rem)");

async function run() {
  clearAnswer();
  showTab($("tab-answer"));
  let given;
  try { given = params(); } catch (fault) { showFault(fault); return; }
  $("outcome").textContent = "Appel en cours…";
  const method = current, mine = turn;
  const started = performance.now();
  try {
    const { text, answer } = await call(method, given);
    const taken = `${Math.round(performance.now() - started)} ms · ${size(new Blob([text]).size)}`;
    remember(method.name, given, !answer.error);
    if (method.name === "auth.login" && answer.result) signedIn(answer.result);
    if (method.name === "auth.logout" && answer.result) signedOut();
    if (mine === turn) showAnswer(method, text, answer, taken);
  } catch (fault) {
    if (mine !== turn) return;
    $("outcome").className = "bad";
    $("outcome").textContent = fault.message;
  }
}
$("call").onsubmit = event => { event.preventDefault(); run(); };

function showAnswer(method, text, answer, taken) {
  $("outcome").className = answer.error ? "bad" : "good";
  $("outcome").textContent =
    answer.error ? `Erreur ${String(answer.error.code).replace("-", "−")} · ${answer.error.message} · ${taken}` : `Réussi · ${taken}`;
  $("empty").hidden = true;
  const payload = payloadOf(text);
  $("answer").replaceChildren(...coloured(indented(payload)));
  showView(answer.result ? tableOf(payload) : null);
  showDocument(answer.result);
  if (answer.error) showProblems(answer.error.data);
  showRefused(method, answer.error);
  if (stacked.matches) $("side").scrollIntoView();
  if (answer.result?.has_next_page && method.params.some(one => one.name === "after")) {
    page = answer.result.end_cursor;
    $("next").hidden = false;
  }
}

const size = bytes => bytes < 10_000 ? `${bytes} octets` : `${Math.round(bytes / 1000)} ko`;

$("next").onclick = async () => {
  if (!page) return;
  if ($("as-json").checked) {
    // Params that were edited meanwhile and are not valid are reported as when they are run.
    try { $("params").value = withMember(params(), "after", JSON.stringify(page)); } catch (fault) { showFault(fault); return; }
  } else {
    const after = inputAt("/after");
    after.value = page;
    // As typing does, this clears the checkbox for null.
    after.dispatchEvent(new Event("input", { bubbles: true }));
  }
  // The focus waits on the outcome and then returns to the button for the next page.
  $("outcome").focus();
  await run();
  if (document.activeElement === $("outcome") && !$("next").hidden) $("next").focus();
};

document.addEventListener("keydown", event => {
  if (document.querySelector("dialog[open]")) return;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && current) {
    event.preventDefault();
    if (!event.repeat) run();
  }
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? "");
  if (event.key === "/" && !isTyping) { event.preventDefault(); $("menu").open = true; $("filter").focus(); }
});
