import { service, until } from "./device";
import { begin, book, cut, declared, inTable, leave, net, row, sent } from "./bookshop";
import assert from "node:assert/strict";
import test from "node:test";
import { scope, untracked } from "../src/view";
import { readQueue } from "../src/store/book";
import { awaitedBy, retry } from "../src/store/decisions";
import { anyRecord, createAny, declare, press, remove, updateAny } from "../src/store/declared";
import { openVault } from "../src/store/device";
import { sendHeld } from "../src/store/leaving";
import { queue } from "../src/store/queue";
import { savedId } from "../src/store/records";
import { tables, type AnyRow } from "../src/store/rows";
import { put } from "../src/store/tables";

test("a selection has the columns, what is derived, and for each relation what names its record, two relations deep", () => {
  assert.equal(declared["books"]!.select, "{ id title price author_id version gross_price author { id name } }");
  assert.equal(declared["wishes"]!.select, "{ id author_id book_id version author { id name } book { id title } }");
  assert.equal(declared["loans"]!.select, "{ id version wish_id wish { id author { id name } book { id title } } }");
  assert.deepEqual(declared["wishes"]!.references, { author_id: "readers", book_id: "books" });
});

test("LearnTrack’s own tables keep what the store knows of them", async () => {
  const before = tables.get("clients");
  await declare({ clients: declared["books"]! });
  assert.equal(tables.get("clients"), before);
});

test("a creation, a change and a deletion that wait are shown as they will be", async () => {
  await begin();
  put("books", [book(1), book(2)]);
  put("authors", [row(1, { name: "Breton" }), row(2, { name: "Sand" })]);
  await cut();
  const made = await createAny("books", { title: "Nadja", author_id: 2 });
  assert.ok(made.state === "queued");
  const { id: temporary, version: none, created_at: _, updated_at: __, ...values } = made.row!;
  assert.ok(temporary < 0);
  assert.equal(none, 0);
  assert.deepEqual(values, { title: "Nadja", price: null, author_id: 2, gross_price: null, author: { id: 2, name: "Sand" } });
  await updateAny("books", book(1), { price: 12 });
  assert.deepEqual([inTable("books", 1)!["price"], inTable("books", 1)!["gross_price"]], [12, null]);
  await updateAny("books", book(2), { author_id: 7 });
  assert.deepEqual(inTable("books", 2)!["author"], { id: 7 });
  await updateAny("authors", inTable("authors", 1)!, { name: "André Breton" });
  assert.deepEqual(inTable("books", 1)!["author"], { id: 1, name: "André Breton" });
  await remove("books", book(2));
  assert.equal(inTable("books", 2), undefined);
  assert.equal(untracked(() => queue.of("books", 1)), "waiting");
  await leave();
});

test("temporary ids are replaced by the references of each table, and creations are sent first", async () => {
  await begin();
  await cut();
  const reader = await createAny("readers", { name: "Ana" });
  const made = await createAny("books", { title: "Nadja" });
  assert.ok(reader.state === "queued" && made.state === "queued");
  await createAny("wishes", { author_id: reader.row!.id, book_id: made.row!.id });
  const { value: found, stop } = scope(() => anyRecord("readers", reader.row!.id));
  assert.equal(untracked(() => found.value())?.["name"], "Ana");
  await sent();
  assert.deepEqual(service.of("wishes.create").map(({ params }) => params["values"]), [{
    author_id: untracked(() => savedId(reader.row!.id)), book_id: untracked(() => savedId(made.row!.id)),
  }]);
  assert.equal(service.of("books.create")[0]!.params["select"], declared["books"]!.select);
  assert.equal(untracked(() => found.value())?.["name"], "Ana");
  stop();
  await leave();
});

test("writes that wait keep their order and their references in a page that has not declared their tables", async () => {
  await begin();
  await cut();
  const made = await createAny("books", { title: "Nadja" });
  assert.ok(made.state === "queued");
  await createAny("wishes", { book_id: made.row!.id });
  await press({ method: "books.lend", table: "books", record: made.row!.id, params: { id: made.row!.id, reader: "Ana" }, references: { id: "books" } });
  for (const name of Object.keys(declared)) tables.delete(name);
  await sent();
  const saved = untracked(() => savedId(made.row!.id));
  assert.equal((service.of("wishes.create")[0]!.params["values"] as AnyRow)["book_id"], saved);
  assert.equal(service.of("books.lend")[0]!.params["id"], saved);
  await leave();
});

