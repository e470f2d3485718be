import { u32, type Data } from "../arrays.js";
import { bytesOf, type Bytes } from "../bytes.js";
import { check, DataError, GradmoteError } from "../errors.js";
import type { View } from "../generated/records.js";
import { Memory } from "../memory.js";
import { requirementsIn, type Requirements } from "../requirements.js";
import { loadedRuntime, moduleOf, type Runtime } from "../runtime.js";
import { described, give, madeBy, pick, readTensors, requireGiven, rowsGiven, type Tensor, type TensorInfo } from "../tensors.js";

/**
 * A session that infers and does not train, with the methods of Session for inference. It also opens images that train,
 * and ignores their other programs. output() returns a view of the arena.
 */
export class Inference {
  readonly profile = "strict";
  #memory: Memory | undefined;
  #needs: Requirements;
  #inputs: Tensor[];
  #outputs: Tensor[];
  #counted = 0; // the samples of the last run; 0: the whole batch

  /** Verifies the inference program of an image (the bytes of a .mote file). */
  constructor(image: Bytes, runtime: Runtime | WebAssembly.Module = loadedRuntime()) {
    const bytes = bytesOf(image, "the image"), memory = new Memory(moduleOf(runtime), bytes);
    const { gm_open, gm_wasm_keep_inference: keepInference } = memory.exports;
    if (!keepInference) throw new GradmoteError("this module trains", "pass gradmote-infer.wasm or another form of it");
    check(keepInference(memory.image, bytes.length), "image");
    this.#needs = requirementsIn(memory, bytes.length);
    const { arenaSize } = this.#needs, arena = memory.reserve(arenaSize);
    check(gm_open(memory.opened, memory.image, bytes.length, arena, arenaSize), "open");
    const tensors = readTensors(memory, arena).filter(({ description: info }) => info.programs.includes("infer"));
    this.#inputs = tensors.filter(({ role }) => role === "input");
    this.#outputs = tensors.filter(({ role }) => role === "output");
    this.#memory = memory;
  }

  /** Returns what the image needs; the sizes of gradients and state are those of training. */
  requirements(): Requirements {
    return structuredClone(this.#needs);
  }

  /** Returns the name, dtype, shape, size in bytes, and programs of each input, in order. */
  inputs(): TensorInfo[] {
    return described(this.#inputs);
  }

  /** Returns the same for each output. */
  outputs(): TensorInfo[] {
    return described(this.#outputs);
  }

  /** Returns an empty array: inference reads no labels. */
  labels(): TensorInfo[] {
    return [];
  }

  /** Copies one input into the arena. */
  setInput(index: number, data: Data): void {
    this.#open();
    give(pick(this.#inputs, index, "input"), data);
  }

  /** Returns a view of one output, valid until the next infer(). */
  output(index: number): View {
    this.#open();
    return madeBy(this.#counted, "infer", pick(this.#outputs, index, "output of infer"));
  }

  /**
   * Runs the model and returns copies of its outputs.
   *
   * data: every input in order, or nothing to use those in the arena. It may have fewer samples than the batch; then so
   * have the outputs.
   */
  infer(...data: Data[]): View[] {
    const memory = this.#open();
    if (data.length && data.length !== this.#inputs.length) {
      const wanted = this.#inputs.map((tensor) => tensor.title).join(", ");
      throw new DataError(`${data.length} arrays were given`, `pass ${this.#inputs.length}: ${wanted}; or none`);
    }
    data.forEach((array, i) => this.setInput(i, array));
    const overwritten = this.#inputs.filter(({ description: info }) => !info.lasts);
    requireGiven(overwritten);
    for (const tensor of overwritten) tensor.given = false;
    this.#counted = rowsGiven(this.#inputs, "infer");
    check(memory.exports.gm_infer(memory.opened), "infer");
    return this.#outputs.map((tensor) => madeBy(this.#counted, "infer", tensor).slice() as View);
  }

  /** Returns the class with the highest score in a row of the last infer(), and the score. */
  classify(row = 0): [label: number, score: number] {
    const memory = this.#open(), { exports, opened, scratch } = memory;
    check(exports.gm_classify(opened, u32(row, "row"), scratch + 4, scratch), "classify");
    return [memory.words(scratch, 2)[1], memory.floats(scratch, 1)[0]];
  }

  /** Ends the session and releases its memory. Closing it again does nothing. */
  close(): void {
    this.#memory?.exports.gm_close(this.#memory.opened);
    this.#memory = undefined;
  }

  #open(): Memory {
    if (this.#memory) return this.#memory;
    throw new GradmoteError("the session is closed", "open another one");
  }
}
