/** The smallest chunk in bytes; the frames of request and reply add as much again. */
const SMALLEST = 32;
const UNIT = 4; // bytes

/** A line on which only damaged bytes arrive gets this many times the attempts of a silent one. */
const PATIENCE_WITH_NOISE = 6;

/**
 * An adaptive chunk size: halved after each loss, a quarter larger after each success.
 *
 * It settles at the size that loses one chunk in four. That is near the optimum for the cost of a loss: one time-out,
 * however long the chunk was.
 */
export class ChunkSizer {
  #attempts: number;
  #size = 1 << 16;
  #losses = 0; // in a row
  #silences = 0; // in a row

  /** attempts: how many requests in a row may go unanswered. */
  constructor(attempts: number) {
    this.#attempts = attempts;
  }

  /** Returns the size of the next chunk in bytes: a multiple of 4, at most `limit`. */
  size(limit: number): number {
    this.#size = Math.min(this.#size, limit);
    return this.#size - (this.#size % UNIT);
  }

  /** Changes the size after a chunk that was answered or lost. */
  adapt(arrived: boolean): void {
    this.#size = Math.floor(arrived ? this.#size * 1.25 : Math.max(this.#size / 2, SMALLEST));
  }

  /**
   * Counts a request, and returns whether too many in a row went unanswered. damaged: whether damaged bytes came
   * instead of the answer.
   */
  givesUp(answered: boolean, damaged: boolean): boolean {
    this.#losses = answered ? 0 : this.#losses + 1;
    this.#silences = answered || damaged ? 0 : this.#silences + 1;
    return this.#silences >= this.#attempts || this.#losses >= this.#attempts * PATIENCE_WITH_NOISE;
  }
}
