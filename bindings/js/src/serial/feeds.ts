// Samples, and how they are written to a board: batch by batch, as single bytes if their values are bytes.
import { copyInto } from "../arrays.js";
import { kindOf } from "../bytes.js";
import { ARRAYS } from "../generated/records.js";
import { DataError, RuntimeFault, type Data, type Program } from "../index.js";
import { arrayOf, elementsOf, type Client } from "./client.js";
import { DeviceError } from "./device-error.js";
import type { BoardTensor, Role, Samples } from "./types.js";

/** Concatenated samples. */
export interface BoardData {
  /** The first input of all samples. */
  x: Samples;
  /** The first label of all samples. Class labels are integers. */
  y?: Samples;
  /** Other inputs and labels, by name. */
  more?: Record<string, Samples>;
  /** Bytes q of x stand for (q - zero) * scale. An int8 input takes q - zero, a uint8 input takes q. */
  scale?: number;
  zero?: number;
}

/** One input or label, and all its samples. */
export interface Feed {
  role: Role;
  index: number;
  data: Samples;
  /** Numbers in one sample. */
  width: number;
  scale: number;
  zero: number;
  /** The tensor is quantized, and `data` already holds its quantized numbers. */
  isQuantized: boolean;
}

const LABEL_OUT_OF_RANGE = -15;
/** A message names at most this many samples, and counts the others. */
const NAMED = 3;
const TRAINS = ["step", "train"] as const;

/** Returns the program that trains. Throws DeviceError if the model has no suitable one. */
export function trainingProgram(programs: Program[], microBatches = 1): "step" | "train" {
  const program = TRAINS.find((name) => programs.includes(name));
  if (!program || (program === "train" && !programs.includes("optimizer"))) {
    const hint = "compile it for training: gradmote compile model.onnx -o model.mote --loss cross_entropy --optimizer sgd";
    throw new DeviceError("NO_TRAINING", `this model only has the programs ${programs.join(", ") || "(none)"}`, hint);
  }
  if (microBatches > 1 && !programs.includes("train")) {
    throw new DeviceError("NO_TRAINING", "this model keeps no gradients to average", "compile it with --accumulate");
  }
  return program;
}

/** All samples of a call, and the board that receives them. */
export class Feeds {
  private constructor(
    readonly client: Client,
    readonly all: readonly Feed[],
    readonly batch: number,
    /** How many samples there are. */
    readonly count: number,
  ) {}

  /** Matches data with what a program takes. Throws DataError if they differ. */
  static async of(client: Client, data: BoardData, program: Program, roles: readonly Role[]): Promise<Feeds> {
    const { batch } = client.info(), feeds: Feed[] = [];
    for (const role of roles) {
      const tensors = await client.tensors(program, role);
      tensors.forEach((tensor, index) => feeds.push(feedOf(data, tensor, role, index, batch)));
    }
    const first = feeds[0];
    if (!first) throw new DataError(`the program ${program} takes no input`, "compile the model again");
    const count = first.data.length / first.width;
    for (const { role, index, data: { length }, width } of feeds) {
      if (length === count * width && Number.isInteger(count)) continue;
      const text = `${role} ${index} has ${length} numbers, which is not ${width} for each of ${count} samples`;
      throw new DataError(text, `a sample has ${first.width} numbers of input 0, and ${width} of ${role} ${index}`);
    }
    return new Feeds(client, feeds, batch, count);
  }

  /** The first label's samples; undefined if there is none. */
  get labels(): Feed | undefined {
    return this.all.find(({ role }) => role === "label");
  }

  /** Writes these samples of each input and label. `rows` has as many as a batch. */
  async write(rows: readonly number[]): Promise<void> {
    for (const feed of this.all) await writeFeed(this.client, feed, picked(feed, rows));
  }

  /** Runs `work`, and turns the refusal of a label into an error that names its samples. */
  async explained<T>(rows: readonly number[], work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof RuntimeFault && error.code === LABEL_OUT_OF_RANGE) || !this.labels) throw error;
      throw wrongLabels(this.labels, [...new Set(rows)], await this.#classes());
    }
  }

  /** Returns how many classes the model distinguishes; undefined if its outputs do not say. */
  async #classes(): Promise<number | undefined> {
    for (const program of ["infer", "eval"] as const) {
      const output = await this.client.describe(program, "output", 0);
      if (output && output.shape.length > 1) return output.shape[1];
    }
    return undefined;
  }
}

/** Returns the samples in these rows. */
export function picked({ data, width }: Feed, rows: readonly number[]): Samples {
  const chosen = new (data.constructor as Float32ArrayConstructor)(rows.length * width) as Samples;
  rows.forEach((row, i) => chosen.set(data.subarray(row * width, (row + 1) * width), i * width));
  return chosen;
}

