// What narrows the list of a declared entity: what the service is asked, and the words above the rows.

import "./device";
import "./page";
import assert from "node:assert/strict";
import test from "node:test";
import { untracked } from "../src/view";
import { matcher, type Entity, type Field } from "../src/store/declared";
import type { AnyRow } from "../src/store/rows";
import { entityFilters, filterable, numberIn, numbered, optional, rangeProblem } from "../src/domains/generic/parts/filters";

const field = (name: string, type: Field["type"], rest: object = {}): Field => ({ name, label: name, type, ...rest });
const price = field("price", "decimal", { label: "Prix", scale: 2, nullable: true });
const places = field("places", "integer", { label: "Places" });
const books: Entity = {
  name: "books", singular: "livre", plural: "livres", feminine: false, title: ["title"], order: [], methods: ["list"],
  columns: [
    field("id", "integer"), field("title", "text"), price, places, field("secret", "integer", { hidden: true }),
    field("stars", "integer", { label: "Étoiles", values: [1, 2, 3] }), field("cover", "integer", { file: { kinds: [], max_bytes: 1 } }),
    field("published", "date", { label: "Parution", nullable: true }), field("reader", "text", { label: "Prêté à", nullable: true, max_length: 100 }),
    field("notes", "text", { nullable: true }), field("author_id", "integer", { label: "Auteur", nullable: true, target: "authors" }),
    field("shelf_id", "integer"), field("version", "integer"),
  ],
  derived: [field("gross", "decimal", { label: "Prix avec taxes", scale: 2 })],
  relations: [{ name: "shelf", label: "Rayon", target: "shelves", column: "shelf_id" }],
};

let lists = 0;
function narrowed(given: Record<string, string>) {
  const filters = entityFilters(`/lists/${++lists}`, books);
  filters.set(given);
  return filters;
}
const where = (given: Record<string, string>): unknown => untracked(() => narrowed(given).condition().where);
const words = (given: Record<string, string>): string[] =>
  untracked(() => narrowed(given).narrowings().map((one) => one.words((target, id) => `${target} ${id}`)));

test("numbers have a range, but neither what is chosen from a list nor what names a record or a file", () => {
  assert.deepEqual(numbered(books).map(({ name }) => name), ["price", "places", "gross"]);
  assert.deepEqual(optional(books).map(({ name }) => name), ["published", "reader", "author_id"]);
  // Totals are grouped by what has few values.
  assert.deepEqual(filterable(books).map(({ name }) => name), ["stars", "published", "author_id"]);
});

test("a range of numbers is read as people write them", () => {
  assert.deepEqual(where({ price_de: "5,5", price_a: "1 200" }), { price: { gte: 5.5, lte: 1200 } });
  assert.deepEqual(where({ gross_a: "10" }), { gross: { lte: 10 } });
  assert.deepEqual(where({ places_de: "−2" }), { places: { gte: -2 } });
  assert.deepEqual(where({ price_de: "cher", places_de: "2,5", price_a: "" }), {});
  assert.deepEqual(where({ price_de: "cher", price_a: "8" }), { price: { lte: 8 } });
  assert.equal(numberIn(places, "2,5"), "Donnez un nombre entier.");
  assert.equal(numberIn(price, "2,505"), "Donnez 2 décimales au plus.");
  assert.equal(numberIn(price, "cher"), "Donnez un nombre.");
  assert.equal(numberIn(price, "0,1"), 0.1);
});

test("a range that ends before it begins is a mistake", () => {
  const said = (field: Field, given: Record<string, string>): string | null => untracked(() => rangeProblem(field, narrowed(given).text));
  assert.equal(said(price, { price_de: "9,5", price_a: "5" }), "Donnez au moins 9,50.");
  assert.equal(said(price, { price_de: "5", price_a: "5" }), null);
  assert.equal(said(price, { price_de: "9,5" }), null);
  assert.equal(said(price, { price_de: "cher", price_a: "5" }), null);
  const published = books.columns.find(({ name }) => name === "published")!;
  assert.equal(said(published, { published_du: "2020-01-02", published_au: "2020-01-01" }), "Donnez un dernier jour qui ne précède pas le premier.");
  assert.equal(said(published, { published_du: "2020-01-02", published_au: "2020-01-02" }), null);
});

test("what may be empty is asked for being set", () => {
  assert.deepEqual(where({ reader_est: "renseigne" }), { reader: { ne: null } });
  assert.deepEqual(where({ reader_est: "vide", author_id_est: "vide" }), { reader: { eq: null }, author_id: { eq: null } });
  assert.deepEqual(where({ reader_est: "peut-être", title_est: "vide", reader: "5" }), {});
  // What is chosen has a value.
  assert.deepEqual(where({ author_id: "5", author_id_est: "renseigne" }), { author_id: 5 });
  assert.deepEqual(where({ published_du: "2020-01-01", published_est: "renseigne" }), { published: { gte: "2020-01-01" } });
  const row = (reader: string | null): AnyRow => ({ id: 1, version: 1, reader }) as AnyRow;
  assert.deepEqual([row("Marie"), row(null)].map(matcher({ reader: { ne: null } })), [true, false]);
  assert.deepEqual([row("Marie"), row(null)].map(matcher({ reader: { eq: null } })), [false, true]);
});

test("what narrows a list is said in words, and taken out one by one", () => {
  assert.deepEqual(words({ price_de: "5", price_a: "1200,5" }), ["Prix de 5 à 1\u202f200,50"]);
  assert.deepEqual(words({ price_de: "5", places_a: "1200" }), ["Prix à partir de 5", "Places jusqu’à 1\u202f200"]);
  assert.deepEqual(words({ price_de: "0", price_a: "0" }), ["Prix\u202f: 0"]);
  assert.deepEqual(words({ published_du: "2020-01-01", published_au: "2020-02-03" }), ["Parution du 1er janvier 2020 au 3 février 2020"]);
  assert.deepEqual(words({ stars: "2", author_id: "7", reader_est: "vide" }), ["Étoiles\u202f: 2", "Auteur\u202f: authors 7", "Prêté à\u202f: vide"]);
  const filters = narrowed({ price_de: "5", price_a: "10", reader_est: "renseigne" });
  untracked(() => {
    assert.equal(filters.active(), 2);
    filters.narrowings()[0]!.remove();
    assert.deepEqual(filters.condition().where, { reader: { ne: null } });
    filters.clear();
    assert.equal(filters.active(), 0);
  });
});
