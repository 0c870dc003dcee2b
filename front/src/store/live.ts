// What screens show of the service: painted from what is known, asked for again when it changes.

import { onCleanup, signal, untracked, type Signal } from "view";
import { failureOf, type Failure } from "./failure";
import { rest } from "./network";

export interface Live<T> {
  /** Undefined while no answer is known. */
  value(): T | undefined;
  /** `fresh` is the service's answer; `stored` is what the device knew before. */
  state(): "loading" | "fresh" | "stored" | "failed";
  /** Why the last attempt failed. */
  failure(): Failure | null;
  refresh(): Promise<void>;
}

const all = new Map<string, Question<unknown>>();
const limit = 60;

/** Something that is asked of the service. It is on screen while a component that took it is. */
export abstract class Question<T> implements Live<T> {
  private readonly isAnswered: Signal<boolean> = signal(false);
  private readonly problem: Signal<Failure | null> = signal<Failure | null>(null);
  private asking: Promise<void> | null = null;
  private users = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private failedAt = -Infinity;
  /** How often it has failed since its last answer. */
  private failures = 0;
  /** Whether what was answered may have changed since. */
  private isStale = true;

  constructor(readonly follows: ReadonlySet<string>) {}

  abstract value(): T | undefined;
  /** Asks the service and keeps the answer. */
  protected abstract ask(): Promise<void>;

  /** Whether what is known needs no question, since every change comes by the feed. */
  protected isKeptUp(): boolean {
    return false;
  }

  state(): "loading" | "fresh" | "stored" | "failed" {
    if (this.isKeptUp()) return "fresh";
    const problem = this.problem();
    if (this.isAnswered() && problem === null) return "fresh";
    if (this.value() !== undefined) return "stored";
    return problem === null ? "loading" : "failed";
  }

  failure(): Failure | null {
    return this.problem();
  }

  refresh(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.isStale = false;
    this.asking ??= this.attempt().finally(() => {
      this.asking = null;
      if (this.isStale && this.users > 0) this.changed();
    });
    return this.asking;
  }

  private async attempt(): Promise<void> {
    try {
      await this.ask();
      this.failures = 0;
      this.isAnswered.set(true);
      this.problem.set(null);
    } catch (error) {
      this.isStale = true;
      this.failures += 1;
      this.failedAt = performance.now();
      const failure = failureOf(error);
      // A further attempt that fails alike leaves the screen as it is: its button stays under the finger.
      if (untracked(this.problem)?.message !== failure.message) this.problem.set(failure);
    } finally {
      rest();
    }
  }

  /** Is on screen until the component that runs now ends. */
  use(): this {
    // A listener of an event, which no component runs, takes it for that moment.
    if (onCleanup(() => { this.users -= 1; })) this.users += 1;
    // An effect that shows a failure takes the question again, and must not ask without end.
    const isWanted = this.isStale && this.asking === null && performance.now() - this.failedAt > 5_000;
    if (isWanted && !untracked(() => this.isKeptUp())) untracked(() => void this.refresh());
    return this;
  }

  get isUsed(): boolean {
    return this.users > 0;
  }

  get hasFailed(): boolean {
    return untracked(this.problem) !== null;
  }

  /** What it answered may have changed. */
  changed(): void {
    this.isStale = true;
    if (this.users === 0 || this.asking !== null || this.timer !== undefined || untracked(() => this.isKeptUp())) return;
    // What fails is asked for again by itself, ever more rarely.
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (this.users > 0) void this.refresh();
    }, this.failures === 0 ? 150 : Math.min(30_000, 1_000 * 2 ** this.failures));
  }
}

/** The question of this name, made by `make` if there is none yet. */
export function question<Q extends Question<unknown>>(key: string, make: () => Q): Q {
  const found = all.get(key) as Q | undefined;
  const one = found ?? make();
  all.delete(key);
  all.set(key, one);
  if (all.size > limit) {
    for (const [name, old] of all) {
      if (all.size <= limit) break;
      if (!old.isUsed && old !== one) all.delete(name);
    }
  }
  return one.use();
}

/** Asks again for what shows one of these tables; without tables, for everything that is on screen. */
export function askAgain(tables?: readonly string[]): void {
  for (const one of all.values()) {
    if (tables === undefined || one.follows.size === 0 || tables.some((table) => one.follows.has(table))) one.changed();
  }
}

/** Asks again for what failed. */
export function askFailed(): void {
  for (const one of all.values()) if (one.hasFailed && one.isUsed) void one.refresh();
}

export const questions = (): Question<unknown>[] => [...all.values()];

/** Forgets the answers that are not on screen. */
export function forgetUnused(): void {
  for (const [name, one] of all) if (!one.isUsed) all.delete(name);
}

export function forgetQuestions(): void {
  all.clear();
}

class Asked<T> extends Question<T> {
  private readonly answer: Signal<T | undefined> = signal<T | undefined>(undefined);

  constructor(follows: ReadonlySet<string>, private readonly call: () => Promise<T>) {
    super(follows);
  }

  value(): T | undefined {
    return this.answer();
  }

  protected async ask(): Promise<void> {
    this.answer.set(await this.call());
  }
}

/** Another question, of whose answer a screen shows something else. */
export function mapped<T, U>(of: Live<T>, view: (value: T) => U): Live<U> {
  return {
    value: () => {
      const value = of.value();
      return value === undefined ? undefined : view(value);
    },
    state: () => of.state(), failure: () => of.failure(), refresh: () => of.refresh(),
  };
}

/**
 * Anything else that a screen reads. It is kept in memory under `key` and asked again when one of the tables in
 * `follows` changes; without tables, when any does.
 */
export function ask<T>(key: string, call: () => Promise<T>, follows: readonly string[] = []): Live<T> {
  return question(`ask ${key}`, () => new Asked(new Set(follows), call));
}
