import { copyInto, u32, type Data } from "./arrays.js";
import { bytesOf, type Bytes } from "./bytes.js";
import { check, DataError, GradmoteError, RuntimeFault } from "./errors.js";
import { ERRORS } from "./generated/errors.js";
import { CONTROL, Header, NONE, PROPERTY_TYPE, Property, SCHEDULE, STORE_DTYPE, type View } from "./generated/records.js";
import { Memory, type Exports } from "./memory.js";
import { requirementsIn, type Requirements } from "./requirements.js";
import { loadedRuntime, moduleOf, type Runtime } from "./runtime.js";
import { sha256 } from "./sha256.js";
import { train, type Epoch, type TrainOptions } from "./train.js";
import { described, give, headerWord, madeBy, pick, programKind, readTensors, requireGiven, rowsGiven, section, type Program, type Role, type Tensor, type TensorInfo } from "./tensors.js";

/** Counters, learning rates and schedule, as the checkpoint keeps them. */
export type Control = Record<Exclude<(typeof CONTROL)[number], "schedule">, number> & { schedule: string };

/** The sample store of an image that was compiled with one. */
export interface Store {
  capacity: number;
  classes: number;
  elements: number;
  kept: number;
  dtype: (typeof STORE_DTYPE)[number];
}

export type { View };

/** All parameters of an image, or their differences, as one array. */
export type Flat = Float32Array | Uint8Array;

const WITH_LOSS = ["eval", "train", "step"];
const FLOATS_OF_CONTROL: string[] = ["learningRate", "baseLearningRate", "gradientScale"];
const KEY_BYTES = 20;
const QUIET_NAN = 0x7fc00000;

/**
 * A session that trains and runs one image. Its profile is "strict": product and sum are rounded separately.
 *
 * If the runtime refuses a call, RuntimeFault carries its code, and the state is unchanged. Every returned array is a
 * view of the arena unless its description says otherwise. A view stays valid after close().
 */
export class Session {
  readonly profile = "strict";
  #memory: Memory | undefined;
  #arena = 0;
  #parameters = 0; // the address of incoming and outgoing parameters
  #needs: Requirements;
  #inputs: Tensor[];
  #labels: Tensor[];
  #outputs: Tensor[];
  #losses: Tensor[];
  #overwritable: Tensor[];
  #inferred: Tensor[];
  #counted = 0; // the samples of the last run; 0: the whole batch

  // ---- Opening and closing ------------------------------------------------------------------------------------

