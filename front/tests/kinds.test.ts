import "./device";
import "./page";
import assert from "node:assert/strict";
import test from "node:test";
import { untracked } from "../src/view";
import { labelAt, mistakesIn, placeAt, textIn, treeOf, valueIn } from "../src/domains/generic/parts/shape-tree";
import type { Group, Leaf, List, Node } from "../src/domains/generic/parts/shape-tree";
import { typed } from "../src/domains/generic/parts/typing";
import { number, radios, text } from "../src/parts/form/builders";
import type { Field } from "../src/store/declared";
import { hasParts, ownParts } from "../src/words/shapes";
import { valueText } from "../src/words/values";

const by: Field = { name: "kind", label: "Nature", type: "choice", required: true, choices: [{ value: "text", label: "Texte" }, { value: "count", label: "Comptage" }] };
const id: Field = { name: "id", label: "Identifiant", type: "uuid", required: true };
const place: Field = { name: "place", label: "Place", type: "integer", required: true, minimum: 0 };
const words: Field = { name: "text", label: "Texte", type: "text", required: true };
const kinds = {
  by, object: [id, place],
  kinds: [
    { value: "text", object: [words, { name: "level", label: "Niveau", type: "integer" }] },
    {
      value: "count", object: [
        { name: "count", label: "Combien", type: "integer", required: true, minimum: 1, default: 1 },
        { name: "text", label: "Remarque", type: "text", nullable: true }, { name: "level", label: "Niveau", type: "text", nullable: true },
      ],
    },
  ],
};
const blocks: Field = { name: "blocks", label: "Contenu", type: "json", nullable: true, shape: { list: kinds, minimum: 0, maximum: 20, unique: ["id", "place"] } };
const control = (field: Field) =>
  (field.choices ? radios(field.name, field.label, field.choices) : field.type === "integer" ? number(field.name, field.label) : text(field.name, field.label));
const tree = (value?: unknown, field = blocks): Node => treeOf(field, value, control);
const members = (node: Node): readonly Node[] => untracked((node as Group).members);
const leaf = (node: Node, name: string): Leaf => members(node).find(({ field }) => field.name === name) as Leaf;
const names = (node: Node): string[] => members(node).filter(({ kind }) => kind !== "filled").map(({ field }) => field.name);
const value = (node: Node): unknown => untracked(() => valueIn(node));
const uuid = (digit: string): string => `${digit.repeat(8)}-0000-4000-8000-000000000000`;
/** As the service answers it. */
const note = (at: number, digit: string, text: string) => ({ id: uuid(digit), kind: "text", text, count: null, level: null, place: at });

