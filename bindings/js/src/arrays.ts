import { bytesOf, isBuffer, kindOf, type Bytes } from "./bytes.js";
import { DataError } from "./errors.js";
import type { DTYPE, View } from "./generated/records.js";

export type DType = (typeof DTYPE)[number];

/** Data of a tensor: a typed array, a plain array of numbers, one number, or raw bytes. */
export type Data = Bytes | readonly number[] | readonly bigint[] | number;

type Values = ArrayLike<number> | ArrayLike<bigint>;

/** The names of arrays of integers, and of types that may hold a tensor's raw bytes. */
const INTEGERS = /^(Big)?u?int\d+(Clamped)?Array$|^Buffer$/i;
const RAW = /^((Shared)?ArrayBuffer|DataView|Buffer|U?int8(Clamped)?Array)$/i;

/**
 * Copies data into a tensor of the arena.
 *
 * A float32 tensor takes a Float32Array or an array of numbers; others take integers of any type, if the values fit.
 * All take raw bytes of exactly their size. Throws DataError for other data, and leaves the tensor unchanged.
 */
export function copyInto(target: View, data: Data, what: string): void {
  const kind = kindOf(data);
  const isRaw = RAW.test(kind) && (target.BYTES_PER_ELEMENT > 1 || !/^[UI]/.test(kind)); // Int8Array or Uint8Array
  if (isRaw && (isBuffer(data) || ArrayBuffer.isView(data)) && data.byteLength === target.byteLength) {
    new Uint8Array(target.buffer, target.byteOffset, target.byteLength).set(bytesOf(data, what));
    return;
  }
  const values = typeof data === "number" ? [data] : (data as Values);
  const isFloat = target instanceof Float32Array;
  if (!fits(kind, isFloat)) throw wrongType(kind, kindOf(target), what);
  if (values.length !== target.length) {
    throw new DataError(`${what} has ${target.length} elements; ${values.length} were given`, "see inputs() and labels() for shapes");
  }
  if (kind === kindOf(target)) target.set(values as ArrayLike<number>);
  else target.set(isFloat ? allNumbers(values, what) : allIntegers(values, target, what));
}

function fits(kind: string, isFloat: boolean): boolean {
  if (kind === "Array" || kind === "a number") return true;
  return isFloat ? kind === "Float32Array" : INTEGERS.test(kind);
}

function wrongType(kind: string, wanted: string, what: string): DataError {
  return new DataError(`${what} takes ${wanted.slice(0, -5).toLowerCase()}, not ${kind}`, `pass ${wanted}`);
}

function allNumbers(values: Values, what: string): ArrayLike<number> {
  for (let i = 0; i < values.length; i++) {
    if (typeof values[i] !== "number") throw new DataError(`element ${i} of ${what} is ${kindOf(values[i])}`, "pass numbers alone");
  }
  return values as ArrayLike<number>;
}

function allIntegers(values: Values, target: View, what: string): ArrayLike<number> {
  const made = (target as Int32Array).slice();
  for (let i = 0; i < values.length; i++) {
    const value = (made[i] = Number(values[i]));
    if (value !== made[i] || !["number", "bigint"].includes(typeof values[i])) {
      throw new DataError(`element ${i} of ${what} is ${String(values[i])}`, "pass whole numbers");
    }
  }
  return made;
}

/** Returns an unsigned 32-bit integer. Throws DataError for any other value. */
export function u32(value: number, what: string): number {
  if (typeof value !== "number" || value >>> 0 !== value) {
    throw new DataError(`${what} is ${String(value)}`, "it must be a whole number in 0 .. 4294967295");
  }
  return value;
}
