// The count of a place while presses are under way.

import assert from "node:assert/strict";
import test from "node:test";
import { Tally } from "../src/parts/tally";
import type { Press } from "../src/parts/tally";

const press = (id: string, sentAt: number | null = null, isRefused = false): Press => ({ id, delta: 1, sentAt, isRefused });

test("a press counts once while its answer is lost, however often the count is asked for", () => {
  const tally = new Tally();
  assert.equal(tally.of(undefined, [], 0), undefined);
  assert.equal(tally.of({ count: 5, began: 10 }, [], 20), 5);
  assert.equal(tally.of({ count: 5, began: 10 }, [press("a")], 30), 6);
  assert.equal(tally.of({ count: 5, began: 10 }, [press("a", 40), press("b")], 40), 7);
  // The service has counted the first one, which nobody has heard.
  assert.equal(tally.of({ count: 6, began: 50 }, [press("a", 40), press("b")], 60), 7);
  assert.equal(tally.of({ count: 6, began: 30_000 }, [press("a", 40), press("b")], 30_060), 7);
  assert.equal(tally.of({ count: 6, began: 30_000 }, [press("b")], 30_100), 7);
  // Asked for before the press was answered: it may lack it, or not.
  assert.equal(tally.of({ count: 6, began: 30_050 }, [press("b")], 30_200), 7);
  assert.equal(tally.of({ count: 9, began: 30_150 }, [press("b")], 30_300), 10);
  assert.equal(tally.of({ count: 9, began: 30_150 }, [], 30_400), 10);
  assert.equal(tally.of({ count: 10, began: 30_500 }, [], 30_600), 10);
});

test("a press that is refused does not count, and one that was never sent hides no answer", () => {
  const tally = new Tally();
  tally.of({ count: 5, began: 10 }, [press("a", 15)], 20);
  assert.equal(tally.of({ count: 5, began: 10 }, [press("a", 15, true)], 30), 5);
  assert.equal(tally.of({ count: 8, began: 40 }, [press("a", 15, true), press("b")], 50), 9);
  assert.equal(tally.of({ count: 8, began: 40 }, [press("b")], 60), 9);
});

test("who presses without a pause sees after ten seconds what others have counted", () => {
  const tally = new Tally();
  tally.of({ count: 5, began: 10 }, [], 20);
  assert.equal(tally.of({ count: 50, began: 4_000 }, [press("a", 3_900)], 4_100), 6);
  assert.equal(tally.of({ count: 50, began: 9_900 }, [press("b", 9_800)], 10_000), 7);
  assert.equal(tally.of({ count: 50, began: 11_000 }, [press("c", 10_900)], 11_100), 51);
});

test("fewer than nobody is nobody", () => {
  assert.equal(new Tally().of({ count: 0, began: 1 }, [{ id: "a", delta: -1, sentAt: null, isRefused: false }], 2), 0);
});
