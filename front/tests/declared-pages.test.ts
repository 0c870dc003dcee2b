import { service, until } from "./device";
import { begin, book, books, copied, cut, declared, ids, inTable, leave, net, row, rows } from "./bookshop";
import assert from "node:assert/strict";
import test from "node:test";
import { scope, untracked } from "../src/view";
import { lose } from "../src/store/copy";
import { createAny, matcher, pagesOf, remove, updateAny, type PageList } from "../src/store/declared";
import { askAgain, forgetQuestions } from "../src/store/live";
import { queue } from "../src/store/queue";
import { savedId } from "../src/store/records";
import { sendAll } from "../src/store/sending";
import { put } from "../src/store/tables";

async function opened(table: string, request: Parameters<typeof pagesOf>[1] = {}): Promise<{ list: PageList; stop: () => void }> {
  forgetQuestions();
  const { value: list, stop } = scope(() => pagesOf(table, request));
  await until(() => untracked(() => list.state()) !== "loading");
  return { list, stop };
}

test("a list comes by pages, also while it is asked for anew", async () => {
  await begin({ books: books(250) });
  const { list, stop } = await opened("books", { order_by: ["title"] });
  assert.deepEqual([ids(list).length, untracked(() => list.count()), untracked(() => list.hasMore())], [100, 250, true]);
  const asked = list.refresh();
  await list.more();
  await asked;
  assert.equal(ids(list).length, 200);
  await Promise.all([list.more(), list.refresh()]);
  assert.equal(ids(list).length, 250);
  assert.equal(untracked(() => list.hasMore()), false);
  assert.deepEqual(service.of("books.list")[0]!.params, { order_by: ["title"], first: 100, count: true, select: declared["books"]!.select });
  // What changes is asked for again, and what is loaded stays.
  rows["books"] = [book(300), ...rows["books"]!];
  askAgain(["authors"]);
  await until(() => ids(list)[0] === 300);
  assert.equal(ids(list).length, 251);
  stop();
  await leave();
});

test("what waits is shown in a list: creations first, changes in place, deletions not", async () => {
  await begin({ books: books(150) });
  const { list, stop } = await opened("books");
  await cut();
  const made = await createAny("books", { title: "Nadja" });
  assert.ok(made.state === "queued");
  await updateAny("books", book(3), { title: "Autre" });
  await remove("books", book(2));
  assert.deepEqual(ids(list).slice(0, 3), [made.row!.id, 1, 3]);
  assert.equal(untracked(() => list.value())![2]!["title"], "Autre");
  assert.deepEqual([ids(list).length, untracked(() => list.count())], [100, 150]);
  net.isCut = false;
  // The created record keeps its place while the list is asked for again.
  await sendAll();
  await until(() => untracked(queue.items).length === 0);
  assert.equal(ids(list)[0], untracked(() => savedId(made.row!.id)));
  await until(() => untracked(() => list.state()) === "fresh" && untracked(() => list.count()) === 150);
  assert.equal(ids(list).filter((one) => one === untracked(() => savedId(made.row!.id))).length, 1);
  stop();
  await leave();
});

test("a view is asked with its parameters, and its rows are no records", async () => {
  await begin({ publications: [row(1, { books: 3 })] });
  const { list, stop } = await opened("publications", { parameters: { since: "2031-01-01" } });
  assert.deepEqual(service.of("publications.list")[0]!.params, { since: "2031-01-01", first: 100, count: true, select: "{ id books }" });
  assert.deepEqual(ids(list), [1]);
  assert.equal(inTable("publications", 1), undefined);
  rows["publications"] = [row(1, { books: 4 }), row(2)];
  askAgain(["anything"]);
  await until(() => ids(list).length === 2);
  stop();
  await leave();
});

test("without a network a list shows what it takes of a table that is whole on the device, and nothing of another", async () => {
  await begin({ books: [book(1, "Nadja"), book(2, "L’Amour fou"), book(3, "Été")] });
  await copied("books");
  await cut();
  const request = { search: "ete" };
  const { list, stop } = await opened("books", { ...request, matches: matcher({}, request.search) });
  await until(() => untracked(() => list.failure()) !== null);
  assert.deepEqual(ids(list), [3]);
  assert.equal(untracked(() => list.isComplete()), true);
  const all = await opened("books", { order_by: ["-title"] });
  assert.deepEqual(ids(all.list), [1, 2, 3]);
  lose(["authors"]);
  put("authors", [row(1)]);
  const authors = await opened("authors");
  await until(() => untracked(() => authors.list.failure()) !== null);
  assert.equal(untracked(() => authors.list.value()), undefined);
  for (const one of [stop, all.stop, authors.stop]) one();
  await leave();
});

test("a matcher takes equality, ranges, sets and relations, and every word of a search without accents", () => {
  const one = { id: 1, version: 1, title: "L’Été", price: 12, date: "2031-02-01", reader: null, author: { id: 3, name: "Éluard" } };
  const takes = (where: object, search = ""): boolean => matcher(where as never, search)(one);
  assert.deepEqual([takes({ price: 12 }), takes({ price: { gte: 12, lt: 13 } }), takes({ date: { gt: "2031-02-01" } })], [true, true, false]);
  assert.deepEqual([takes({ reader: null }), takes({ reader: { ne: "Ana" } }), takes({ reader: { lt: 3 } })], [true, false, false]);
  assert.deepEqual([takes({ author: { name: "Éluard" } }), takes({ author: { id: { in: [4] } } }), takes({ or: [{ price: 1 }, { id: 1 }] })], [true, false, true]);
  assert.deepEqual([takes({}, "eluard ete"), takes({}, "hiver")], [true, false]);
});