function feedOf(data: BoardData, tensor: BoardTensor, role: Role, index: number, batch: number): Feed {
  const name = index > 0 ? tensor.name : role === "input" ? "x" : "y";
  const given = index > 0 ? data.more?.[name] : role === "input" ? data.x : data.y;
  const width = elementsOf(tensor) / batch;
  if (!given) throw new DataError(`the model takes the ${role} '${tensor.name}', which is missing`, `add ${name} to the data`);
  if (!Number.isInteger(width) || width < 1) {
    throw new DataError(`${role} '${tensor.name}' has ${elementsOf(tensor)} numbers for ${batch} samples`, "write() takes all of it");
  }
  const [scale, zero] = name === "x" ? [data.scale ?? 1, data.zero ?? 0] : [1, 0];
  return { role, index, data: matched(given, tensor, name, zero), width, scale, zero, isQuantized: isQuantized(tensor) };
}

/** Returns samples in the dtype of a tensor. Bytes stay bytes. Throws DataError if a number would change. */
function matched(data: Samples, tensor: BoardTensor, name: string, zero: number): Samples {
  if (!ARRAYS.some((array) => data instanceof array)) {
    throw new DataError(`${name} is ${kindOf(data)}`, `pass one of ${ARRAYS.map((array) => array.name).join(", ")}`);
  }
  if (isQuantized(tensor)) return quantized(data, tensor, name, data instanceof Uint8Array ? zero : 0);
  if (data instanceof Uint8Array) return data;
  if (data instanceof Float32Array) return tensor.dtype === "float32" ? data : wholeNumbers(data, tensor, name);
  const isWhole = tensor.dtype === "int32";
  return data instanceof Int32Array && (isWhole || areBytes(data)) ? data : isWhole ? Int32Array.from(data) : Float32Array.from(data);
}

function isQuantized(tensor: BoardTensor): boolean {
  return arrayOf(tensor).BYTES_PER_ELEMENT < 4;
}

/** Returns quantized numbers in the dtype of a tensor. zero: the byte that stands for 0 in the data. */
function quantized(data: Samples, tensor: BoardTensor, name: string, zero: number): Samples {
  const array = arrayOf(tensor), shift = tensor.dtype === "uint8" ? 0 : zero;
  if (data instanceof array) return data;
  const found = (array as Int8ArrayConstructor).from(data as Int8Array, (value) => value - shift);
  const wrong = data instanceof Float32Array ? 0 : found.findIndex((value, i) => value !== data[i] - shift);
  if (wrong < 0) return found;
  const text = `${name}[${wrong}] is ${data[wrong]} of a ${kindOf(data)}, and '${tensor.name}' takes ${tensor.dtype}`;
  throw new DataError(text, `give quantized numbers, round(x / scale) + zero_point, as ${array.name}`);
}

function wholeNumbers(data: Float32Array, tensor: BoardTensor, name: string): Int32Array {
  const wrong = data.findIndex((value) => value !== (value | 0));
  if (wrong < 0) return Int32Array.from(data);
  const hint = "give class indices, or compile the model with a loss on numbers: --loss mse";
  throw new DataError(`${name}[${wrong}] is ${data[wrong]}, and '${tensor.name}' takes whole numbers`, hint);
}

function areBytes(data: Samples): boolean {
  return !(data instanceof Float32Array) && data.every((value) => value >= 0 && value < 256);
}

async function writeFeed(client: Client, { role, index, scale, zero, isQuantized }: Feed, data: Samples): Promise<void> {
  if (isQuantized) return client.write(role, index, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  if (data instanceof Uint8Array) return client.writeU8(role, index, data, scale, zero);
  if (areBytes(data)) return client.writeU8(role, index, Uint8Array.from(data));
  return client.write(role, index, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
}

/** Returns the bytes of a whole tensor. Throws DataError if the data does not fit it. */
export function tensorBytes(tensor: BoardTensor, data: Data, what: string): Uint8Array {
  const { length, byteLength } = data as Partial<Float32Array>, count = typeof data === "number" ? 1 : length;
  const elements = elementsOf(tensor);
  if (count !== elements && byteLength !== tensor.size) {
    throw new DataError(`${what} has ${elements} elements; ${count ?? byteLength} were given`, `its shape is ${tensor.shape.join(" x ")}`);
  }
  const target = new (arrayOf(tensor))(elements);
  copyInto(target, data, what);
  return new Uint8Array(target.buffer);
}

function wrongLabels({ data, width }: Feed, rows: number[], classes: number | undefined): DataError {
  const places = rows.flatMap((row) => Array.from({ length: width }, (_, i) => row * width + i));
  const outside = places.filter((at) => classes === undefined || data[at] < 0 || data[at] >= classes);
  const named = outside.slice(0, NAMED).map((at) => `y[${at}] is ${data[at]}`).join(", ");
  const more = outside.length > NAMED ? `, and ${outside.length - NAMED} more in this batch` : "";
  const lie = classes === undefined ? "labels are class indices" : `labels must be in 0 .. ${classes - 1}`;
  const hint = "number the classes from 0 on, or compile the model with as many outputs as there are classes";
  return new DataError(`${named}${more}: ${lie}`, hint);
}
