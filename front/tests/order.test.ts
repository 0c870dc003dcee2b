// The order of lists that are asked of the service: numbers by their value, as in the directories.

import { port, service, until } from "./device";
import "./page";
import assert from "node:assert/strict";
import test from "node:test";
import { programmes } from "../src/domains/crm/parts/programmes";
import { prospects } from "../src/domains/crm/parts/prospects";
import { signIn } from "../src/store/account";
import { untracked } from "../src/view";

const page = (items: object[]) => ({ result: { items, has_next_page: false, end_cursor: null } });
const names = ["Lot 632", "lot 640", "Lot 64"];

service.answer = ({ method }) => {
  if (method === "auth.login") return { result: { access_token: "t", user: { id: 1, email: "a@exemple.fr", username: null, role: "admin" }, company: port, companies: [port] } };
  if (method === "prospects.list") {
    const first = { id: 9, raison_sociale: "Zinc", prochaine_relance: "2026-12-01" };
    return page([first, ...names.map((raison_sociale, id) => ({ id, raison_sociale, prochaine_relance: null }))]);
  }
  return page(names.map((intitule, id) => ({ id, intitule })));
};

test("prospects stand by their next reminder and then by name, programmes by name", async () => {
  await signIn("a@exemple.fr", "secret", true);
  const [companies, trainings] = [prospects(), programmes()];
  await Promise.all([companies.refresh(), trainings.refresh()]);
  await until(() => untracked(() => companies.value() !== undefined && trainings.value() !== undefined));
  assert.deepEqual(untracked(() => companies.value())!.map((one) => one.raison_sociale), ["Zinc", "Lot 64", "Lot 632", "lot 640"]);
  assert.deepEqual(untracked(() => trainings.value())!.map((one) => one.intitule), ["Lot 64", "Lot 632", "lot 640"]);
});
