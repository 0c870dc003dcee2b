import assert from "node:assert/strict";
import test from "node:test";
import { contains, entryOf, joined, keptDays, missingDays } from "../src/store/days";
import { added } from "../src/store/folding";
import { comparison, daysOf, keyOf, matcher, request } from "../src/store/match";
import { named, overlaid, twins } from "../src/store/overlay";
import { tables, type AnyRow, type Entity, type SessionRow, type Values } from "../src/store/rows";
import { statusWords } from "../src/store/status";
import {
  abandoned, awaited, callOf, changed, executed, isTooOld, merged, nextOf, type QueuedWrite,
} from "../src/store/writes";

let count = 0;

function write(
  kind: QueuedWrite["kind"], entity: Entity, recordId: number, values: Values = {}, rest: Partial<QueuedWrite> = {},
): QueuedWrite {
  count += 1;
  const base = kind === "create" ? null : { id: recordId, version: recordId < 0 ? 0 : 3 };
  const fixed = { id: `w${count}`, key: `k${count}`, at: count, sentAt: null, problem: null };
  return { ...fixed, entity, kind, recordId, values, base, ...rest };
}

const kinds = (writes: readonly QueuedWrite[]): string[] => writes.map((one) => `${one.kind} ${one.entity} ${one.recordId}`);
const row = (id: number, version: number, values: Values = {}): AnyRow => ({ ...values, id, version });

test("a change becomes part of a creation that was never sent, under its key", () => {
  const creation = write("create", "clients", -1, { raison_sociale: "Atelier", ville: "Nîmes" });
  const writes = added([creation], write("update", "clients", -1, { ville: "Arles" }));
  assert.equal(writes.length, 1);
  assert.deepEqual(writes[0], { ...creation, values: { raison_sociale: "Atelier", ville: "Arles" } });
});

test("a change waits behind a creation that may have been executed", () => {
  const creation = write("create", "clients", -1, { raison_sociale: "Atelier" }, { sentAt: 5 });
  const writes = added([creation], write("update", "clients", -1, { ville: "Arles" }));
  assert.deepEqual(kinds(writes), ["create clients -1", "update clients -1"]);
  assert.equal(writes[0], creation);
});

test("a deletion takes back a creation that was never sent, unless another record needs it", () => {
  const creation = write("create", "clients", -1);
  assert.deepEqual(added([creation], write("delete", "clients", -1)), []);
  const both = [creation, write("create", "sessions", -2, { client_id: -1 })];
  assert.deepEqual(kinds(added(both, write("delete", "clients", -1))), [
    "create clients -1", "create sessions -2", "delete clients -1",
  ]);
});

test("a creation does not come to refer to a record that is created after it", () => {
  const writes = [write("create", "sessions", -1, { module: "Swift" }), write("create", "clients", -2)];
  assert.deepEqual(kinds(added(writes, write("update", "sessions", -1, { client_id: -2 }))), [
    "create sessions -1", "create clients -2", "update sessions -1",
  ]);
});

test("the ids of saved records replace temporary ones in everything that waits", () => {
  const client = write("create", "clients", -1);
  const session = write("create", "sessions", -2, { module: "Swift", client_id: -1, formateur_id: -1 });
  const change = write("update", "clients", -1, { ville: "Arles" });
  const rest = executed([client, session, change], client, row(40, 1));
  assert.deepEqual(kinds(rest), ["create sessions -2", "update clients 40"]);
  assert.deepEqual(rest[0]!.values, { module: "Swift", client_id: 40, formateur_id: -1 });
  assert.deepEqual(callOf(rest[1]!).params, {
    idempotency_key: change.key, id: 40, values: { ville: "Arles" }, if_version: 1,
  });
});

test("a write that waits behind another of the same record expects the version that it left", () => {
  const first = write("update", "ecoles", 7, { ville: "Arles" });
  const second = write("delete", "ecoles", 7);
  const rest = executed([first, second], first, row(7, 4));
  assert.equal(callOf(rest[0]!).params["if_version"], 4);
});

test("a write that waits behind another does not overwrite what others have changed meanwhile", () => {
  const base = row(7, 3, { ville: "Nîmes", rue: null, telephone: "01" });
  const first = write("update", "ecoles", 7, { ville: "Arles", telephone: "02" }, { base });
  const second = write("update", "ecoles", 7, { rue: "1 rue X", telephone: "03" }, { base: { ...base, ville: "Arles", telephone: "02" } });
  const expects = (left: AnyRow): unknown => callOf(executed([first, second], first, left)[0]!).params["if_version"];
  // The service writes the number of the first in its own way.
  assert.equal(expects(row(7, 5, { ville: "Arles", rue: null, telephone: "+33 2" })), 5);
  assert.equal(expects(row(7, 5, { ville: "Arles", rue: "9 quai Y", telephone: "+33 2" })), 3);
});

