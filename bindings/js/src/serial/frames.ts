// The frames of docs/CONSOLE.md, without any transport.
import { HEADER_SIZE, PAYLOAD_LIMIT, START, TRAILER_SIZE } from "../generated/console.js";
import { DataError } from "../index.js";
import { crc32 } from "../crc32.js";

/** One whole frame with a matching checksum. */
export interface Frame {
  type: number;
  /** 0 .. 255. */
  sequence: number;
  payload: Uint8Array;
}

/** Returns the bytes of a frame. Throws DataError if the payload is too long. */
export function encode({ type, sequence, payload }: Frame): Uint8Array {
  if (payload.length > PAYLOAD_LIMIT) {
    throw new DataError(`a payload has ${payload.length} bytes`, `at most ${PAYLOAD_LIMIT} fit a frame`);
  }
  const frame = new Uint8Array(HEADER_SIZE + payload.length + TRAILER_SIZE);
  frame.set([START, type, sequence, payload.length & 0xff, payload.length >> 8]);
  frame.set(payload, HEADER_SIZE);
  const end = HEADER_SIZE + payload.length;
  new DataView(frame.buffer).setUint32(end, crc32(frame.subarray(1, end)), true);
  return frame;
}

/** Returns the concatenation of several arrays. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/**
 * Separates frames from text in a stream of bytes, fed in pieces of any size.
 *
 * A false start of a frame costs one byte: the search for the next start continues with the byte after it.
 */
export class Parser {
  #buffer: Uint8Array = new Uint8Array(0);
  /** How many start bytes turned out not to begin a frame. */
  damaged = 0;

  /** The number of received bytes of a frame that is not yet complete. */
  get pending(): number {
    return this.#buffer.length;
  }

  /** Returns the items that `data` completes, in order: frames, and the text between them. */
  feed(data: Uint8Array): (Frame | Uint8Array)[] {
    this.#buffer = this.#buffer.length ? joined([this.#buffer, data]) : data.slice();
    return this.#drain();
  }

  /** Gives up an incomplete frame when the rest does not arrive, and returns the items in its bytes. */
  expire(): (Frame | Uint8Array)[] {
    const items: (Frame | Uint8Array)[] = [];
    while (this.#buffer.length) items.push(this.#skipStart(), ...this.#drain());
    return items;
  }

  #drain(): (Frame | Uint8Array)[] {
    const items: (Frame | Uint8Array)[] = [];
    for (let item; this.#buffer.length && (item = this.#next()); ) items.push(item);
    return items;
  }

  #next(): Frame | Uint8Array | undefined {
    const buffer = this.#buffer, start = buffer.indexOf(START);
    if (start !== 0) return this.#take(start < 0 ? buffer.length : start);
    if (buffer.length < HEADER_SIZE) return undefined;
    const length = buffer[3] | (buffer[4] << 8), end = HEADER_SIZE + length;
    if (length > PAYLOAD_LIMIT) return this.#skipStart();
    if (buffer.length < end + TRAILER_SIZE) return undefined;
    const checksum = new DataView(buffer.buffer, buffer.byteOffset).getUint32(end, true);
    if (crc32(buffer.subarray(1, end)) !== checksum) return this.#skipStart();
    const frame = this.#take(end + TRAILER_SIZE);
    return { type: frame[1], sequence: frame[2], payload: frame.slice(HEADER_SIZE, end) };
  }

  #skipStart(): Uint8Array {
    this.damaged++;
    return this.#take(1);
  }

  #take(count: number): Uint8Array {
    const taken = this.#buffer.subarray(0, count);
    this.#buffer = this.#buffer.subarray(count);
    return taken;
  }
}
