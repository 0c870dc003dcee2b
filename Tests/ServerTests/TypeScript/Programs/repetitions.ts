// Streams and calls that fail and are repeated, with a service that is simulated here: `node repetitions.js`.
import { Change, ChangesLostError, Client, ClientOptions, EventOptions, ServiceError, TransportError } from "./client";

declare const process: { exit: (code: number) => never };

function expect(what: string, holds: boolean): void {
  if (!holds) throw new Error(`does not hold: ${what}`);
}

async function failure(step: Promise<unknown>): Promise<any> {
  try {
    await step;
  } catch (error) {
    return error;
  }
  throw new Error("what must fail succeeded");
}

interface Request {
  url: string;
  headers: { [name: string]: string };
  body: any;
  signal: AbortSignal | null | undefined;
}

/** A client whose requests get the responses of `answers`, one after the other, and then no response. */
function served(
  answers: ((request: Request) => Response | Promise<Response>)[], options: Partial<ClientOptions> = {},
): { client: Client; sent: Request[] } {
  const sent: Request[] = [];
  const client = new Client({
    url: "http://service.example", ...options,
    fetch: async (input, init) => {
      const body = init?.body ? JSON.parse(String(init.body)) : undefined;
      const request = { url: String(input), headers: init?.headers as any, body, signal: init?.signal };
      sent.push(request);
      const answer = answers[sent.length - 1];
      return answer ? answer(request) : new Promise<never>(() => undefined);
    },
  });
  return { client, sent };
}

function json(status: number, body: object, headers: { [name: string]: string } = {}): Response {
  return new Response(JSON.stringify(body), { status, headers });
}
const result = ({ body }: Request, value: object = { id: 1 }): Response =>
  json(200, Array.isArray(body)
    ? body.map(({ id }) => ({ jsonrpc: "2.0", id, result: value })) : { jsonrpc: "2.0", id: body.id, result: value });
const refusal = (code: number, data: object, id: unknown = null): Response =>
  json(Math.max(code, 200), { jsonrpc: "2.0", id, error: { code, message: "non", data: { request_id: "r", ...data } } });
const offline = (): never => { throw new TypeError("fetch failed"); };

/** A stream of these pieces. Without `isCut`, it stays open after them. */
function stream(pieces: (string | Uint8Array)[], isCut = true): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) {
        controller.enqueue(typeof piece === "string" ? new TextEncoder().encode(piece) : piece);
      }
      if (isCut) controller.close();
    },
  });
  return new Response(body, { status: 200, headers: { "Content-Type": "text/event-stream; charset=utf-8" } });
}
const ready = (id: string): string => `retry: 10\nevent: ready\nid: ${id}\ndata: {"id":"${id}"}\n\n`;
const change = (cursor: string, id: number): string =>
  `event: change\nid: ${cursor}\ndata: {"table":"sessions","id":${id},"op":"update","version":null}\n\n`;

/** The ids of the next changes, and the iteration, which is not ended. */
async function ids(events: AsyncIterator<Change>, count: number): Promise<string> {
  const found: number[] = [];
  while (found.length < count) found.push((await events.next()).value.id);
  return found.join();
}

