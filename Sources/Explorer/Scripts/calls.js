// Calls. Params are sent as JSON text, so that numbers keep the digits that were typed.

let tokens = stored(sessionStorage, "explorer.tokens", null);

const unreachable = "Le serveur n’a pas répondu\u202f: il est arrêté, ou la connexion est coupée.";
const body = (method, params) =>
  `{"jsonrpc": "2.0", "id": 1, "method": ${JSON.stringify(method)}, "params": ${params}}`;

/** The service's response to a call. Throws a French sentence if there is none. */
async function post(method, params, token) {
  const headers = { "Content-Type": "application/json" };
  if (token) headers.Authorization = `Bearer ${token}`;
  let response, text;
  try {
    response = await fetch("/rpc", { method: "POST", headers, body: body(method, params) });
    text = await response.text();
  } catch { throw new Error(unreachable); }
  let answer;
  try { answer = JSON.parse(text); } catch { throw new Error(`La réponse ne se lit pas (HTTP ${response.status}).`); }
  return { text, answer };
}

let renewal = null;
/**
 * Renews the tokens; returns whether there are new ones. If the service refuses the refresh token, the user is signed
 * out here, too. Any other error is thrown and leaves the user signed in. Only one renewal runs at a time, since a
 * refresh token can be used once.
 */
function renew() {
  renewal ??= (async () => {
    const held = tokens;
    const { answer } = await post("auth.refresh", JSON.stringify({ refresh_token: held.refresh_token }))
      .catch(fault => { throw new Error(`La connexion n’a pas pu être renouvelée. ${fault.message}`); });
    // The user has signed out or in meanwhile.
    if (tokens !== held) return Boolean(tokens);
    if (answer.result) { signedIn(answer.result); return true; }
    if (answer.error.code !== 401) throw new Error(`La connexion n’a pas pu être renouvelée. ${answer.error.message}`);
    signedOut();
    openLogin("Votre connexion a pris fin\u202f: reconnectez-vous.", held.email);
    return false;
  })().finally(() => { renewal = null; });
  return renewal;
}

/** Calls with the current token, and once more with a new one if the service no longer accepts it. */
async function call(method, params) {
  const used = tokens?.access_token;
  const outcome = await post(method.name, params, used);
  const { error } = outcome.answer;
  const isStale = error?.code === 401 && ["expired", "revoked", "invalid"].includes(error.data?.reason);
  // Methods that are open to everyone check no token: a refused one was among the params.
  if (!isStale || !used || !tokens || !method["x-roles"]?.length) return outcome;
  const isNew = tokens.access_token !== used || await renew();
  return isNew ? post(method.name, params, tokens.access_token) : outcome;
}

// Signing in and out. Tokens are kept until the browser's tab is closed.

function signedIn(result) {
  tokens = {
    access_token: result.access_token, refresh_token: result.refresh_token,
    email: result.user?.email ?? tokens?.email, role: result.user?.role ?? tokens?.role,
    until: Date.now() + 1000 * result.expires_in,
  };
  keep(sessionStorage, "explorer.tokens", tokens);
  showWho();
}
function signedOut() {
  tokens = null;
  sessionStorage.removeItem("explorer.tokens");
  stopFollowing("Arrêté\u202f: vous êtes déconnecté.");
  forgetEvents();
  showWho();
}
function showWho() {
  $("who").textContent = tokens ? `${tokens.email} (${tokens.role})` : "Non connecté";
  $("sign-in").hidden = Boolean(tokens);
  $("sign-out").hidden = !tokens;
  $("copy-token").hidden = !tokens;
  if (!current) return;
  showRoles();
  showMethods();
  if (!$("panel-code").hidden) showCode();
}

/** Opens the dialog; `next` runs when the user has signed in. */
let afterLogin = null;
function openLogin(note, email, next = null) {
  afterLogin = next;
  $("login-note").textContent = note;
  if ($("login").open) return;
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
  const why = await signIn($("email").value, $("password").value);
  $("login-error").textContent = why ?? "";
  if (why) $("password").select(); else endLogin();
};
/** Signs in; returns why that is refused, or null. */
async function signIn(email, password) {
  try {
    const { answer } = await post("auth.login", JSON.stringify({ email, password }));
    if (answer.error) return answer.error.message;
    signedIn(answer.result);
    return null;
  } catch (fault) { return fault.message; }
}
function endLogin() {
  const next = afterLogin;
  $("form-error").textContent = "";
  $("login").close();
  $("sign-out").focus();
  next?.();
}
$("sign-out").onclick = async () => {
  const { refresh_token } = tokens;
  signedOut();
  $("sign-in").focus();
  try { await post("auth.logout", JSON.stringify({ refresh_token })); } catch { /* The user is signed out here in any case. */ }
};
