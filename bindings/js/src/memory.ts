import { explained } from "./explained.js";
import { ARRAYS, type View } from "./generated/records.js";

/** The functions of bindings/wasm. Pointers are numbers; those of 2 GB and more arrive as negative ones. */
export interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly __heap_base: WebAssembly.Global;
  [name: `gm_${string}`]: (...values: number[]) => number;
}

const PAGE = 65536;
/** Bytes for what a call returns through a pointer, and for the key of a property. */
const SCRATCH = 64;
const ALIGNMENT = 16;
const NOTHING = new Uint8Array();

/**
 * The memory of one session, which has a module instance to itself: image, session, return values, arena, and room for
 * parameters. It is reserved once, so that views of the arena never lose their memory.
 */
export class Memory {
  readonly exports: Exports;
  readonly image: number;
  /** The gm_session. */
  readonly opened: number;
  readonly scratch: number;
  /** The end of all reserved bytes. */
  heapEnd: number;
  #file: Uint8Array = NOTHING;

  constructor(module: WebAssembly.Module, image: Uint8Array) {
    const imports = { gradmote: { read: this.#carrier(false), write: this.#carrier(true) } };
    try {
      this.exports = new WebAssembly.Instance(module, imports).exports as unknown as Exports;
      this.heapEnd = aligned(this.exports.__heap_base.value);
    } catch (cause) {
      throw explained(cause, "the runtime does not open", "load it again");
    }
    this.image = this.reserve(image.length);
    this.scratch = this.reserve(SCRATCH);
    this.opened = this.reserve(this.exports.gm_wasm_session_size());
    this.bytes(this.image, image.length).set(image);
  }

  /** Reserves bytes after all others. Earlier views lose their memory. */
  reserve(size: number): number {
    const start = this.heapEnd;
    this.heapEnd = start + aligned(size);
    const { memory } = this.exports;
    const missing = Math.ceil((this.heapEnd - memory.buffer.byteLength) / PAGE);
    try {
      if (missing > 0) memory.grow(missing);
    } catch (cause) {
      throw explained(cause, `there is no memory for ${size} bytes`, "compile the model with a smaller batch");
    }
    return start;
  }

  bytes(at: number, size: number): Uint8Array {
    return new Uint8Array(this.exports.memory.buffer, at >>> 0, size);
  }

  /** Returns a view of `size` bytes as numbers of a dtype. */
  view(dtype: number, at: number, size: number): View {
    return new ARRAYS[dtype](this.exports.memory.buffer, at >>> 0, size / ARRAYS[dtype].BYTES_PER_ELEMENT);
  }

  floats(at: number, count: number): Float32Array {
    return new Float32Array(this.exports.memory.buffer, at >>> 0, count);
  }

  words(at: number, count: number): Uint32Array {
    return new Uint32Array(this.exports.memory.buffer, at >>> 0, count);
  }

  /** Returns the text in `size` bytes; by default, up to the next zero byte. */
  text(at: number, size?: number): string {
    const all = new Uint8Array(this.exports.memory.buffer, at >>> 0);
    return new TextDecoder().decode(all.subarray(0, size ?? all.indexOf(0)));
  }

  /** Lets `call` read or write a checkpoint's bytes, and returns them. */
  through(file: Uint8Array, call: () => void): Uint8Array {
    this.#file = file;
    try {
      call();
    } finally {
      this.#file = NOTHING;
    }
    return file;
  }

  /** Returns a gm_write_fn or a gm_read_fn. */
  #carrier(isWriter: boolean): (...values: number[]) => number {
    return (_user, offset, data, size) => {
      const file = this.#file.subarray(offset >>> 0, (offset >>> 0) + (size >>> 0)), bytes = this.bytes(data, size >>> 0);
      if (file.length !== bytes.length) return -1;
      (isWriter ? file : bytes).set(isWriter ? bytes : file);
      return 0;
    };
  }
}

function aligned(size: number): number {
  return Math.ceil(size / ALIGNMENT) * ALIGNMENT;
}
