// The count of a place while presses are under way.

import assert from "node:assert/strict";
import test from "node:test";
import { Tally } from "../src/domains/counting/parts/tally";
import type { Press } from "../src/domains/counting/parts/tally";

const press = (id: number, isSent = false, isRefused = false): Press => ({ id, delta: 1, isSent, isRefused });
const all = (): boolean => true;
const none = (): boolean => false;

test("a press counts once while its answer is lost, however often the count is asked for", () => {
  const tally = new Tally();
  assert.equal(tally.of(undefined, [], none, 0), undefined);
  assert.equal(tally.of({ count: 5, began: 10 }, [], none, 20), 5);
  assert.equal(tally.of({ count: 5, began: 10 }, [press(1)], none, 30), 6);
  assert.equal(tally.of({ count: 5, began: 10 }, [press(1, true), press(2)], none, 40), 7);
  // The service has counted the first one, which nobody has heard.
  assert.equal(tally.of({ count: 6, began: 50 }, [press(1, true), press(2)], none, 60), 7);
  assert.equal(tally.of({ count: 6, began: 30_000 }, [press(1, true), press(2)], none, 30_060), 7);
  assert.equal(tally.of({ count: 6, began: 30_000 }, [press(2)], all, 30_100), 7);
  // Asked for before the press was answered: it may lack it, or not.
  assert.equal(tally.of({ count: 5, began: 30_050 }, [press(2)], all, 30_200), 7);
  assert.equal(tally.of({ count: 9, began: 30_150 }, [press(2)], all, 30_300), 10);
  assert.equal(tally.of({ count: 9, began: 30_150 }, [], all, 30_400), 10);
  assert.equal(tally.of({ count: 10, began: 30_500 }, [], all, 30_600), 10);
});

test("an answer from before a press that is counted lacks it", () => {
  const tally = new Tally();
  tally.of({ count: 5, began: 10 }, [], none, 20);
  tally.of({ count: 5, began: 10 }, [press(1, true)], none, 20_010);
  assert.equal(tally.of({ count: 5, began: 10 }, [], all, 20_050), 6);
  assert.equal(tally.of({ count: 5, began: 20_000 }, [], all, 20_060), 6);
  assert.equal(tally.of({ count: 6, began: 20_100 }, [], all, 20_200), 6);
});

test("a press that is refused or given up does not count, and one that was never sent hides no answer", () => {
  const tally = new Tally();
  tally.of({ count: 5, began: 10 }, [press(1, true)], none, 20);
  assert.equal(tally.of({ count: 5, began: 10 }, [press(1, true, true)], none, 30), 5);
  assert.equal(tally.of({ count: 8, began: 40 }, [press(1, true, true), press(2)], none, 50), 9);
  assert.equal(tally.of({ count: 8, began: 40 }, [press(2)], none, 60), 9);
  assert.equal(tally.of({ count: 8, began: 40 }, [], none, 70), 8);
});

test("who presses without a pause sees after ten seconds what others have counted", () => {
  const tally = new Tally();
  tally.of({ count: 5, began: 10 }, [], none, 20);
  for (let at = 4_000; at <= 14_000; at += 1_000) {
    assert.equal(tally.of({ count: 50, began: at - 100 }, [press(at, true)], all, at), 6 + (at - 4_000) / 1_000);
  }
  assert.equal(tally.of({ count: 50, began: 14_900 }, [press(15_000, true)], all, 15_000), 52);
});

test("fewer than nobody is nobody", () => {
  assert.equal(new Tally().of({ count: 0, began: 1 }, [{ id: 1, delta: -1, isSent: false, isRefused: false }], none, 2), 0);
});
