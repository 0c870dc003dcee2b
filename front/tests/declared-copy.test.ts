import { service, until } from "./device";
import { begin, book, copied, cut, declared, inTable, leave, net, rows } from "./bookshop";
import assert from "node:assert/strict";
import test from "node:test";
import { scope, untracked } from "../src/view";
import { extent, flush, lose, readCopy, writeCopy } from "../src/store/copy";
import { declare, domains, isWhole } from "../src/store/declared";
import { take } from "../src/store/feed";
import { forgetQuestions } from "../src/store/live";
import { followed, tables } from "../src/store/rows";
import { shown, trim } from "../src/store/tables";

/** The page is loaded again: nothing is in memory but what the device has. */
async function reload(): Promise<void> {
  writeCopy(false);
  for (const name of Object.keys(declared)) trim(name, () => false);
  for (const name of Object.keys(declared)) {
    tables.delete(name);
    followed.delete(name);
  }
  extent.set({ cursor: null, days: null, directories: [] });
  await readCopy();
}

test("a small table is copied whole, and read when it is declared", async () => {
  await begin({ books: [book(1), book(2)] });
  await copied("books");
  await reload();
  assert.equal(inTable("books", 1), undefined);
  await declare(declared);
  assert.deepEqual([...untracked(() => shown("books")).keys()], [1, 2]);
  assert.equal(untracked(() => isWhole("books")), true);
  assert.equal(untracked(() => isWhole("publications")), false);
  await leave();
});

test("a table of more than 2,000 rows is not copied", async () => {
  await begin({ books: [book(1)] });
  net.total = 2_001;
  await copied("books");
  assert.equal(untracked(() => isWhole("books")), false);
  assert.deepEqual(service.of("books.list").map(({ params }) => params["first"]), [1]);
  await leave();
});

test("the feed keeps a copied table up to date, and asks for no row of another that is not known", async () => {
  await begin({ books: [book(1)] });
  await copied("books");
  rows["books"] = [book(3)];
  service.calls.length = 0;
  await take([
    { table: "books", id: 3, op: "create", version: 1 }, { table: "books", id: 1, op: "delete", version: null },
  ]);
  assert.deepEqual([...untracked(() => shown("books")).keys()], [3]);
  lose(["authors"]);
  followed.delete("authors");
  service.calls.length = 0;
  await take([{ table: "authors", id: 77, op: "create", version: 1 }]);
  assert.deepEqual(service.of("authors.list"), []);
  await leave();
});

test("a position that passes a change of a table that is not declared yet takes it out of the copy, which is loaded anew", async () => {
  await begin({ books: [book(1), book(2)] });
  await copied("books");
  await reload();
  rows["books"] = [book(2, "Nadja")];
  writeCopy(true);
  await take([{ table: "books", id: 1, op: "delete", version: null }]);
  assert.equal(untracked(extent).directories.includes("books"), false);
  assert.equal(untracked(extent).directories.includes("authors"), true);
  await flush();
  await declare(declared);
  assert.equal(inTable("books", 1), undefined);
  assert.equal(untracked(() => isWhole("books")), false);
  await copied("books");
  assert.deepEqual([...untracked(() => shown("books")).keys()], [2]);
  await reload();
  await declare(declared);
  assert.deepEqual([...untracked(() => shown("books")).values()].map((one) => one["title"]), ["Nadja"]);
  await leave();
});

test("rows that were stored with other columns are loaded anew", async () => {
  await begin({ books: [book(1)] });
  await copied("books");
  await reload();
  await declare({ ...declared, books: { ...declared["books"]!, select: "{ id title isbn version }" } });
  assert.equal(untracked(() => isWhole("books")), false);
  assert.equal(inTable("books", 1), undefined);
  await leave();
});

test("the declaration is kept for a start without a network, and is gone with the account", async () => {
  await begin();
  forgetQuestions();
  const first = scope(() => domains());
  await until(() => untracked(() => first.value.value()) !== undefined);
  await until(() => untracked(() => first.value.state()) === "fresh");
  first.stop();
  forgetQuestions();
  await cut();
  const again = scope(() => domains());
  await until(() => untracked(() => again.value.value())?.[0]?.name === "bookshop");
  again.stop();
  await leave();
  assert.equal(tables.has("books"), false);
  assert.equal(tables.has("clients"), true);
});
