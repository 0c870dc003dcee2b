// Uses the client against a running server, from sign-in to sign-out: `node journey.js URL EMAIL PASSWORD SECRET`.
import { Client, idOf, ServiceError, Tokens, TransportError } from "./client";

declare const process: { argv: string[]; exitCode: number };
declare function require(name: string): any;

const [url = "", email = "", password = "", secret = ""] = process.argv.slice(2);

function expect(what: string, holds: boolean): void {
  if (!holds) throw new Error(`does not hold: ${what}`);
}

async function failure(call: Promise<unknown>): Promise<any> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error("a call that must fail succeeded");
}

/** The same access token, but expired an hour ago. */
function expired(tokens: Tokens): Tokens {
  const { createHmac } = require("crypto");
  const [head = "", payload = ""] = tokens.access_token.split(".");
  const claims = JSON.parse(require("buffer").Buffer.from(payload, "base64url").toString());
  const hour = Math.floor(Date.now() / 1000) - 3600;
  const old = { ...claims, iat: hour - 900, exp: hour };
  const text = `${head}.${require("buffer").Buffer.from(JSON.stringify(old)).toString("base64url")}`;
  const signature = createHmac("sha256", secret).update(text).digest("base64url");
  return { ...tokens, access_token: `${text}.${signature}` };
}

/** A client that records what it sends. */
function watched(tokens: Tokens | null): { client: Client; sent: string[]; changes: (Tokens | null)[] } {
  const sent: string[] = [], changes: (Tokens | null)[] = [];
  const client = new Client({
    url, tokens, onTokens: (now) => { changes.push(now); },
    fetch: (input, init) => { sent.push(String(init?.body)); return fetch(input, init); },
  });
  return { client, sent, changes };
}