test("writes are sent in order, and those that need a refused one wait", () => {
  const refused = write("create", "clients", -1, {}, { problem: { kind: "expired" } });
  const session = write("create", "sessions", -2, { client_id: -1 });
  const other = write("update", "ecoles", 7, { ville: "Arles" });
  assert.equal(nextOf([refused, session, other]), other);
  assert.equal(nextOf([refused, session]), null);
  assert.equal(nextOf([session, other]), session);
});

test("giving up a creation gives up its changes, and what refers to it needs a correction", () => {
  const client = write("create", "clients", -1, {}, { problem: { kind: "expired" } });
  const change = write("update", "clients", -1, { ville: "Arles" });
  const session = write("create", "sessions", -2, { client_id: -1 });
  const rest = abandoned([client, change, session], client.id);
  assert.deepEqual(kinds(rest), ["create sessions -2"]);
  assert.deepEqual(rest[0]!.problem, { kind: "orphaned", entity: "clients" });
  assert.deepEqual(kinds(abandoned([client, session], session.id)), ["create clients -1"]);
});

test("a key is not repeated when the service may have forgotten it", () => {
  const [day, hour] = [23 * 3_600_000, 3_600_000];
  const sent = write("create", "clients", -1, {}, { at: 0, sentAt: 50 * hour });
  assert.equal(isTooOld(sent, 50 * hour + day), false);
  assert.equal(isTooOld(sent, 50 * hour + day + 1), true);
  assert.equal(isTooOld({ ...sent, sentAt: null }, 90 * hour), false);
  // The clock of the device was set back: how long ago it was sent is not known.
  assert.equal(isTooOld(sent, 49 * hour), true);
  assert.equal(isTooOld(sent, 50 * hour - 60_000), false);
});

test("a correction keeps the place of the write", () => {
  const writes = [write("update", "ecoles", 7), write("update", "ecoles", 8)];
  const next = changed(writes, writes[0]!, { key: "new" });
  assert.deepEqual(next.map((one) => one.key), ["new", writes[1]!.key]);
});

test("what the answer to one key says does not change the write that replaced it", () => {
  const first = write("update", "ecoles", 7);
  const again = { ...first, key: "new" };
  assert.deepEqual(changed([again], first, { problem: { kind: "expired" } }), [again]);
});

test("what only one side changed is merged, and the same change of both is no conflict", () => {
  const base = { module: "Swift", debut: "09:00:00", lieu: null, tarif_client: 900 };
  const current = { module: "SwiftUI", debut: "10:00:00", lieu: null, tarif_client: 900, version: 4 };
  assert.deepEqual(merged(base, { tarif_client: 950, debut: "10:00" }, current), {
    changes: { tarif_client: 950 }, conflicts: [],
  });
  assert.deepEqual(merged(base, { module: "Swift 6", lieu: "Nîmes" }, current), {
    changes: { module: "Swift 6", lieu: "Nîmes" }, conflicts: ["module"],
  });
});

test("records are shown as the writes that wait will leave them", () => {
  const before = new Map([[7, row(7, 3, { nom: "Sud", ville: "Nîmes" })], [8, row(8, 1, { nom: "Nord" })]]);
  const writes = [
    write("update", "ecoles", 7, { ville: "Arles" }), write("delete", "ecoles", 8),
    write("create", "ecoles", -1, { nom: "École du soir", rue: "1 rue X", code_postal: "13200", ville: "Arles" }),
    write("update", "ecoles", 7, { nom: "Non" }, { problem: { kind: "expired" } }),
  ];
  const after = overlaid("ecoles", before, writes);
  assert.deepEqual([...after.keys()], [7, -1]);
  assert.equal(after.get(7)!["ville"], "Arles");
  assert.equal(after.get(7)!["nom"], "Sud");
  assert.equal(after.get(-1)!["initiales"], "ÉD");
  assert.equal(after.get(-1)!["telephone"], null);
  assert.equal(overlaid("clients", before, writes), before);
});