  /**
   * Verifies the image (the bytes of a .mote file) and sets the state to its initial values.
   *
   * room: extra bytes at the end of the memory, for a subclass that needs them.
   */
  constructor(image: Bytes, runtime: Runtime | WebAssembly.Module = loadedRuntime(), room = 0) {
    const bytes = bytesOf(image, "the image");
    const memory = new Memory(moduleOf(runtime), bytes);
    this.#needs = requirementsIn(memory, bytes.length);
    this.#arena = memory.reserve(this.#needs.arenaSize);
    const { gm_open } = memory.exports;
    check(gm_open(memory.opened, memory.image, bytes.length, this.#arena, this.#needs.arenaSize), "open");
    this.#parameters = memory.reserve(this.#needs.parametersSize + room);
    this.#memory = memory;
    const tensors = readTensors(memory, this.#arena);
    const of = (role: Role) => tensors.filter((tensor) => tensor.role === role);
    [this.#inputs, this.#labels] = [of("input"), of("label")];
    [this.#outputs, this.#losses] = [of("output"), of("loss")];
    this.#overwritable = this.#feeds.filter((tensor) => !tensor.description.lasts);
    this.#inferred = this.#outputsOf("infer");
  }

  /** Returns what the image needs, from its header alone. */
  static required(image: Bytes, runtime: Runtime | WebAssembly.Module = loadedRuntime()): Requirements {
    const bytes = bytesOf(image, "the image");
    return requirementsIn(new Memory(moduleOf(runtime), bytes), bytes.length);
  }

  /** Returns what this session's image needs, as required() does. */
  requirements(): Requirements {
    return structuredClone(this.#needs);
  }

  /** What is trained, as the image names it ("full", "head", "last:3"); null if the image does not say. */
  get scheme(): string | null {
    const memory = this.openMemory(), name = headerWord(memory, Header.scheme);
    return name === NONE ? null : memory.text(section(memory, "names")[0] + name);
  }

  /** Returns a one-line description of the session. */
  toString(): string {
    if (!this.#memory) return "<Session: closed>";
    const { arenaSize } = this.#needs, { trainSteps } = this.control();
    return `<Session: parameters ${this.parameterNames()}; arena ${arenaSize} bytes; ${trainSteps} steps; profile strict>`;
  }

  /** Sets parameters, moments, counters and properties back to the image's initial values. */
  reset(): void {
    this.#call("gm_reset", "reset");
  }

  /** Ends the session and releases its memory. Closing it again does nothing. */
  close(): void {
    if (!this.#memory) return;
    this.#memory.exports.gm_close(this.#memory.opened);
    this.#memory = undefined;
  }

  /** Fills the scratch region with NaN, to expose reads of values that no instruction wrote. */
  poison(): void {
    const memory = this.openMemory();
    const start = headerWord(memory, Header.scratchOffset);
    const kept = this.#overwritable.map((tensor) => tensor.view.slice());
    memory.words(this.#arena + start, (this.#needs.arenaSize - start) >> 2).fill(QUIET_NAN);
    this.#overwritable.forEach((tensor, i) => tensor.view.set(kept[i]));
  }

  // ---- Data in and out ----------------------------------------------------------------------------------------

  /** Returns the name, dtype, shape, size in bytes, and programs of each input, in order. */
  inputs(): TensorInfo[] {
    return this.#described(this.#inputs);
  }

  /** Returns the same for each label. */
  labels(): TensorInfo[] {
    return this.#described(this.#labels);
  }

  /** Returns the same for each output of one program. */
  outputs(program: Program = "infer"): TensorInfo[] {
    return this.#described(this.#outputsOf(program));
  }

  /** Returns the same for the loss of one program. */
  losses(program: Program = "step"): TensorInfo[] {
    programKind(program);
    return this.#described(this.#losses.filter((tensor) => tensor.description.programs.includes(program)));
  }

  /**
   * Copies one input into the arena. data: float32 numbers (or the input's dtype), as many as it has. Fewer are its
   * first samples, which the next runs count.
   */
  setInput(index: number, data: Data): void {
    this.#feed([pick(this.#inputs, index, "input")], [data]);
  }

  /** Copies one label into the arena. Class labels may have any integer type. */
  setLabel(index: number, data: Data): void {
    this.#feed([pick(this.#labels, index, "label")], [data]);
  }

  /** Returns a view of one input, to write into without a copy. If the input does not last, do so before each run. */
  inputView(index: number): View {
    return this.#writable(pick(this.#inputs, index, "input"));
  }

  /** Returns a view of one label, as inputView() does. */
  labelView(index: number): View {
    return this.#writable(pick(this.#labels, index, "label"));
  }

  /** Returns a view of one output of the program, valid until the next program runs. */
  output(index: number, program: Program = "infer"): View {
    this.openMemory();
    return madeBy(this.#counted, program, pick(this.#outputsOf(program), index, `output of ${program}`));
  }

  // ---- Running ------------------------------------------------------------------------------------------------

  /**
   * Runs the model and returns copies of its outputs.
   *
   * data: every input in order, or nothing to use the inputs in the arena. It may have fewer samples than the batch; then
   * so have the outputs. To avoid copies, call runProgram("infer") and read output().
   */
  infer(...data: Data[]): View[] {
    this.#ready("infer", this.#inputs, data);
    if (this.#counted) this.#call("gm_run_rows", "infer", programKind("infer"), this.#counted, 0);
    else this.#call("gm_infer", "infer");
    return this.#inferred.map((tensor) => madeBy(this.#counted, "infer", tensor).slice() as View);
  }

  /**
   * Returns the loss, without training. data: every input, then every label, or nothing to use those in the arena. All may
   * have fewer samples than the batch: then the loss is their mean, and a step is that of an image for this batch.
   */
  evalStep(...data: Data[]): number {
    return this.#runWithLoss("gm_eval_step", "eval", data);
  }

  /** Adds the gradients of one micro-batch and returns its loss. data: as for evalStep(). */
  trainStep(...data: Data[]): number {
    return this.#runWithLoss("gm_train_step", "train", data);
  }

  /** Trains on one batch, updates, and returns the loss before the update. data: as for evalStep(). */
  step(...data: Data[]): number {
    return this.#runWithLoss("gm_step", "step", data);
  }

  /**
   * Trains on many samples, for some epochs, and returns the mean loss of each. The page stays responsive; in a worker
   * (connect) it never waits.
   */
  train(options: TrainOptions): Promise<Epoch[]> {
    return train(this, options);
  }

  /** The number of steps that the runtime refused with NOT_FINITE. It is part of the state. */
  get skippedSteps(): number {
    return this.control().skippedSteps;
  }

  /** Applies the mean of the accumulated gradients and advances the schedule by one step. */
  optimizerStep(): void {
    this.#beginRun("optimizer");
    this.#call("gm_optimizer_step", "optimizerStep");
  }

  /** Makes the next trainStep() start from zero gradients. */
  lazyResetGrad(): void {
    this.#call("gm_lazy_reset_grad", "lazyResetGrad");
  }

  /** Starts a program, which run() then executes in slices. */
  begin(program: Program): void {
    const kind = programKind(program);
    this.#beginRun(program);
    if (this.#counted) this.#call("gm_begin_rows", `begin ${program}`, kind, this.#counted);
    else this.#call("gm_begin", `begin ${program}`, kind);
  }

  /** Executes up to maxInstructions, and returns whether the program has ended. */
  run(maxInstructions: number): boolean {
    return this.#call("gm_run", "run", u32(maxInstructions, "maxInstructions")) === 0;
  }

  /** Discards the rest of a started program. Finish "step" and "optimizer" instead: half of them is half an update. */
  abort(): void {
    this.#call("gm_abort", "abort");
  }

  /** Runs a program on the data in the arena and returns its loss; null for "infer" and "optimizer". */
  runProgram(program: Program): number | null {
    this.begin(program);
    while (!this.run(0xffffffff));
    return WITH_LOSS.includes(program) ? this.loss(program) : null;
  }

  /** Returns the loss of the last run of that program ("eval", "train" or "step"). */
  loss(program: Program): number {
    return this.#askFloat("gm_loss", `loss of ${program}`, programKind(program));
  }

  /** The number of instructions executed since the session was opened, modulo 2^32. */
  get instructions(): number {
    const memory = this.openMemory();
    return memory.exports.gm_wasm_instructions(memory.opened) >>> 0;
  }

  /** Returns the class with the highest score in a row of the last infer(), and the score. */
  classify(row = 0): [label: number, score: number] {
    const score = this.#askFloat("gm_classify", "classify", u32(row, "row"), this.openMemory().scratch + 4);
    return [this.#returned()[1], score];
  }

  /** Returns the class names, in the order of the first output's scores; empty if the image has none. */
  classNames(): string[] {
    const memory = this.openMemory();
    return memory.text(...section(memory, "names")).split("\0").flatMap((text) => (text[0] === "\x01" ? text.slice(1) : []));
  }

  // ---- The sample store ---------------------------------------------------------------------------------------

  /** Returns the size and fill of the store. Throws RuntimeFault (NO_STORE) if the image was compiled without one. */
  store(): Store {
    const [capacity, classes, dtype, elements, kept] = this.#ask("gm_store_view", "store");
    return { capacity, classes, elements, kept, dtype: STORE_DTYPE[dtype] };
  }

  /** Returns how many samples of a class were learned ("seen") and how many are in the store ("kept"). */
  storeClass(label: number): { seen: number; kept: number } {
    const [seen, kept] = this.#ask("gm_store_class_view", "storeClass", u32(label, "label"));
    return { seen, kept };
  }

  /** Adds a sample of that class to the store: `sample`, or the first one in the input. */
  learn(label: number, sample?: Data): void {
    u32(label, "label");
    if (sample !== undefined) {
      const [input] = this.#inputs;
      copyInto(input.view.subarray(0, this.store().elements), sample, `one sample of ${input.title}`);
      input.given = true;
    }
    requireGiven(this.#inputs.slice(0, 1));
    this.#call("gm_learn", "learn", label);
  }

  /** Runs step() on samples from the store, drawn from all classes with equal probability, and returns the loss. */
  replay(): number {
    const loss = this.#askFloat("gm_replay", "replay");
    this.#markOverwritten();
    return loss;
  }

  /** Starts "step" or "train", as begin() does, on samples from the store. */
  beginReplay(program: Program = "step"): void {
    this.#call("gm_begin_replay", "beginReplay", programKind(program));
    this.#markOverwritten();
  }

  /** Removes all samples of a class from the store. */
  forget(label: number): void {
    this.#call("gm_forget", "forget", u32(label, "label"));
  }

  /** Returns how many samples of a class are in the store, and how many of them the model classifies correctly. */
  score(label: number): [kept: number, right: number] {
    const { scratch } = this.openMemory();
    this.#call("gm_score", "score", u32(label, "label"), scratch, scratch + 4);
    this.#markOverwritten();
    const [kept, right] = this.#returned();
    return [kept, right];
  }

  // ---- Learning rate ------------------------------------------------------------------------------------------

  /** The rate of the next update. Setting it (finite, at least 0) ends any schedule. */
  get learningRate(): number {
    const memory = this.openMemory();
    return memory.exports.gm_learning_rate(memory.opened);
  }

  set learningRate(rate: number) {
    this.#call("gm_set_learning_rate", `learning rate ${rate}`, number(rate, "the learning rate"));
  }

  /** Raises the rate linearly from 0 to `rate` in warmupSteps, then lowers it linearly to 0 at totalSteps. */
  setLinearSchedule(rate: number, warmupSteps: number, totalSteps: number): void {
    const [warmup, total] = [u32(warmupSteps, "warmupSteps"), u32(totalSteps, "totalSteps")];
    const where = `schedule of ${rate}, ${warmupSteps} of ${totalSteps} steps`;
    this.#call("gm_set_linear_schedule", where, number(rate, "the rate"), warmup, total);
  }

  /** Sets the dropout seed, 0 .. 2^32-1, and restarts its sequence. */
  setSeed(seed: number): void {
    this.#call("gm_set_seed", "setSeed", u32(seed, "seed"));
  }

  /** Returns counters, learning rates and schedule. */
  control(): Control {
    const memory = this.openMemory(), at = memory.exports.gm_control_view(memory.opened);
    const [words, floats] = [memory.words(at, CONTROL.length), memory.floats(at, CONTROL.length)];
    const found = Object.fromEntries(CONTROL.map((name, i) => [name, (FLOATS_OF_CONTROL.includes(name) ? floats : words)[i]]));
    return { ...found, schedule: SCHEDULE[found.schedule] ?? `unknown ${found.schedule}` } as Control;
  }

  // ---- Parameters ---------------------------------------------------------------------------------------------

  /** Returns the names of the trained parameters in order; if the image has no names, the indices as text. */
  parameterNames(): string[] {
    const memory = this.openMemory();
    const count = memory.exports.gm_parameter_count(memory.opened);
    return Array.from({ length: count }, (_, index) => {
      const [name] = this.#ask("gm_parameter", `parameter ${index}`, index);
      return name ? memory.text(name) : String(index);
    });
  }

  /** Returns a writable view of one trained parameter. */
  parameter(nameOrIndex: string | number): View {
    return this.#viewed(this.#findParameter("gm_parameter", "parameter", nameOrIndex));
  }

  /** Returns the shape of one trained parameter in the ONNX model. */
  parameterShape(nameOrIndex: string | number): number[] {
    const [, , , , rank, dims] = this.#findParameter("gm_parameter", "parameter", nameOrIndex);
    return [...this.openMemory().words(dims, rank)];
  }

  /** Returns a view of one parameter's accumulated gradient, the sum since lazyResetGrad(). */
  gradient(nameOrIndex: string | number): View {
    return this.#viewed(this.#findParameter("gm_gradient", "gradient of parameter", nameOrIndex));
  }

  /**
   * Returns all trained parameters as one view, in the order of parameterNames(): float32 numbers. If any parameter has
   * another type, the view is of bytes, and each parameter begins at a multiple of 4.
   */
  parameters(): Flat {
    return this.#flat(this.#ask("gm_parameters", "parameters"));
  }

  /** Overwrites all trained parameters. data: an array like that of parameters(), or its bytes. */
  setParameters(data: Data): void {
    this.#takeParameters("gm_set_parameters", data, "parameters");
  }

  /**
   * Returns a copy of parameters - initial parameters of the image, which a federated client sends. Differences of
   * integers are taken modulo 2^8, 2^16 or 2^32, so that applyDelta() restores them bit for bit.
   */
  delta(): Flat {
    this.#call("gm_delta", "delta", this.#parameters, this.#needs.parametersSize);
    return this.#flat().slice();
  }

  /** Sets the parameters to initial parameters + delta. */
  applyDelta(data: Data): void {
    this.#takeParameters("gm_apply_delta", data, "delta");
  }

  /** Returns a view of the whole state as bytes: parameters, moments, control, properties. */
  state(): Uint8Array {
    const [, data, size] = this.#ask("gm_state", "state");
    return this.openMemory().bytes(data, size);
  }

  /** Returns the SHA-256 of state(); a board of the strict profile has the same one after the same steps. */
  stateSha256(): string {
    return sha256(this.state());
  }

  // ---- Checkpoints --------------------------------------------------------------------------------------------

  /** Returns the bytes of a .gmck checkpoint. half: store float32 numbers in 16 bits, which rounds them. */
  save(half = false): Uint8Array {
    return this.#save(half ? 1 : 0, half ? "gm_checkpoint_half_size" : "gm_checkpoint_size");
  }

  /** Returns a checkpoint from which the optimizer begins again: moments, counters, rate and schedule are the image's. */
  saveWithoutOptimizer(): Uint8Array {
    return this.#save(2, "gm_checkpoint_size");
  }

  /** Loads the state from a checkpoint's bytes, plain or half. Checks all bytes before it changes anything. */
  load(data: Bytes): void {
    const file = bytesOf(data, "the checkpoint");
    this.openMemory().through(file, () => this.#call("gm_wasm_load", "load", file.length));
  }

  /** Takes over the entries that fit from another model's checkpoint; returns how many. Resets all other state. */
  carryOver(data: Bytes): number {
    const file = bytesOf(data, "the checkpoint");
    this.openMemory().through(file, () => this.#ask("gm_wasm_carry_over", "carry over", file.length));
    return this.#returned()[0];
  }

  // ---- Properties ---------------------------------------------------------------------------------------------

  /**
   * Keeps a number with the state. key: up to 19 bytes of UTF-8.
   *
   * If no type is given, keeps integers that fit 32 bits as int32, and other numbers as float32.
   */
  setProperty(key: string, value: number, type?: "int32" | "float32"): void {
    const isWhole = number(value, `property '${key}'`) === (value | 0);
    if (type === "int32" && !isWhole) {
      throw new DataError(`property '${key}' is ${value}`, "an int32 must be whole and fit 32 bits; keep it as float32");
    }
    const call = (type ?? (isWhole ? "int32" : "float32")) === "int32" ? "gm_property_set_i32" : "gm_property_set_f32";
    this.#call(call, `property '${key}'`, this.#key(key), value);
  }

  /** Returns the number under that key. */
  getProperty(key: string): number {
    this.#ask("gm_property_get", `property '${key}'`, this.#key(key));
    return this.#property()[1];
  }

  /** Returns all numbers that are kept with the state. */
  properties(): Record<string, number> {
    const memory = this.openMemory(), found: [string, number][] = [];
    while (memory.exports.gm_property_at(memory.opened, found.length, memory.scratch) === 0) found.push(this.#property());
    return Object.fromEntries(found);
  }

  /** Removes the number under that key. */
  removeProperty(key: string): void {
    this.#call("gm_property_remove", `property '${key}'`, this.#key(key));
  }

  // ---- Inside -------------------------------------------------------------------------------------------------

  /** Returns the memory of an open session. @internal */
  protected openMemory(): Memory {
    if (this.#memory) return this.#memory;
    throw new GradmoteError("the session is closed", "open another one");
  }

  /** Calls a function of the runtime with the session first. Throws RuntimeFault if it returns a negative code. */
  #call(name: keyof Exports & `gm_${string}`, where: string, ...values: number[]): number {
    const memory = this.openMemory();
    return check(memory.exports[name](memory.opened, ...values), where);
  }

  /** form: as for gm_wasm_save(). */
  #save(form: number, sizeOf: `gm_${string}`): Uint8Array {
    const memory = this.openMemory(), size = memory.exports[sizeOf](memory.opened);
    return memory.through(new Uint8Array(size >>> 0), () => this.#call("gm_wasm_save", "save", form));
  }

  /** Calls a function whose last parameter is a pointer for its results, and returns their words. */
  #ask(name: `gm_${string}`, where: string, ...values: number[]): Uint32Array {
    this.#call(name, where, ...values, this.openMemory().scratch);
    return this.#returned();
  }

  /** Calls a function whose last parameter is a pointer for a float32 result, and returns that number. */
  #askFloat(name: `gm_${string}`, where: string, ...values: number[]): number {
    this.#ask(name, where, ...values);
    return this.openMemory().floats(this.openMemory().scratch, 1)[0];
  }

  /** Returns the words that the last call wrote through its pointers. */
  #returned(): Uint32Array {
    const memory = this.openMemory();
    return memory.words(memory.scratch, 6);
  }

  get #feeds(): Tensor[] {
    return [...this.#inputs, ...this.#labels];
  }

  #described(tensors: Tensor[]): TensorInfo[] {
    this.openMemory();
    return described(tensors);
  }

  #outputsOf(program: Program): Tensor[] {
    programKind(program);
    return this.#outputs.filter((tensor) => tensor.description.programs.includes(program));
  }

  #writable(tensor: Tensor): View {
    this.openMemory();
    tensor.given = true;
    tensor.rows = 0;
    return tensor.view;
  }

  /** Copies an array into each tensor. Throws RuntimeFault (BUSY) while a program is under way. */
  #feed(tensors: Tensor[], data: Data[]): void {
    const memory = this.openMemory();
    if (memory.exports.gm_wasm_busy(memory.opened)) throw new RuntimeFault(ERRORS.BUSY[0], tensors[0].title);
    if (data.length !== tensors.length) {
      const wanted = tensors.map((tensor) => tensor.title).join(", ");
      throw new DataError(`${data.length} arrays were given`, `pass ${tensors.length}: ${wanted}; or none`);
    }
    tensors.forEach((tensor, i) => give(tensor, data[i]));
  }

  #ready(program: Program, tensors: Tensor[], data: Data[]): void {
    if (data.length) this.#feed(tensors, data);
    this.#beginRun(program);
  }

  /** Throws DataError unless all data that the program reads was given since the last run. */
  #beginRun(program: Program): void {
    requireGiven(this.#overwritable.filter((tensor) => tensor.description.programs.includes(program)));
    this.#counted = rowsGiven(this.#feeds, program);
    this.#markOverwritten();
  }

  #markOverwritten(): void {
    for (const tensor of this.#overwritable) tensor.given = false;
  }

  #runWithLoss(call: `gm_${string}`, program: Program, data: Data[]): number {
    this.#ready(program, data.length ? this.#feeds : [], data);
    const rows = this.#counted;
    return rows ? this.#askFloat("gm_run_rows", program, programKind(program), rows) : this.#askFloat(call, program);
  }

  /** Finds a parameter or its gradient, and returns its gm_view. */
  #findParameter(call: `gm_${string}`, what: string, nameOrIndex: string | number): Uint32Array {
    const where = `${what} '${nameOrIndex}'`, isName = typeof nameOrIndex === "string";
    const index = isName ? this.parameterNames().indexOf(nameOrIndex) : u32(nameOrIndex, "the parameter's index");
    if (index < 0) throw new RuntimeFault(ERRORS.NOT_FOUND[0], where);
    return this.#ask(call, where, index);
  }

  /** Returns the array that a gm_view describes. */
  #viewed([, data, size, dtype]: Uint32Array): View {
    return this.openMemory().view(dtype, data, size);
  }

  /** Returns a view of all parameters, as a gm_view has them; by default, of the room for incoming or outgoing ones. */
  #flat([, at, size]: ArrayLike<number> & Iterable<number> = [0, this.#parameters, this.#needs.parametersSize]): Flat {
    const memory = this.openMemory(), views = this.parameterNames().map((_, index) => this.parameter(index));
    return views.every((view) => view instanceof Float32Array) ? memory.floats(at, size / 4) : memory.bytes(at, size);
  }

  #takeParameters(call: `gm_${string}`, data: Data, what: string): void {
    copyInto(this.#flat(), data, what);
    this.#call(call, what, this.#parameters, this.#needs.parametersSize);
  }

  /** Writes the key into the scratch bytes, and returns its address. */
  #key(key: string): number {
    const bytes = new TextEncoder().encode(key), memory = this.openMemory();
    if (typeof key !== "string" || bytes.length === 0 || bytes.length >= KEY_BYTES || bytes.includes(0)) {
      throw new DataError(`the property's key '${key}' has ${bytes.length} bytes`, "use 1 to 19 bytes of UTF-8, without zeros");
    }
    const at = memory.scratch + Property.sizeof;
    memory.bytes(at, KEY_BYTES).fill(0).set(bytes);
    return at;
  }

  #property(): [string, number] {
    const memory = this.openMemory(), at = memory.scratch;
    const isFloat = PROPERTY_TYPE[memory.words(at + Property.type, 1)[0]] === "f32";
    const value = isFloat ? memory.floats(at + Property.value, 1)[0] : memory.words(at + Property.value, 1)[0] | 0;
    return [memory.text(at + Property.key), value];
  }

}

function number(value: number, what: string): number {
  if (typeof value === "number") return value;
  throw new DataError(`${what} is ${typeof value}`, "pass a number");
}
