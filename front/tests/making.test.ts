// Which records are made from within a field that names them.

import "./device";
import "./page";
import assert from "node:assert/strict";
import test from "node:test";
import { making } from "../src/domains/generic/parts/create";
import type { Entity } from "../src/store/declared";

const crops: Entity = {
  name: "crops", singular: "culture", plural: "cultures", feminine: true, title: ["name"], derived: [], relations: [], order: [], methods: ["list", "create"],
  columns: [{ name: "id", label: "Numéro", type: "integer" }, { name: "name", label: "Nom", type: "text", writes: ["create", "update"] }],
};
const isMade = (entity: Entity): boolean => making(entity) !== undefined;

test("a record is made where what was typed becomes its name", () => {
  assert.ok(isMade(crops));
});

test("no record is made that the account may not create, that has no field for the text, or of which there is one", () => {
  assert.ok(!isMade({ ...crops, methods: ["list"] }));
  assert.ok(!isMade({ ...crops, title: ["plot.name", "name"] }), "a name that leads over a relation");
  assert.ok(!isMade({ ...crops, title: ["id"] }), "a number");
  assert.ok(!isMade({ ...crops, columns: crops.columns.map(({ writes: _, ...one }) => one) }), "a name that nobody types");
  assert.ok(!isMade({ ...crops, single: true }));
});
