import { SOURCES } from "../generated/console.js";
import { bytesOf, type Bytes } from "../bytes.js";
import type { View } from "../generated/records.js";
import { u32 } from "../arrays.js";
import { DataError, readSource, type Data, type Program, type Source } from "../index.js";
import { arrayOf, Client } from "./client.js";
import { DeviceError } from "./device-error.js";
import { evaluate, predict, type EvaluateOptions, type Evaluation } from "./evaluation.js";
import { tensorBytes } from "./feeds.js";
import { requireImage } from "./image.js";
import { Link, type Transport } from "./link.js";
import { grantedPorts, isAlike, openPort, requestPort, type PortFilter, type SerialPortLike } from "./port.js";
import type { TransferOptions } from "./requests.js";
import { train, trainOnce, type BoardEpoch, type BoardTrainOptions } from "./train.js";
import { Turns } from "./turns.js";
import type { BoardInfo, BoardStore, BoardTensor, Memory, Metrics, Role, Saves, Update } from "./types.js";

/** How to connect to a board. */
export interface OpenOptions {
  baudRate?: number;
  /** The connection's name in messages. */
  place?: string;
  /** Called with the text that the board prints between answers. */
  onText?: (text: string) => void;
  /** How many attempts a request gets before the board counts as silent. */
  attempts?: number;
}

/** How long a USB port may be away while the board restarts. */
const RESTART_MS = 15_000;
const RETRY_MS = 200;

/**
 * A board that runs Gradmote's firmware, on a serial port of the browser or any pair of byte streams.
 *
 * You may make calls at any time: the board answers them in order, and train() and evaluate() let others in between two
 * batches. If a call fails, DeviceError or RuntimeFault says why, and the board's state is unchanged.
 */
export class Board {
  /** Resolves when the connection ends: with the reason, or with null if close() ended it. */
  readonly closed: Promise<DeviceError | null>;
  #client: Client;
  #turns = new Turns();
  #transport: Transport | SerialPortLike;
  #options: OpenOptions;
  #restarts = false;
  #end!: (reason: DeviceError | null) => void;

  private constructor(client: Client, transport: Transport | SerialPortLike, options: OpenOptions) {
    this.closed = new Promise((end) => (this.#end = end));
    this.#transport = transport;
    this.#options = options;
    this.#client = client;
    this.#watch();
  }

  // ---- Opening and closing ------------------------------------------------------------------------------------------

  /** Lets the user choose a port, and connects to its board. Call it from a click or key handler. */
  static async request(options: OpenOptions & { filters?: readonly PortFilter[] } = {}): Promise<Board> {
    return Board.open(await requestPort(options.filters), options);
  }

  /** Returns the ports that the user chose in this page before. Board.open() connects to them without asking again. */
  static ports(): Promise<SerialPortLike[]> {
    return grantedPorts();
  }

  /** Connects to the board at a SerialPort, open or not, or at a pair of byte streams. */
  static async open(transport: Transport | SerialPortLike, options: OpenOptions = {}): Promise<Board> {
    return new Board(await connected(transport, options), transport, options);
  }

  /** Ends the connection; the board keeps running. Closing twice does no harm. */
  async close(): Promise<void> {
    await this.#client.link.close();
  }

  /** Restarts the board and waits until it answers again; a USB port goes away meanwhile. */
  reboot(): Promise<BoardInfo> {
    return this.#turns.take(async () => {
      this.#restarts = true;
      try {
        await this.#client.restart();
      } catch (error) {
        await this.#connectAgain(error);
      } finally {
        this.#restarts = false;
      }
      return this.info();
    });
  }

