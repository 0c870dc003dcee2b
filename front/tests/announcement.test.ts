import "./device";
import "./page";
import assert from "node:assert/strict";
import test from "node:test";
import { announcementWords } from "../src/domains/crm/screens/session/announcement";
import { failureWords } from "../src/words/failures";

test("an announcement is said to be sent when the service has sent it, and not before", () => {
  const waiting = { sent_at: null, gave_up_at: null, failures: 0, last_error: null };
  assert.equal(announcementWords(waiting), "L’annonce partira dans un instant.");
  const failed = { ...waiting, failures: 2, last_error: "the answer was 404" };
  assert.equal(announcementWords(failed), "L’annonce est en attente. Le dernier essai a échoué.");
  assert.equal(announcementWords({ ...waiting, sent_at: "2026-11-23T09:00:00Z" }), "Annonce envoyée sur Discord le 23 nov. 2026, 10 h.");
  assert.equal(announcementWords({ ...failed, gave_up_at: "2026-11-26T09:00:00Z" }), "L’annonce n’a pas pu être envoyée sur Discord.");
});

test("why a message has not left is said in French, with the answers of other servers; what has no words yet is quoted", () => {
  const said: readonly (readonly [string, object])[] = [
    ["there is no mail server: SMTP_URL is not set", { text: "Aucun serveur de messagerie n’est réglé (SMTP_URL)." }],
    ["Login denied, its reply was 535 5.7.8", { text: "Réponse du serveur de messagerie\u202f: 535 5.7.8." }],
    ["Failed sending data to the peer, its reply was 550 5.1.1", { text: "Réponse du serveur de messagerie\u202f: 550 5.1.1 (cette adresse n’existe pas)." }],
    ["Weird server reply, its reply was 421", { text: "Réponse du serveur de messagerie\u202f: 421." }],
    ["the answer was 404", { text: "Réponse du site\u202f: 404." }],
    ["Couldn't resolve host name", { text: "Le nom de ce serveur est inconnu." }],
    ["Could not resolve hostname", { text: "Le nom de ce serveur est inconnu." }],
    ["Couldn't connect to server", { text: "Aucune connexion n’est possible." }],
    ["SSL peer certificate or SSH remote key was not OK", { text: "Le certificat de ce serveur n’est pas valable." }],
    ["Failure when receiving data from the peer", { text: "La connexion a été coupée." }],
    ["its record cannot be read: statement timeout", { english: "statement timeout" }],
    ["Weird server reply", { english: "Weird server reply" }],
  ];
  for (const [noted, words] of said) assert.deepEqual(failureWords(noted), words);
});
