// The scale of a chart.

import assert from "node:assert/strict";
import test from "node:test";
import { top } from "../src/parts/curve";

test("the top of a scale is at or above the highest value, and its half is whole", () => {
  assert.deepEqual([0, 1, 4, 5, 7, 11, 41, 86, 102, 151].map(top), [4, 4, 4, 6, 8, 20, 50, 100, 150, 200]);
});
