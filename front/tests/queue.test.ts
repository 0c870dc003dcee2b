import { databases, device, kept, port, service, until, type Answer } from "./device";
import assert from "node:assert/strict";
import test from "node:test";
import { untracked } from "../src/view";
import { account, onEntered, signIn, signOut, startAccount } from "../src/store/account";
import { client as remote } from "../src/store/client";
import { abandon, retry } from "../src/store/decisions";
import { openVault } from "../src/store/device";
import { drafts } from "../src/store/drafts";
import { readQueue } from "../src/store/book";
import { create, move, remove, update } from "../src/store/pressing";
import { sendHeld } from "../src/store/leaving";
import { queue } from "../src/store/queue";
import { savedId } from "../src/store/records";
import type { AnyRow } from "../src/store/rows";
import { sendAll, storedVersion } from "../src/store/sending";
import { offlineCopy } from "../src/store/settings";
import { sync } from "../src/store/sync";
import { writes } from "../src/store/tables";

const refusal: Answer = { error: { code: 401, message: "Connectez-vous.", data: { code: "unauthenticated", reason: "expired" } } };
const busy: Answer = { error: { code: 503, message: "Plus tard.", data: { code: "unavailable" } } };

/** The clients that the service has, by the key of their creation. */
const rows = new Map<unknown, AnyRow>();
let isCut = false;
let isSignedIn = true;
/** Executes the next write and loses its answer. */
let losesNext = false;

service.answer = ({ method, params }) => {
  if (method === "auth.login") {
    isSignedIn = true;
    return { result: { access_token: "t", user: { id: 1, email: "a@exemple.fr", username: null, role: "admin" }, company: port, companies: [port] } };
  }
  if (method === "auth.logout") return { result: {} };
  if (isCut) return "lost";
  if (!isSignedIn) return refusal;
  if (method === "changes.list") return { result: { items: [], end_cursor: "0", has_next_page: false } };
  const found = rows.get(params["idempotency_key"]);
  const row = found ?? { ...(params["values"] as object), id: rows.size + 1, version: 1 };
  rows.set(params["idempotency_key"], row);
  if (!losesNext) return { result: row };
  losesNext = false;
  return "lost";
};

onEntered(async () => readQueue());

async function begin(): Promise<void> {
  [isCut, isSignedIn, losesNext] = [false, true, false];
  rows.clear();
  await signIn("a@exemple.fr", "secret", true);
  service.calls.length = 0;
}

const waiting = (): number => untracked(queue.items).length;
const client = (name: string) => create("clients", { raison_sociale: name });

test("a write whose answer was lost keeps its key, also when a person sends it again", async () => {
  await begin();
  losesNext = true;
  assert.equal((await client("Atelier")).state, "queued");
  await retry(untracked(queue.items)[0]!.id);
  await until(() => waiting() === 0);
  assert.equal(rows.size, 1);
  await signOut();
});

test("what is changed without a network is part of the creation, and what is deleted was never there", async () => {
  await begin();
  isCut = true;
  await remote.auth.me().catch(() => undefined);
  const made = await client("Atelier");
  assert.ok(made.state === "queued");
  // The attempts that follow ask whether there is a network, and send no write.
  await sendAll();
  assert.equal((await update("clients", made.row!, { raison_sociale: "Atelier du Gard" })).state, "queued");
  assert.equal(waiting(), 1);
  const other = await client("Erreur");
  assert.ok(other.state === "queued");
  await sendAll();
  assert.equal((await remove("clients", other.row!)).state, "saved");
  assert.equal(waiting(), 1);
  assert.deepEqual(service.of("clients.create"), []);
  isCut = false;
  await sendAll();
  await until(() => waiting() === 0);
  assert.deepEqual([...rows.values()].map((row) => row["raison_sociale"]), ["Atelier du Gard"]);
  await signOut();
});

test("what is changed after an attempt of unknown outcome waits behind it", async () => {
  await begin();
  isCut = true;
  const made = await client("Atelier");
  assert.ok(made.state === "queued");
  await update("clients", made.row!, { raison_sociale: "Atelier du Gard" });
  assert.equal(waiting(), 2);
  isCut = false;
  await sendAll();
  await until(() => waiting() === 0);
  const names = [...service.of("clients.create"), ...service.of("clients.update")].map(({ params }) =>
    (params["values"] as { raison_sociale: string }).raison_sociale);
  assert.deepEqual([...new Set(names)], ["Atelier", "Atelier du Gard"]);
  await signOut();
});

