import { port, service, until } from "./device";
import assert from "node:assert/strict";
import test from "node:test";
import { scope, untracked } from "../src/view";
import { signIn } from "../src/store/account";
import { sessionsOf, type SessionList } from "../src/store/records";

const total = 250;
const sessions = Array.from({ length: total }, (_, at) => ({
  id: total - at, version: 1, module: "Swift", date: new Date(Date.UTC(2031, 0, total - at)).toISOString().slice(0, 10),
  debut: "09:00:00", fin: "17:00:00",
}));

service.answer = ({ method, params }) => {
  if (method === "auth.login") {
    return { result: { access_token: "t", user: { id: 1, email: "a@exemple.fr", username: null, role: "admin" }, company: port, companies: [port] } };
  }
  if (method !== "sessions.list") return "lost";
  const begin = params["after"] ? Number(params["after"]) : 0;
  const end = begin + Number(params["first"]);
  const page = { items: sessions.slice(begin, end), end_cursor: String(Math.min(end, total)), has_next_page: end < total };
  return { result: params["count"] ? { ...page, total } : page };
};

const length = (list: SessionList): number => untracked(() => list.value()?.length ?? 0);

async function opened(search: string): Promise<{ list: SessionList; stop: () => void }> {
  await signIn("a@exemple.fr", "secret", false);
  const { value: list, stop } = scope(() => sessionsOf({ search }));
  await until(() => length(list) === 100);
  return { list, stop };
}

test("the next rows come also when the list is asked for anew meanwhile", async () => {
  const { list, stop } = await opened("s");
  const asked = list.refresh();
  await list.more();
  await asked;
  assert.equal(length(list), 200);
  stop();
});

test("a list that is asked for anew keeps the rows that came meanwhile", async () => {
  const { list, stop } = await opened("sw");
  const more = list.more();
  const asked = list.refresh();
  await more;
  await asked;
  assert.equal(length(list), 200);
  await list.more();
  assert.equal(length(list), total);
  assert.equal(untracked(() => list.hasMore()), false);
  stop();
});
