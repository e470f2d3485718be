/** Lets one piece of work run at a time, in the order in which they came. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` after all that came before it has ended, however it ended. */
  take<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
