// The count of a place with what was pressed here. An answer of the service may have a press whose own answer is lost or under way.

export interface Counted {
  readonly count: number;
  /** When the answer was asked for, in milliseconds since 1970. */
  readonly began: number;
}

export interface Press {
  readonly id: string;
  readonly delta: number;
  /** When it was first sent; null: it was not. */
  readonly sentAt: number | null;
  readonly isRefused: boolean;
}

/** The milliseconds after which an answer is taken that may have a press too many, while presses are answered one after the other. */
const patience = 10_000;
/** The milliseconds after which the answer to a press counts as lost. */
const lost = 2_000;

/** Counts each press once: an answer is taken when it surely has all that was sent, and others that cannot be told apart wait. */
export class Tally {
  private answer: Counted | null = null;
  private takenAt = -Infinity;
  private settled = 0;
  private settledAt = -Infinity;
  private waiting: readonly Press[] = [];

  /** What is shown; undefined before the first answer. */
  of(answer: Counted | undefined, presses: readonly Press[], now: number): number | undefined {
    for (const one of this.waiting) {
      if (presses.some(({ id }) => id === one.id)) continue;
      this.settled += one.delta;
      this.settledAt = now;
    }
    this.waiting = presses.filter(({ isRefused }) => !isRefused);
    if (answer !== undefined && answer.began > (this.answer?.began ?? -Infinity) && this.isSure(answer, now)) {
      this.answer = answer;
      this.takenAt = now;
      this.settled = 0;
    }
    if (this.answer === null) return undefined;
    return Math.max(0, this.waiting.reduce((sum, { delta }) => sum + delta, this.answer.count + this.settled));
  }

  private isSure({ began }: Counted, now: number): boolean {
    const sent = this.waiting.filter(({ sentAt }) => sentAt !== null);
    if (this.answer === null || (sent.length === 0 && began > this.settledAt)) return true;
    return now - this.takenAt > patience && sent.every(({ sentAt }) => now - sentAt! < lost);
  }
}