/** Changes a record of the service on a version that another person has changed to this. */
async function changeOverOther(values: object, other: object): Promise<unknown[]> {
  const base = { id: 40, version: 3, raison_sociale: "Atelier", ville: "Nîmes" };
  const current = { ...base, ...other, version: 4 };
  isCut = true;
  await remote.auth.me().catch(() => undefined);
  await update("clients", base as never, values);
  isCut = false;
  const answer = service.answer;
  service.answer = (call) => (call.method === "clients.update" && call.params["if_version"] === 3
    ? { error: { code: 409, message: "Changé.", data: { code: "conflict", reason: "version", current } } } : answer(call));
  await sendAll();
  await until(() => untracked(queue.items).every(({ problem }) => problem !== null));
  service.answer = answer;
  return service.of("clients.update").map(({ params }) => [params["if_version"], params["values"]]);
}

test("a change that waited merges with what others have changed beside it", async () => {
  await begin();
  assert.deepEqual(await changeOverOther({ ville: "Arles" }, { raison_sociale: "L’Atelier" }), [
    [3, { ville: "Arles" }], [4, { ville: "Arles" }],
  ]);
  assert.equal(waiting(), 0);
  await signOut();
});

test("a change that waited and that others have made, too, is not sent again", async () => {
  await begin();
  assert.deepEqual(await changeOverOther({ ville: "Arles" }, { ville: "Arles" }), [[3, { ville: "Arles" }]]);
  assert.equal(waiting(), 0);
  await signOut();
});

test("a change that waited and that others have made differently waits for a decision", async () => {
  await begin();
  assert.equal((await changeOverOther({ ville: "Arles" }, { ville: "Uzès" })).length, 1);
  assert.equal(storedVersion(queue.errorOf(untracked(queue.items)[0]!))?.["ville"], "Uzès");
  await signOut();
});

test("what was changed by others is deleted as it is now when a person insists", async () => {
  await begin();
  isCut = true;
  await remote.auth.me().catch(() => undefined);
  await remove("clients", { id: 40, version: 3 });
  isCut = false;
  const answer = service.answer;
  service.answer = (call) => {
    if (call.method !== "clients.delete") return answer(call);
    if (call.params["if_version"] === 4) return { result: { deleted: true } };
    return { error: { code: 409, message: "Changé.", data: { code: "conflict", reason: "version", current: { id: 40, version: 4 } } } };
  };
  await sendAll();
  await until(() => untracked(queue.items)[0]?.problem !== null);
  await retry(untracked(queue.items)[0]!.id);
  await until(() => waiting() === 0);
  service.answer = answer;
  await signOut();
});

for (const entity of ["sessions", "formateurs", "clients", "ecoles", "prospects", "programmes"] as const) {
  test(`a deletion of ${entity} waits until it cannot be taken back any more, and one that is taken back was never sent`, async () => {
    await begin();
    const method = `${entity}.delete`;
    const removed = await remove(entity, { id: 40, version: 3 });
    assert.ok(removed.state === "saved");
    await sendAll();
    // The service was asked whether it would refuse, and no more.
    assert.deepEqual(service.of(method).map(({ params }) => params["dry_run"]), [true]);
    assert.equal(untracked(writes).length, 1);
    assert.equal(untracked(() => queue.isRemoved(entity, 40)), true);
    // What is merely held is not said to wait to be sent.
    assert.equal(waiting(), 0);
    assert.doesNotMatch(untracked(sync.words), /attente/);
    assert.equal(await removed.undo(), true);
    assert.equal(untracked(writes).length, 0);
    assert.equal(untracked(() => queue.isRemoved(entity, 40)), false);
    await remove(entity, { id: 41, version: 3 });
    await sendHeld();
    await until(() => untracked(writes).length === 0);
    assert.deepEqual(service.of(method).map(({ params }) => [params["id"], params["dry_run"]]), [[40, true], [41, true], [41, undefined]]);
    assert.equal(await removed.undo(), false);
    await signOut();
  });
}

