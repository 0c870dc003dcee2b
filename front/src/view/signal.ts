// Values that effects follow. An effect that read a signal runs again, once, after the signal changed.

export interface Signal<T> {
  (): T;
  set(value: T): void;
  update(change: (value: T) => T): void;
}

/** What ends together: the cleanups of an effect or of a scope. */
interface Owner {
  cleanups: (() => void)[];
  readonly depth: number;
}

interface Effect extends Owner {
  run(): void;
  readonly sources: Set<Set<Effect>>;
}

let observer: Effect | null = null;
let owner: Owner | null = null;
/** The effects that run at the end of the batch, by their depth. */
let waiting: Set<Effect>[] | null = null;

export function signal<T>(value: T): Signal<T> {
  let current = value;
  const followers = new Set<Effect>();
  const read = (() => {
    if (observer !== null) {
      followers.add(observer);
      observer.sources.add(followers);
    }
    return current;
  }) as Signal<T>;
  read.set = (next) => {
    if (Object.is(next, current)) return;
    current = next;
    batch(() => followers.forEach((one) => (waiting![one.depth] ??= new Set()).add(one)));
  };
  read.update = (change) => read.set(change(current));
  return read;
}

/** Runs the effects of all changes made in `work` after it, outer effects before inner ones, each once. */
export function batch<T>(work: () => T): T {
  if (waiting !== null) return work();
  const mine: Set<Effect>[] = (waiting = []);
  try {
    return work();
  } finally {
    runAll(mine);
  }
}

function runAll(levels: readonly (Set<Effect> | undefined)[]): void {
  const failures: unknown[] = [];
  for (let rounds = 0; ; rounds++) {
    const level = levels.find((one) => one !== undefined && one.size > 0);
    if (level === undefined) break;
    const next = level.values().next().value as Effect;
    level.delete(next);
    try {
      if (rounds > 100_000) throw new Error("An effect changes what it follows without end.");
      next.run();
    } catch (failure) {
      failures.push(failure);
    }
  }
  waiting = null;
  if (failures.length > 0) throw failures[0];
}

/** Runs `work` with this owner and this observer. */
function within<T>(inner: Owner | null, reader: Effect | null, work: () => T): T {
  const before = [owner, observer] as const;
  [owner, observer] = [inner, reader];
  try {
    return work();
  } finally {
    [owner, observer] = before;
  }
}

const depthBelow = (): number => (owner === null ? 0 : owner.depth + 1);

function dispose(one: Owner): void {
  const { cleanups } = one;
  one.cleanups = [];
  for (let at = cleanups.length - 1; at >= 0; at--) cleanups[at]!();
}

/** Runs `work` now and after each change of what it read. What it returns is run before the next run and at the end. */
export function effect(work: () => void | (() => void)): () => void {
  const release = (): void => {
    dispose(self);
    self.sources.forEach((followers) => followers.delete(self));
    self.sources.clear();
  };
  const self: Effect = {
    cleanups: [], depth: depthBelow(), sources: new Set(),
    run() {
      release();
      const end = within(self, self, work);
      if (end) self.cleanups.push(end);
    },
  };
  const stop = (): void => {
    self.run = () => undefined;
    waiting?.[self.depth]?.delete(self);
    release();
  };
  owner?.cleanups.push(stop);
  self.run();
  return stop;
}

/** A value that follows others. It is computed at once and again after each change; equal results run no effect. */
export function computed<T>(compute: () => T): () => T {
  const result = signal<T>(undefined as unknown as T);
  effect(() => result.set(compute()));
  return result;
}

/** Reads signals in `work` without following them. */
export const untracked = <T>(work: () => T): T => within(owner, null, work);

/** Runs `end` when the effect or scope that is running now ends or runs again. False outside of both: it is never run. */
export function onCleanup(end: () => void): boolean {
  owner?.cleanups.push(end);
  return owner !== null;
}

/** Runs `work` with an owner of its own: only `stop`, or a failure of `work`, ends the effects made in it. */
export function scope<T>(work: () => T): { value: T; stop: () => void } {
  const self: Owner = { cleanups: [], depth: depthBelow() };
  const stop = (): void => dispose(self);
  try {
    return { value: within(self, null, work), stop };
  } catch (failure) {
    stop();
    throw failure;
  }
}
