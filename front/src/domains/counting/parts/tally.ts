// The count of a place with what was pressed here. An answer of the service may have a press whose own answer is lost or under way.

export interface Counted {
  readonly count: number;
  /** When the answer was asked for, by `performance.now()`. */
  readonly began: number;
}

export interface Press {
  readonly id: number;
  readonly delta: number;
  readonly isSent: boolean;
  readonly isRefused: boolean;
}

/** The milliseconds for which answers wait while presses are answered: who presses without a pause always has one under way. */
const patience = 10_000;
/** The milliseconds that the answer to a press may take before it counts as lost. */
const answered = 2_000;

/** Counts each press once: an answer is taken when it surely has all that was sent before it; others wait for a later one. */
export class Tally {
  private answer: Counted | null = null;
  /** Since when no answer could be taken, although the service answers presses. */
  private deferredSince: number | null = null;
  /** What waits, and since when it is under way; null: it was not sent. */
  private waiting: readonly { readonly id: number; readonly delta: number; readonly since: number | null }[] = [];
  /** What the service has counted since the answer that was taken. */
  private counted: readonly { readonly delta: number; readonly at: number }[] = [];

  /**
   * What is shown; undefined before the first answer.
   *
   * @param wasCounted whether a press that does not wait any more was executed. Others were given up.
   */
  of(answer: Counted | undefined, presses: readonly Press[], wasCounted: (id: number) => boolean, now: number): number | undefined {
    const ended = this.waiting.filter((one) => !presses.some(({ id }) => id === one.id) && wasCounted(one.id));
    this.counted = [...this.counted, ...ended.map(({ delta }) => ({ delta, at: now }))];
    if (ended.some(({ since }) => isLost(since, now))) this.deferredSince = null;
    this.waiting = presses.filter(({ isRefused }) => !isRefused).map(({ id, delta, isSent }) => {
      const since = this.waiting.find((one) => one.id === id)?.since ?? now;
      return { id, delta, since: isSent ? since : null };
    });
    if (answer !== undefined && answer.began > (this.answer?.began ?? -Infinity)) {
      if (this.mayTake(answer, now)) {
        this.answer = answer;
        this.deferredSince = null;
        this.counted = this.counted.filter(({ at }) => at >= answer.began);
      } else {
        this.deferredSince ??= now;
      }
    }
    if (this.answer === null) return undefined;
    return Math.max(0, [...this.counted, ...this.waiting].reduce((sum, { delta }) => sum + delta, this.answer.count));
  }

  private mayTake({ began }: Counted, now: number): boolean {
    if (this.answer === null) return true;
    const isSure = this.waiting.every(({ since }) => since === null) && this.counted.every(({ at }) => at < began);
    const isOverdue = this.deferredSince !== null && now - this.deferredSince > patience;
    return isSure || (isOverdue && !this.waiting.some(({ since }) => isLost(since, now)));
  }
}

/** Whether the answer to what is under way since then is lost. */
const isLost = (since: number | null, now: number): boolean => since !== null && now - since > answered;
