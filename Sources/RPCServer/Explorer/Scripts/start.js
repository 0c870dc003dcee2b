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
  const wanted = decodeURIComponent(location.hash.slice(1));
  openMethod(api.methods.find(method => method.name === wanted) ?? api.methods[0]);
})();
