// What a key costs in the search of a directory of thousands.

import "./device";
import "./page";
import assert from "node:assert/strict";
import test from "node:test";
import { optionOf, searchedText } from "../src/parts/form/options";
import { matching, shownAtOnce } from "../src/parts/form/picker";
import type { Row } from "../src/store";

const options = Array.from({ length: 2_000 }, (_, id) => ({ id, label: `Société Générale de l’Étoile ${id}` }));

/** How many texts were taken apart for their accents meanwhile. */
function folds(work: () => void): number {
  const real = String.prototype.normalize;
  let count = 0;
  String.prototype.normalize = function normalize(this: string, ...form: []): string {
    count += 1;
    return real.apply(this, form);
  } as typeof real;
  try {
    work();
  } finally {
    String.prototype.normalize = real;
  }
  return count;
}

test("each record is read once for its accents, and as many entries are made as a person reads", () => {
  const type = (text: string) => matching(options, ({ label }) => label, text);
  assert.ok(folds(() => assert.equal(type("etoile").length, shownAtOnce)) > 2_000);
  assert.ok(folds(() => assert.equal(type("etoile 19").length, shownAtOnce)) < 5);
  assert.deepEqual(type("soc 1999").map(({ id }) => id), [1999]);
});

test("a picker finds what a list finds: by a contact, by digits however they are grouped, and Saint as St", () => {
  const row = { id: 1, raison_sociale: "Mairie de Saint-Denis", ville: "Nîmes", nom_contact: "Odile Roux", telephone_uri: "tel:+33612340536" };
  const text = searchedText(optionOf("clients", row as unknown as Row<"clients">));
  for (const typed of ["0536", "05 36", "06 12 34", "+33612", "odile", "nimes", "st denis", "odile 0536"]) {
    assert.equal(matching([row], () => text, typed).length, 1, typed);
  }
  assert.equal(matching([row], () => text, "0537").length, 0);
});
