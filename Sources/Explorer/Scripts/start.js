// The link that skips to the method must not change the address, which names the method.
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
  showDemo();
  prepareEvents();
  openMethod(inAddress() ?? api.methods[0]);
  // The address changes by back, forward and by hand.
  addEventListener("popstate", () => {
    const method = inAddress();
    if (method && method !== current) openMethod(method);
  });
})();
