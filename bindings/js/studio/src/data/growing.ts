/** An array of numbers that grows at its end. */
export class Growing<T extends Float32Array | Float64Array | Int32Array> {
  #room: T;
  length = 0;

  constructor(private readonly make: (length: number) => T) {
    this.#room = make(1024);
  }

  push(value: number): void {
    if (this.length === this.#room.length) this.#grow();
    this.#room[this.length++] = value;
  }

  at(index: number): number {
    return this.#room[index];
  }

  /** Returns a copy of the numbers, with exactly their length. */
  taken(): T {
    return this.#room.slice(0, this.length) as T;
  }

  #grow(): void {
    const wider = this.make(2 * this.#room.length);
    wider.set(this.#room);
    this.#room = wider;
  }
}