test("an element asks for its kind first, then for what that has, and never for its identity and its place", () => {
  const list = tree() as List;
  const made = untracked(list.make);
  list.items.set([made]);
  assert.deepEqual(names(made), ["kind"]);
  assert.deepEqual(mistakesIn(list, "blocks"), [["blocks/0/kind", "Donnez une valeur."]]);
  leaf(made, "kind").raw.set("count");
  assert.deepEqual(names(made), ["kind", "count", "text", "level"]);
  const [one] = value(list) as { [name: string]: unknown }[];
  assert.match(String(one!["id"]), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.deepEqual({ ...one, id: "" }, { kind: "count", id: "", place: 0, count: 1 });
  assert.deepEqual(value(list), [one], "the identity stays");
});

test("the file of one kind is not the number of another", () => {
  const number: Field = { name: "photo", label: "Numéro", type: "integer" };
  const file: Field = { ...number, label: "Photo", file: { kinds: ["image/png"], max_bytes: 10 } };
  const shape = { by, object: [], kinds: [{ value: "text", object: [number] }, { value: "count", object: [file] }] };
  const node = tree({ kind: "text", photo: 7 }, { ...blocks, shape });
  leaf(node, "kind").raw.set("count");
  assert.deepEqual(value(node), { kind: "count" });
  leaf(node, "photo").raw.set("8");
  leaf(node, "kind").raw.set("text");
  assert.deepEqual(value(node), { kind: "text" });
});

test("another kind keeps what has the same name and type, and drops the rest", () => {
  const list = tree([note(0, "1", "Merles")]) as List;
  const [one] = untracked(list.items);
  leaf(one!, "level").raw.set("3");
  leaf(one!, "kind").raw.set("count");
  leaf(one!, "count").raw.set("4");
  assert.deepEqual(value(list), [{ kind: "count", id: uuid("1"), place: 0, count: 4, text: "Merles" }]);
  leaf(one!, "kind").raw.set("text");
  assert.deepEqual(value(list), [{ kind: "text", id: uuid("1"), place: 0, text: "Merles" }]);
  // The control that chooses the kind is the same one all the while.
  assert.equal(members(one!)[0], leaf(one!, "kind"));
});

test("elements have the place at which they stand", () => {
  const list = tree([note(1, "2", "b"), note(0, "1", "a")]) as List;
  const order = (): unknown[] => (value(list) as { text: string; place: number }[]).map(({ text, place }) => [text, place]);
  assert.deepEqual(order(), [["a", 0], ["b", 1]]);
  list.items.update((items) => [...items].reverse());
  assert.deepEqual(order(), [["b", 0], ["a", 1]]);
});

test("what the service answers null for is no part of the value: opening a form changes nothing", () => {
  const stored = [note(0, "1", "a")];
  assert.equal(typed(blocks, stored), untracked(() => textIn(tree(stored))));
  assert.deepEqual(ownParts(blocks, stored), [{ kind: "text", id: uuid("1"), place: 0, text: "a" }]);
});

test("a message goes to the member of any kind, and never to what has no control", () => {
  assert.equal(placeAt(blocks, "blocks/2/count"), "blocks/2/count");
  assert.equal(placeAt(blocks, "blocks/2/text"), "blocks/2/text");
  assert.equal(placeAt(blocks, "blocks/2/place"), "blocks/2");
  const node = tree([note(0, "1", "a"), { ...note(1, "2", "b"), kind: "count", count: 2 }]);
  assert.equal(labelAt(node, "blocks/0/text"), "Contenu 1, Texte");
  assert.equal(labelAt(node, "blocks/1/text"), "Contenu 2, Remarque");
});

test("an object is read by its kind, without what other kinds have", () => {
  assert.equal(valueText(blocks, [{ ...note(1, "2", "vu"), kind: "count", count: 2 }, { ...note(0, "1", "Bonjour"), count: 7 }]),
    "Nature\u202f: Texte, Texte\u202f: Bonjour\nNature\u202f: Comptage, Combien\u202f: 2, Remarque\u202f: vu");
});

test("an object of some kind that is no list may be missing, and types its own identity", () => {
  const field: Field = { name: "block", label: "Bloc", type: "json", nullable: true, shape: kinds };
  assert.equal(hasParts(field), true);
  const node = tree(undefined, field);
  assert.equal(value(node), undefined);
  assert.deepEqual(names(node), ["kind", "id", "place"]);
  leaf(node, "kind").raw.set("text");
  assert.deepEqual(mistakesIn(node, "block").map(([at]) => at), ["block/id", "block/place", "block/text"]);
});

test("numbers that are something else than positions are typed, and a single kind is no choice", () => {
  const lines = (unique: string[], member: Partial<Field>): string[] => {
    const field: Field = { ...blocks, shape: { list: { object: [{ ...place, ...member }, words] }, minimum: 0, maximum: 9, unique } };
    return names(untracked((tree(undefined, field) as List).make));
  };
  assert.deepEqual(lines(["place"], {}), ["text"]);
  assert.deepEqual(lines([], {}), ["place", "text"]);
  assert.deepEqual(lines(["place"], { minimum: 1 }), ["place", "text"]);
  assert.deepEqual(lines(["place"], { target: "plots" }), ["place", "text"]);
  const one = tree(undefined, { ...blocks, shape: { list: { ...kinds, kinds: [kinds.kinds[0]] }, minimum: 0, maximum: 9 } }) as List;
  assert.deepEqual(names(untracked(one.make)), ["kind", "place", "text", "level"]);
});
