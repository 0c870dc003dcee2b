import assert from "node:assert/strict";
import test from "node:test";
import * as directories from "../src/domains/crm/words/directories";
import { easter, holidays } from "../src/domains/crm/words/holidays";
import { prospectSentence, reminderSentence } from "../src/domains/crm/words/prospects";
import type { Entity } from "../src/store/declared/types";
import * as dates from "../src/words/dates";
import * as declared from "../src/words/declared";
import * as history from "../src/words/history";
import * as instants from "../src/words/instants";
import * as money from "../src/words/money";
import { corrected, nearest } from "../src/words/near";
import * as nouns from "../src/words/nouns";
import type { Noun } from "../src/words/nouns";
import * as sentences from "../src/words/sentences";
import * as weeks from "../src/words/weeks";

const entry = (table_name: string, operation: "create" | "update", actor: history.Values, after: history.Values): history.Entry => ({
  id: 1, at: "2026-11-23T10:00:00Z", table_name, row_id: 2, operation, actor, before: {}, after,
});
const claire = { id: 1, username: "Claire Martin" };

test("dates are written out in French, the first as 1er", () => {
  assert.equal(dates.longDate("2026-11-24"), "mardi 24 novembre 2026");
  assert.equal(dates.longDate("2026-11-01"), "dimanche 1er novembre 2026");
  assert.equal(dates.shortDate("2026-02-09"), "9 févr. 2026");
  assert.equal(weeks.weekOf("2026-11-29"), "semaine du 23 novembre 2026");
  assert.deepEqual(dates.dayBlock("2026-12-25"), { figure: "25", weekday: "ven.", month: "déc." });
});

test("times and lengths leave out minutes that are zero", () => {
  assert.equal(dates.times("09:00", "17:30:00"), "9\u00a0h – 17\u00a0h\u00a030");
  assert.equal(dates.length(420), "7 h");
  assert.equal(dates.length(455), "7 h 35");
  assert.equal(dates.length(425), "7 h 05");
  assert.equal(dates.length(45), "45 min");
});

test("days and months are added across years, leap days and the change of clocks", () => {
  assert.equal(dates.addDays("2026-12-31", 1), "2027-01-01");
  assert.equal(dates.addDays("2028-02-28", 1), "2028-02-29");
  assert.equal(dates.addDays("2026-03-28", 2), "2026-03-30");
  assert.equal(dates.addMonths("2026-01", -1), "2025-12");
  assert.equal(dates.addMonths("2026-11", 14), "2028-01");
  assert.equal(dates.daysOfMonth("2028-02"), 29);
  assert.equal(dates.weekday("2026-11-23"), 0);
  assert.equal(dates.weekday("1969-12-28"), 6);
});

test("today is the day of Paris, also late in the evening of another zone", () => {
  assert.equal(dates.today(new Date("2026-11-23T23:30:00Z")), "2026-11-24");
  assert.equal(dates.today(new Date("2026-07-01T21:59:00Z")), "2026-07-01");
});

test("Easter and the holidays that follow it fall on the days of the calendar", () => {
  assert.deepEqual([2024, 2025, 2026, 2027, 2038].map(easter), [
    "2024-03-31", "2025-04-20", "2026-04-05", "2027-03-28", "2038-04-25",
  ]);
  const year = holidays(2026);
  assert.equal(year.size, 11);
  assert.equal(year.get("2026-04-06"), "Lundi de Pâques");
  assert.equal(year.get("2026-05-14"), "Ascension");
  assert.equal(year.get("2026-05-25"), "Lundi de Pentecôte");
});

