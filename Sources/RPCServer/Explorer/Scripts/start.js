(async () => {
  showWho();
  try {
    const response = await fetch("/openrpc.json");
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    api = await response.json();
  } catch (fault) {
    $("loading").className = "bad";
    $("loading").textContent = `Le document OpenRPC ne se lit pas : ${fault.message}`;
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
