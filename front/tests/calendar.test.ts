// The weeks of a month, and the places of sessions in a day.

import assert from "node:assert/strict";
import test from "node:test";
import { hoursOf, lanesOf, mostLanes, shifted, shiftMonth, weekDays, weekLanes, weeksOf } from "../src/domains/crm/screens/calendrier/layout";

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

const at = (debut: string, fin: string) => ({ debut: `${debut}:00`, fin: `${fin}:00` });
const places = (...rows: [string, string][]) =>
  lanesOf(rows.map(([debut, fin]) => at(debut, fin))).map(({ from, to, lane, lanes, rows: { length } }) => [from / 60, to / 60, lane, lanes, length]);

test("sessions that overlap share the width of a day, and those after them have it for themselves", () => {
  assert.deepEqual(places(["09:00", "12:00"], ["10:00", "17:00"], ["17:00", "18:00"]), [
    [9, 12, 0, 2, 1], [10, 17, 1, 2, 1], [17, 18, 0, 1, 1],
  ]);
  // One that begins when another ends takes its lane.
  assert.deepEqual(places(["13:00", "17:00"], ["09:00", "13:00"], ["09:00", "17:00"]), [
    [9, 17, 0, 2, 1], [9, 13, 1, 2, 1], [13, 17, 1, 2, 1],
  ]);
});

test("a short session has room for a finger, and more sessions than lanes are one place that leads to all", () => {
  assert.deepEqual(places(["09:00", "09:10"]), [[9, 9.5, 0, 1, 1]]);
  const many = places(...Array.from({ length: mostLanes + 3 }, (): [string, string] => ["09:00", "17:00"]));
  assert.equal(many.length, mostLanes);
  assert.deepEqual(many[many.length - 1], [9, 17, mostLanes - 1, mostLanes, 4]);
});

test("the days of a week share the lanes that it has room for, and the fullest give way first", () => {
  const day = (count: number) => Array.from({ length: count }, () => at("09:00", "17:00"));
  const week = [5, 2, 0, 1, 3, 0, 0].map(day);
  assert.deepEqual(weekLanes(week, 14), [5, 2, 1, 1, 3, 1, 1]);
  assert.deepEqual(weekLanes(week, 11), [3, 2, 1, 1, 2, 1, 1]);
  assert.deepEqual(weekLanes(week, 3), [1, 1, 1, 1, 1, 1, 1]);
  assert.deepEqual(lanesOf(day(3), 1).map(({ lane, lanes, rows }) => [lane, lanes, rows.length]), [[0, 1, 3]]);
});

test("a week has the hours of a usual day, and those of its sessions", () => {
  assert.deepEqual(hoursOf([]), { from: 8, to: 20 });
  assert.deepEqual(hoursOf([at("06:30", "09:00"), at("18:00", "21:15")]), { from: 6, to: 22 });
});

test("a session that is moved keeps its length, and stays within its day", () => {
  assert.deepEqual(shifted(at("09:00", "12:30"), 45), { debut: "09:45", fin: "13:15" });
  assert.deepEqual(shifted(at("09:00", "12:30"), -600), { debut: "00:00", fin: "03:30" });
  assert.deepEqual(shifted(at("09:00", "22:30"), 180), { debut: "10:29", fin: "23:59" });
});