test("a moment is read in Paris and as a distance", () => {
  assert.equal(instants.instant("2026-11-23T08:05:00Z"), "23 nov. 2026, 9 h 05");
  const now = new Date("2026-11-23T12:00:00Z");
  assert.equal(instants.ago("2026-11-23T11:59:40Z", now), "à l’instant");
  assert.equal(instants.ago("2026-11-23T11:15:00Z", now), "il y a 45 min");
  assert.equal(instants.ago("2026-11-23T06:00:00Z", now), "il y a 6 h");
  assert.equal(instants.ago("2026-11-22T17:30:00Z", now), "hier, 18 h 30");
  assert.equal(instants.ago("2026-11-20T17:30:00Z", now), "20 nov. 2026, 18 h 30");
});

test("amounts have narrow spaces between thousands and two decimals", () => {
  assert.equal(money.euros(24625), "24\u202f625,00\u202f€");
  assert.equal(money.euros(1200.5), "1\u202f200,50\u202f€");
  assert.equal(money.euros(-1234567.891), "−1\u202f234\u202f567,89\u202f€");
  assert.equal(money.euros(-0.001), "0,00\u202f€");
  assert.equal(money.percent(42.5, 1), "42,5\u202f%");
  assert.equal(money.percent(7), "7\u202f%");
});

test("an amount is read as it was typed or pasted", () => {
  for (const text of ["1 200,50", "1200.5", "1\u202f200,50\u202f€", " 1\u00a0200,5 "]) assert.equal(money.readAmount(text), 1200.5);
  for (const text of ["", "douze", "1,2,3", "1e3", "."]) assert.equal(money.readAmount(text), undefined);
  assert.equal(money.amountText(1200.5), "1200,50");
  assert.equal(money.amountText(480), "480");
  assert.equal(money.amountText(null), "");
});

test("the sentence of a row leaves out what is unknown", () => {
  const session = { module: "SwiftUI avancé", date: "2026-01-12", debut: "09:00", fin: "17:00", modalite: "P" as const };
  assert.equal(
    sentences.sessionSentence({ ...session, formateur: { nom_complet: "Élodie Dupont" } }),
    "SwiftUI avancé, lundi 12 janvier 2026, 9 h – 17 h, Présentiel, Élodie Dupont");
  assert.equal(sentences.sessionSentence({ ...session, formateur: null }), "SwiftUI avancé, lundi 12 janvier 2026, 9 h – 17 h, Présentiel");
  assert.equal(directories.formateurSentence({ nom_complet: "Élodie Dupont", specialite: "SwiftUI", exterieur: 1 }), "Élodie Dupont, SwiftUI, Externe");
  assert.equal(directories.clientSentence({ raison_sociale: "Barreau & Fils", ville: null }), "Barreau & Fils");
});

test("a prospect and its reminder are sentences with commas", () => {
  const row = { raison_sociale: "Office de tourisme du Mont-Vert", ville: "Chambéry", montant_estime: 2600 };
  const year = dates.today().slice(0, 4);
  assert.equal(
    prospectSentence(row, "Contacté", `${year}-11-23`),
    "Office de tourisme du Mont-Vert, Chambéry, Contacté, 2\u202f600,00\u202f€, relance le 23 novembre");
  assert.equal(prospectSentence({ ...row, ville: null, montant_estime: null }, "Perdu", null), "Office de tourisme du Mont-Vert, Perdu");
  assert.equal(prospectSentence(row, "Contacté", "2031-11-01").split(", ").pop(), "relance le 1er novembre 2031");
  assert.equal(reminderSentence("Mont-Vert", "Téléphone", "Rappeler Anne", 2), "Mont-Vert, Téléphone, Rappeler Anne, 2 jours de retard");
  assert.equal(reminderSentence("Mont-Vert", null, null, 0), "Mont-Vert, aujourd’hui");
});

test("zero is singular, and large counts have spaces", () => {
  assert.deepEqual([0, 1, 2, 12500].map((number) => sentences.count(number, "session")), [
    "0 session", "1 session", "2 sessions", "12\u202f500 sessions",
  ]);
  assert.equal(sentences.count(3, "jour férié", "jours fériés"), "3 jours fériés");
});

