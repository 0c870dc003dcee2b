// Malformed answers, and renewals that fail, of a service that is simulated here: `node faults.js`.
import { Client, ClientOptions, ServiceError, Tokens, TransportError } from "./client";

declare const process: { exitCode: number };

function expect(what: string, holds: boolean): void {
  if (!holds) throw new Error(`does not hold: ${what}`);
}

type Outcome = { value: any; error?: undefined } | { value?: undefined; error: any };

/** The outcomes of calls. Throws if a call is not settled within ten seconds. */
async function outcomes(calls: Promise<unknown>[]): Promise<Outcome[]> {
  const ended = Promise.all(calls.map((call) => call.then((value) => ({ value }), (error) => ({ error }))));
  let timer: any;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("a call did not end")), 10_000);
  });
  try {
    return (await Promise.race([ended, late])) as Outcome[];
  } finally {
    clearTimeout(timer);
  }
}

async function failure(call: Promise<unknown>): Promise<any> {
  const [outcome] = await outcomes([call]);
  if (!outcome || !outcome.error) throw new Error("a call that must fail succeeded");
  return outcome.error;
}

declare function setTimeout(action: () => void, milliseconds: number): any;
declare function clearTimeout(timer: any): void;

interface Sent {
  body: any;
  authorization: string | undefined;
}

/** A client of a service with the responses of `answer`: an object is sent as JSON, a text as it is. */
function served(
  answer: (sent: Sent) => [number, unknown] | Promise<[number, unknown]>, options: Partial<ClientOptions> = {},
): { client: Client; sent: Sent[]; changes: (Tokens | null)[] } {
  const sent: Sent[] = [], changes: (Tokens | null)[] = [];
  const client = new Client({
    url: "http://service.example", onTokens: (now) => { changes.push(now); },
    fetch: async (_, init) => {
      if (init?.signal?.aborted) throw (init.signal as any).reason;
      const one = { body: JSON.parse(String(init?.body)), authorization: (init?.headers as any)["Authorization"] };
      sent.push(one);
      const [status, body] = await answer(one);
      return new Response(typeof body === "string" ? body : JSON.stringify(body), { status });
    },
    ...options,
  });
  return { client, sent, changes };
}

function result(id: unknown, value: object = {}): object {
  return { jsonrpc: "2.0", id, result: value };
}

function refusal(id: unknown, code: number, data: object): object {
  return { jsonrpc: "2.0", id, error: { code, message: "non", data: { request_id: "r", ...data } } };
}

/** Answers each request of a body, in a batch or alone, with the result of `one`. */
function each(body: any, one: (request: any) => unknown): unknown {
  return Array.isArray(body) ? body.map(one) : one(body);
}

async function noAnswers(): Promise<void> {
  const faults: [string, number, unknown][] = [
    ["a proxy's page", 502, "<html>"],
    ["nothing", 200, ""],
    ["a message", 503, { message: "Service Unavailable" }],
    ["an error that is a text", 404, { error: "Not found" }],
    ["an error without a code", 502, { error: { message: "bad gateway" } }],
    ["an error without data", 502, { jsonrpc: "2.0", id: 1, error: { code: 5, message: "bad gateway" } }],
    ["an error without data.code", 502, { jsonrpc: "2.0", id: 1, error: { code: 5, message: "x", data: {} } }],
    ["a result without a version", 200, { id: 1, result: {} }],
    ["a result of nothing", 200, { jsonrpc: "2.0", id: 1, result: null }],
    ["a result of nothing alone", 200, { result: null }],
    ["both", 200, { ...refusal(1, 404, { code: "not_found" }), result: {} }],
    ["neither", 200, { jsonrpc: "2.0", id: 1 }],
    ["the answer to another call", 200, result(99)],
    ["an answer to nobody", 200, result(null)],
    ["null", 200, null],
    ["nulls", 500, [null, null]],
    ["numbers", 500, [1, 2]],
  ];
  for (const [what, status, body] of faults) {
    const alone = await failure(served(() => [status, body]).client.auth.me());
    expect(`${what}: no answer`, alone instanceof TransportError && alone.status === status);
    expect(`${what}: of which call`, alone.method === "auth.me");
    const two: Promise<unknown>[] = [];
    const together = served(() => [status, body]).client.batch((b) => {
      // The second call: no response above is for it.
      two.push(b.auth.me(), b.sessions.list());
      return two;
    });
    const [whole, , second] = await outcomes([together, ...two]);
    expect(`${what}: nor to a batch`, whole?.error !== undefined);
    expect(`${what}: nor to a call of it`, second?.error instanceof TransportError && second.error.status === status);
    expect(`${what}: each knows its name`, second?.error.method === "sessions.list");
  }

  const part = served(({ body }) => [200, [result(body[1].id, { email: "b" })]]);
  const [gone, kept] = await part.client.batch((b) => [b.auth.me().catch((error) => error), b.auth.me()]);
  expect("one that a batch's answer leaves out fails alone", gone instanceof TransportError && kept.email === "b");
  const swapped = served(({ body }) => [200, body.map((one: any) => result(one.id, { email: one.id })).reverse()]);
  const [first, last] = await swapped.client.batch((b) => [b.auth.me(), b.auth.me()]);
  expect("answers come in any order", Number(first.email) < Number(last.email));

  const whole = served(() => [413, refusal(null, 413, { code: "limit_exceeded", limit: "body" })]).client;
  const large = await failure(whole.auth.me());
  expect("an error of the whole request is the call's", large instanceof ServiceError && large.is("limit_exceeded"));
  const parts: Promise<unknown>[] = [];
  const together = whole.batch((b) => { parts.push(b.auth.me(), b.sessions.list()); return parts; });
  const [, one, two] = await outcomes([together, ...parts]);
  expect("and every call's of a batch", one?.error.code === 413 && two?.error.code === 413);

  const cut = new TypeError("fetch failed");
  const dead = new Client({ url: "http://service.example", fetch: async () => { throw cut; } });
  expect("what fetch says of the network", (await failure(dead.auth.me())) === cut);
  expect("is told of a batch too", (await failure(dead.batch((b) => [b.auth.me(), b.sessions.list()]))) === cut);
}

