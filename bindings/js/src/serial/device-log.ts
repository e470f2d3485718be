const KEPT = 1000; // bytes; a greeting takes about 400
const EXCERPT = 40; // characters

/** The last words of the firmware's greeting. */
const GREETING = "type help for the commands";
const FAULT = /restarted after a fault: status \w+, pc \w+/;

/** The end of what a board printed between its answers, and what it reveals. */
export class DeviceLog {
  #bytes: number[] = [];

  /** Appends printed bytes; only the last 1000 are kept. */
  add(data: Uint8Array): void {
    this.#bytes = [...this.#bytes, ...data.subarray(-KEPT)].slice(-KEPT);
  }

  /** Whether anything was printed. */
  get isSomething(): boolean {
    return this.#bytes.length > 0;
  }

  /** Whether at least nine in ten printed bytes are readable ASCII. */
  get isText(): boolean {
    const readable = this.#bytes.filter((byte) => [9, 10, 13].includes(byte) || (byte >= 32 && byte < 127)).length;
    return this.isSomething && readable >= 0.9 * this.#bytes.length;
  }

  /** The last line that is not blank, shortened, in quotes. */
  get excerpt(): string {
    const lines = this.#text.split(/[\r\n]+/).filter((line) => line.trim());
    return `'${(lines.at(-1) ?? "").trim().slice(0, EXCERPT)}'`;
  }

  /** Whether the board has printed its start-up greeting. */
  get greeted(): boolean {
    return this.#text.includes(GREETING);
  }

  /** The reason for a restart in the board's own words; empty if it gives none. */
  get fault(): string {
    return FAULT.exec(this.#text)?.[0] ?? "";
  }

  get #text(): string {
    return String.fromCharCode(...this.#bytes);
  }
}
