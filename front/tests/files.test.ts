import assert from "node:assert/strict";
import test from "node:test";
import { kindsText, refusalOf, ruleText, sizeText } from "../src/words/files";

test("sizes and kinds of files are said as people say them", () => {
  assert.deepEqual([70, 999, 10_000, 12_070, 524_288, 1_500_000, 2_097_152].map(sizeText),
    ["70\u00a0octets", "999\u00a0octets", "10\u00a0ko", "12\u00a0ko", "512\u00a0ko", "1,5\u00a0Mo", "2\u00a0Mo"]);
  assert.equal(kindsText(["image/png", "image/jpeg", "application/pdf"]), "PNG, JPEG ou PDF");
  assert.equal(ruleText(["image/svg+xml"], 524_288), "SVG, 512\u00a0ko au plus.");
});

test("a file is refused before it is sent for its kind and its size, and not where a browser knows no kind", () => {
  const rule = { kinds: ["image/png"], max_bytes: 10_000 };
  assert.equal(refusalOf({ type: "image/png", size: 10_000 }, rule), null);
  assert.equal(refusalOf({ type: "", size: 1 }, rule), null);
  assert.match(refusalOf({ type: "text/plain", size: 1 }, rule)!, /^Choisissez un fichier PNG/u);
  assert.match(refusalOf({ type: "image/png", size: 10_001 }, rule)!, /au plus\.$/u);
});
