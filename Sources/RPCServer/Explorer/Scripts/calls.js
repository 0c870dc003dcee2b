// Calls. Params travel as JSON text: numbers keep the digits they were typed with.

let tokens = stored(sessionStorage, "explorer.tokens", null);

const body = (method, params) =>
  `{"jsonrpc": "2.0", "id": 1, "method": ${JSON.stringify(method)}, "params": ${params}}`;

async function post(method, params, token) {
  const headers = { "Content-Type": "application/json" };
  if (token) headers.Authorization = `Bearer ${token}`;
  const response = await fetch("/rpc", { method: "POST", headers, body: body(method, params) });
  const text = await response.text();
  let answer;
  try { answer = JSON.parse(text); } catch { throw new Error(`réponse HTTP ${response.status} illisible`); }
  return { text, answer };
}

let renewal = null;
/** One renewal at a time: a refresh token is good for one use. */
function renew() {
  renewal ??= (async () => {
    const { answer } = await post("auth.refresh", JSON.stringify({ refresh_token: tokens.refresh_token }));
    if (answer.result) signedIn(answer.result); else signedOut();
    return Boolean(answer.result);
  })().finally(() => { renewal = null; });
  return renewal;
}

async function call(method, params) {
  let outcome = await post(method, params, tokens?.access_token);
  if (outcome.answer.error?.data?.reason === "expired" && tokens && await renew()) {
    outcome = await post(method, params, tokens.access_token);
  }
  return outcome;
}

// Signing in and out: tokens last as long as the browser's tab.

function signedIn(result) {
  tokens = {
    access_token: result.access_token, refresh_token: result.refresh_token,
    email: result.user?.email ?? tokens?.email, role: result.user?.role ?? tokens?.role,
  };
  keep(sessionStorage, "explorer.tokens", tokens);
  showWho();
}
function signedOut() {
  tokens = null;
  sessionStorage.removeItem("explorer.tokens");
  showWho();
}
function showWho() {
  $("who").textContent = tokens ? `${tokens.email} (${tokens.role})` : "Non connecté";
  $("sign-in").hidden = Boolean(tokens);
  $("sign-out").hidden = !tokens;
  $("copy-token").hidden = !tokens;
  if (current) { showRoles(); showMethods(); }
}

function openLogin(note, email) {
  $("login-note").textContent = note;
  $("login-error").textContent = "";
  $("email").value = email;
  $("login").showModal();
  $(email ? "password" : "email").focus();
}
$("sign-in").onclick = () => openLogin("", "");
$("cancel").onclick = () => $("login").close();
$("login").addEventListener("close", () => $("login-form").reset());
$("login-form").onsubmit = async event => {
  event.preventDefault();
  $("login-error").textContent = "";
  const params = JSON.stringify({ email: $("email").value, password: $("password").value });
  try {
    const { answer } = await post("auth.login", params);
    if (answer.error) {
      $("login-error").textContent = answer.error.message;
      $("password").select();
      return;
    }
    signedIn(answer.result);
    $("form-error").textContent = "";
    $("login").close();
    $("sign-out").focus();
  } catch (fault) {
    $("login-error").textContent = `Le serveur n’a pas répondu : ${fault.message}`;
  }
};
$("sign-out").onclick = async () => {
  const { refresh_token } = tokens;
  signedOut();
  $("sign-in").focus();
  try { await post("auth.logout", JSON.stringify({ refresh_token })); } catch { /* signed out here in any case */ }
};
