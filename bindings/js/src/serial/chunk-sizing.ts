/** The smallest chunk in bytes; the request's and the reply's frames add as much again. */
const SMALLEST = 32;
const UNIT = 4; // bytes

/** A line from which only damaged bytes come gets this many times the attempts of a silent one. */
const PATIENCE_WITH_NOISE = 6;

/**
 * An adaptive chunk size: half after each loss, a quarter more after each success.
 *
 * This settles where one chunk in four gets lost. That is near the optimum for what a loss costs: a time-out, however long
 * the chunk was.
 */
export class ChunkSizer {
  #attempts: number;
  #size = 1 << 16;
  #losses = 0; // in a row
  #silences = 0; // in a row

  /** attempts: how many requests in a row may get no answer. */
  constructor(attempts: number) {
    this.#attempts = attempts;
  }

  /** Returns the bytes of the next chunk: a multiple of 4 of at most `limit`. */
  size(limit: number): number {
    this.#size = Math.min(this.#size, limit);
    return this.#size - (this.#size % UNIT);
  }

  /** Changes the size after a chunk that was answered, or that got lost. */
  adapt(arrived: boolean): void {
    this.#size = Math.floor(arrived ? this.#size * 1.25 : Math.max(this.#size / 2, SMALLEST));
  }

  /**
   * Counts a request, and returns whether too many in a row got no answer. damaged: whether damaged bytes came in place of
   * the answer.
   */
  givesUp(answered: boolean, damaged: boolean): boolean {
    this.#losses = answered ? 0 : this.#losses + 1;
    this.#silences = answered || damaged ? 0 : this.#silences + 1;
    return this.#silences >= this.#attempts || this.#losses >= this.#attempts * PATIENCE_WITH_NOISE;
  }
}
