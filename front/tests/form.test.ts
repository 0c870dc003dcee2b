import assert from "node:assert/strict";
import test from "node:test";
import { mapHref, webAddress } from "../src/domains/crm/parts/maps";
import { amount, record, text, time } from "../src/parts/form/builders";
import { rawOf, valueOf } from "../src/parts/form/field";

test("an amount is read as people type it, and a text that is none says so", () => {
  const price = amount("tarif_client", "Tarif client");
  assert.deepEqual(valueOf(price, "1\u202f200,50"), { value: 1200.5 });
  assert.deepEqual(valueOf(price, "1200.5 €"), { value: 1200.5 });
  assert.deepEqual(valueOf(price, ""), { value: null });
  assert.ok("message" in valueOf(price, "beaucoup"));
});

test("a field shows what its record holds, and reads it back unchanged", () => {
  const fields = [amount("a", "A"), time("b", "B"), record("c", "C", () => []), text("d", "D")];
  const values = [1200.5, "09:00:00", 7, "Nîmes"];
  assert.deepEqual(fields.map((field, index) => rawOf(field, values[index])), ["1200,50", "09:00", 7, "Nîmes"]);
  assert.deepEqual(valueOf(fields[0]!, rawOf(fields[0]!, 1200.5)), { value: 1200.5 });
  assert.deepEqual(fields.map((field) => valueOf(field, rawOf(field, null))), fields.map(() => ({ value: null })));
});

test("spaces around a text are not part of it, those of a password are", () => {
  assert.deepEqual(valueOf(text("a", "A"), "  Nîmes "), { value: "Nîmes" });
  assert.deepEqual(valueOf({ kind: "password", name: "a", label: "A" }, " secret "), { value: " secret " });
});

test("an address opens in the maps of the device", () => {
  const address = "12 rue de la Paix, 75002 Paris";
  assert.match(mapHref(address, "iPhone"), /^https:\/\/maps\.apple\.com\/\?q=12%20rue/u);
  assert.match(mapHref(address, "Linux; Android 14"), /^geo:0,0\?q=12%20rue/u);
  assert.match(mapHref(address, "X11; Linux"), /^https:\/\/www\.openstreetmap\.org\/search\?query=12%20rue/u);
});

test("a meeting is joined by the address in the place of a session", () => {
  assert.equal(webAddress("Teams : https://exemple.fr/j/12 (code 7)"), "https://exemple.fr/j/12");
  assert.equal(webAddress("À distance"), null);
  assert.equal(webAddress("javascript:alert(1)"), null);
});
