// Signing in beside a call that is refused without it, and the accounts of the demo data, which the page has on a server
// that serves them.

const demo = stored({ getItem: id => $(id).textContent }, "demo", { accounts: [], password: "" });

/** A button for each demo account, which signs in and then calls `next`. */
function demoButtons(next, tell) {
  return demo.accounts.map(email => {
    const button = make("button", { type: "button", className: "demo" }, email);
    button.onclick = async () => {
      button.disabled = true;
      const why = await signIn(email, demo.password);
      button.disabled = false;
      if (why) tell(why); else next();
    };
    return button;
  });
}

/** Shows the accounts in the dialog. */
function showDemo() {
  $("demo-accounts").hidden = !demo.accounts.length;
  $("demo-accounts").append(...demoButtons(endLogin, why => { $("login-error").textContent = why; }));
}

/** Offers to sign in when a call was refused without it, and to send the call again. */
function showRefused(method, error) {
  const isRefused = error?.code === 401 && error.data?.code === "unauthenticated" && method["x-roles"]?.length > 0;
  $("refused").hidden = !isRefused;
  if (!isRefused) return;
  const again = () => { $("outcome").focus(); run(); };
  const open = () => openLogin("L’appel sera envoyé à nouveau.", "", again);
  const accounts = demoButtons(again, why => { $("form-error").textContent = why; });
  $("refused").replaceChildren(
    make("button", { type: "button", className: "primary", onclick: open }, "Se connecter"),
    ...(accounts.length ? [make("span", { className: "quiet small" }, "ou avec un compte de démonstration\u202f:"), ...accounts] : []));
}
