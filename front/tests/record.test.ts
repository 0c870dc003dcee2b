import { port, service, until, type Answer } from "./device";
import "./page";
import assert from "node:assert/strict";
import test from "node:test";
import { firstKnown, recordForm, text } from "../src/parts/form";
import { warning } from "../src/parts/notices";
import { followSaved, go, path, place } from "../src/parts/place";
import { client, drafts, record, savedId, signIn, signOut, type Row } from "../src/store";
import { closureOf, isPassing } from "../src/store/failure";
import { create } from "../src/store/pressing";
import { forgetQuestions } from "../src/store/live";
import { sendAll } from "../src/store/sending";
import { put } from "../src/store/tables";
import { scope, untracked } from "../src/view";

const gone: Answer = { error: { code: 404, message: "Introuvable.", data: { code: "not_found" } } };
let isCut = false;
/** The school that the service has; null after someone has deleted it. */
let school: Row<"ecoles"> | null = null;

service.answer = ({ method, params }) => {
  const values = params["values"] as object;
  if (method === "auth.login") {
    return { result: { access_token: "t", user: { id: 1, email: "a@exemple.fr", username: null, role: "admin" }, company: port, companies: [port] } };
  }
  if (isCut) return "lost";
  if (method === "ecoles.create") return { result: { ...values, id: 8, version: 1 } };
  if (method.startsWith("ecoles.")) return school === null ? gone : { result: school };
  return { result: {} };
};

async function begin(): Promise<void> {
  await signIn("a@exemple.fr", "secret", true);
  service.calls.length = 0;
  school = { id: Math.floor(Math.random() * 1e9) + 10, version: 3, nom: "École du Sud", ville: "Nîmes" } as Row<"ecoles">;
  put("ecoles", [school as never]);
}

/** The form of the school, as its screen shows it, and how it ended. */
function opened() {
  const done: unknown[] = [];
  const { id } = school!;
  const { value, stop } = scope(() => {
    const found = record("ecoles", id);
    const first = firstKnown("ecoles", found, `ecoles/${id}`);
    const form = recordForm<"ecoles", "nom" | "ville">({
      entity: "ecoles", sections: [{ fields: [text("nom", "Nom"), text("ville", "Ville")] }], base: untracked(first)!,
      saved: "École enregistrée", done: (row) => done.push(row.id), cancel: () => undefined,
    });
    return { form, first, found };
  });
  return { ...value, done, stop };
}

test("a form keeps what was typed when someone deletes its record, and makes a new one of it", async () => {
  await begin();
  const { form, first, found, done, stop } = opened();
  form.set("ville", "Arles");
  await found.refresh();
  assert.equal(untracked(warning), null);
  school = null;
  await found.refresh();
  assert.equal(untracked(() => found.value()), null);
  assert.equal(untracked(first)?.nom, "École du Sud");
  assert.equal(untracked(() => form.value("ville")), "Arles");
  assert.match(untracked(warning)!.text, /supprimée entre-temps/u);
  // Nobody has decided yet: what is sent would be refused.
  service.calls.length = 0;
  await form.submit();
  assert.deepEqual(service.calls.map(({ method }) => method), []);
  untracked(warning)!.action!.run();
  await until(() => done.length > 0);
  assert.deepEqual(service.of("ecoles.create").map(({ params }) => params["values"]), [{ nom: "École du Sud", ville: "Arles" }]);
  assert.deepEqual(done, [8]);
  stop();
  await signOut();
});

test("a form learns from the service that its record was deleted", async () => {
  await begin();
  const { form, done, stop } = opened();
  form.set("ville", "Arles");
  school = null;
  await form.submit();
  assert.match(untracked(warning)!.text, /supprimée entre-temps/u);
  assert.deepEqual(untracked(form.problems), []);
  assert.deepEqual(done, []);
  stop();
  // What the form said goes with it.
  assert.equal(untracked(warning), null);
  await signOut();
});

test("what was typed for a record that is gone is there after a reload", async () => {
  await begin();
  const { id } = school!;
  await drafts.set(`ecoles/${id}`, { raws: { ville: "Arles" }, base: school });
  school = null;
  await client.ecoles.get({ id }).catch(() => undefined);
  forgetQuestions();
  const { value: first, stop } = scope(() => {
    const found = record("ecoles", id);
    void found.refresh();
    return firstKnown("ecoles", found, `ecoles/${id}`);
  });
  await until(() => untracked(first)?.ville === "Nîmes");
  stop();
  await signOut();
});

