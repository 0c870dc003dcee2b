import { service } from "./device";
import assert from "node:assert/strict";
import test from "node:test";
import { untracked } from "../src/view";
import { signIn } from "../src/store/account";
import { extent, readCopy } from "../src/store/copy";
import { openVault } from "../src/store/device";
import { loadDirectory } from "../src/store/records";

service.answer = ({ method }) => {
  if (method === "auth.login") {
    return { result: { access_token: "t", user: { id: 1, email: "a@exemple.fr", username: null, role: "admin" } } };
  }
  return { result: { items: [{ id: 1, version: 1, nom: "École du Pont" }], end_cursor: null, has_next_page: false } };
};

test("what the page has loaded stays known when the device's copy, which does not have it yet, is read", async () => {
  await signIn("a@exemple.fr", "secret", true);
  await loadDirectory("ecoles");
  const stored = { cursor: "7", days: { from: "2031-01-01", to: "2031-02-01" }, directories: ["clients"] };
  await openVault()!.write([{ shelf: "meta", name: "extent", value: stored }]);
  await readCopy();
  const known = untracked(extent);
  assert.deepEqual([known.cursor, known.days], [stored.cursor, stored.days]);
  assert.deepEqual([...known.directories].sort(), ["clients", "ecoles"]);
});
