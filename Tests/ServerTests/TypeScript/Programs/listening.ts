// Listens to a running server, over connections that break: `node listening.js URL EMAIL PASSWORD SECRET`.
import { Change, ChangesLostError, Client, Events, ServiceError, Tokens } from "./client";

declare const process: { argv: string[]; exit: (code: number) => never };
declare function require(name: string): any;

const [url = "", email = "", password = "", secret = ""] = process.argv.slice(2);

function expect(what: string, holds: boolean): void {
  if (!holds) throw new Error(`does not hold: ${what}`);
}

async function until(what: string, holds: () => boolean): Promise<void> {
  for (const end = Date.now() + 20_000; !holds();) {
    if (Date.now() > end) throw new Error(`never: ${what}`);
    await new Promise((done) => setTimeout(done, 5));
  }
}

/** A proxy before the server, which counts the connections of listeners and can cut all connections. */
async function proxy(): Promise<{ url: string; count: () => number; total: () => number; cut: () => void; close: () => void }> {
  const net = require("net");
  const { hostname, port } = new URL(url);
  const sockets = new Set<any>(), listeners = new Set<any>();
  let total = 0;
  const server = net.createServer((near: any) => {
    const far = net.connect(Number(port), hostname);
    sockets.add(near);
    near.on("data", (bytes: any) => {
      if (!String(bytes).startsWith("GET /events")) return;
      listeners.add(near);
      total += 1;
    });
    near.on("close", () => { sockets.delete(near); listeners.delete(near); far.destroy(); });
    far.on("close", () => near.destroy());
    for (const socket of [near, far]) socket.on("error", () => undefined);
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>((done) => { server.listen(0, "127.0.0.1", done); });
  return {
    url: `http://127.0.0.1:${server.address().port}`, count: () => listeners.size, total: () => total,
    cut: () => { for (const socket of sockets) socket.destroy(); }, close: () => server.close(),
  };
}

function expired(tokens: Tokens): string {
  const crypto = require("crypto"), { Buffer } = require("buffer");
  const [head = "", payload = ""] = tokens.access_token.split(".");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
  const hour = Math.floor(Date.now() / 1000) - 3600;
  const text = `${head}.${Buffer.from(JSON.stringify({ ...claims, iat: hour - 900, exp: hour })).toString("base64url")}`;
  return `${text}.${crypto.createHmac("sha256", secret).update(text).digest("base64url")}`;
}

async function main(): Promise<void> {
  const writer = new Client({ url });
  const tokens = await writer.auth.login({ email, password });
  const create = (nom: string): Promise<{ id: number }> =>
    writer.ecoles.create({ values: { nom: `École de l’écoute ${nom}` }, select: "{ id }" });
  const way = await proxy();
  // Listeners of their own sign-ins: a refresh token is valid for one renewal.
  const other = new Client({ url: way.url });
  await other.auth.login({ email, password });

  // Live changes of some tables, and the end by `return()`.
  const states: boolean[] = [];
  const live = other.events({ tables: ["ecoles"], onConnection: (isConnected) => { states.push(isConnected); } });
  expect("no position yet", live.cursor === null);
  const first = live.next();
  await until("connected", () => states.length > 0);
  const start = live.cursor;
  const made = await create("1");
  await writer.clients.create({ values: { raison_sociale: "Client de l’écoute" } });
  await writer.ecoles.update({ id: made.id, values: { ville: "Lyon" } });
  const { value } = await first;
  expect("a change", JSON.stringify(value) === `{"table":"ecoles","id":${made.id},"op":"create","version":1}`);
  const afterFirst = live.cursor;
  const second = (await live.next()).value as Change<"ecoles">;
  expect("of these tables alone", second.table === "ecoles" && second.op === "update" && second.version === 2);
  expect("the cursor follows", start !== null && afterFirst !== start && live.cursor !== afterFirst);
  const pending = live.next();
  await live.return();
  expect("return() ends a step that waits", (await pending).done === true);
  expect("and the iteration", (await live.next()).done === true);
  expect("with its connection", states.join() === "true,false");

  // From a cursor, ended by `break`.
  const seen: string[] = [];
  for await (const change of other.events({ tables: ["ecoles"], after: afterFirst })) {
    seen.push(`${change.id} ${change.op}`);
    break;
  }
  expect("continues after the cursor", seen.join() === `${made.id} update`);

  // Connections that are cut while others write: nothing is missed or repeated.
  const expected: number[] = [], received: number[] = [];
  const before = way.total();
  const { end_cursor } = await writer.changes.list();
  const writing = (async () => {
    for (let n = 0; n < 60; n += 1) {
      // Each connection is cut at the seventh of twenty changes. The next ones are written while there is none.
      if (n % 20 === 7) await until("the earlier changes arrive", () => received.length >= n);
      expected.push((await create(`n° ${n}`)).id);
    }
  })();
  const events: Events<"ecoles"> = other.events({ tables: ["ecoles"], after: end_cursor });
  for await (const change of events) {
    received.push(change.id);
    if (received.length % 20 === 7) way.cut();
    if (received.length === 60) break;
  }
  await writing;
  expect("each change once, in order", JSON.stringify(received) === JSON.stringify(expected));
  expect("over several connections", way.total() === before + 4);
  const idle = other.events({ tables: ["ecoles"], after: events.cursor });
  const none = idle.next();
  const last = await create("dernière");
  expect("nothing is left", ((await none).value as Change).id === last.id);
  await idle.return();

  // A signal.
  const stop = new AbortController();
  const watched: boolean[] = [];
  const aborted = other.events({ signal: stop.signal, onConnection: (isConnected) => { watched.push(isConnected); } });
  const waiting = aborted.next();
  await until("connected", () => watched.length > 0);
  stop.abort();
  expect("a signal ends it", (await waiting).done === true && watched.join() === "true,false");
  expect("at once if it is aborted", (await other.events({ signal: stop.signal }).next()).done === true);
  await until("every listener has closed its connection", () => way.count() === 0);
  const further = way.total();

  // A position that the server does not know.
  const lost = await writer.events({ after: "4000000000.1.0" }).next().catch((error) => error);
  expect("a position without its changes", lost instanceof ChangesLostError && lost.cursor !== "");
  const late = writer.events({ tables: ["ecoles"], after: lost.cursor });
  const one = late.next();
  const again = await create("après");
  expect("goes on from the new one", ((await one).value as Change).id === again.id);
  await late.return();

  // Rights and mistakes.
  const unknown = await writer.events({ tables: ["nope" as "ecoles"] }).next().catch((error) => error);
  expect("an unknown table", unknown instanceof ServiceError && unknown.is("invalid_params"));
  const nobody = await new Client({ url }).events().next().catch((error) => error);
  expect("without a sign-in", nobody instanceof ServiceError && nobody.is("unauthenticated"));
  expect("ended listeners do not return", way.total() === further);

  // An expired access token is renewed, once.
  const changes: (Tokens | null)[] = [];
  const old = new Client({
    url, tokens: { access_token: expired(tokens), refresh_token: tokens.refresh_token },
    onTokens: (now) => { changes.push(now); },
  });
  const renewed = old.events({ tables: ["ecoles"], after: lost.cursor });
  expect("with renewed tokens", ((await renewed.next()).value as Change).id === again.id && changes.length === 1);
  await renewed.return();
  way.close();
  console.log("done");
}

main().catch((error) => { console.error(error); process.exit(1); });
