// Skipping to the method leaves the address, which names it, as it is.
$("skip").onclick = event => { event.preventDefault(); $("main").focus(); };

(async () => {
  showWho();
  let response;
  try {
    response = await fetch("/openrpc.json");
    api = await response.json();
  } catch {
    $("loading").className = "bad";
    $("loading").textContent = response ? `Le document OpenRPC ne se lit pas (HTTP ${response.status}).` : unreachable;
    return;
  }
  $("loading").remove();
  $("title").textContent = api.info.title;
  document.title = `${api.info.title} – explorateur de l’API`;
  showHistory();
  openMethod(inAddress() ?? api.methods[0]);
  // Back, forward, and an address changed by hand.
  addEventListener("popstate", () => {
    const method = inAddress();
    if (method && method !== current) openMethod(method);
  });
})();
