import { port, service } from "./device";
import assert from "node:assert/strict";
import test from "node:test";
import { untracked } from "../src/view";
import { signIn } from "../src/store/account";
import { extent, isCopying, readCopy } from "../src/store/copy";
import { keptDays } from "../src/store/days";
import { openVault } from "../src/store/device";
import { loadDirectory } from "../src/store/records";
import { directories } from "../src/store/rows";
import { offlineCopy } from "../src/store/settings";
import { addDays, today } from "../src/words/dates";

service.answer = ({ method }) => {
  if (method === "auth.login") {
    return { result: { access_token: "t", user: { id: 1, email: "a@exemple.fr", username: null, role: "admin" }, company: port, companies: [port] } };
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

test("the copy is being fetched until the device has its days and directories; what a week adds half a year ahead is no reason to wait", async () => {
  const whole = { cursor: "7", days: keptDays(today()), directories };
  const isFetchedWith = async (change: Partial<typeof whole>): Promise<boolean> => {
    await openVault()!.write([{ shelf: "meta", name: "extent", value: { ...whole, ...change } }]);
    await readCopy();
    return untracked(isCopying);
  };
  assert.equal(await isFetchedWith({ directories: ["clients", "ecoles"] }), true);
  assert.equal(await isFetchedWith({ days: { ...whole.days, to: today() } }), true);
  assert.equal(await isFetchedWith({ days: keptDays(addDays(today(), -8)) }), true);
  assert.equal(await isFetchedWith({ days: keptDays(addDays(today(), -6)) }), false);
  assert.equal(await isFetchedWith({}), false);
  await isFetchedWith({ directories: [] });
  offlineCopy.set(false);
  assert.equal(untracked(isCopying), false);
  offlineCopy.set(true);
});