async function streams(): Promise<void> {
  const text = `${ready("1.1.0")}: comment\n\n${change("1.1.1", 1)}id: 1.5.0\n\n${change("1.6.1", 2)}`;
  const bytes = new TextEncoder().encode(text);
  const pieces: [string, (string | Uint8Array)[]][] = [
    ["bytes", Array.from(bytes, (byte) => new Uint8Array([byte]))],
    ["carriage returns", Array.from(text.replace(/\n/g, "\r\n"))],
    ["one piece", [text]],
  ];
  for (const [what, parts] of pieces) {
    const { client, sent } = served([() => stream(parts), () => stream([ready("1.6.1"), change("1.7.1", 3)], false)]);
    const events = client.events({ tables: ["sessions", "clients"] });
    expect(`${what}: changes`, (await ids(events, 1)) === "1" && events.cursor === "1.1.1");
    expect(`${what}: the next connection`, (await ids(events, 2)) === "2,3" && events.cursor === "1.7.1");
    expect(`${what}: continues`, sent[0]?.headers["Last-Event-ID"] === undefined
      && sent[1]?.headers["Last-Event-ID"] === "1.6.1");
    expect(`${what}: asks the same`, sent.every(({ url }) => url === "http://service.example/events?tables=sessions,clients"));
    await events.return();
    expect(`${what}: is closed`, sent[1]?.signal?.aborted === true);
  }

  const half = served([
    () => stream([ready("1.1.0"), change("1.1.1", 1), change("1.2.1", 2).slice(0, -1)]),
    () => stream([ready("1.1.1"), "id: 1.1.9\n\n"]),
    () => stream([ready("1.1.9"), change("1.2.1", 2)], false),
  ]);
  const whole = half.client.events({ after: "1.0.0" });
  expect("half an event is none", (await ids(whole, 2)) === "1,2");
  expect("a position without a change counts", half.sent.map(({ headers }) => headers["Last-Event-ID"]).join() === "1.0.0,1.1.1,1.1.9");
  await whole.return();

  // The response is cut between `ready` and `reset`: the next one must say `reset` again.
  const reset = "event: reset\nid: 1.9.0\ndata: {\"id\":\"1.9.0\"}\n\n";
  const gap = served([() => stream([ready("1.9.0")]), () => stream([ready("1.9.0"), reset])]);
  const lost = await failure(gap.client.events({ after: "1.1.1" }).next());
  expect("lost changes are an error", lost instanceof ChangesLostError && lost.cursor === "1.9.0");
  expect("as often as it takes", gap.sent[1]?.headers["Last-Event-ID"] === "1.1.1");

  const silent = served([() => stream([ready("1.1.0")], false), () => stream([ready("1.1.0"), change("1.1.1", 1)], false)]);
  const woken = silent.client.events({ timeout: 50 });
  expect("a silent connection is replaced", (await ids(woken, 1)) === "1" && silent.sent[0]?.signal?.aborted === true);
  await woken.return();
}

/** How long the client waits after each of these answers, in milliseconds, before it connects again. */
async function waits(answers: (() => Response)[], options: EventOptions = {}): Promise<number[]> {
  const starts: number[] = [], noted: (() => Response)[] = [
    () => stream([ready("1.1.0")]), ...answers, () => stream([ready("1.1.0"), change("1.1.1", 1)], false),
  ];
  const { client } = served(noted.map((answer) => () => { starts.push(Date.now()); return answer(); }));
  const events = client.events(options);
  await ids(events, 1);
  await events.return();
  return starts.slice(1).map((start, index) => start - (starts[index] ?? 0));
}

