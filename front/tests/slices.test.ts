import assert from "node:assert/strict";
import test from "node:test";
import { firstRows, slices } from "../src/parts/slices";
import { scope, signal } from "../src/view/signal";

/** What the limit was after each slice, until nothing more follows. */
async function followed(limit: () => number): Promise<number[]> {
  const seen = [limit()];
  for (let quiet = 0; quiet < 10;) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (limit() === seen[seen.length - 1]) quiet += 1;
    else {
      seen.push(limit());
      quiet = 0;
    }
  }
  return seen;
}

// Slices grow where they are quick, so the last one is larger than what is left by more than a search takes out.
for (const count of [0, 1, firstRows, firstRows + 1, 100, 262, 500, 2_000]) {
  test(`all of ${count} rows are made, and none is taken out on the way`, async () => {
    let taken = 0;
    const { value: limit, stop } = scope(() => slices(() => count, () => { taken += 1; }));
    const seen = await followed(limit);
    stop();
    assert.equal(seen[seen.length - 1], Math.max(firstRows, count));
    assert.deepEqual(seen, [...seen].sort((one, other) => one - other));
    assert.equal(taken, 0);
  });
}

test("what a search takes out comes back in slices, and a few that go leave the others", async () => {
  const count = signal(2_000);
  let taken = 0;
  const { value: limit, stop } = scope(() => slices(count, () => { taken += 1; }));
  await followed(limit);
  count.set(3);
  assert.deepEqual([limit(), taken], [firstRows, 1]);
  count.set(2_000);
  assert.equal(limit(), firstRows);
  const seen = await followed(limit);
  assert.equal(seen[seen.length - 1], 2_000);
  assert.equal(taken, 1);
  count.set(1_990);
  assert.deepEqual([limit(), taken], [1_990, 1]);
  stop();
});

test("of a list of thousands what is near the thumb is made, and a search takes out no more than that", async () => {
  const [count, wanted] = [signal(2_000), signal(200)];
  const { value: limit, stop } = scope(() => slices(count, () => undefined, wanted));
  const seen = await followed(limit);
  assert.equal(seen[seen.length - 1], 200);
  // The thumb comes near the end.
  wanted.set(400);
  assert.equal((await followed(limit)).pop(), 400);
  count.set(3);
  assert.equal(limit(), firstRows);
  wanted.set(200);
  count.set(2_000);
  assert.equal((await followed(limit)).pop(), 200);
  stop();
});