test("initials are those that the service derives: of the first two words", () => {
  const cases = {
    "Élodie Dupont": "ÉD", "Barreau & Fils": "BF", "Atelier des Halles": "AD", "Élan Conseil": "ÉC", "élan": "É", "« Lumière »": "L",
    "- Dupont": "D", "😀 emoji": "E", "Maison d'Été et Fils": "MD", "  Hôtel   du Lac": "HD", "3 Suisses": "3S", "42": "4", "": "",
  };
  for (const [name, letters] of Object.entries(cases)) assert.equal(sentences.initials(name), letters, name);
});

test("a search ignores accents, case and the kind of apostrophe, and finds words in any order", () => {
  assert.equal(sentences.fold("  L’Œuvre  ÉTOILÉE "), "l'oeuvre etoilee");
  assert.ok(sentences.matches("dupont elo", "Élodie Dupont", "SwiftUI"));
  assert.ok(sentences.matches("d'elodie", "Cours d’Élodie"));
  assert.ok(!sentences.matches("dupont kotlin", "Élodie Dupont", "SwiftUI"));
  assert.ok(sentences.matches("", "Élodie"));
  assert.equal(directories.letter("École"), "E");
  assert.equal(directories.letter("3 Suisses"), "#");
});

test("the journal says in words of people what the service and those who keep it did", () => {
  const service = { id: null, username: "outbox:signatures.invitation", database_user: "learntrack" };
  const database = { id: null, username: null, database_user: "learntrack" };
  assert.equal(
    history.entrySentence(entry("relances", "create", database, { date: "2026-11-23" })),
    "L’administration du service a créé la relance «\u00a0lundi 23 novembre 2026\u00a0»");
  const sent = entry("signatories", "update", service, { mailed_at: "2026-11-23T10:37:42Z" });
  assert.equal(history.entryWords(sent), "Le service a envoyé le document à signer à");
  assert.deepEqual(history.changesOf(sent), []);
  assert.equal(history.entryWords(entry("signatories", "create", claire, { mailed_at: null })), "Claire Martin a demandé la signature de");
  assert.equal(
    history.entryWords(entry("signatories", "update", service, { opened_at: "2026-11-23T10:40:00Z", signed_at: "2026-11-23T10:41:00Z" })),
    "Le document à signer a été signé par");
  declared.learn([], [{ name: "counting_viewer", label: "Lecture du comptage" }]);
  assert.equal(
    history.entrySentence(entry("account_roles", "create", claire, { role: "counting_viewer", account_id: 3 })),
    "Claire Martin a créé le rôle «\u00a0Lecture du comptage\u00a0»");
  declared.learn([]);
  assert.equal(history.entryWords(entry("prospects", "update", claire, { etape: "gagne" })), "Claire Martin a modifié le prospect");
});

test("an entry leads to the screen of its record, of its prospect or of its session", () => {
  const words = history.tableWords;
  assert.equal(words("prospects")!.href!({ id: 6 }), "/prospects/6");
  const reminder = { id: 4, date: "2026-11-23", prospect: { id: 6, raison_sociale: "Ker Avel" } };
  assert.equal(words("relances")!.href!(reminder), "/prospects/6");
  assert.equal(words("relances")!.name!(reminder), "Ker Avel, lundi 23 novembre 2026");
  const signature = { name: "Convention.pdf", method: "sessions.convention", params: { id: 12 } };
  assert.equal(words("signatures")!.href!({ id: 1, ...signature }), "/sessions/12");
  assert.equal(words("signatories")!.href!({ id: 2, name: "Enzo", signature }), "/sessions/12");
  assert.equal(words("signatures")!.href!({ id: 1, name: "Bon", method: "autre.chose", params: { id: 12 } }), null);
});

