import { service, until } from "./device";
import { begin, bookshop, copied, cut, ids, inTable, leave, row, rows } from "./bookshop";
import assert from "node:assert/strict";
import test from "node:test";
import { scope, untracked } from "../src/view";
import { openVault } from "../src/store/device";
import { anyRecord, declare, pagesOf, tablesOf } from "../src/store/declared";
import { take } from "../src/store/feed";
import { forgetQuestions } from "../src/store/live";
import { queue } from "../src/store/queue";
import { remove } from "../src/store/pressing";
import type { Live } from "../src/store";

const count = { name: "book_count", label: "Nombre de livres", type: "integer" as const, about: "books" };
const figured = tablesOf([{ ...bookshop, entities: bookshop.entities.map((one) => (one.name === "authors" ? { ...one, derived: [count] } : one)) }]);
const shownIn = (list: Live<readonly { [name: string]: unknown }[]>): unknown[] => untracked(() => list.value() ?? []).map((one) => one["book_count"]);

async function opened(): Promise<void> {
  await begin({ authors: [row(1, { name: "Breton", book_count: 2 })], books: [] });
  await declare(figured);
  forgetQuestions();
}

test("a list and a page ask for figures, and ask again when a record changes that they are about", async () => {
  await opened();
  const list = scope(() => pagesOf("authors"));
  const page = scope(() => anyRecord("authors", 1));
  await until(() => untracked(() => page.value.value()?.["book_count"]) === 2 && shownIn(list.value)[0] === 2);
  assert.equal(service.of("authors.get")[0]!.params["select"], "{ id name version book_count }");
  rows["authors"] = [row(1, { name: "Breton", book_count: 3 })];
  await take([{ table: "books", id: 5, op: "create", version: 1 }]);
  await until(() => shownIn(list.value)[0] === 3 && untracked(() => page.value.value()?.["book_count"]) === 3);
  // The same rows are the same objects.
  assert.equal(untracked(() => list.value.value()), untracked(() => list.value.value()));
  assert.equal(untracked(() => page.value.value()), untracked(() => page.value.value()));
  [list, page].forEach(({ stop }) => stop());
  await leave();
});

test("what the device keeps has no figures, and without a network none are shown", async () => {
  await opened();
  await copied("authors");
  const list = scope(() => pagesOf("authors"));
  await until(() => shownIn(list.value)[0] === 2);
  assert.deepEqual(Object.keys(inTable("authors", 1)!), ["id", "version", "name"]);
  const kept = await openVault()!.readAll<readonly object[]>("rows");
  assert.deepEqual(kept.flatMap(([name, all]) => (name.startsWith("authors/") ? all : [])).map((one) => "book_count" in one), [false]);
  await cut();
  assert.deepEqual([ids(list.value), shownIn(list.value)], [[1], [undefined]]);
  // Nor does a write that waits keep them.
  await remove("authors", { id: 1, version: 1, book_count: 2 } as never);
  assert.equal("book_count" in untracked(queue.items)[0]!.base!, false);
  list.stop();
  await leave();
});
