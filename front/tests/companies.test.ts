import { databases, kept, service, until, type Answer } from "./device";
import "./page";
import assert from "node:assert/strict";
import test from "node:test";
import { untracked } from "../src/view";

// A device that was used with an earlier version, in a page of the second company.
kept.set("learntrack.compte", "5");
kept.set("learntrack.garder", "1");
kept.set("learntrack.societes", JSON.stringify([{ id: 2, name: "Digue", role: "user" }, { id: 1, name: "Port", role: "admin" }]));
history.replaceState(null, "", "/s/2/ecoles");

const all = [{ id: 2, name: "Digue", role: "user" }, { id: 1, name: "Port", role: "admin" }];
/** Who the person is in each company. */
const ids: { readonly [company: number]: number } = { 1: 5, 2: 9 };
let companies = all;
/** What the calls beside signing in are answered, by the token they come with. */
const calls: { method: string; token: string | undefined }[] = [];
const created: Answer = { result: { id: 70, nom: "École", version: 1 } };

service.answer = ({ method, params }) => {
  if (method !== "auth.refresh") return method === "ecoles.create" ? created : { result: { items: [], has_next_page: false, end_cursor: "c" } };
  const company = companies.find(({ id }) => id === (params["company_id"] ?? companies[0]!.id));
  if (company === undefined) {
    const errors = [{ path: "/company_id", code: "not_found", message: "Autre" }];
    return { error: { code: -32602, message: "Autre", data: { code: "invalid_params", errors } } };
  }
  const user = { id: ids[company.id], email: "a@exemple.fr", username: null, role: company.role };
  return { result: { access_token: `t${company.id}`, user, company, companies } };
};
const reached = globalThis.fetch;
globalThis.fetch = ((input: string, init: RequestInit) => {
  const token = new Headers(init.headers).get("Authorization")?.slice(7);
  calls.push({ method: (JSON.parse(String(init.body)) as { method: string }).method, token });
  return reached(input, init);
}) as typeof fetch;

test("a page is of the company that its address names, and addresses of links name it", async () => {
  const { account, startAccount } = await import("../src/store/account");
  const { addressed, company, pathIn } = await import("../src/store/company");
  await startAccount();
  assert.equal(untracked(company), 2);
  assert.equal(untracked(account)?.id, 9);
  assert.deepEqual(service.of("auth.refresh").map(({ params }) => params["company_id"]), [2]);
  assert.equal(addressed("/ecoles/3"), "/s/2/ecoles/3");
  assert.equal(addressed("/s/2/ecoles/3"), "/s/2/ecoles/3");
  assert.equal(addressed("/s/1/"), "/s/1/");
  assert.equal(addressed("/connexion"), "/connexion");
  assert.equal(addressed("/files/a"), "/files/a");
  assert.equal(addressed("https://exemple.fr/ecoles"), "https://exemple.fr/ecoles");
  assert.equal(pathIn("/s/2"), "/");
  assert.equal(pathIn("/sessions/2"), "/sessions/2");
});

test("what the device has of the first company keeps its place, and the second has one of its own", async () => {
  const { members } = await import("../src/store/device");
  assert.deepEqual(members(), { 1: 5, 2: 9 });
  assert.ok(databases.has("learntrack-2-9"));
});

test("what waits in a company that is not shown is sent with a token of it, once, and its queue notes it", async () => {
  const { Vault } = await import("../src/store/vault");
  const { followOthers, waitingBeside } = await import("../src/store/beside");
  const write = {
    id: "w", entity: "ecoles", kind: "create", recordId: -1, values: { nom: "École" }, base: null, key: "k", at: Date.now(), sentAt: null, problem: null,
  };
  const vault = (await Vault.of(1, 5))!;
  await vault.write([{ shelf: "queue", name: "writes", value: { writes: [write], saved: [] } }]);
  assert.equal(await waitingBeside(), 1);
  const real = globalThis.setInterval;
  globalThis.setInterval = (() => 0) as unknown as typeof setInterval;
  followOthers();
  globalThis.setInterval = real;
  await until(() => calls.some(({ method }) => method === "ecoles.create"));
  let left = 1;
  for (let turn = 0; turn < 100 && left > 0; turn += 1) left = await waitingBeside();
  assert.equal(left, 0);
  assert.deepEqual(calls.filter(({ method }) => method === "ecoles.create"), [{ method: "ecoles.create", token: "t1" }]);
  assert.equal(service.of("ecoles.create")[0]!.params["idempotency_key"], "k");
  assert.deepEqual((await vault.read<{ saved: object }>("queue", "writes"))?.saved, [[-1, 70]]);
});

test("a membership that has ended shuts the page, and leaves the sign-in and the other company as they are", async () => {
  const { account, bar } = await import("../src/store/account");
  const { client } = await import("../src/store/client");
  const { members } = await import("../src/store/device");
  companies = all.filter(({ id }) => id === 1);
  const answer = service.answer;
  const revoked: Answer = { error: { code: 401, message: "Non", data: { code: "unauthenticated", reason: "revoked" } as object } };
  service.answer = (call) => (call.method === "auth.refresh" ? answer(call) : revoked);
  await assert.rejects(client.ecoles.list());
  await until(() => untracked(bar) === "foreign");
  assert.equal(untracked(account), undefined);
  await until(() => !databases.has("learntrack-2-9"));
  assert.deepEqual(members(), { 1: 5 });
  assert.ok(databases.has("learntrack-5"));
  service.answer = answer;
});

test("signing out empties the device of all companies", async () => {
  const { signOut } = await import("../src/store/account");
  await signOut();
  assert.deepEqual([...databases.keys()], []);
  assert.equal(kept.get("learntrack.societes"), undefined);
  assert.equal(kept.get("learntrack.compte"), undefined);
});