test("what a domain declares has words in the journal", () => {
  const book: Entity = {
    name: "books", singular: "livre", plural: "livres", feminine: false, title: ["title"], derived: [], relations: [], order: [], methods: ["create", "history"], journal: true,
    columns: [
      { name: "title", label: "Titre", type: "text" }, { name: "price", label: "Prix hors taxes", type: "decimal", scale: 2 },
      { name: "kind", label: "Genre", type: "choice", choices: [{ value: "novel", label: "Roman" }] },
    ],
  };
  const before = history.entryWords(entry("books", "update", claire, { price: 9 }));
  // Its reader may not read it: the name of the table is no word.
  assert.equal(before, "Claire Martin a modifié une fiche");
  assert.equal(history.entrySentence(entry("plots", "create", claire, { name: "Nord" })), "Claire Martin a créé une fiche");
  assert.equal(history.entrySentence({ ...entry("plots", "create", claire, {}), operation: "truncate" }), "Claire Martin a vidé une liste");
  declared.learn([{ name: "bookshop", label: "Librairie", entities: [book], commands: [] }]);
  const change = { ...entry("books", "update", claire, { kind: "novel", price: 9 }), before: { kind: null, price: 8.5 } };
  assert.equal(history.entrySentence(entry("books", "create", claire, { title: "Germinal" })), "Claire Martin a créé le livre «\u00a0Germinal\u00a0»");
  assert.deepEqual(history.changesOf(change).map((one) => history.changeWords(one)), [
    "Prix hors taxes\u202f: 8,50 → 9,00", "Genre\u202f: vide → Roman",
  ]);
  assert.equal(history.tableWords("books")!.href!({ id: 7 }), "/bookshop/books/7");
  assert.deepEqual(declared.learntTables().map(({ name }) => name), ["books"]);
  // The journal has what the service says: neither jobs nor what is sent.
  const { journal: _, ...other } = book;
  declared.learn([{ name: "bookshop", label: "Librairie", entities: [book, { ...other, name: "snapshots" }], commands: [] }]);
  assert.deepEqual(declared.learntTables().map(({ name }) => name), ["books"]);
  declared.learn([], [{ name: "bookshop_reader", label: "Lecteur", subject: "readers" }]);
  assert.equal(declared.learntRole("bookshop_reader")?.subject, "readers");
  declared.learn([]);
});

test("the names of columns and their order are those of the declaration, also of LearnTrack’s own tables", () => {
  const columns = [["debut", "Début"], ["fin", "Fin"], ["tarif_client", "Tarif client"]].map(([name, label]) => ({ name: name!, label: label!, type: "text" as const }));
  const sessions: Entity = {
    name: "sessions", singular: "session", plural: "sessions", feminine: true, title: ["module"], columns, derived: [], relations: [], order: [], methods: ["history"],
  };
  const labels = (): string[] => {
    const one = { ...entry("sessions", "update", claire, { tarif_client: 900, fin: "17:00", debut: "09:00" }), before: {} };
    return history.changesOf(one).map(({ label }) => label);
  };
  assert.deepEqual(labels(), ["Tarif client", "Fin", "Debut"], "as they are called, while nothing is declared");
  declared.learn([{ name: "crm", label: "Formations", entities: [sessions], commands: [] }]);
  assert.deepEqual(labels(), ["Début", "Fin", "Tarif client"]);
  declared.learn([]);
});

test("nouns agree with their gender, and elide", () => {
  const noun = (singular: string, feminine: boolean): Noun => ({ singular, plural: `${singular}s`, feminine });
  const all = (one: Noun): string[] => [nouns.newOne(one), nouns.the(one), nouns.ofThe(one), nouns.this_(one), nouns.none(one), nouns.done(one, "supprimé")];
  assert.deepEqual(all(noun("livre", false)), ["Nouveau livre", "le livre", "du livre", "ce livre", "Aucun livre", "Livre supprimé"]);
  assert.deepEqual(all(noun("auteur", false)), ["Nouvel auteur", "l’auteur", "de l’auteur", "cet auteur", "Aucun auteur", "Auteur supprimé"]);
  assert.deepEqual(all(noun("étagère", true)), ["Nouvelle étagère", "l’étagère", "de l’étagère", "cette étagère", "Aucune étagère", "Étagère supprimée"]);
  assert.deepEqual(all(noun("page", true)).slice(1, 3), ["la page", "de la page"]);
});

