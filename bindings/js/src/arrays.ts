import { bytesOf, isBuffer, kindOf, type Bytes } from "./bytes.js";
import { DataError } from "./errors.js";

export type DType = "float32" | "int32";

/** Data of a tensor: a typed array, a plain array of numbers, one number, or raw bytes. */
export type Data = Bytes | readonly number[] | readonly bigint[] | number;

type Target = Float32Array | Int32Array;
type Values = ArrayLike<number> | ArrayLike<bigint>;

/** The names of arrays of whole numbers, and of what may hold a tensor's raw bytes. */
const INTEGERS = /^(Big)?u?int\d+(Clamped)?Array$|^Buffer$/i;
const RAW = /^((Shared)?ArrayBuffer|DataView|Buffer|U?int8(Clamped)?Array)$/i;

/**
 * Copies data into a tensor of the arena.
 *
 * A float32 tensor takes a Float32Array or an array of numbers; an int32 tensor takes integers of any type that fit. Both
 * take exactly their size in raw bytes. Throws DataError for other data, and the tensor is as it was then.
 */
export function copyInto(target: Target, data: Data, what: string): void {
  const kind = kindOf(data);
  if (RAW.test(kind) && (isBuffer(data) || ArrayBuffer.isView(data)) && data.byteLength === target.byteLength) {
    new Uint8Array(target.buffer, target.byteOffset, target.byteLength).set(bytesOf(data, what));
    return;
  }
  const values = typeof data === "number" ? [data] : (data as Values);
  const isFloat = target instanceof Float32Array;
  if (!fits(kind, isFloat)) throw wrongType(kind, isFloat, what);
  if (values.length !== target.length) {
    throw new DataError(`${what} has ${target.length} elements; ${values.length} were given`, "see inputs() and labels() for shapes");
  }
  if (kind === "Float32Array") target.set(values as ArrayLike<number>);
  else if (isFloat) target.set(allNumbers(values, what));
  else target.set(kind === "Int32Array" ? (values as ArrayLike<number>) : allInt32(values, what));
}

function fits(kind: string, isFloat: boolean): boolean {
  if (kind === "Array" || kind === "a number") return true;
  return isFloat ? kind === "Float32Array" : INTEGERS.test(kind);
}

function wrongType(kind: string, isFloat: boolean, what: string): DataError {
  const wanted = isFloat ? "float32" : "int32";
  const array = isFloat ? "Float32Array" : "Int32Array";
  return new DataError(`${what} takes ${wanted}, not ${kind}`, `convert it, for instance with ${array}.from(data)`);
}

function allNumbers(values: Values, what: string): ArrayLike<number> {
  for (let i = 0; i < values.length; i++) {
    if (typeof values[i] !== "number") throw new DataError(`element ${i} of ${what} is ${kindOf(values[i])}`, "pass numbers alone");
  }
  return values as ArrayLike<number>;
}

function allInt32(values: Values, what: string): Int32Array {
  return Int32Array.from({ length: values.length }, (_, i) => {
    const value = Number(values[i]);
    if (value !== (value | 0) || !["number", "bigint"].includes(typeof values[i])) {
      throw new DataError(`element ${i} of ${what} is ${String(values[i])}`, "pass whole numbers of 32 bits");
    }
    return value;
  });
}

/** Returns a whole number that fits 32 bits without a sign. Throws DataError for any other value. */
export function u32(value: number, what: string): number {
  if (!Number.isInteger(value) || value < 0 || value > 0xffffffff) {
    throw new DataError(`${what} is ${String(value)}`, "it must be a whole number in 0 .. 4294967295");
  }
  return value;
}