/** A service that accepts the access token "new", and answers renewals with `renewal`. */
function renewing(
  reason: string, renewal: (id: unknown) => [number, object] | Promise<[number, object]>,
  tokens: ClientOptions["tokens"] = { access_token: "old", refresh_token: "r1" },
): ReturnType<typeof served> {
  return served(({ body, authorization }) => {
    if (body.method === "auth.refresh") return renewal(body.id);
    return [200, each(body, ({ id }) => authorization === "Bearer new"
      ? result(id, { email: "a" }) : refusal(id, 401, { code: "unauthenticated", reason }))];
  }, { tokens });
}

const renewed = (id: unknown): [number, object] =>
  [200, result(id, { access_token: "new", refresh_token: "r2", token_type: "Bearer" })];
const refreshes = (sent: Sent[]): Sent[] => sent.filter((one) => one.body.method === "auth.refresh");

async function renewals(): Promise<void> {
  for (const reason of ["expired", "revoked", "invalid"]) {
    const { client, sent, changes } = renewing(reason, renewed);
    const alone = Array.from({ length: 20 }, () => client.auth.me());
    const together = client.batch((b) => [b.auth.me(), b.auth.me()]);
    expect(`${reason}: renewed`, (await Promise.all(alone)).every((one) => one.email === "a"));
    expect(`${reason}: in a batch`, (await together).every((one) => one.email === "a"));
    const [refresh, ...more] = refreshes(sent);
    expect(`${reason}: once for all`, more.length === 0 && refresh?.body.params.refresh_token === "r1");
    expect(`${reason}: without the old access token`, refresh?.authorization === undefined);
    expect(`${reason}: told`, JSON.stringify(changes) === '[{"access_token":"new","refresh_token":"r2"}]');
    expect(`${reason}: a batch is repeated as one`, sent.filter((one) => Array.isArray(one.body)).length === 2);
  }
  for (const tokens of [{ refresh_token: "r1" }, { access_token: "", refresh_token: "r1" }]) {
    const { client, sent } = renewing("missing", renewed, tokens);
    expect("a refresh token is a sign-in", client.isSignedIn && (await client.auth.me()).email === "a");
    expect("without a token to send, none is sent", sent[0]?.authorization === undefined);
  }
  const nobody = renewing("missing", renewed, null);
  const missing = await failure(nobody.client.auth.me());
  expect("nobody is not renewed", missing.data.reason === "missing" && nobody.sent.length === 1);

  const stubborn = renewing("revoked", (id) => [200, result(id, { access_token: "no", refresh_token: "r2" })]);
  const revoked = await failure(stubborn.client.auth.me());
  expect("tried once", revoked.data.reason === "revoked" && stubborn.sent.length === 3 && stubborn.client.isSignedIn);

  const over = renewing("expired", (id) => [200, refusal(id, 401, { code: "unauthenticated", reason: "invalid" })]);
  const [one, two] = await outcomes([over.client.auth.me(), over.client.sessions.list()]);
  expect("a refused renewal: the call's own error", one?.error.method === "auth.me" && one.error.data.reason === "expired");
  expect("for each", two?.error.method === "sessions.list" && refreshes(over.sent).length === 1);
  expect("signed out", !over.client.isSignedIn && JSON.stringify(over.changes) === "[null]");

  const cut = new TypeError("fetch failed");
  const causes: [string, (id: unknown) => [number, object], (error: any) => boolean][] = [
    ["no database", (id) => [200, refusal(id, 503, { code: "unavailable", retryable: true })],
      (error) => error instanceof ServiceError && error.is("unavailable") && error.method === "auth.refresh"],
    ["too many", (id) => [200, refusal(id, 429, { code: "rate_limited", retry_after: 3 })],
      (error) => error instanceof ServiceError && error.is("rate_limited") && error.data.retry_after === 3],
    ["a proxy", () => [503, { message: "Service Unavailable" }],
      (error) => error instanceof TransportError && error.status === 503 && error.method === "auth.refresh"],
    ["no network", () => { throw cut; }, (error) => error === cut],
  ];
  for (const [what, renewal, isCause] of causes) {
    let isBroken = true;
    const { client, changes } = renewing("expired", (id) => (isBroken ? renewal(id) : renewed(id)));
    expect(`${what}: the cause`, isCause(await failure(client.auth.me())));
    expect(`${what}: in a batch`, isCause(await failure(client.batch((b) => [b.auth.me(), b.auth.me()]))));
    expect(`${what}: the tokens are kept`, client.isSignedIn && changes.length === 0);
    isBroken = false;
    expect(`${what}: until it works again`, (await client.auth.me()).email === "a");
  }
  const own = renewing("expired", (id) => [200, refusal(id, 401, { code: "unauthenticated", reason: "invalid" })]);
  await failure(own.client.auth.refresh({ refresh_token: "other" }));
  expect("one's own refresh is not renewed", own.sent.length === 1 && own.client.isSignedIn);
}

