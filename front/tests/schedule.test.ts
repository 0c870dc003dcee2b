import assert from "node:assert/strict";
import test from "node:test";
import { endOfDay, expiryWords } from "../src/words/expiry";
import { durationWords, scheduleWords, soon } from "../src/words/schedule";

test("a schedule is read as people say it", () => {
  const words = {
    "daily 7:30": "Chaque jour à 7 h 30", "daily 0:05": "Chaque jour à 0 h 05", "daily 12:00": "Chaque jour à 12 h",
    "every 1": "Chaque seconde", "every 60": "Chaque minute", "every 90": "Toutes les 90 secondes", "every 300": "Toutes les 5 minutes",
    "every 3600": "Chaque heure", "every 5400": "Toutes les 90 minutes", "every 7200": "Toutes les 2 heures", "every 86400": "Chaque jour",
    "every 172800": "Tous les 2 jours",
    // What a later service may have.
    "every 0": "every 0", "monthly 1": "monthly 1",
  };
  for (const [schedule, expected] of Object.entries(words)) assert.equal(scheduleWords(schedule), expected);
});

test("the length of a run is rounded to what one cares for", () => {
  const from = "2026-11-29T06:30:00.000Z";
  const after = (seconds: number): string => durationWords(from, new Date(Date.parse(from) + seconds * 1_000).toISOString());
  assert.deepEqual([0.2, 1, 12.4, 60, 185].map(after), ["moins d’une seconde", "1 seconde", "12 secondes", "1 min", "3 min 5 s"]);
});

test("what is to come is said from the present on, in Paris", () => {
  const now = new Date("2026-11-29T17:00:00Z");
  const words = {
    "2026-11-29T16:00:00Z": "dans un instant", "2026-11-29T17:00:20Z": "dans un instant", "2026-11-29T17:05:00Z": "dans 5 min",
    "2026-11-29T20:00:00Z": "aujourd’hui à 21 h", "2026-11-29T23:30:00Z": "demain à 0 h 30", "2026-11-30T06:30:00Z": "demain à 7 h 30",
    "2026-12-01T06:30:00Z": "mardi 1er décembre 2026 à 7 h 30",
  };
  for (const [at, expected] of Object.entries(words)) assert.equal(soon(at, now), expected);
});

test("a last day ends at midnight in Paris, in winter and in summer and when the clocks change", () => {
  const ends = {
    "2026-12-31": "2026-12-31T23:00:00.000Z", "2026-07-14": "2026-07-14T22:00:00.000Z",
    "2026-03-28": "2026-03-28T23:00:00.000Z", "2026-03-29": "2026-03-29T22:00:00.000Z",
    "2026-10-24": "2026-10-24T22:00:00.000Z", "2026-10-25": "2026-10-25T23:00:00.000Z",
  };
  for (const [day, end] of Object.entries(ends)) assert.equal(endOfDay(day), end);
});

test("an expiry names the last day, or the moment that a program has given", () => {
  const now = new Date("2026-11-29T17:00:00Z");
  assert.equal(expiryWords(null, now), "sans limite de temps");
  assert.equal(expiryWords(endOfDay("2026-12-31"), now), "jusqu’au 31 déc. 2026");
  assert.equal(expiryWords("2027-01-01T00:00:00+00:00", now), "jusqu’au 1er janv. 2027, 1 h");
  assert.equal(expiryWords(endOfDay("2026-11-28"), now), "expirée depuis le 28 nov. 2026");
});