test("the address of a record that was created without a network is its own once it is saved", async () => {
  await begin();
  const { stop } = scope(followSaved);
  isCut = true;
  await client.auth.me().catch(() => undefined);
  const outcome = await create("ecoles", { nom: "École du soir" });
  assert.ok(outcome.state === "queued");
  const temporary = outcome.row!.id;
  assert.ok(temporary < 0);
  await go(`/ecoles/${temporary}/modifier?vue=1`);
  assert.equal(location.pathname, `/ecoles/${temporary}/modifier`);
  isCut = false;
  await sendAll();
  await until(() => untracked(() => savedId(temporary)) === 8);
  assert.equal(location.pathname + location.search, "/ecoles/8/modifier?vue=1");
  assert.equal(untracked(place).path, "/ecoles/8/modifier");
  // The screen and what is typed there stay.
  assert.equal(untracked(path), `/ecoles/${temporary}/modifier`);
  // Digits that are no such id stay as they are.
  await go("/ecoles?q=a-1795453205384367122");
  assert.equal(location.search, "?q=a-1795453205384367122");
  // A link from before leads there, too.
  await go(`/ecoles/${temporary}`);
  assert.equal(location.pathname, "/ecoles/8");
  // What was chosen in a form before is sent with the new id.
  isCut = true;
  const session = await create("sessions", { module: "Swift", date: "2026-11-24", debut: "09:00", fin: "12:00", modalite: "P", ecole_id: temporary });
  assert.ok(session.state === "queued");
  assert.equal(session.row!.ecole_id, 8);
  isCut = false;
  stop();
  await signOut();
});

test("a draft brings back what was typed, and not the old values of what others have changed since", async () => {
  await begin();
  const id = school!.id;
  const before = opened();
  before.form.set("ville", "Arles");
  before.stop();
  // It ends without being sent, as a page that is closed.
  let draft: unknown;
  await until(() => (void drafts.get(`ecoles/${id}`).then((kept) => { draft = kept; }), draft !== undefined));
  school = { ...school!, version: 4, nom: "École du Nord" };
  put("ecoles", [school as never]);
  const after = opened();
  await until(() => untracked(after.form.restored));
  assert.deepEqual([untracked(() => after.form.value("nom")), untracked(() => after.form.value("ville"))], ["École du Nord", "Arles"]);
  service.calls.length = 0;
  await after.form.submit();
  const [sent] = service.of("ecoles.update");
  // The version is that which was typed over: the service refuses it, if another has changed the same.
  assert.deepEqual([sent?.params["values"], sent?.params["if_version"]], [{ ville: "Arles" }, 3]);
  after.stop();
  await signOut();
});

/** Leaves the school's form with another town typed, as a page that is closed, and has another person store `stored` since. */
async function left(stored: Partial<Row<"ecoles">>): Promise<void> {
  const { id } = school!;
  const before = opened();
  before.form.set("ville", "Arles");
  before.stop();
  let draft: unknown;
  await until(() => (void drafts.get(`ecoles/${id}`).then((kept) => { draft = kept; }), draft !== undefined));
  school = { ...school!, version: 4, ...stored };
  put("ecoles", [school as never]);
  service.calls.length = 0;
}

test("who begins anew after a draft has come back writes over what is stored", async () => {
  await begin();
  await left({ nom: "École du Nord" });
  const { form, stop } = opened();
  await until(() => untracked(form.restored));
  form.reset();
  form.set("nom", "École de l’Est");
  await form.submit();
  const [sent] = service.of("ecoles.update");
  assert.deepEqual([sent?.params["values"], sent?.params["if_version"]], [{ nom: "École de l’Est" }, 4]);
  stop();
  await signOut();
});

test("a draft that is what others have stored since is none", async () => {
  await begin();
  const { id } = school!;
  await left({ ville: "Arles" });
  const { form, stop } = opened();
  let draft: unknown = null;
  await until(() => (void drafts.get(`ecoles/${id}`).then((kept) => { draft = kept; }), draft === undefined));
  assert.equal(untracked(form.restored), false);
  form.set("nom", "École de l’Est");
  await form.submit();
  assert.equal(service.of("ecoles.update")[0]?.params["if_version"], 4);
  stop();
  await signOut();
});

test("a draft of a new record brings back what the form began with, too", async () => {
  await begin();
  const opening = (values: { ville?: string }) => scope(() => recordForm<"ecoles", "nom" | "ville">({
    entity: "ecoles", sections: [{ fields: [text("nom", "Nom"), text("ville", "Ville")] }], values,
    saved: "École créée", done: () => undefined, cancel: () => undefined,
  }));
  const before = opening({ ville: "Nîmes" });
  before.value.set("nom", "École du Sud");
  before.stop();
  let draft: unknown;
  await until(() => (void drafts.get("ecoles/nouveau").then((kept) => { draft = kept; }), draft !== undefined));
  const after = opening({});
  await until(() => untracked(after.value.restored));
  assert.deepEqual([untracked(() => after.value.value("nom")), untracked(() => after.value.value("ville"))], ["École du Sud", "Nîmes"]);
  after.value.abandon();
  after.stop();
  await signOut();
});

test("a company that has moved is no lasting refusal, and says where it is", async () => {
  await begin();
  const moved: Answer = {
    error: { code: 403, message: "Déménagée.", data: { code: "forbidden", reason: "moved", moved_to: "https://port.exemple.fr", request_id: "x" } },
  };
  const answer = service.answer;
  service.answer = (call) => (call.method === "ecoles.get" ? moved : answer(call));
  const error: unknown = await client.ecoles.get({ id: 8 }).catch((caught: unknown) => caught);
  service.answer = answer;
  assert.deepEqual(closureOf(error), ["moved", "https://port.exemple.fr"]);
  assert.ok(isPassing(error));
});
