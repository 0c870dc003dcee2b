// The call as program code that runs as it is: with this server's address and, unless the user leaves it out, the token.

const shellQuoted = text => `'${text.replaceAll("'", "'\\''")}'`;
/** A JavaScript expression for JSON text. As a JavaScript literal, long numbers would lose digits. */
const templateQuoted = text => `\`${text.replaceAll(/[\\`]|\$\{/g, "\\$&")}\``;

/** `token` is null for a method without one, and "" if the code takes it from the variable TOKEN. */
const snippets = {
  curl: ({ url, text, token }) => (token ? `TOKEN=${shellQuoted(token)}\n` : "") + [
    `curl -sS ${shellQuoted(url)}`, `-H 'Content-Type: application/json'`,
    ...(token === null ? [] : [`-H "Authorization: Bearer $TOKEN"`]), `--data-binary ${shellQuoted(text)}`,
  ].join(" \\\n  "),
  JavaScript: ({ url, text, token }) => `${token ? `const TOKEN = ${JSON.stringify(token)};\n` : ""}const response = await fetch(${JSON.stringify(url)}, {
  method: "POST",
  headers: { "Content-Type": "application/json"${token === null ? "" : ", Authorization: `Bearer ${TOKEN}`"} },
  body: ${templateQuoted(text)},
});
const { result, error } = await response.json();
console.log(error ?? result);`,
  TypeScript: ({ origin, name, given, token }) => `// learntrack client typescript > learntrack.ts
import { Client } from "./learntrack";

${token ? `const TOKEN = ${JSON.stringify(token)};\n` : ""}const client = new Client({ url: ${JSON.stringify(origin)}${token === null ? "" : ", headers: { Authorization: `Bearer ${TOKEN}` }"} });
const result = await client.${name}(${given === "{}" ? "" : literal(readJSON(given))});
console.log(result);`,
  Python: ({ url, text, token }) => `import json, ${token === "" ? "os, " : ""}urllib.request

${token ? `TOKEN = ${JSON.stringify(token)}\n` : token === "" ? `TOKEN = os.environ["TOKEN"]\n` : ""}request = urllib.request.Request(
    ${JSON.stringify(url)},
    ${JSON.stringify(text)}.encode(),
    {"Content-Type": "application/json"${token === null ? "" : ', "Authorization": "Bearer " + TOKEN'}},
)
answer = json.load(urllib.request.urlopen(request))
print(json.dumps(answer.get("result", answer.get("error")), ensure_ascii=False, indent=2))`,
};

/** A JSON value as a literal of JavaScript. */
function literal(value, indent = "") {
  const inner = `${indent}  `;
  const parts = value.kind === "array" ? value.items.map(one => literal(one, inner))
    : value.kind === "object" ? value.members.map(({ name, value: one }) => `${nameLiteral(name)}: ${literal(one, inner)}`) : null;
  if (!parts) return value.text;
  const [open, close] = value.kind === "array" ? ["[", "]"] : ["{", "}"];
  if (!parts.length) return open + close;
  const line = parts.join(", "), gap = value.kind === "array" ? "" : " ";
  if (line.length <= 80 && !line.includes("\n")) return open + gap + line + gap + close;
  return `${open}\n${parts.map(part => `${inner}${part},\n`).join("")}${indent}${close}`;
}
// The name __proto__ is not a member's unless it is computed.
const nameLiteral = name => name === "__proto__" ? '["__proto__"]' : /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);

function showCode() {
  $("copied").textContent = "";
  const isOpen = !current["x-roles"]?.length, isWithToken = $("with-token").checked && Boolean(tokens);
  $("token-choice").hidden = isOpen || !tokens;
  $("token-note").hidden = isOpen;
  $("token-note").textContent = isWithToken
    ? `Le jeton est le vôtre${expiry()}\u202f: ne donnez ce code à personne d’autre.`
    : tokens ? "Le jeton d’accès se donne dans la variable TOKEN." : "Cet appel demande un jeton\u202f: connectez-vous, et le code l’aura.";
  try {
    const given = params(), language = document.querySelector("[name=language]:checked").value;
    $("code").textContent = snippets[language]({
      origin: location.origin, url: `${location.origin}/rpc`, name: current.name, given, text: body(current.name, given),
      token: isOpen ? null : isWithToken ? tokens.access_token : "",
    });
  } catch (fault) {
    $("code").textContent = "";
    showFault(fault);
  }
  renewForCode(isWithToken && !isOpen);
}
const expiry = () => tokens.until ? ` et vaut jusqu’à ${new Date(tokens.until).toLocaleTimeString("fr", { hour: "2-digit", minute: "2-digit" })}` : "";
/** Code with a token that has expired would not run. */
function renewForCode(hasToken) {
  if (!hasToken || !(tokens.until < Date.now() + 10_000)) return;
  renew().then(isNew => { if (isNew && !$("panel-code").hidden) showCode(); }, () => { /* A call reports it. */ });
}

$("with-token").checked = stored(localStorage, "explorer.token-in-code", true);
$("with-token").onchange = () => { keep(localStorage, "explorer.token-in-code", $("with-token").checked); showCode(); };
for (const choice of document.querySelectorAll("[name=language]")) choice.onchange = showCode;
for (const name of ["input", "change"]) $("call").addEventListener(name, () => { if (!$("panel-code").hidden) showCode(); });

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    $("copied").textContent = `${what} copié.`;
  } catch {
    $("copied").textContent = "Le presse-papiers est fermé\u202f: sélectionnez le texte.";
  }
}
$("copy").onclick = () => copy($("code").textContent, "Code");
$("copy-token").onclick = () => copy(tokens.access_token, "Jeton");