async function refusals(): Promise<void> {
  const causes: any[] = [];
  const passing = await waits([
    offline, () => refusal(503, { code: "unavailable", retryable: true }), () => new Response("<h1>", { status: 502 }),
  ], { onConnection: (isConnected, cause: any) => { causes.push(isConnected || (cause?.name ?? "end")); } });
  expect("each wait is longer", passing.length === 4 && passing.every((wait, n) => wait >= 5 * 2 ** n - 1));
  expect("from what the service says", (passing[0] ?? 0) < 900);
  expect("and is known", causes.join() === "true,end,TypeError,ServiceError,TransportError,true,end");
  const [, limited = 0, busy = 0] = await waits([
    () => refusal(429, { code: "rate_limited", retry_after: 1 }),
    () => new Response("", { status: 503, headers: { "Retry-After": "1" } }),
  ]);
  expect("an answer says when", limited >= 1_000 && busy >= 1_000);

  const lasting: [string, () => Response, (error: any) => boolean][] = [
    ["a wrong table", () => refusal(400, { code: "invalid_params", errors: [] }), (error) => error.is("invalid_params")],
    ["a page", () => new Response("<h1>", { status: 200 }), (error) => error instanceof TransportError && error.status === 200],
    ["no such page", () => new Response("", { status: 404 }), (error) => error instanceof TransportError],
    ["no sign-in", () => refusal(401, { code: "unauthenticated", reason: "missing" }), (error) => error.is("unauthenticated")],
  ];
  for (const [what, answer, isCause] of lasting) {
    const { client, sent } = served([answer]);
    const events = client.events();
    expect(`${what} ends it`, isCause(await failure(events.next())) && sent.length === 1);
    expect(`${what}: for good`, (await events.next()).done === true);
  }

  const expired = () => refusal(401, { code: "unauthenticated", reason: "expired" });
  const tokens = { access_token: "old", refresh_token: "r1" };
  const renewed = { access_token: "new", refresh_token: "r2" };
  const old = served([
    expired, ({ body }) => json(503, { jsonrpc: "2.0", id: body.id, error: { code: 503, message: "", data: { code: "unavailable" } } }),
    expired, (request) => result(request, renewed), () => stream([ready("1.1.0"), change("1.1.1", 1)], false),
  ], { tokens });
  const again = old.client.events();
  expect("renewed when it is possible", (await ids(again, 1)) === "1" && old.sent[4]?.headers["Authorization"] === "Bearer new");
  await again.return();
  const over = served([expired, ({ body }) => refusal(401, { code: "unauthenticated", reason: "invalid" }, body.id)], { tokens });
  const refused = await failure(over.client.events().next());
  expect("a refused renewal signs out", refused.is("unauthenticated") && !over.client.isSignedIn);

  const stop = new AbortController();
  const waiting = served([() => stream([ready("1.1.0").replace("retry: 10", "retry: 60000")])]).client.events({
    signal: stop.signal, onConnection: (isConnected) => { if (!isConnected) stop.abort(); },
  });
  expect("a signal ends a wait", (await waiting.next()).done === true);
}