  async #connectAgain(reason: unknown): Promise<void> {
    const port = this.#transport;
    if (!(reason instanceof DeviceError && reason.error === "LOST" && "open" in port)) throw this.#ended(reason);
    await this.#client.link.close();
    for (const deadline = performance.now() + RESTART_MS; performance.now() < deadline; ) {
      await new Promise((resume) => setTimeout(resume, RETRY_MS));
      for (const found of [port, ...(await grantedPorts()).filter((other) => other !== port && isAlike(other, port))]) {
        const client = await connected(found, this.#options).catch(() => undefined);
        if (!client) continue;
        [this.#client, this.#transport] = [client, found];
        return this.#watch();
      }
    }
    throw this.#ended(reason);
  }

  #ended<T>(reason: T): T {
    if (reason instanceof DeviceError) this.#end(reason);
    return reason;
  }

  #watch(): void {
    void this.#client.link.closed.then((reason) => this.#restarts || this.#end(reason));
  }

  /** Runs a call after all earlier ones have ended. */
  #turn<T>(work: (client: Client) => Promise<T>): Promise<T> {
    return this.#turns.take(() => work(this.#client));
  }

  // ---- Identity -----------------------------------------------------------------------------------------------------

  /** The connection's name in messages. */
  get place(): string {
    return this.#client.link.place;
  }

  /** How many times a request had to be sent again. */
  get retries(): number {
    return this.#client.retries;
  }

  /** Returns the board's identity and model, as of its last report. */
  info(): BoardInfo {
    return this.#client.info();
  }

  /** Asks the board for its identity and model. */
  refresh(): Promise<BoardInfo> {
    return this.#turn((client) => client.refresh());
  }

  /** Returns how the board's memory is divided. */
  mem(): Promise<Memory> {
    return this.#turn((client) => client.mem());
  }

  /** Returns one tensor of one program; undefined past the last one. */
  describe(program: Program, role: Role, index: number): Promise<BoardTensor | undefined> {
    return this.#turn((client) => client.describe(program, role, index));
  }

  /** Returns all tensors of one program with that role. */
  tensors(program: Program, role: Role): Promise<BoardTensor[]> {
    return this.#turn((client) => client.tensors(program, role));
  }

  /** Types a line as a user would, and returns what the board prints up to its next prompt. */
  type(line: string): Promise<string> {
    return this.#turn((client) => client.type(line));
  }

  // ---- The model ----------------------------------------------------------------------------------------------------

  /**
   * Sends an image and opens it with its initial values. An image that the board already holds is not sent again, and
   * an interrupted transfer continues. A file that is not an image or does not fit the board is refused before anything
   * is sent, and the board keeps its model.
   */
  async loadImage(image: Source, options: TransferOptions = {}): Promise<BoardInfo> {
    const bytes = await readSource(image, "the image", options.signal);
    return this.#turn(async (client) => {
      requireImage(bytes);
      if (!(await client.hasImage(bytes))) await client.loadImage(bytes, options);
      await client.request("RESET_STATE", {});
      return client.info();
    });
  }

  /** Returns whether the board has this image open, judging by the header and the checksum in it. */
  async hasImage(image: Source): Promise<boolean> {
    const bytes = await readSource(image, "the image");
    return this.#turn((client) => client.hasImage(bytes));
  }

  /**
   * Sends an image beside the running one, and switches to it once the board has verified it: after an error, the old
   * model stays. carryOver (default true) keeps what fits of the old model's state by name, dtype and shape.
   */
  async updateImage(image: Source, options: TransferOptions & { carryOver?: boolean } = {}): Promise<Update> {
    const bytes = await readSource(image, "the image", options.signal);
    return this.#turn((client) => client.updateImage(bytes, options.carryOver ?? true, options));
  }

  /** Returns the bytes of the image that the board holds. */
  image(options?: TransferOptions): Promise<Uint8Array> {
    return this.#turn((client) => client.read("IMAGE", {}, options));
  }

  // ---- Data in and out ----------------------------------------------------------------------------------------------

  /** Writes a whole input or label. data: exactly as many numbers as the tensor has. */
  write(role: "input" | "label", index: number, data: Data): Promise<void> {
    return this.#turn((client) => written(client, role, index, data));
  }

  /** Writes a whole input or label from one byte per element: float32 becomes (data - zero) * scale, others data. */
  writeU8(role: "input" | "label", index: number, data: Uint8Array, scale = 1, zero = 0): Promise<void> {
    return this.#turn((client) => client.writeU8(role, index, data, scale, zero));
  }

  /** Returns one input as the board has it: what was last written, or what its sensor measured. */
  input(index = 0): Promise<View> {
    return this.#turn((client) => client.tensor(feedProgram(client), "input", index));
  }

  /** Returns one output of the program, which must be the last one that ran. */
  output(index: number, program: Program = "infer"): Promise<View> {
    return this.#turn((client) => client.tensor(program, "output", index));
  }

  /** Runs the model and returns its outputs. data: every input in order, or nothing to use those on the board. */
  infer(...data: Data[]): Promise<View[]> {
    return this.#turn(async (client) => {
      await fed(client, ["input"], data);
      await client.run("infer");
      const outputs = await client.tensors("infer", "output"), values: View[] = [];
      for (const index of outputs.keys()) values.push(await client.tensor("infer", "output", index));
      return values;
    });
  }

  /** Returns the loss, without training. data: every input, then every label, or nothing to use those on the board. */
  evalStep(...data: Data[]): Promise<number> {
    return this.#turn(async (client) => {
      await fed(client, ["input", "label"], data);
      return (await client.run("eval")).loss;
    });
  }

  /** Trains on one batch, updates, and returns the loss before the update. data: as for evalStep(). */
  step(...data: Data[]): Promise<number> {
    return this.#turn(async (client) => {
      await fed(client, ["input", "label"], data);
      return (await trainOnce(client)).loss;
    });
  }

  /** Runs one program on the samples that were last written. */
  run(program: Program): Promise<Metrics> {
    return this.#turn((client) => client.run(program));
  }

  /** Returns the metrics of the last run again. */
  metrics(): Promise<Metrics> {
    return this.#turn((client) => client.metrics());
  }

  // ---- Many samples -------------------------------------------------------------------------------------------------

  /** Trains on many samples, for some epochs, and returns the mean loss of each. */
  train(options: BoardTrainOptions): Promise<BoardEpoch[]> {
    return train(this.#client, this.#turns, options);
  }

  /** Returns loss and accuracy over many samples. */
  evaluate(options: EvaluateOptions): Promise<Evaluation> {
    return evaluate(this.#client, this.#turns, options);
  }

  /** Returns the model's first output for many samples, concatenated. */
  predict(options: EvaluateOptions): Promise<Float32Array> {
    return predict(this.#client, this.#turns, options);
  }

  // ---- The sample store ---------------------------------------------------------------------------------------------

  /** Returns the size and fill of the sample store. Throws RuntimeFault (NO_STORE) if the image has none. */
  store(): Promise<BoardStore> {
    return this.#turn((client) => client.store());
  }

  /** Returns how many samples of a class were learned ("seen") and how many are in the store ("kept"). */
  storeClass(label: number): Promise<{ seen: number; kept: number }> {
    return this.#turn((client) => client.request("STORE_CLASS", { label: u32(label, "label") }));
  }

  /** Adds a sample of that class to the store: `sample`, or the first one in the board's input. */
  learn(label: number, sample?: Data): Promise<void> {
    return this.#turn(async (client) => {
      u32(label, "label");
      if (sample !== undefined) await writeSample(client, sample);
      await client.request("LEARN", { label });
    });
  }

  /** Removes all samples of a class from the store. */
  forget(label: number): Promise<void> {
    return this.#turn(async (client) => void (await client.request("FORGET", { label: u32(label, "label") })));
  }

  /** Makes one update on samples from the store. */
  replay(): Promise<Metrics> {
    return this.#turn((client) => trainOnce(client, (program) => client.replay(program)));
  }

  /** Returns how many samples of a class are in the store, and how many of them the model classifies correctly. */
  score(label: number): Promise<[kept: number, right: number]> {
    return this.#turn(async (client) => {
      const { kept, right } = await client.request("SCORE", { label: u32(label, "label") });
      return [kept, right];
    });
  }

  /** Lets the board train on its store whenever nothing has arrived for a second. */
  setIdleTraining(on: boolean): Promise<void> {
    return this.#turn(async (client) => void (await client.request("IDLE_TRAINING", { on: Number(on) })));
  }

  // ---- State --------------------------------------------------------------------------------------------------------

  /**
   * Returns all trained parameters, concatenated: float32 numbers. If any parameter has another type, returns bytes,
   * and each parameter begins at a multiple of 4.
   */
  parameters(options?: TransferOptions): Promise<Float32Array | Uint8Array> {
    return this.#turn(async (client) => {
      const areFloats = await client.hasFloatParameters();
      const bytes = await client.read("PARAMETERS", {}, options);
      return areFloats ? floats("PARAMETERS", bytes) : bytes;
    });
  }

  /** Returns one parameter's accumulated gradient, which is float32 for parameters of every dtype. */
  gradient(index: number, options?: TransferOptions): Promise<Float32Array> {
    const place = { index: u32(index, "index") };
    return this.#turn(async (client) => floats("GRADIENT", await client.read("GRADIENT", place, options)));
  }

  /** Returns the state: parameters, moments, counters and properties. */
  state(options?: TransferOptions): Promise<Uint8Array> {
    return this.#turn((client) => client.read("STATE", {}, options));
  }

  /** Keeps a checkpoint on the board and returns its bytes. half: sends it in 16 bits; the board keeps all bits. */
  save({ half = false, ...options }: TransferOptions & { half?: boolean } = {}): Promise<Uint8Array> {
    return this.#turn((client) => client.save(half, options));
  }

  /** Continues from a checkpoint's bytes, plain or half; the board keeps the state. */
  load(checkpoint: Bytes, options?: TransferOptions): Promise<void> {
    return this.#turn((client) => client.load(bytesOf(checkpoint, "the checkpoint"), options));
  }

  /** Returns to the checkpoint that the board keeps. */
  loadKeptCheckpoint(): Promise<void> {
    return this.#turn(async (client) => void (await client.request("LOAD", {})));
  }

  /** Lets the board keep a checkpoint after every `updates` updates; 0 turns this off. */
  saveEvery(updates: number): Promise<void> {
    return this.#turn(async (client) => void (await client.request("SAVE_EVERY", { updates: u32(updates, "updates") })));
  }

  /** Returns the number of the round of federated learning; round 0 starts from the image's parameters. */
  round(): Promise<number> {
    return this.#turn(async (client) => (await client.request("ROUND", {})).number);
  }

  /** Makes the current parameters the base of that round, in flash; for round 0, the base is the image's parameters. */
  beginRound(number: number): Promise<void> {
    return this.#turn(async (client) => void (await client.request("ROUND_BEGIN", { number })));
  }

  /**
   * Returns the parameters' difference from the base, quantized to 2, 4 or 8 bits a number.
   *
   * seed: of the rounding; use a different one on each device. shared: bit i % 8 of byte i / 8 is set if parameter i is
   * to be sent; if it is empty, all are sent.
   */
  roundDelta(bits = 4, seed = 0, shared: Uint8Array = new Uint8Array()): Promise<Uint8Array> {
    return this.#turn((client) => client.readParts("DELTA", { bits, seed, shared }));
  }

  /**
   * Moves on to the base that a delta leads to, and returns the number of its round.
   *
   * bits, seed: those of roundDelta(), to keep what quantization lost; with 0 bits, nothing is kept.
   */
  endRound(delta: Bytes, bits = 0, seed = 0): Promise<number> {
    return this.#turn((client) => client.endRound(bytesOf(delta, "the delta"), bits, seed));
  }

  /** Returns what saveEvery() has done since the model was opened. */
  saves(): Promise<Saves> {
    return this.#turn((client) => client.saves());
  }

  /** Sets the learning rate of the next updates, and ends any schedule. */
  setLearningRate(rate: number): Promise<void> {
    return this.#turn(async (client) => void (await client.request("LEARNING_RATE", { rate })));
  }

  /** Raises the rate linearly from 0 to `rate` in warmupSteps, then lowers it linearly to 0 at totalSteps. */
  setLinearSchedule(rate: number, warmupSteps: number, totalSteps: number): Promise<void> {
    const values = { rate, warmupSteps: u32(warmupSteps, "warmupSteps"), totalSteps: u32(totalSteps, "totalSteps") };
    return this.#turn(async (client) => void (await client.request("SCHEDULE", values)));
  }

  /** Sets the dropout seed, 0 .. 2^32-1, and restarts its sequence. */
  setSeed(seed: number): Promise<void> {
    return this.#turn(async (client) => void (await client.request("SEED", { seed: u32(seed, "seed") })));
  }

  /** Makes the next run of "train" start from zero gradients. */
  lazyResetGrad(): Promise<void> {
    return this.#turn(async (client) => void (await client.request("LAZY_RESET", {})));
  }

  /** Resets the state to the image's initial values. A checkpoint on the board stays. */
  reset(): Promise<void> {
    return this.#turn(async (client) => void (await client.request("RESET_STATE", {})));
  }
}