test("a page that is closed sends what could still be taken back before it writes to the device", async () => {
  await begin();
  await remove("clients", { id: 40, version: 3 });
  service.calls.length = 0;
  Object.assign(document, { hidden: true });
  const sent = sendHeld();
  // The device answers after a turn, which a page that is closed does not have.
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  assert.deepEqual(service.of("clients.delete").map(({ params, keepalive }) => [params["id"], keepalive]), [[40, true]]);
  await sent;
  Object.assign(document, { hidden: false });
  const keys = service.of("clients.delete").map(({ params }) => params["idempotency_key"]);
  assert.deepEqual([keys.length, new Set(keys).size], [2, 1]);
  assert.equal(untracked(writes).length, 0);
  await signOut();
});

test("a deletion that is refused once it cannot be taken back brings the record back, and waits for a decision", async () => {
  await begin();
  const refused: string[] = [];
  queue.onRefused(({ problem }) => void refused.push(problem?.kind === "refused" ? problem.message : ""));
  await remove("prospects", { id: 40, version: 3 });
  const answer = service.answer;
  service.answer = (call) => (call.method === "prospects.delete"
    ? { error: { code: 409, message: "Utilisé.", data: { code: "conflict", reason: "referenced", count: 2 } } as never } : answer(call));
  await sendHeld();
  service.answer = answer;
  assert.deepEqual(refused, ["Utilisé."]);
  assert.equal(untracked(() => queue.isRemoved("prospects", 40)), false);
  assert.equal(waiting(), 1);
  await abandon(untracked(queue.items)[0]!.id);
  await signOut();
});

test("a deletion that the service would refuse is refused at once", async () => {
  await begin();
  const answer = service.answer;
  service.answer = (call) => (call.method === "sessions.delete"
    ? { error: { code: 409, message: "Utilisé.", data: { code: "conflict", reason: "referenced", count: 2 } } as never } : answer(call));
  const removed = await remove("sessions", { id: 40, version: 3 } as never);
  service.answer = answer;
  assert.ok(removed.state === "refused" && removed.error.message === "Utilisé.");
  assert.equal(waiting(), 0);
  await signOut();
});

test("a creation that was never sent is deleted, and brought back", async () => {
  await begin();
  isCut = true;
  await remote.auth.me().catch(() => undefined);
  const made = await create("sessions", { module: "Vannerie" } as never);
  await sendAll();
  assert.ok(made.state === "queued");
  const removed = await remove("sessions", made.row!);
  assert.equal(waiting(), 0);
  assert.ok(removed.state === "saved" && await removed.undo());
  assert.deepEqual(untracked(queue.items).map(({ kind }) => kind), ["create"]);
  isCut = false;
  await sendAll();
  await until(() => waiting() === 0);
  await signOut();
});

test("moves without a network are one, and none when the session is back", async () => {
  await begin();
  isCut = true;
  await remote.auth.me().catch(() => undefined);
  const session = { id: 7, version: 2, date: "2026-11-24", debut: "09:00:00", fin: "12:00:00" } as never;
  await move(session, { date: "2026-11-25" });
  await move(session, { date: "2026-11-26", debut: "10:00", fin: "13:00" });
  assert.equal(waiting(), 1);
  await move(session, { date: "2026-11-24", debut: "09:00", fin: "12:00" });
  assert.equal(waiting(), 0);
  await move(session, { date: "2026-11-27" });
  isCut = false;
  await sendAll();
  await until(() => waiting() === 0);
  const sent = service.of("sessions.decaler").filter(({ params }) => params["id"] === 7);
  assert.deepEqual(sent.map(({ params }) => [params["date"], params["debut"], params["if_version"]]), [["2026-11-27", undefined, 2]]);
  await signOut();
});

