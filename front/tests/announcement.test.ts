import "./device";
import "./page";
import assert from "node:assert/strict";
import test from "node:test";
import { announcementWords } from "../src/screens/session/announcement";

test("an announcement is said to be sent when the service has sent it, and not before", () => {
  const waiting = { sent_at: null, gave_up_at: null, failures: 0, last_error: null };
  assert.equal(announcementWords(waiting), "L’annonce partira dans un instant.");
  const failed = { ...waiting, failures: 2, last_error: "404" };
  assert.equal(announcementWords(failed), "L’annonce est en attente. Le dernier essai a échoué\u202f: 404");
  assert.equal(announcementWords({ ...waiting, sent_at: "2026-11-23T09:00:00Z" }), "Annonce envoyée sur Discord le 23 nov. 2026, 10 h.");
  assert.equal(
    announcementWords({ ...failed, gave_up_at: "2026-11-26T09:00:00Z" }), "L’annonce n’a pas pu être envoyée sur Discord\u202f: 404");
});
