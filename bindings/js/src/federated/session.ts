import { u32 } from "../arrays.js";
import { bytesOf, type Bytes } from "../bytes.js";
import { GradmoteError, RuntimeFault } from "../errors.js";
import type { Runtime } from "../runtime.js";
import { Session } from "../session.js";
import { checkBits, sharedMask, type Shared } from "./shared.js";

/**
 * Sizes in bytes: of a gm_federated_round, and the most that a delta takes besides one byte for each number and its
 * description of each tensor.
 */
const RECORD = 32, DELTA_OVERHEAD = 128;

/** Addresses in the module's memory: of the base of a round, and of the runtime's other arguments. */
interface Places {
  record: number;
  base: number;
  mask: number;
  delta: number;
  deltaSize: number;
}

/**
 * A session that takes part in rounds of federated learning. Each round begins with a base, the parameters that all
 * devices share; each device trains and sends a delta; the server combines these into one delta, which leads to the
 * next base.
 */
export class FederatedSession extends Session {
  #number = 0;
  #base: Uint8Array | undefined; // undefined: the image's initial parameters

  /** Opens an image, as a Session does, with a runtime that has rounds; load() and connect() of this entry find one. */
  constructor(image: Bytes, runtime?: Runtime | WebAssembly.Module) {
    super(image, runtime, roomFor(Session.required(image, runtime).parametersSize));
    if (!this.openMemory().exports.gm_round_apply) {
      throw new GradmoteError("this module has no rounds of federated learning", "use the package's module, or build one with `gradmote wasm --rounds`");
    }
  }

  /** The number of the round; round 0 starts from the image's initial parameters. */
  get round(): number {
    return this.#number;
  }

  /** Makes the current parameters the base of that round, 1 .. 2^32-1; for 0, the base is the image's parameters. */
  beginRound(number: number): void {
    this.#base = u32(number, "number") ? this.#bytes.slice() : undefined;
    this.#number = number;
  }

  /**
   * Returns what this device sends: parameters - base, quantized to 2, 4 or 8 bits a number.
   *
   * seed: of the rounding; use a different one on each device. shared: names of the parameters to send, or patterns of
   * names ("conv*"); all by default. Throws RuntimeFault (NOT_FINITE) if a difference is NaN, or 2^61 or more.
   */
  roundDelta(bits = 4, seed = 0, shared?: Shared): Uint8Array {
    const places = this.#describe(checkBits(bits), seed, sharedMask(this.parameterNames(), shared));
    const memory = this.openMemory(), { gm_round_delta_size, gm_round_delta_part } = memory.exports;
    const size = gm_round_delta_size(memory.opened, places.record);
    check(gm_round_delta_part(memory.opened, places.record, 0, places.delta, size), "roundDelta");
    return memory.bytes(places.delta, size).slice();
  }

  /** Checks whether a delta leads from this round's base to the next; changes nothing. */
  checkDelta(delta: Bytes): void {
    this.#give("gm_round_check", "checkDelta", bytesOf(delta, "the delta"), 0, 0);
  }

  /**
   * Moves on to the base of the next round, and returns its number. Checks the whole delta before it changes anything.
   *
   * bits, seed: those of roundDelta(), to add back to the parameters what quantization lost, so that the next delta
   * includes it; with 0 bits, the parameters are the new base.
   */
  endRound(delta: Bytes, bits = 0, seed = 0): number {
    const file = bytesOf(delta, "the delta"), trained = this.#bytes.slice();
    if (bits) checkBits(bits);
    this.#give("gm_round_apply", "endRound", file, 0, seed);
    const base = this.#bytes.slice();
    if (bits) {
      this.#bytes.set(trained);
      this.#give("gm_round_apply", "endRound", file, bits, seed);
    }
    [this.#base, this.#number] = [base, (this.#number + 1) >>> 0];
    return this.#number;
  }

  get #bytes(): Uint8Array {
    const { buffer, byteOffset, byteLength } = this.parameters();
    return new Uint8Array(buffer, byteOffset, byteLength);
  }

  get #places(): Places {
    const size = this.requirements().parametersSize, { heapEnd } = this.openMemory();
    const record = heapEnd - roomFor(size), base = record + RECORD, delta = base + size, mask = delta + DELTA_OVERHEAD + 2 * size;
    return { record, base, delta, mask, deltaSize: mask - delta };
  }

  /** Writes a gm_federated_round, and what it points to, into the memory. */
  #describe(bits: number, seed: number, mask: Uint8Array): Places {
    const memory = this.openMemory(), places = this.#places, { record, base } = places;
    if (this.#base) memory.bytes(base, this.#base.length).set(this.#base);
    memory.bytes(places.mask, mask.length).set(mask);
    const fields = [this.#base ? base : 0, mask.length ? places.mask : 0, this.#number, bits, u32(seed, "seed"), bits ? 1 : 0];
    memory.words(record, fields.length).set(fields);
    return places;
  }

  /** Calls a function of the runtime with a delta. The start of a delta that is too long suffices to detect that. */
  #give(call: "gm_round_apply" | "gm_round_check", where: string, file: Uint8Array, bits: number, seed: number): void {
    const { record, delta, deltaSize } = this.#describe(bits, seed, new Uint8Array()), memory = this.openMemory();
    const known = file.subarray(0, deltaSize);
    memory.bytes(delta, known.length).set(known);
    check(memory.exports[call](memory.opened, record, delta, known.length), where);
  }
}

/** Returns how many bytes rounds need for `size` bytes of parameters: a multiple of 16, as Memory reserves them. */
function roomFor(size: number): number {
  return Math.ceil((RECORD + size + DELTA_OVERHEAD + 2 * size + size / 32 + 1) / 16) * 16;
}

function check(code: number, where: string): void {
  if (code < 0) throw new RuntimeFault(code, where);
}
