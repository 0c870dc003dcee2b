// Entities of which there is one record at most, as lists, addresses and finds have them.

import { service, until } from "./device";
import { begin, bookshop, copied, cut, leave, row, rows, sent } from "./bookshop";
import "./page";
import assert from "node:assert/strict";
import test from "node:test";
import { scope, untracked } from "../src/view";
import { declaredFinds } from "../src/parts/declared-finds";
import { recordAddress } from "../src/parts/declared";
import { queue } from "../src/store/queue";
import { domains, type Domain, type Entity } from "../src/store/declared";
import { callCommand, openerOf, pages } from "../src/domains/generic/parts/records";
import { entityFilters, filterable } from "../src/domains/generic/parts/filters";
import { details } from "../src/domains/generic/words/rows";
import { titleOf } from "../src/words/titles";

const [authors, books] = bookshop.entities as [Entity, Entity];
const settings: Entity = {
  ...authors, name: "settings", singular: "réglages", plural: "réglages", single: true, title: ["shop_name"], search: true,
  columns: [...authors.columns, { name: "shop_name", label: "Enseigne", type: "text" }], methods: ["list", "get", "update"],
};
const owned: Entity = {
  ...books, columns: [...books.columns.map((one) => (one.target ? { ...one, type: "integer" as const } : one)), { name: "settings_id", label: "Réglages", type: "integer", target: "settings" }],
  relations: [...books.relations, { name: "settings", label: "Réglages", target: "settings", column: "settings_id" }],
};
const command = (name: string, rest: object = {}) =>
  ({ name, label: name, summary: "", entity: "settings", parameters: [], answers: { record: "settings" }, ...rest });
const open = command("settings.open", { label: "Ouvrir les réglages", parameters: [{ name: "shop_name", label: "Enseigne", type: "text" }] });
const others = [
  command("settings.reset", { record: "id", parameters: [{ name: "id", label: "", type: "integer", required: true }] }),
  command("settings.publish", { answers: undefined }),
  command("settings.copy", { parameters: [{ name: "from", label: "", type: "text", required: true }] }),
];
const shop: Domain = { ...bookshop, entities: [authors, owned, settings], commands: [...others, open] };

/** With what the service declares known, as a page has it. */
async function known(): Promise<() => void> {
  await begin();
  const answer = service.answer;
  service.answer = (call) => {
    if (call.method === "rpc.domains") return { result: { domains: [shop], roles: [] } };
    if (call.method !== "settings.open") return answer(call);
    if (answer(call) === "lost") return "lost";
    const made = row(7, { shop_name: "Le Port" });
    rows["settings"] = [made];
    return { result: made };
  };
  const { value: asked, stop } = scope(() => domains());
  await until(() => untracked(() => asked.value()) !== undefined);
  await asked.refresh();
  service.calls.length = 0;
  return () => {
    stop();
    service.answer = answer;
  };
}

test("the opening command is the one that needs nothing and answers the record", async () => {
  const end = await known();
  assert.equal(openerOf(settings)?.name, "settings.open");
  assert.equal(openerOf({ ...settings, single: undefined as never }), undefined);
  end();
  await leave();
});

test("a record of which there is one has the address of its entity, and no number for a title", async () => {
  const end = await known();
  assert.equal(recordAddress(settings, 7), "/bookshop/settings");
  assert.equal(recordAddress(authors, 7), "/bookshop/authors/7");
  assert.equal(recordAddress({ ...settings, methods: ["get"] }, 7), "/bookshop/settings/7");
  assert.equal(titleOf(settings, row(7, { shop_name: "Le Port" })), "Le Port");
  assert.equal(titleOf(settings, row(7)), "Réglages");
  end();
  await leave();
});

test("lists have no filter, and rows no words, for a record of which there is one", async () => {
  const end = await known();
  assert.deepEqual(filterable(owned).map(({ name }) => name), ["author_id"]);
  const book = row(4, { title: "Nadja", settings_id: 7, settings: row(7, { shop_name: "Le Port" }), author_id: 1, author: row(1, { name: "Breton" }) });
  assert.deepEqual(details(owned, book), ["Breton"]);
  assert.deepEqual(untracked(() => entityFilters("/bookshop/books", owned).condition()), { where: {} });
  end();
  await leave();
});

test("it is found by its name, and not among the records of a search", async () => {
  const end = await known();
  rows["settings"] = [row(7, { shop_name: "Le Port" })];
  const { value: finds, stop } = scope(() => declaredFinds(() => "port"));
  const labels = (): string[] => untracked(() => finds.records[0]!()).map(({ label }) => label);
  assert.ok(labels().includes("Réglages"));
  untracked(() => finds.found!());
  await until(() => service.of("books.list").length > 0);
  assert.deepEqual(service.of("settings.list"), []);
  stop();
  end();
  await leave();
});

test("its page has it from the copy of the device, and shows it when it is opened, also by what waited for the network", async () => {
  const end = await known();
  await copied("settings");
  const { value: found, stop } = scope(() => pages(settings, {}));
  const names = (): unknown[] | undefined => untracked(() => found.value())?.map((one) => one["shop_name"]);
  assert.deepEqual(names(), []);
  await cut();
  const outcome = await callCommand(settings, open as never, {});
  assert.equal(outcome.state, "queued");
  assert.deepEqual(untracked(queue.items).map(({ method, words }) => [method, words?.title]), [["settings.open", "Ouvrir les réglages"]]);
  await sent();
  await until(() => names()?.length === 1);
  assert.deepEqual(names(), ["Le Port"]);
  await cut();
  assert.deepEqual(names(), ["Le Port"]);
  stop();
  end();
  await leave();
});
