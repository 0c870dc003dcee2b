// The weeks of a month.

import assert from "node:assert/strict";
import test from "node:test";
import { shiftMonth, weekDays, weeksOf } from "../src/screens/calendrier/layout";

test("a month has the weeks that it touches, from Monday to Sunday", () => {
  const weeks = weeksOf("2026-11");
  assert.equal(weeks.length, 6);
  assert.equal(weeks[0]![0], "2026-10-26");
  assert.equal(weeks[5]![6], "2026-12-06");
  assert.deepEqual(weeksOf("2027-02").map((week) => week[0]), ["2027-02-01", "2027-02-08", "2027-02-15", "2027-02-22"]);
});

test("a week runs over the end of a year", () => {
  assert.deepEqual(weekDays("2027-01-01"), [
    "2026-12-28", "2026-12-29", "2026-12-30", "2026-12-31", "2027-01-01", "2027-01-02", "2027-01-03",
  ]);
});

test("another month has the same day, or its last one", () => {
  assert.equal(shiftMonth("2026-01-31", 1), "2026-02-28");
  assert.equal(shiftMonth("2028-03-31", -1), "2028-02-29");
  assert.equal(shiftMonth("2026-12-15", 1), "2027-01-15");
});