async function calls(): Promise<void> {
  const values = { nom: "A" };
  const lost = served([offline, () => new Response("", { status: 504 }), (request) => result(request)]);
  expect("a lost answer is asked for again", (await lost.client.ecoles.create({ values }, { retries: 2 })).id === 1);
  const keys = lost.sent.map(({ body }) => body.params.idempotency_key);
  expect("under one key", keys.length === 3 && new Set(keys).size === 1 && keys[0].length > 20);
  const others = served([(request) => result(request)], { retries: 3 });
  await others.client.ecoles.create({ values });
  expect("each call has another one", others.sent[0]?.body.params.idempotency_key !== keys[0]);

  const own = served([offline, (request) => result(request)]);
  await own.client.ecoles.create({ values, idempotency_key: "k" }, { retries: 1 });
  expect("or that of the caller", own.sent.map(({ body }) => body.params.idempotency_key).join() === "k,k");
  const running = served([
    ({ body }) => refusal(409, { code: "conflict", reason: "idempotency", retryable: true }, body.id), (request) => result(request),
  ]);
  expect("a call that still runs", (await running.client.ecoles.delete({ id: 1 }, { retries: 1 })).id === 1);
  const dry = served([offline, (request) => result(request)]);
  await dry.client.ecoles.create({ values, dry_run: true }, { retries: 1 });
  expect("a trial needs no key", dry.sent.every(({ body }) => !("idempotency_key" in body.params)));
  const read = served([offline, (request) => result(request)], { retries: 1 });
  await read.client.ecoles.get({ id: 1 });
  expect("nor does a read", read.sent.length === 2 && !("idempotency_key" in read.sent[1]?.body.params));

  const never: [string, (request: Request) => Response, (client: Client) => Promise<unknown>][] = [
    ["a call without retries", offline, (client) => client.ecoles.create({ values }, { retries: 0 })],
    ["a sign-in", offline, (client) => client.auth.login({ email: "a", password: "b" })],
    ["a conflict", ({ body }) => refusal(409, { code: "conflict", reason: "idempotency" }, body.id),
      (client) => client.ecoles.create({ values, idempotency_key: "k" })],
    ["a mistake", ({ body }) => refusal(-32602, { code: "invalid_params", errors: [] }, body.id),
      (client) => client.ecoles.create({ values })],
  ];
  for (const [what, answer, call] of never) {
    const { client, sent } = served([answer, answer], { retries: 1 });
    await failure(call(client));
    expect(`${what} is not repeated`, sent.length === 1);
  }
  const down = served([offline, offline], { retries: 1 });
  expect("the last failure is the call's", (await failure(down.client.ecoles.get({ id: 1 }))) instanceof TypeError
    && down.sent.length === 2);

  const together = served([offline, (request) => result(request), (request) => result(request)]);
  const [one, two] = await together.client.batch(
    (b) => [b.ecoles.create({ values }), b.ecoles.get({ id: 2 })], { retries: 1 });
  expect("the calls of a batch too", one.id === 1 && two.id === 1 && together.sent.length === 3);
  const made = together.sent[0]?.body[0].params.idempotency_key;
  expect("each under its key", together.sent.slice(1).some(({ body }) => body.params.idempotency_key === made));

  const stop = new AbortController();
  const waiting = served([({ body }) => refusal(429, { code: "rate_limited", retry_after: 60 }, body.id)]);
  const stopped = failure(waiting.client.ecoles.get({ id: 1 }, { retries: 1, signal: stop.signal }));
  setTimeout(() => stop.abort(), 20);
  expect("a signal ends a wait", (await stopped).name === "AbortError" && waiting.sent.length === 1);
}

async function uploads(): Promise<void> {
  const kept = { id: 7, media_type: "image/png", size: 3, sha256: "0".repeat(64) };
  const uploader = (answers: (() => Response)[]): { client: Client; sent: string[] } => {
    const sent: string[] = [];
    const fetch = async (input: unknown, init?: RequestInit): Promise<Response> => {
      sent.push(`${init?.method} ${input} ${init?.body}`);
      const answer = answers[sent.length - 1];
      return answer ? answer() : new Promise<never>(() => undefined);
    };
    return { client: new Client({ url: "http://service.example/", fetch }), sent };
  };
  const bytes = Uint8Array.from([1, 2, 3]);

  const late = uploader([offline, () => refusal(503, { code: "unavailable" }), () => json(200, kept)]);
  expect("an upload is repeated", (await late.client.upload(bytes, { retries: 2 })).id === 7);
  const request = "PUT http://service.example/files 1,2,3";
  expect("with the same bytes", late.sent.join("|") === [request, request, request].join("|"));
  const once = uploader([offline]);
  expect("as often as asked", (await failure(once.client.upload(bytes))) instanceof TypeError && once.sent.length === 1);
  const large = uploader([() => refusal(413, { code: "limit_exceeded" })]);
  const refused = await failure(large.client.upload(bytes, { retries: 2 }));
  expect("a refusal is final", refused instanceof ServiceError && refused.code === 413 && large.sent.length === 1);
  const page = await failure(uploader([() => new Response("<h1>Hello</h1>")]).client.upload(bytes));
  expect("a page is no answer", page instanceof TransportError && page.status === 200 && page.method === "upload");
  const stop = new AbortController();
  stop.abort();
  const aborted = uploader([]);
  expect("an aborted upload is not sent", (await failure(aborted.client.upload(bytes, { signal: stop.signal }))).name
    === "AbortError" && aborted.sent.length === 0);
}

Promise.all([streams(), refusals(), calls(), uploads()]).then(() => console.log("done"))
  .catch((error) => { console.error(error); process.exit(1); });
