// Files: a column that names a file has an input beside it that gives a file to the server and takes the answered id.

/** Sends the bytes of a file, once more with a new token if the service no longer accepts the present one. */
async function giveFile(file) {
  const used = tokens?.access_token;
  const outcome = await putFile(file, used);
  const isStale = outcome.error?.code === 401 && ["expired", "revoked", "invalid"].includes(outcome.error.data?.reason);
  if (!isStale || !used || !tokens) return outcome;
  const isNew = tokens.access_token !== used || await renew();
  return isNew ? putFile(file, tokens.access_token) : outcome;
}

/** The description of the file that was kept, or an object with the error. */
async function putFile(file, token) {
  let response, text;
  try {
    response = await fetch("/files", { method: "PUT", headers: token ? { Authorization: `Bearer ${token}` } : {}, body: file });
    text = await response.text();
  } catch { throw new Error(unreachable); }
  try { return JSON.parse(text); } catch { throw new Error(`La réponse ne se lit pas (HTTP ${response.status}).`); }
}

/** An input for a file beside the input of the column that names it. */
function fileChoice(input, { media_types, max_bytes }) {
  const kinds = media_types.map(type => type.split("/")[1].replace("+xml", "").toUpperCase()).join(", ");
  const note = make("p", { className: "hint", role: "status" }, `${kinds}\u202f: ${size(max_bytes)} au plus.`);
  const choice = make("input", { type: "file", accept: media_types.join(",") });
  choice.setAttribute("aria-label", `${input.name}\u202f: choisir un fichier`);
  const tell = (text, isBad = false) => { note.textContent = text; note.classList.toggle("bad", isBad); };
  let last = 0;
  choice.onchange = async () => {
    const [file] = choice.files;
    const mine = last += 1;
    if (!file) return;
    // A body that is too large is refused before it is sent: the browser may lose an answer that comes meanwhile.
    if (file.size > max_bytes) return tell(`Ce fichier est trop grand\u202f: ${size(file.size)}, pour ${size(max_bytes)} au plus.`, true);
    tell("Envoi en cours…");
    let kept;
    try { kept = await giveFile(file); } catch (fault) { kept = { error: fault }; }
    // Another file has been chosen meanwhile.
    if (mine !== last) return;
    if (kept.error) return tell(kept.error.message, true);
    input.value = kept.id;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    tell(`Fichier ${kept.id}\u202f: ${kept.media_type}, ${size(kept.size)}.`);
  };
  return make("div", { className: "file" }, choice, note);
}