async function main(): Promise<void> {
  const { client, sent, changes } = watched(null);
  const missing = await failure(client.auth.me());
  expect("nobody is refused", missing instanceof ServiceError && missing.code === 401);
  expect("and told why", missing.is("unauthenticated") && missing.data.reason === "missing");
  expect("an id for support", typeof missing.requestID === "string");

  const wrong = await failure(client.auth.login({ email, password: "pas le bon" }));
  expect("a wrong password", wrong.is("invalid_credentials") && !client.isSignedIn);
  const session = await client.auth.login({ email, password });
  expect("signed in", client.isSignedIn && session.user.email === email && changes.length === 1);

  const made = await client.clients.create({ values: { raison_sociale: "Client de TypeScript" }, select: "{ id }" });
  for (const hour of ["08", "09", "10"]) {
    await client.sessions.create({
      values: { module: "TypeScript", date: "2026-03-02", debut: `${hour}:00`, fin: "17:00", modalite: "D", client_id: made.id },
    });
  }
  const page = await client.sessions.list({
    where: { client_id: made.id }, order_by: ["debut"], first: 2, count: true,
    select: "{ module debut client { raison_sociale } }",
  });
  expect("what was selected", JSON.stringify(page.items[0])
    === '{"module":"TypeScript","debut":"08:00:00","client":{"raison_sociale":"Client de TypeScript"}}');
  expect("a page of them", page.items.length === 2 && page.total === 3 && page.has_next_page);
  const starts: string[] = [];
  for await (const one of client.sessions.listAll({ where: { client_id: made.id }, order_by: ["debut"], first: 2, select: "{ debut }" })) {
    starts.push(one.debut);
  }
  expect("all pages", starts.join() === "08:00:00,09:00:00,10:00:00");
  const sums = await client.sessions.aggregate({ where: { client_id: made.id }, group_by: ["client_id"], select: "{ count }" });
  expect("numbers", sums.items[0]?.count === 3 && sums.items[0].client_id === made.id);

  const problem = await failure(client.sessions.list({ select: "{ id" as string }));
  expect("a mistake has its place", problem.is("invalid_params") && problem.data.errors[0].path === "/select");
  const referenced = await failure(client.clients.delete({ id: made.id }));
  expect("a conflict says which", referenced.is("conflict") && referenced.data.reason === "referenced" && referenced.data.count === 3);

  const before = sent.length;
  const [me, list, gone] = await client.batch((b) => [
    b.auth.me({ select: "{ email }" }),
    b.sessions.list({ where: { client_id: made.id }, select: "{ id }" }),
    b.clients.get({ id: 999_999_999 }).catch((error: ServiceError) => error.code),
  ]);
  expect("a batch answers each", me.email === email && list.items.length === 3 && gone === 404);
  expect("in one request", sent.length === before + 1);
  const many = await client.batch((b) => Array.from({ length: 60 }, () => b.auth.me({ select: "{ id }" })));
  expect("more than fit in one", many.length === 60 && sent.length === before + 3);

  const dry = await client.transaction.run({
    calls: [
      { method: "ecoles.create", params: { values: { nom: "Transaction" }, select: "{ id }" }, as: "e" },
      { method: "ecoles.update", params: { id: idOf("e"), values: { ville: "Lyon" }, select: "{ ville }" } },
    ], dry_run: true,
  });
  expect("a transaction refers to its own records", dry.results[1]["ville"] === "Lyon");

  const stop = new AbortController();
  stop.abort();
  expect("an aborted call", (await failure(client.auth.me({}, { signal: stop.signal }))).name === "AbortError");

  const old = expired(session);
  const later = watched(old);
  const answers = await Promise.all(Array.from({ length: 12 }, () => later.client.auth.me({ select: "{ email }" })));
  expect("an expired token is renewed", answers.every((one) => one.email === email));
  expect("once for all parallel calls", later.sent.filter((body) => body.includes("auth.refresh")).length === 1);
  expect("and told", later.changes.length === 1 && later.changes[0]?.refresh_token !== old.refresh_token);
  const renewed = later.changes[0] as Tokens;
  const batched = watched(expired(renewed));
  const [first, second] = await batched.client.batch((b) => [b.auth.me({ select: "{ email }" }), b.ecoles.list({ select: "{ id }" })]);
  expect("in a batch too", first.email === email && Array.isArray(second.items));
  expect("with one renewal", batched.sent.filter((body) => body.includes("auth.refresh")).length === 1);

  // One pixel, unlike any other, and a file of more than a request without a token may have.
  const picture = (size: number): Uint8Array => {
    const { randomBytes } = require("crypto");
    const { deflateSync } = require("zlib");
    const checksum = (data: number[]): number => {
      let sum = -1;
      for (const byte of data) {
        sum ^= byte;
        for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
      }
      return ~sum;
    };
    const number = (value: number): number[] => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255);
    const chunk = (type: string, data: ArrayLike<number>): number[] => {
      const checked = [...Array.from(type, (letter) => letter.charCodeAt(0)), ...Array.from(data)];
      return [...number(data.length), ...checked, ...number(checksum(checked))];
    };
    return Uint8Array.from([
      137, 80, 78, 71, 13, 10, 26, 10, ...chunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 8, 6, 0, 0, 0]),
      ...chunk("noIs", randomBytes(size) as Uint8Array),
      ...chunk("IDAT", deflateSync(Uint8Array.from([0, 1, 2, 3, 255])) as Uint8Array), ...chunk("IEND", []),
    ]);
  };
  const bytes = picture(20);
  const file = await batched.client.upload(bytes);
  expect("a file is kept", file.id > 0 && file.media_type === "image/png" && file.size === bytes.length);
  expect("with its digest", file.sha256 === require("crypto").createHash("sha256").update(bytes).digest("hex"));
  const same = await batched.client.upload(new Blob([bytes as BlobPart]));
  expect("the same bytes have the same id", same.id === file.id);
  const unknown = await failure(batched.client.upload(Uint8Array.from([60, 104, 116, 109, 108, 62])));
  expect("what is no picture is refused", unknown instanceof ServiceError && unknown.code === 415 && unknown.method === "upload");
  expect("and told why", unknown.data.code === "unsupported_media_type" && unknown.message !== "");
  const uploader = watched(expired(batched.changes[0] as Tokens));
  const [one, two] = await Promise.all([uploader.client.upload(picture(100_000)), uploader.client.upload(bytes)]);
  expect("an upload renews the token", one.size > 100_000 && two.id === file.id && uploader.changes.length === 1);

  const hopeless = watched({ access_token: old.access_token, refresh_token: "n'est pas un jeton" });
  const refused = await failure(hopeless.client.auth.me());
  expect("without a renewal the call is refused", refused.is("unauthenticated") && refused.data.reason === "expired");
  expect("and the sign-in forgotten", !hopeless.client.isSignedIn && hopeless.changes[0] === null);

  const page404 = new Client({ url, fetch: async () => new Response("<h1>Bad gateway</h1>", { status: 502 }) });
  const proxy = await failure(page404.auth.me());
  expect("a proxy's page is no answer", proxy instanceof TransportError && proxy.status === 502);

  const last = uploader.client;
  await last.signOut();
  expect("signed out", !last.isSignedIn && uploader.changes[uploader.changes.length - 1] === null);
  expect("here and there", (await failure(last.auth.me())).is("unauthenticated"));
  console.log("done");
}

main().catch((error) => { console.error(error); process.exitCode = 1; });