test("what the service derives is not guessed: neither the number to dial, nor the address, nor figures", () => {
  const known = row(7, 3, {
    raison_sociale: "Atelier", telephone: "0262 12 34 56", telephone_uri: "tel:+262262123456", rue: "1 rue X", ville: "Nîmes", adresse: "1 rue X, Nîmes",
  });
  const derived = (values: Values): unknown[] => {
    const after = overlaid("clients", new Map([[7, known]]), [write("update", "clients", 7, values)]).get(7)!;
    return [after["telephone_uri"], after["adresse"]];
  };
  assert.deepEqual(derived({ telephone: "0692 12 34 56" }), [null, "1 rue X, Nîmes"]);
  assert.deepEqual(derived({ telephone: "0262 12 34 56", ville: "Arles" }), ["tel:+262262123456", null]);
  assert.deepEqual(derived({ email: "a@b.fr" }), ["tel:+262262123456", "1 rue X, Nîmes"]);
  const made = overlaid("formateurs", new Map(), [write("create", "formateurs", -1, { prenom: "Ana", nom: "« Bé »", telephone: "0690 12 34 56" })]).get(-1)!;
  assert.deepEqual([made["telephone_uri"], made["adresse"], made["initiales"]], [null, null, "AB"]);
  const session = row(3, 1, { debut: "09:00:00", fin: "12:00:00", duree_minutes: 180, tarif_client: 900, marge: 500 });
  const moved = overlaid("sessions", new Map([[3, session]]), [write("update", "sessions", 3, { debut: "09:00", fin: "13:00", tarif_client: 900 })]).get(3)!;
  assert.deepEqual([moved["duree_minutes"], moved["marge"], moved["fin"]], [null, 500, "13:00:00"]);
});

test("a session that waits has its hours and the names of the directories", () => {
  const writes = [write("create", "sessions", -1, {
    module: "Swift", date: "2026-11-24", debut: "09:00", fin: "12:30", modalite: "D", tarif_client: 900.1,
    tarif_sous_traitant: 400, client_id: 4,
  })];
  const clients = new Map([[4, row(4, 1, { raison_sociale: "Atelier" })]]);
  const rows = named(
    overlaid("sessions", new Map(), writes), tables.get("sessions")!.relations, ...["formateurs", "clients", "ecoles"].map((name) => (name === "clients" ? clients : new Map())));
  const found = rows.get(-1)!;
  const derived = ["debut", "duree_minutes", "marge", "lieu"].map((column) => found[column]);
  assert.deepEqual(derived, ["09:00:00", null, null, null]);
  assert.deepEqual(found["client"], { id: 4, raison_sociale: "Atelier" });
  assert.equal(found["formateur"], null);
});

test("a creation whose answer was lost is left out of lists when its record is known", () => {
  const sentAt = Date.parse("2026-11-24T10:00:00Z");
  const creation = write("create", "sessions", -1, { module: "Swift", debut: "09:00" }, { sentAt });
  const known = (created_at: string): ReadonlyMap<number, AnyRow> =>
    new Map([[9, row(9, 1, { module: "Swift", debut: "09:00:00", created_at })]]);
  const at = "2026-11-24T10:00:01.5+00:00";
  assert.deepEqual([...twins("sessions", known(at), [creation])], [-1]);
  assert.deepEqual([...twins("sessions", known("2026-11-24T09:00:00+00:00"), [creation])], []);
  assert.deepEqual([...twins("sessions", known(at), [{ ...creation, sentAt: null }])], []);
  assert.deepEqual([...twins("sessions", known(at), [{ ...creation, values: { module: "Kotlin" } }])], []);
});

test("a new copy begins with the month on the screen, and one that is there is completed at its ends", () => {
  const wanted = { from: "2026-09-24", to: "2027-05-22" };
  const whole = missingDays(null, wanted, "2026-11-23");
  assert.deepEqual(whole, [
    { from: "2026-11-01", to: "2026-11-30" }, { from: "2026-11-30", to: "2027-05-22" }, { from: "2026-09-24", to: "2026-11-01" },
  ]);
  assert.deepEqual(whole.reduce<ReturnType<typeof joined> | null>((known, part) => joined(known, part), null), wanted);
  assert.deepEqual(missingDays({ from: "2026-09-23", to: "2027-05-21" }, wanted, "2026-11-23"), [{ from: "2027-05-21", to: "2027-05-22" }]);
  assert.deepEqual(missingDays({ from: "2026-11-01", to: "2026-11-30" }, wanted, "2026-11-23"), whole.slice(1));
  assert.deepEqual(missingDays({ from: "2025-01-01", to: "2025-06-30" }, wanted, "2026-11-23"), whole);
});

function session(values: Partial<SessionRow>): SessionRow {
  return {
    id: 1, module: "SwiftUI avancé", date: "2026-11-24", debut: "09:00:00", fin: "17:00:00", modalite: "P", lieu: null,
    formateur_id: 3, client_id: null, ecole_id: null, ref_contrat: null,
    formateur: { id: 3, nom_complet: "Élodie Dupont" }, client: null, ecole: null, ...values,
  } as SessionRow;
}