async function signals(): Promise<void> {
  const gone = new AbortController();
  gone.abort();
  const aborted = gone.signal;
  const { client, sent } = served(({ body }) => [200, each(body, ({ id }) => result(id, { email: "a" }))]);
  expect("aborted before", (await failure(client.auth.me({}, { signal: aborted }))).name === "AbortError");
  expect("nothing is sent", sent.length === 0);
  const [stopped, me] = await client.batch((b) => [
    b.sessions.list({}, { signal: aborted }).catch((error) => error.name), b.auth.me(),
  ]);
  expect("one of a batch", stopped === "AbortError" && me.email === "a");
  expect("is left out of it", JSON.stringify(sent.map((one) => one.body.map((call: any) => call.method))) === '[["auth.me"]]');
  await failure(client.batch((b) => [b.auth.me({}, { signal: aborted })]));
  await failure(client.batch((b) => [b.auth.me(), b.auth.me()], { signal: aborted }));
  expect("of none, nothing is sent", sent.length === 1);

  let answer: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => { answer = resolve; });
  const slow = served(async ({ body }) => { await asked; return [200, each(body, ({ id }) => result(id, { email: "a" }))]; });
  const stop = new AbortController();
  let other: Promise<any> = Promise.resolve();
  const both = slow.client.batch((b) => {
    other = b.auth.me();
    return [b.auth.me({}, { signal: stop.signal }), other];
  });
  stop.abort();
  expect("aborted on its way", (await failure(both)).name === "AbortError");
  answer();
  expect("the others go on", (await other).email === "a");

  let renew: () => void = () => undefined;
  const permission = new Promise<void>((resolve) => { renew = resolve; });
  const renewal = renewing("expired", async (id) => { await permission; return renewed(id); });
  const leaving = new AbortController();
  const stays = renewal.client.auth.me();
  const left = failure(renewal.client.auth.me({}, { signal: leaving.signal }));
  while (refreshes(renewal.sent).length === 0) await Promise.resolve();
  leaving.abort();
  expect("aborted while the tokens are renewed", (await left).name === "AbortError");
  renew();
  expect("which goes on for the others", (await stays).email === "a" && renewal.client.isSignedIn);
}

noAnswers().then(renewals).then(signals).then(() => console.log("done"))
  .catch((error) => { console.error(error); process.exitCode = 1; });