/** Returns a client of the board at a transport, once the board has identified itself. */
async function connected(transport: Transport | SerialPortLike, options: OpenOptions): Promise<Client> {
  if ("open" in transport) await openPort(transport, options.baudRate ?? 115_200);
  const client = new Client(new Link(transport, options.place ?? "the serial port"), options.onText, options.attempts);
  try {
    await client.identify();
    return client;
  } catch (error) {
    await client.link.close();
    throw error;
  }
}

/** Returns the program that takes the most data among those in the model. */
function feedProgram(client: Client): Program {
  const { programs } = client.info();
  return (["step", "train", "eval", "infer"] as const).find((name) => programs.includes(name)) ?? "infer";
}

async function written(client: Client, role: Role, index: number, data: Data): Promise<void> {
  const tensor = await client.describe(feedProgram(client), role, index);
  if (!tensor) throw new DataError(`the model has no ${role} ${index}`, "list its tensors: gradmote inspect model.mote");
  await client.write(role, index, tensorBytes(tensor, data, `${role} '${tensor.name}'`));
}

/** Writes all tensors of these roles; writes nothing if no data is given. */
async function fed(client: Client, roles: Role[], data: Data[]): Promise<void> {
  if (!data.length) return;
  const places: [Role, number, BoardTensor][] = [];
  for (const role of roles) (await client.tensors(feedProgram(client), role)).forEach((tensor, i) => places.push([role, i, tensor]));
  if (places.length !== data.length) {
    const wanted = places.map(([role, , { name }]) => `${role} '${name}'`).join(", ");
    throw new DataError(`${data.length} arrays were given`, `pass ${places.length}: ${wanted}; or none`);
  }
  const bytes = places.map(([role, , tensor], i) => tensorBytes(tensor, data[i], `${role} '${tensor.name}'`));
  for (const [i, [role, index]] of places.entries()) await client.write(role, index, bytes[i]);
}

function floats(source: keyof typeof SOURCES, { buffer, byteLength }: Uint8Array): Float32Array {
  if (byteLength % 4) throw new DataError(`${source} has ${byteLength} bytes`, "connect again");
  return new Float32Array(buffer);
}

/** Writes the first sample of the input. */
async function writeSample(client: Client, sample: Data): Promise<void> {
  const { elements } = await client.store(), input = await client.describe(feedProgram(client), "input", 0);
  if (!input) throw new DataError("the model takes no input", "compile the model again");
  const whole: BoardTensor = { ...input, shape: [elements], size: arrayOf(input).BYTES_PER_ELEMENT * elements };
  await client.write("input", 0, tensorBytes(whole, sample, "the sample"));
}