test("a filter takes the sessions that the service takes", () => {
  const takes = (filter: Parameters<typeof matcher>[0]): boolean => matcher(filter)(session({}));
  assert.equal(takes({ mois: "2026-11" }), true);
  assert.equal(takes({ mois: "2026-12" }), false);
  assert.equal(takes({ du: "2026-11-24", au: "2026-11-24" }), true);
  assert.equal(takes({ au: "2026-11-23" }), false);
  assert.equal(takes({ search: "elodie SWIFT" }), true);
  assert.equal(takes({ search: "elodie kotlin" }), false);
  assert.equal(takes({ formateur_id: 3, modalite: "P" }), true);
  assert.equal(takes({ client_id: 3 }), false);
});

test("a month ends on its last day, in leap years too", () => {
  assert.deepEqual(daysOf({ mois: "2028-02" }), { from: "2028-02-01", to: "2028-02-29" });
  assert.equal(daysOf({}), null);
});

test("a month is asked for upwards, all months downwards", () => {
  assert.deepEqual(request({ mois: "2026-11", modalite: "D", search: " " }), {
    where: { date: { gte: "2026-11-01", lte: "2026-11-30" }, modalite: "D" }, search: null, order_by: ["date", "debut"],
  });
  assert.deepEqual(request({ search: "swift" }), { where: {}, search: "swift", order_by: ["-date", "debut"] });
  const rows = [
    session({ id: 1, date: "2026-11-02" }), session({ id: 2, date: "2026-11-03", debut: "14:00:00" }),
    session({ id: 3, date: "2026-11-03" }),
  ];
  assert.deepEqual([...rows].sort(comparison({ mois: "2026-11" })).map((one) => one.id), [1, 3, 2]);
  assert.deepEqual([...rows].sort(comparison({})).map((one) => one.id), [3, 2, 1]);
});

test("equal filters share their answer", () => {
  assert.equal(keyOf({ search: "Élodie ", mois: null }), keyOf({ search: "elodie" }));
  assert.notEqual(keyOf({ mois: "2026-11" }), keyOf({ mois: "2026-12" }));
});

test("the device keeps sixty days back and a hundred and eighty ahead, by months", () => {
  const days = keptDays("2026-11-23");
  assert.deepEqual(days, { from: "2026-09-24", to: "2027-05-22" });
  assert.equal(contains(days, daysOf({ mois: "2026-11" })), true);
  assert.equal(contains(days, daysOf({ mois: "2026-09" })), false);
  assert.equal(contains(days, daysOf({})), false);
  assert.equal(entryOf("sessions", row(1, 1, { date: "2026-11-24" }), days), "sessions/2026-11");
  assert.equal(entryOf("sessions", row(1, 1, { date: "2026-09-23" }), days), null);
  assert.equal(entryOf("clients", row(700, 1), days), "clients/2");
});

test("a write that waits for another one names the first of them, and one whose turn it is names none", () => {
  const [client, session] = [write("create", "clients", -1), write("create", "sessions", -2, { client_id: -1 })];
  const later = write("update", "sessions", -2, { lieu: "Nîmes" });
  const writes = [client, write("create", "clients", -3), session, later];
  assert.deepEqual(writes.map((one) => awaited(writes, one)), [null, null, client, session]);
  assert.equal(awaited([session], session), null);
  assert.equal(nextOf([{ ...client, problem: { kind: "expired" } }, session]), null);
});

test("the status says what is not yet at the service", () => {
  const calm = { isOnline: true, isUnavailable: false, isSending: false, waiting: 0, refused: 0, isCopying: false };
  assert.equal(statusWords(calm), "À jour");
  assert.equal(statusWords({ ...calm, isCopying: true }), "Copie hors connexion en cours");
  assert.equal(statusWords({ ...calm, isCopying: true, waiting: 1 }), "1 modification en attente · Copie hors connexion en cours");
  assert.equal(statusWords({ ...calm, isCopying: true, isOnline: false }), "Hors connexion");
  assert.equal(statusWords({ ...calm, isOnline: false, waiting: 2 }), "Hors connexion · 2 modifications en attente");
  assert.equal(statusWords({ ...calm, isSending: true, waiting: 1, refused: 1 }), "Envoi… · 1 modification à corriger");
  assert.equal(statusWords({ ...calm, isUnavailable: true, waiting: 1 }), "Service indisponible · 1 modification en attente");
  assert.equal(statusWords({ ...calm, waiting: 1 }), "1 modification en attente");
});
