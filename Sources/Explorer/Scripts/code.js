// The call as program code.

const shellQuoted = text => `'${text.replaceAll("'", "'\\''")}'`;
/** A JavaScript expression for JSON text. As a JavaScript literal, long numbers would lose digits. */
const templateQuoted = text => `\`${text.replaceAll(/[\\`]|\$\{/g, "\\$&")}\``;
const snippets = {
  curl: (url, text, open) => [
    `curl -s ${shellQuoted(url)}`, `-H 'Content-Type: application/json'`,
    ...(open ? [] : [`-H "Authorization: Bearer $TOKEN"`]), `-d ${shellQuoted(text)}`,
  ].join(" \\\n  "),
  JavaScript: (url, text, open) => `const response = await fetch(${JSON.stringify(url)}, {
  method: "POST",
  headers: { "Content-Type": "application/json"${open ? "" : ", Authorization: `Bearer ${TOKEN}`"} },
  body: ${templateQuoted(text)},
});
const { result, error } = await response.json();`,
  Python: (url, text, open) => `import json, os, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(url)},
    ${JSON.stringify(text)}.encode(),
    {"Content-Type": "application/json"${open ? "" : ', "Authorization": "Bearer " + os.environ["TOKEN"]'}},
)
answer = json.load(urllib.request.urlopen(request))`,
};

function showCode() {
  $("copied").textContent = "";
  const open = !current["x-roles"]?.length;
  $("token-note").hidden = open;
  try {
    const language = document.querySelector("[name=language]:checked").value;
    $("code").textContent = snippets[language](`${location.origin}/rpc`, body(current.name, params()), open);
  } catch (fault) {
    $("code").textContent = "";
    showFault(fault);
  }
}
for (const choice of document.querySelectorAll("[name=language]")) choice.onchange = showCode;
$("call").addEventListener("input", () => { if (!$("panel-code").hidden) showCode(); });
$("call").addEventListener("change", () => { if (!$("panel-code").hidden) showCode(); });

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    $("copied").textContent = `${what} copié.`;
  } catch {
    $("copied").textContent = "Le presse-papiers est fermé\u00a0: sélectionnez le texte.";
  }
}
$("copy").onclick = () => copy($("code").textContent, "Code");
$("copy-token").onclick = () => copy(tokens.access_token, "Jeton");