test("of what there is one at most, the name is that of the record, which may be a plural", () => {
  const settings: Noun = { singular: "réglages", plural: "réglages", feminine: false, single: true };
  const house: Noun = { singular: "organisation", plural: "organisations", feminine: true, single: true };
  const all = (one: Noun): string[] =>
    [nouns.listName(one), nouns.the(one), nouns.ofThe(one), nouns.done(one, "enregistré"), nouns.notYet(one), nouns.isMissing(one)];
  assert.deepEqual(all(settings), [
    "Réglages", "les réglages", "des réglages", "Réglages enregistrés", "Les réglages n’existent pas encore.",
    "Ces réglages n’existent pas, ou ont été supprimés.",
  ]);
  assert.deepEqual(all(house), [
    "Organisation", "l’organisation", "de l’organisation", "Organisation enregistrée", "L’organisation n’existe pas encore.",
    "Cette organisation n’existe pas, ou a été supprimée.",
  ]);
  // A word that is the same in both numbers is a singular where there are several.
  assert.equal(nouns.the({ singular: "prix", plural: "prix", feminine: false }), "le prix");
});

test("the journal names no record of which there is one, and leads to the address that it has", () => {
  const settings: Entity = {
    name: "settings", singular: "réglages", plural: "réglages", feminine: false, single: true, title: ["shop_name"], columns: [], derived: [],
    relations: [], order: [], methods: ["get", "list", "update", "history"],
  };
  declared.learn([{ name: "bookshop", label: "Librairie", entities: [settings], commands: [] }]);
  const words = history.tableWords("settings")!;
  assert.deepEqual([words.one, words.all, words.href!({ id: 3 })], ["les réglages", "Réglages", "/bookshop/settings"]);
  assert.equal(history.entrySentence(entry("settings", "update", claire, { shop_name: "Le Port" })), "Claire Martin a modifié les réglages");
  declared.learn([{ name: "bookshop", label: "Librairie", entities: [{ ...settings, methods: ["get"] }], commands: [] }]);
  assert.equal(history.tableWords("settings")!.href!({ id: 3 }), "/bookshop/settings/3", "who may not list it needs its number");
  declared.learn([]);
});

test("names are ordered by letters, then by the first name, and numbers by their value", () => {
  const sorted = (names: string[]): string[] => [...names].sort(sentences.compareNames);
  assert.deepEqual(sorted(["École 632", "École 64", "École 640"]), ["École 64", "École 632", "École 640"]);
  const names = ["BENALI\nKarim", "Benali\nZoé", "Bénali\nBob", "BENALI\nAnna", "Benali-Roy\nAl", "Benali\nAmine"];
  const order = ["Benali\nAmine", "BENALI\nAnna", "Bénali\nBob", "BENALI\nKarim", "Benali\nZoé", "Benali-Roy\nAl"];
  assert.deepEqual(sorted(names), order);
  assert.deepEqual(sorted(names.reverse()), order);
  assert.deepEqual(sorted(["BENALI", "Benali"]), sorted(["Benali", "BENALI"]));
});

test("what happened to a file is said in words, and not by its number", () => {
  const words = (before: unknown, after: unknown): string => history.changeWords({ column: "logo", label: "Logo", before, after });
  assert.deepEqual([words(null, 2), words(1, 2), words(2, null)], ["Logo ajouté", "Logo remplacé", "Logo retiré"]);
  assert.equal(history.changeWords({ column: "ville", label: "Ville", before: "Nîmes", after: null }), "Ville\u202f: Nîmes → vide");
});