test("a call waits under its key behind the writes of its record, with its words", async () => {
  await begin();
  put("books", [book(1)]);
  await cut();
  await updateAny("books", book(1), { title: "Nadja" });
  const outcome = await press({
    method: "books.lend", table: "books", record: 1, params: { id: 1, reader: "Ana" }, answers: "books",
    words: { title: "Prêt de «\u00a0Nadja\u00a0»" },
  });
  assert.equal(outcome.state, "queued");
  const [, call] = untracked(queue.items);
  assert.equal(call!.words!.title, "Prêt de «\u00a0Nadja\u00a0»");
  assert.equal(untracked(() => awaitedBy(call!))?.kind, "update");
  // A call changes no column here: what it does, the service knows.
  assert.equal(inTable("books", 1)!["reader"], undefined);
  net.isCut = false;
  await retry(call!.id);
  await until(() => untracked(queue.items).length === 0);
  const order = service.calls.map(({ method }) => method).filter((method) => method.startsWith("books."));
  assert.deepEqual(order, ["books.update", "books.lend"]);
  const { idempotency_key: key, ...params } = service.of("books.lend")[0]!.params;
  assert.equal(key, call!.key);
  assert.deepEqual(params, { id: 1, reader: "Ana", select: declared["books"]!.select });
  assert.equal(untracked(() => queue.isRemoved("books", 1)), false);
  await leave();
});

test("a call is answered with what the method answers, and with its refusal", async () => {
  await begin();
  const outcome = await press({ method: "books.lend", table: "books", params: { id: 1 } });
  assert.ok(outcome.state === "saved");
  assert.deepEqual(outcome.answer, { id: 1, version: 5, lent: true });
  const answer = service.answer;
  service.answer = (call) => (call.method === "books.lend"
    ? { error: { code: 409, message: "Déjà prêté.", data: { code: "conflict", reason: "lent" } } } : answer(call));
  const refused = await press({ method: "books.lend", table: "books", params: { id: 1 } });
  service.answer = answer;
  assert.ok(refused.state === "refused" && refused.error.message === "Déjà prêté.");
  assert.equal(untracked(queue.items).length, 0);
  await leave();
});

test("the queue of an earlier version is read and sent", async () => {
  await begin();
  await cut();
  const common = { at: Date.now(), sentAt: null, problem: null, base: null };
  const old = [
    { ...common, id: "a", key: "ka", entity: "clients", kind: "create", recordId: -5, values: { raison_sociale: "Atelier" } },
    { ...common, id: "b", key: "kb", entity: "sessions", kind: "create", recordId: -6, values: { module: "Swift", client_id: -5 } },
    { ...common, id: "c", key: "kc", entity: "entries", kind: "create", recordId: -7, values: { location_id: 3, delta: -1 }, base: { id: 3, version: 0, name: "Salle" } },
    { ...common, id: "d", key: "kd", entity: "prospects", kind: "delete", recordId: 4, values: {}, base: { id: 4, version: 2 } },
    { ...common, id: "e", key: "ke", entity: "sessions", kind: "move", recordId: 8, values: { date: "2031-01-02" }, base: { id: 8, version: 3 } },
  ];
  await openVault()!.write([{ shelf: "queue", name: "writes", value: { writes: old, saved: [] } }]);
  await readQueue();
  assert.deepEqual(untracked(queue.items).map(({ words }) => words?.title), [undefined, undefined, "Sortie de «\u00a0Salle\u00a0»", undefined, undefined]);
  await sent();
  const paramsOf = (method: string): object => service.of(method)[0]!.params;
  assert.deepEqual(paramsOf("entries.override"), { location_id: 3, delta: -1, idempotency_key: "kc" });
  assert.deepEqual(paramsOf("prospects.delete"), { id: 4, if_version: 2, idempotency_key: "kd" });
  assert.equal((paramsOf("sessions.decaler") as { date: string }).date, "2031-01-02");
  const client = untracked(() => savedId(-5));
  assert.ok(client > 0);
  assert.deepEqual((paramsOf("sessions.create") as { values: object }).values, { module: "Swift", client_id: client });
  assert.equal(untracked(() => queue.isDone("entries", -7)), true);
  await leave();
});

test("a deletion of a declared record can be taken back, and is sent with a page that is left", async () => {
  await begin({ books: [book(1)] });
  put("books", [book(1)]);
  const removed = await remove("books", book(1));
  assert.ok(removed.state === "saved" && await removed.undo());
  assert.notEqual(inTable("books", 1), undefined);
  await remove("books", book(1));
  await sendHeld();
  assert.equal(inTable("books", 1), undefined);
  assert.deepEqual(service.of("books.delete").map(({ params }) => params["dry_run"]), [true, true, undefined]);
  await leave();
});
