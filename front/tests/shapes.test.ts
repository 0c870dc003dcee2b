import "./device";
import "./page";
import assert from "node:assert/strict";
import test from "node:test";
import { untracked } from "../src/view";
import { labelAt, mistakesIn, placeAt, textIn, treeOf, valueIn } from "../src/domains/generic/parts/shape-tree";
import type { Group, Leaf, List, Node } from "../src/domains/generic/parts/shape-tree";
import { typingOf } from "../src/domains/generic/parts/typing";
import { number, radios, text } from "../src/parts/form/builders";
import type { Field as FormField } from "../src/parts/form";
import type { Field } from "../src/store/declared";
import { hasParts, lineOf } from "../src/words/shapes";
import { valueText } from "../src/words/values";

const what: Field = { name: "what", label: "Produit", type: "text", required: true };
const doses: Field = { name: "doses", label: "Doses", type: "integer", required: true, values: [1, 2, 5] };
const amendments: Field = { name: "amendments", label: "Amendements", type: "json", nullable: true, shape: { list: { object: [what, doses] }, minimum: 1, maximum: 3 } };
const soil: Field = {
  name: "soil", label: "Terre", type: "json", nullable: true,
  shape: { object: [{ name: "texture", label: "Texture", type: "text", required: true }, { name: "depth", label: "Profondeur", type: "integer", default: 30 }, amendments] },
};
const control = (field: Field) =>
  (field.values ? radios(field.name, field.label, field.values.map((value) => ({ value, label: String(value) }))) : field.type === "integer" ? number(field.name, field.label) : text(field.name, field.label));
const tree = (field: Field, value?: unknown): Node => treeOf(field, value, control);
const member = (node: Node, name: string): Node => (node as Group).members().find(({ field }) => field.name === name)!;
const value = (node: Node): unknown => untracked(() => valueIn(node));

test("a value is what it was, whatever it consists of", () => {
  for (const one of [undefined, { texture: "loam" }, { texture: "loam", depth: 45, amendments: [{ what: "Chaux", doses: 2 }, { what: "Sable", doses: 1 }] }]) {
    assert.deepEqual(value(tree(soil, one)), one);
  }
  assert.equal(untracked(() => textIn(tree(soil))), "");
});

test("an object is missing while nothing is typed, and one that is needed is empty", () => {
  assert.equal(value(tree(soil)), undefined);
  assert.deepEqual(value(tree({ ...soil, required: true })), {});
  const node = tree(soil);
  (member(node, "depth") as Leaf).raw.set("12");
  assert.deepEqual(value(node), { depth: 12 });
});

test("what is no number is sent as it was typed, and is a mistake at its place", () => {
  const node = tree(soil);
  (member(node, "depth") as Leaf).raw.set("douze");
  assert.deepEqual(value(node), { depth: "douze" });
  assert.deepEqual(mistakesIn(node, "soil"), [["soil/texture", "Donnez une valeur."], ["soil/depth", "Donnez un nombre entier."]]);
  assert.deepEqual(mistakesIn(tree(soil), "soil"), []);
});

test("elements are added with what they have by default, and each says what it lacks", () => {
  const list = member(tree(soil), "amendments") as List;
  assert.equal(list.maximum, 3);
  list.items.set([list.make(), tree({ name: "", label: "Amendements", type: "json", required: true, shape: { object: [what, doses] } }, { what: "Chaux", doses: 2 })]);
  assert.deepEqual(value(list), [{}, { what: "Chaux", doses: 2 }]);
  assert.deepEqual(mistakesIn(list, "soil/amendments").map(([place]) => place), ["soil/amendments/0/what", "soil/amendments/0/doses"]);
});

test("a text in a record’s field that names none is a mistake, also in an object that is missing otherwise", () => {
  const node = tree(soil);
  (member(node, "texture") as Leaf).left = "Glaise";
  assert.match(mistakesIn(node, "soil")[0]![1], /Glaise.*n’est pas dans la liste/u);
});

test("a message of the service goes to the nearest control, with its label", () => {
  assert.equal(placeAt(soil, "soil/amendments/2/doses"), "soil/amendments/2/doses");
  assert.equal(placeAt(soil, "soil/amendments/2/colour/x"), "soil/amendments/2");
  assert.equal(placeAt(soil, "soil/amendments"), "soil/amendments");
  assert.equal(placeAt(soil, "soil"), "soil");
  const node = tree(soil, { amendments: [{}, {}, {}] });
  assert.equal(labelAt(node, "soil/amendments/2/doses"), "Amendements 3, Doses");
  assert.equal(labelAt(node, "soil/depth"), "Terre, Profondeur");
});

