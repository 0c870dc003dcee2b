// A bookshop that the service declares, for tests of the store. Its service answers what `rows` has.

import { port, service, until, type Answer } from "./device";
import assert from "node:assert/strict";
import { untracked } from "../src/view";
import { onEntered, signIn, signOut } from "../src/store/account";
import { readQueue } from "../src/store/book";
import { client } from "../src/store/client";
import { flush, readCopy, setExtent, writeCopy } from "../src/store/copy";
import { declare, isWhole, tablesOf, type Domain, type PageList } from "../src/store/declared";
import { missing } from "../src/store/declared/declare";
import { queue } from "../src/store/queue";
import type { AnyRow } from "../src/store/rows";
import { sendAll } from "../src/store/sending";
import { shown } from "../src/store/tables";

const field = (name: string, rest: object = {}) => ({ name, label: name, type: "text" as const, ...rest });
const id = field("id", { type: "integer" });
const version = field("version", { type: "integer" });
const entity = { singular: "", plural: "", feminine: false, derived: [], relations: [], order: [], methods: ["list", "get", "create", "update", "delete"] };
export const bookshop: Domain = {
  name: "bookshop", label: "Librairie", commands: [],
  entities: [
    { ...entity, name: "authors", title: ["name"], columns: [id, field("name"), version] },
    {
      ...entity, name: "books", title: ["title"], order: ["title"], search: true, derived: [field("gross_price")],
      columns: [id, field("title"), field("price"), field("author_id", { target: "authors" }), version],
      relations: [{ name: "author", label: "Auteur", target: "authors", column: "author_id" }],
    },
    {
      ...entity, name: "wishes", title: ["author.name", "book.title"],
      // A column of the same name as in books, for records of another table.
      columns: [id, field("author_id", { target: "readers" }), field("book_id", { target: "books" }), version],
      relations: [
        { name: "author", label: "De", target: "readers", column: "author_id" }, { name: "book", label: "Livre", target: "books", column: "book_id" },
      ],
    },
    { ...entity, name: "readers", title: ["name"], columns: [id, field("name"), version] },
    { ...entity, name: "loans", title: ["wish.author.name"], columns: [id, version, field("wish_id", { target: "wishes" })],
      relations: [{ name: "wish", label: "Souhait", target: "wishes", column: "wish_id" }] },
    { ...entity, name: "publications", view: true, title: ["id"], columns: [id, field("books")], methods: ["list"] },
  ],
};
export const declared = tablesOf([bookshop]);

/** The rows that the service has. */
export const rows: { [table: string]: AnyRow[] } = {};
/** `isCut`: there is no network; `total`: the rows that the service says a table has. */
export const net = { isCut: false, total: 0 };

/** A row as the selection has it: figures are not always asked for. */
const selected = (row: AnyRow, { select }: { [name: string]: unknown }): AnyRow =>
  Object.fromEntries(Object.entries(row).filter(([name]) => name !== "book_count" || String(select).includes(name))) as unknown as AnyRow;

service.answer = (call): Answer => {
  const { method, params } = call;
  if (method === "auth.login") {
    return { result: { access_token: "t", user: { id: 1, email: "a@exemple.fr", username: null, role: "admin" }, company: port, companies: [port] } };
  }
  if (method === "auth.logout") return { result: {} };
  if (net.isCut) return "lost";
  if (method === "changes.list") return { result: { items: [], end_cursor: "0", has_next_page: false } };
  if (method === "rpc.domains") return { result: { domains: [bookshop], roles: [] } };
  const [table = "", verb] = method.split(".");
  const all = rows[table] ?? [];
  if (verb === "list") {
    const wanted = (params["where"] as { id?: { in?: number[] } } | undefined)?.id?.in;
    const found = wanted ? all.filter((row) => wanted.includes(row.id)) : all;
    const begin = Number(params["after"] ?? 0);
    const end = begin + Number(params["first"] ?? 50);
    const page = { items: found.slice(begin, end).map((row) => selected(row, params)), end_cursor: String(Math.min(end, found.length)), has_next_page: end < found.length };
    return { result: params["count"] ? { ...page, total: Math.max(net.total, found.length) } : page };
  }
  if (verb === "create") {
    const row = { id: 900 + service.of(method).length, version: 1, ...(params["values"] as object) };
    rows[table] = [row, ...all];
    return { result: row };
  }
  if (verb === "get") {
    const row = all.find((one) => one.id === params["id"]);
    return row ? { result: selected(row, params) } : { error: { code: 404, message: "Introuvable.", data: { code: "not_found" } } };
  }
  if (verb === "delete" && params["dry_run"] !== true) rows[table] = all.filter((one) => one.id !== params["id"]);
  if (verb === "update") return { result: { id: Number(params["id"]), version: 9, ...(params["values"] as object) } };
  return { result: { id: params["id"], version: 5, lent: true } };
};

onEntered(async () => {
  await Promise.all([readCopy(), readQueue()]);
});

export async function begin(given: { [table: string]: AnyRow[] } = {}): Promise<void> {
  for (const name of Object.keys(rows)) delete rows[name];
  Object.assign(rows, given);
  net.isCut = false;
  net.total = 0;
  await signIn("a@exemple.fr", "secret", true);
  await declare(declared);
  service.calls.length = 0;
}

export async function leave(): Promise<void> {
  writeCopy(false);
  net.isCut = false;
  await signOut();
}

export async function cut(): Promise<void> {
  net.isCut = true;
  await client.auth.me().catch(() => undefined);
}

/** There is a network again, and all that waited is sent. */
export async function sent(): Promise<void> {
  net.isCut = false;
  // The attempt that is under way may be one without a network.
  await sendAll();
  await sendAll();
  await until(() => untracked(queue.items).length === 0);
}

export const row = (id: number, values: object = {}): AnyRow => ({ id, version: 1, ...values });
export const book = (id: number, title = `Livre ${id}`, author_id = 1): AnyRow => row(id, { title, price: 10, gross_price: 11, author_id, author: { id: author_id, name: "Breton" } });
export const books = (count: number): AnyRow[] => Array.from({ length: count }, (_, at) => book(at + 1));
export const inTable = (table: string, id: number): AnyRow | undefined => untracked(() => shown(table).get(id));
export const ids = (list: PageList): number[] => untracked(() => list.value() ?? []).map((one) => one.id);

/** Copies the table as the tab that listens does, and waits until the device has it. */
export async function copied(table: string): Promise<void> {
  writeCopy(true);
  setExtent({ cursor: "1" });
  for (const step of missing()) await step();
  await flush();
  assert.ok(untracked(() => isWhole(table)) || net.total > 2_000);
}
