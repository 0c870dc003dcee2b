import "./device";
import "./page";
import assert from "node:assert/strict";
import test from "node:test";
import { dropFalse, go, place, setQuery } from "../src/parts/place";
import { scope } from "../src/view";
import { isMonth } from "../src/words/dates";

const isNumber = (text: string): boolean => /^\d+$/u.test(text);

test("words that mean nothing leave the address, whenever they come, and others stay", async () => {
  await go("/sessions?mois=2026-13&formateur=abc&q=SwiftUI");
  const { stop } = scope(() => dropFalse({ mois: isMonth, formateur: isNumber }));
  assert.equal(location.search, "?q=SwiftUI");
  assert.deepEqual(place().query, { q: "SwiftUI" });
  setQuery({ mois: "2026-11", formateur: "7" });
  assert.equal(location.search, "?q=SwiftUI&mois=2026-11&formateur=7");
  await go("/sessions?mois=xyz&formateur=7");
  assert.equal(location.search, "?formateur=7");
  // The next screen has words of its own.
  await go("/tableau-de-bord?mois=xyz");
  assert.equal(location.search, "?mois=xyz");
  stop();
});

test("a month has twelve of its kind in a year", () => {
  assert.deepEqual(["2026-01", "2026-12", "2026-13", "2026-00", "2026-1", "0000-01", "tous"].map(isMonth), [true, true, false, false, false, false, false]);
});