test("words and numbers are lines, what is unknown is a text, everything else has parts", () => {
  const json = (shape?: unknown): Field => ({ name: "a", label: "A", type: "json", shape });
  const scalar = (rest: object): unknown => ({ list: { scalar: { name: "", label: "", ...rest } } });
  assert.equal(lineOf(json(scalar({ type: "integer" })))?.type, "integer");
  for (const one of [scalar({ type: "text" }), {}, undefined, { list: {} }, { something: "new" }]) assert.equal(hasParts(json(one)), false, JSON.stringify(one));
  for (const one of [scalar({ type: "date" }), scalar({ type: "text", choices: [] }), scalar({ type: "integer", target: "books" }), { object: [] }, { list: { object: [] } }]) {
    assert.equal(hasParts(json(one)), true, JSON.stringify(one));
  }
});

test("forms hold JSON with parts as text, lines as lines, files as their numbers", () => {
  const weights: Field = { name: "weights", label: "Poids", type: "json", shape: { list: { scalar: { name: "", label: "", type: "decimal" } } } };
  const poster: Field = { name: "poster", label: "Affiche", type: "integer", file: { kinds: ["image/png"], max_bytes: 10 } };
  const { read, write } = typingOf([soil, weights, poster]);
  const record = { soil: { texture: "loam" }, weights: [1.5, 2], poster: 7 };
  assert.deepEqual(read(record), { soil: '{"texture":"loam"}', weights: "1.5\n2", poster: 7 });
  assert.deepEqual(write({ soil: '{"texture":"loam"}', weights: "1,5\n\n 2 ", poster: "7" }), record);
  assert.deepEqual(write({ weights: "trois" }), { weights: ["trois"] });
});

test("a file in an object is a number that is chosen, and never a line of a list", () => {
  const photo: Field = { name: "photo", label: "Photo", type: "integer", required: true, file: { kinds: ["image/png"], max_bytes: 10 } };
  const pictures: Field = { name: "pictures", label: "Photos", type: "json", shape: { list: { object: [photo, { ...what, name: "text" }] }, maximum: 3 } };
  const waits = { now: true };
  const one = (field: Field): FormField => (field.file === undefined ? control(field) : {
    kind: "group", name: field.name, label: field.label, view: () => null, mistakes: () => (waits.now ? [[field.name, "En cours."]] : []),
  });
  const list = treeOf(pictures, [{ photo: 12, text: "Rive" }, {}], one) as List;
  assert.deepEqual(value(list), [{ photo: 12, text: "Rive" }, {}]);
  // What the control says of itself stands at its place, which follows the order of the list.
  assert.deepEqual(mistakesIn(list, "pictures"), [
    ["pictures/0/photo", "En cours."], ["pictures/1/photo", "Donnez une valeur."], ["pictures/1/text", "Donnez une valeur."],
  ]);
  waits.now = false;
  list.items.set([...untracked(list.items)].reverse());
  assert.deepEqual(mistakesIn(list, "pictures").map(([place]) => place), ["pictures/0/photo", "pictures/0/text"]);
  (member(untracked(list.items)[1]!, "photo") as Leaf).raw.set("34");
  assert.deepEqual(value(list), [{}, { photo: 34, text: "Rive" }]);
  assert.equal(placeAt(pictures, "pictures/1/photo"), "pictures/1/photo");
  assert.equal(valueText(pictures, [{ photo: 12, text: "Rive" }]), "Photo\u202f: fichier n°\u00a012, Produit\u202f: Rive");
  const files: Field = { name: "files", label: "Fichiers", type: "json", shape: { list: { scalar: { ...photo, name: "", label: "" } } } };
  assert.equal(lineOf(files), undefined);
  assert.deepEqual(value(treeOf(files, [1, 2], one)), [1, 2]);
});

test("an object is read by its labels", () => {
  assert.equal(valueText(soil, { texture: "Limon", depth: 45, amendments: [{ what: "Chaux", doses: 2 }, { what: "Sable", doses: 1 }] }),
    "Texture\u202f: Limon, Profondeur\u202f: 45, Amendements\u202f: (Produit\u202f: Chaux, Doses\u202f: 2), (Produit\u202f: Sable, Doses\u202f: 1)");
  assert.equal(valueText(amendments, [{ what: "Chaux", doses: 2 }]), "Produit\u202f: Chaux, Doses\u202f: 2");
});
