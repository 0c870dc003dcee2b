// Links with a one-time token: from a mail, to choose a new password, and from the server's start message, to create the
// first administrator.

const purposes = {
  reset: {
    title: "Choisir un nouveau mot de passe", method: "auth.reset_password",
    params: (token, _, password) => ({ token, new_password: password }),
  },
  setup: {
    title: "Créer le premier administrateur", method: "auth.create_first_admin",
    params: (token, email, password) => ({ token, email, password }),
  },
};
let link = null;

function followLink() {
  const [, purpose, token] = /^#(reset|setup)=([\w-]+)$/.exec(location.hash) ?? [];
  if (!purpose) return;
  // The token must stay out of the browser's history and of copied addresses.
  history.replaceState(null, "", location.pathname);
  link = { ...purposes[purpose], token };
  $("choose-title").textContent = link.title;
  $("choose-email-field").hidden = purpose === "reset";
  $("choose-email").required = purpose !== "reset";
  $("choose-error").textContent = "";
  $("choose").showModal();
}

$("choose-cancel").onclick = () => $("choose").close();
$("choose").addEventListener("close", () => { $("choose-form").reset(); link = null; });
$("choose-form").onsubmit = async event => {
  event.preventDefault();
  $("choose-error").textContent = "";
  const email = $("choose-email").value;
  try {
    const params = link.params(link.token, email, $("choose-password").value);
    const { answer } = await post(link.method, JSON.stringify(params));
    if (answer.error) {
      $("choose-error").textContent = answer.error.data?.errors?.map(error => error.message).join(" ") ?? answer.error.message;
      $("choose-password").select();
      return;
    }
    $("choose").close();
    // A user who was signed in here is signed out.
    if (tokens) signedOut();
    openLogin("Mot de passe enregistré\u202f: connectez-vous.", email);
  } catch (fault) {
    $("choose-error").textContent = fault.message;
  }
};
window.addEventListener("hashchange", followLink);
followLink();