test("a search finds a telephone number as it is typed", () => {
  const words = sentences.phoneWords("tel:+33612340536");
  for (const typed of ["0536", "05 36", "0612340536", "06 12 34 05 36", "06.12.34", "+33612340536"]) assert.ok(sentences.matches(typed, words), typed);
  assert.ok(!sentences.matches("0537", words));
  assert.ok(sentences.matches("0262", sentences.phoneWords("tel:+262262123456")));
  assert.ok(sentences.matches("+4420", sentences.phoneWords("tel:+442079460958")));
  assert.equal(sentences.phoneWords(null), "");
});

test("a search takes Saint and St, Sainte and Ste for one word, also before a hyphen, and finds what it found before", () => {
  const found = (typed: string, text: string): void => {
    assert.ok(sentences.matches(typed, text) && sentences.finder(typed)(sentences.fold(text)), `${typed}: ${text}`);
  };
  for (const text of ["Mairie de Saint-Denis", "Mairie de St-Denis", "St. Denis", "Saint Denis"]) {
    for (const typed of ["st denis", "St-Denis", "st. denis", "saint denis", "saint-denis", "Saint-Den"]) found(typed, text);
  }
  for (const text of ["Lycée Sainte-Anne", "Lycée Ste Anne"]) for (const typed of ["ste anne", "ste-anne", "sainte anne", "Sainte-An"]) found(typed, text);
  found("st", "Strasbourg");
  found("st den", "Stéphane Denis");
  assert.ok(!sentences.matches("saint", "Strasbourg"));
  assert.ok(!sentences.matches("ste anne", "Saint-Anne"));
  assert.ok(!sentences.matches("st-denis", "Saint-Étienne"));
});

test("what resembles a search is found, the nearest first", () => {
  const names = ["Garage du Nord", "García & Fils", "Transports Martin", "Élodie Dupont", "L’Étoile-du-Sud"];
  const near = (search: string): string[] => nearest(search, names, sentences.fold);
  const cases: [string, string | undefined][] = [
    ["garcai", "García & Fils"], ["tranports", "Transports Martin"], ["matrin", "Transports Martin"], ["dupnot", "Élodie Dupont"],
    ["elodei dupon", "Élodie Dupont"], ["tranpo", "Transports Martin"], ["etiole", "L’Étoile-du-Sud"],
    ["xylophone", undefined], ["du xylophone", undefined], ["zz", undefined],
  ];
  for (const [typed, found] of cases) assert.equal(near(typed)[0], found, typed);
});

test("of what resembles a search, words of its length are nearest, and equally near rows keep their order", () => {
  const schools = ["École de Lilebonne", "École des Lilas", "École de Lille", "Lycée de l’Île, école"];
  assert.equal(nearest("ecole de lile", schools, sentences.fold)[0], "École de Lille");
  const firms = ["Transports Roux", "Transports Albert", "Transporteurs Roux"];
  assert.deepEqual(nearest("tranports", firms, sentences.fold), firms);
});

test("a search is corrected in the words of what resembles it", () => {
  assert.equal(corrected("tranports", "transports garcia lyon"), "transports");
  assert.equal(corrected("Tranpsorts garc", "transports garcia"), "transports garc");
  assert.equal(corrected("ecole de lile", "ecole de lille"), "ecole de lille");
});

test("a search of digits finds a telephone number however its digits are grouped", () => {
  const text = sentences.fold(`Garage 3 14 ${sentences.phoneWords("tel:+33536123405")}`);
  for (const typed of ["0536", "05 36", "05.36", "+33536", "+33 5 36", "0033536", "00 33 5 36", "36 12 34", "3 14"]) {
    assert.ok(sentences.finder(typed)(text), typed);
  }
  for (const typed of ["05 12", "0034", "34 36", "garage 05 12"]) assert.ok(!sentences.finder(typed)(text) || typed.startsWith("garage"), typed);
});
