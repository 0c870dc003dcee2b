// Documents: the answer of a call that makes one is a link, which opens without the page's token.

/** Shows the link, and the document itself if a page can contain it. */
async function showDocument(result) {
  const isLink = typeof result?.url === "string" && typeof result.media_type === "string";
  const address = isLink ? new URL(result.url, location.href) : null;
  if (!/^https?:$/.test(address?.protocol ?? "")) return;
  $("document").href = address.href;
  $("document").textContent = `Ouvrir ${result.name}`;
  $("document").hidden = false;
  // The page's policy forbids what is elsewhere. A subscription counts its uses, of which this would be none.
  if (address.origin !== location.origin || result.expires_at === null) return;
  const mine = turn;
  const shown = await documentView(result, address.href);
  if (!shown || mine !== turn) return;
  $("shown").replaceChildren(shown);
  $("shown").hidden = false;
}

/** An element that shows the document; null if a browser would save it as a file. */
async function documentView({ name, media_type }, address) {
  const [type] = media_type.split(";");
  if (type.startsWith("image/")) return make("img", { src: address, alt: name });
  if (type === "application/pdf") return make("iframe", { src: address, title: name });
  if (!type.startsWith("text/")) return null;
  try {
    const response = await fetch(address);
    return response.ok ? make("pre", { tabIndex: 0 }, await response.text()) : null;
  } catch { return null; }
}