test("a service that does not answer is asked more and more rarely", async () => {
  await begin();
  const pauses: number[] = [];
  const real = globalThis.setTimeout;
  globalThis.setTimeout = ((work: () => void, time = 0) => {
    if (time > 200 && time <= 15_000) pauses.push(time);
    return real(work, time);
  }) as typeof setTimeout;
  isCut = true;
  await client("Atelier");
  for (let turn = 0; turn < 5; turn++) await sendAll();
  globalThis.setTimeout = real;
  // The longest pause after one failure is a second.
  assert.ok(pauses[pauses.length - 1]! > 4_000, String(pauses));
  isCut = false;
  await sendAll();
  await until(() => waiting() === 0);
  await signOut();
});

test("a sign-in that ends between two writes keeps them, and the next one sends each once", async () => {
  await begin();
  isCut = true;
  await client("Premier");
  await client("Second");
  isCut = false;
  const answer = service.answer;
  service.answer = (call) => {
    const given = answer(call);
    // The first is executed; its answer comes, and the sign-in ends.
    if (call.method === "clients.create") isSignedIn = false;
    return given;
  };
  await sendAll();
  await until(() => untracked(account) === null);
  service.answer = answer;
  assert.equal(rows.size, 1);
  await until(() => openVault() === null);
  await signIn("a@exemple.fr", "secret", true);
  await sendAll();
  await until(() => waiting() === 0);
  assert.deepEqual([...rows.values()].map((row) => row["raison_sociale"]), ["Premier", "Second"]);
  await signOut();
});

test("signing out for want of use keeps what waits to be sent", async () => {
  await begin();
  isCut = true;
  await client("Atelier");
  kept.set("learntrack.activite", String(Date.now() - 31 * 86_400_000));
  await startAccount();
  assert.equal(untracked(account), null);
  await begin();
  await sendAll();
  await until(() => waiting() === 0);
  assert.equal(rows.size, 1);
  await signOut();
});

test("what was typed into a form survives a sign-in that ends by itself, and no sign-out", async () => {
  await begin();
  await drafts.set("clients/nouveau", { nom: "Atelier" });
  isSignedIn = false;
  await remote.auth.me().catch(() => undefined);
  await until(() => untracked(account) === null && openVault() === null);
  await begin();
  assert.deepEqual(await drafts.get("clients/nouveau"), { nom: "Atelier" });
  await signOut();
  assert.equal(databases.size, 0);
});

test("a page that was closed while it signed out leaves no data behind", async () => {
  await begin();
  await drafts.set("clients/nouveau", { nom: "Atelier" });
  kept.set("learntrack.deconnexion", "1");
  await startAccount();
  assert.equal(databases.size, 0);
});

test("a record has its id however many were created on this device before", async () => {
  await begin();
  const saved = Array.from({ length: 201 }, (_, at) => [-1 - at, 1_000 + at]);
  await openVault()!.write([{ shelf: "queue", name: "writes", value: { writes: [], saved } }]);
  await readQueue();
  isCut = true;
  const outcome = await client("Atelier");
  assert.ok(outcome.state === "queued");
  const temporary = outcome.row!.id;
  assert.ok(temporary < 0);
  isCut = false;
  await sendAll();
  await until(() => waiting() === 0);
  assert.equal(untracked(() => savedId(temporary)), 1);
  await signOut();
});

test("a full device gives up the copy of the records, and keeps what was typed", async () => {
  await begin();
  await openVault()!.write([{ shelf: "rows", name: "clients/0", value: [{ id: 5, version: 1 }] }]);
  isCut = true;
  device.room = 1;
  await client("Atelier");
  device.room = Infinity;
  assert.equal(untracked(offlineCopy), false);
  await readQueue();
  assert.equal(waiting(), 1);
  isCut = false;
  await sendAll();
  await until(() => waiting() === 0);
  offlineCopy.set(true);
  await signOut();
});

test("a database that is lost without a word is opened again", async () => {
  await begin();
  device.isLost = true;
  assert.equal((await client("Atelier")).state, "saved");
  await signOut();
});

test("a busy service is asked again under the same key", async () => {
  await begin();
  const answer = service.answer;
  service.answer = (call) => (call.method === "clients.create" ? busy : answer(call));
  assert.equal((await client("Atelier")).state, "queued");
  service.answer = answer;
  await sendAll();
  await until(() => waiting() === 0);
  assert.equal(new Set(service.of("clients.create").map(({ params }) => params["idempotency_key"])).size, 1);
  await signOut();
});
