import assert from "node:assert/strict";
import test from "node:test";
import { batch, computed, effect, onCleanup, scope, signal, untracked } from "../src/view/signal";

test("an effect runs at once and after each change of what it read", () => {
  const name = signal("a");
  const other = signal("x");
  const seen: string[] = [];
  const stop = effect(() => void seen.push(name()));
  name.set("b");
  other.set("y");
  name.set("b");
  stop();
  name.set("c");
  assert.deepEqual(seen, ["a", "b"]);
});

test("an effect follows only what its last run read", () => {
  const first = signal(true);
  const [left, right] = [signal(1), signal(10)];
  const seen: number[] = [];
  effect(() => void seen.push(first() ? left() : right()));
  right.set(11);
  first.set(false);
  left.set(2);
  right.set(12);
  assert.deepEqual(seen, [1, 11, 12]);
});

test("changes of one batch run an effect once, and a computed value that stays equal runs none", () => {
  const [a, b] = [signal(1), signal(2)];
  const sum = computed(() => a() + b());
  const seen: number[] = [];
  effect(() => void seen.push(sum()));
  batch(() => {
    a.set(2);
    b.set(1);
  });
  batch(() => {
    a.set(5);
    b.set(5);
  });
  assert.deepEqual(seen, [3, 10]);
});

test("cleanups run before the next run and at the end, the last first", () => {
  const name = signal(1);
  const seen: string[] = [];
  const stop = effect(() => {
    const value = name();
    onCleanup(() => seen.push(`first ${value}`));
    onCleanup(() => seen.push(`second ${value}`));
    return () => void seen.push(`returned ${value}`);
  });
  name.set(2);
  stop();
  assert.deepEqual(seen, ["returned 1", "second 1", "first 1", "returned 2", "second 2", "first 2"]);
});

test("an inner effect ends when the outer one runs again", () => {
  const [outer, inner] = [signal(0), signal(0)];
  let runs = 0;
  effect(() => {
    outer();
    effect(() => {
      inner();
      runs++;
    });
  });
  outer.set(1);
  runs = 0;
  inner.set(1);
  assert.equal(runs, 1);
});

test("an outer effect runs before the inner ones it ends, so that they see no value they must not", () => {
  const value = signal<{ name: string } | null>({ name: "a" });
  const seen: string[] = [];
  effect(() => {
    if (value() === null) return;
    effect(() => void seen.push(value()!.name));
  });
  value.set(null);
  assert.deepEqual(seen, ["a"]);
});

test("a scope ends its effects, and the effect around it does not", () => {
  const [outer, inner] = [signal(0), signal(0)];
  let runs = 0;
  let stop = (): void => undefined;
  effect(() => {
    if (outer() > 0) return;
    ({ stop } = scope(() => effect(() => {
      inner();
      runs++;
    })));
  });
  outer.set(1);
  inner.set(1);
  assert.equal(runs, 2);
  stop();
  inner.set(2);
  assert.equal(runs, 2);
});

test("untracked reads without following", () => {
  const name = signal(1);
  let runs = 0;
  effect(() => {
    untracked(name);
    runs++;
  });
  name.set(2);
  assert.equal(runs, 1);
});

test("an effect that fails leaves the others running", () => {
  const name = signal(1);
  const seen: number[] = [];
  effect(() => {
    if (name() === 2) throw new Error("refused");
  });
  effect(() => void seen.push(name()));
  assert.throws(() => name.set(2), /refused/);
  name.set(3);
  assert.deepEqual(seen, [1, 2, 3]);
});

test("effects that change what they follow without end are an error", () => {
  const name = signal(0);
  assert.throws(() => effect(() => name.set(name() + 1)), /without end/);
});

test("a scope whose work fails ends the effects that it had made", () => {
  const name = signal(0);
  let runs = 0;
  assert.throws(() => scope(() => {
    effect(() => {
      name();
      runs++;
    });
    throw new Error("refused");
  }), /refused/);
  name.set(1);
  assert.equal(runs, 1);
});

test("effects that never come to rest do not stop the changes that follow", () => {
  const [name, other] = [signal(0), signal(0)];
  assert.throws(() => effect(() => name.set(name() + 1)), /without end/);
  const seen: number[] = [];
  effect(() => void seen.push(other()));
  other.set(1);
  assert.deepEqual(seen, [0, 1]);
});
