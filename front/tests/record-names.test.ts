import { service } from "./device";
import { begin, bookshop, book, cut, leave, net, row } from "./bookshop";
import "./page";
import assert from "node:assert/strict";
import test from "node:test";
import { scope, untracked } from "../src/view";
import { recordNames } from "../src/parts/record-names";
import { put } from "../src/store/tables";
import { learn } from "../src/words/declared";

/** Several turns, each after the one before: a single timer would overtake those of the store when the machine is busy. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setTimeout(resolve, 2));
};

test("the names of records are read in one request, and those that the device has in none", async () => {
  await begin({ authors: [row(1, { name: "Breton" }), row(2, { name: "Sand" })], books: [book(4, "Nadja")] });
  learn([bookshop]);
  put("authors", [row(1, { name: "Breton" })]);
  const { value: names, stop } = scope(() => recordNames());
  const name = (table: string, id: number): string | null | undefined => {
    const found = untracked(() => names.of(table, id));
    return found && found.name;
  };
  assert.equal(name("authors", 1), "Breton");
  assert.deepEqual([name("authors", 2), name("authors", 7), name("books", 4)], [undefined, undefined, undefined]);
  await settle();
  assert.deepEqual([name("authors", 2), name("authors", 7), name("books", 4)], ["Sand", null, "Nadja"]);
  assert.equal(untracked(() => names.of("authors", 2))?.href, "/bookshop/authors/2");
  assert.deepEqual(service.calls.map(({ method, params }) => [method, (params["where"] as { id: { in: number[] } }).id.in, params["select"]]), [
    ["authors.list", [2, 7], "{ id name }"], ["books.list", [4], "{ id title }"],
  ]);
  // What cannot be listed is known at once.
  assert.equal(name("publications", 3), undefined);
  stop();
  await leave();
});

test("names that could not be asked for are asked for again", async () => {
  await begin({ authors: [row(2, { name: "Sand" })] });
  learn([bookshop]);
  await cut();
  const { value: names, stop } = scope(() => recordNames());
  await names.load([["authors", 2]]);
  assert.equal(untracked(() => names.of("authors", 2)), undefined);
  await settle();
  net.isCut = false;
  await names.load([["authors", 2]]);
  assert.equal(untracked(() => names.of("authors", 2))?.name, "Sand");
  stop();
  await leave();
});
