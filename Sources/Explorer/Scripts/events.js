// Follows the stream of events that the document describes, until it is stopped or the user signs out.

/** How many events are shown. */
const shownEvents = 200;
/** The time before a new connection, in milliseconds. */
const eventsPause = 2_000;

/** The connection that is followed, or null. */
let following = null;
let lastEvent = "";
/** How many events have been received. */
let eventCount = 0;

const eventStream = () => api["x-http"]?.find(one => one.media_type === "text/event-stream");

/** Removes the tab, which is the last, if the service has no stream of events. */
function prepareEvents() {
  const stream = eventStream();
  if (stream) { $("events-path").textContent = `GET ${stream.path}`; return; }
  tabs.pop().remove();
}

function showConnection(text, className = "quiet") {
  $("events-state").className = className;
  $("events-state").textContent = text;
  $("follow").hidden = Boolean(following);
  $("stop").hidden = !following;
}

$("follow").onclick = () => {
  if (!tokens) { openLogin("Connectez-vous pour suivre les événements.", ""); return; }
  following = new AbortController();
  showConnection("Connexion…");
  $("stop").focus();
  follow(following);
};
$("stop").onclick = () => {
  stopFollowing("Arrêté.");
  $("follow").focus();
};
function stopFollowing(text) {
  if (!following) return;
  following.abort();
  following = null;
  showConnection(text);
}

/** Connects again and again, each time behind the last event. */
async function follow(connection) {
  const isStopped = () => connection !== following;
  while (!isStopped()) {
    const used = tokens?.access_token;
    let cause = "Le serveur a mis fin au flux.";
    try {
      const headers = { Accept: "text/event-stream", Authorization: `Bearer ${used}` };
      if (lastEvent) headers["Last-Event-ID"] = lastEvent;
      const response = await fetch(eventStream().path, { headers, signal: connection.signal });
      if (isStopped()) return;
      if (response.ok) {
        showConnection("Connecté.", "good");
        await readEvents(response.body, isStopped);
      } else {
        const { error } = await response.json();
        const isStale = response.status === 401 && tokens && (tokens.access_token !== used || await renew());
        if (isStale) continue;
        cause = error.message;
        if (response.status !== 429 && response.status < 500) {
          if (!isStopped()) { following = null; showConnection(cause, "bad"); }
          return;
        }
      }
    } catch (fault) {
      if (isStopped()) return;
      cause = fault instanceof TypeError ? unreachable : fault.message;
    }
    if (isStopped()) return;
    showConnection(`${cause} Nouvelle tentative dans deux secondes.`, "bad");
    await new Promise(done => setTimeout(done, eventsPause));
  }
}

/** Shows the events of a response until it ends. */
async function readEvents(stream, isStopped) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ""; !isStopped();) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    showReceived(blocks.map(eventOf));
  }
}

/** The event in the lines between two empty ones. */
function eventOf(block) {
  const event = { name: "message", id: null, data: "" };
  for (const line of block.split("\n")) {
    const [, name, value] = /^([^:]*):? ?(.*)$/.exec(line);
    if (name === "event") event.name = value;
    if (name === "id") event.id = value;
    if (name === "data") event.data += value;
  }
  return event;
}

function showReceived(events) {
  for (const { id } of events) if (id) lastEvent = id;
  $("events-last").textContent = lastEvent || "–";
  // An id without data only moves the position.
  const received = events.filter(one => one.data);
  if (!received.length) return;
  eventCount += received.length;
  const rows = received.slice(-shownEvents).map(eventRow).reverse();
  $("events-rows").prepend(...rows);
  while ($("events-rows").children.length > shownEvents) $("events-rows").lastElementChild.remove();
  $("events-table").hidden = $("forget-events").hidden = false;
  $("events-count").textContent = eventCount > shownEvents
    ? `· ${eventCount} reçus, les ${shownEvents} derniers sont affichés` : `· ${eventCount} reçu${eventCount > 1 ? "s" : ""}`;
}

const eventWords = { create: "création", update: "modification", delete: "suppression" };
const eventNames = { ready: "prêt", reset: "à relire" };
function eventRow({ name, data }) {
  const { table, id, op, version } = JSON.parse(data);
  const cells = table
    ? [make("td", {}, table), make("td", { className: "number" }, String(id)), make("td", { title: op }, eventWords[op] ?? op),
      make("td", { className: "number" }, String(version ?? "–"))]
    : [make("td", { className: "quiet", colSpan: 4, title: name }, eventNames[name] ?? name)];
  return make("tr", {}, make("td", { className: "quiet" }, new Date().toLocaleTimeString("fr")), ...cells);
}

/** Another account continues at its own position, and does not see these events. */
function forgetEvents() {
  lastEvent = "";
  $("events-last").textContent = "–";
  clearEvents();
}
function clearEvents() {
  eventCount = 0;
  $("events-rows").replaceChildren();
  $("events-table").hidden = $("forget-events").hidden = true;
  $("events-count").textContent = "";
}
$("forget-events").onclick = () => {
  clearEvents();
  $(following ? "stop" : "follow").focus();
};
