/** Converts arrays to the dtypes that boards know, and says so in notes. */
import { hasNames, indexOf, placeOf, type Loaded, type NumberArray, type Origin } from "./loaded";
import { DataError } from "./problem";
import { nameOf } from "./source";
import { named } from "./wording";

/** Single numbers, which stay as they are. */
const SCALARS = ["scale", "zero"];
const LARGEST = 2 ** 128 - 2 ** 104;
const STAY = ["float32", "uint8"];

/** Returns the arrays as float32, int32 or bytes, with a note on those that had another type. */
export function converted(loaded: Loaded): Loaded {
  const arrays = { ...loaded.arrays }, changes: string[] = [];
  for (const [name, array] of Object.entries(loaded.arrays)) {
    if (SCALARS.includes(name)) continue;
    if (hasNames(array)) throw new DataError(`${named(name)} is text`, "store numbers: float32 or float64, integers, or bytes (uint8)");
    const narrow = narrowed(array, name, loaded.origins[name]);
    arrays[name] = narrow;
    if (narrow.dtype !== array.dtype) changes.push(`${named(name)} ${array.dtype} taken as ${narrow.dtype}`);
  }
  const line = changes.length ? [`${named(nameOf(loaded.path))}: ${changes.join(", ")}`] : [];
  return { ...loaded, arrays, notes: [...loaded.notes, ...line] };
}

/** Returns the array as float32 or int32; bytes stay. Throws DataError if a number is out of that dtype's range. */
function narrowed(array: NumberArray, name: string, origin: Origin | undefined): NumberArray {
  if (STAY.includes(array.dtype)) return array;
  const dtype = array.dtype.startsWith("float") ? "float32" : "int32";
  const position = firstBeyond(array);
  if (position >= 0) {
    const where = placeOf(origin, name, indexOf(position, array.shape));
    throw new DataError(`${where} is ${array.data[position]}, which ${dtype} cannot hold`, "scale the data, or leave it out");
  }
  return { dtype, shape: array.shape, data: dtype === "float32" ? Float32Array.from(array.data as Float64Array) : asInt32(array) };
}

/** Returns the position of the first number that does not fit the narrow dtype; -1 if all fit. */
function firstBeyond({ dtype, data }: NumberArray): number {
  if (dtype === "float64") return (data as Float64Array).findIndex((value) => Number.isFinite(value) && Math.abs(value) > LARGEST);
  if (dtype === "uint32") return (data as Uint32Array).findIndex((value) => value > 0x7fffffff);
  if (!dtype.endsWith("int64")) return -1;
  const halves = new Int32Array(data.buffer, data.byteOffset, 2 * data.length), isSigned = dtype === "int64";
  for (let at = 0; at < halves.length; at += 2) {
    const sign = halves[at] >> 31;
    if (isSigned ? halves[at + 1] !== sign : halves[at + 1] !== 0 || sign !== 0) return at / 2;
  }
  return -1;
}

function asInt32({ dtype, data }: NumberArray): Int32Array {
  if (dtype === "int32") return data as Int32Array;
  if (!dtype.endsWith("int64")) return Int32Array.from(data as Int16Array);
  return new Int32Array(data.buffer, data.byteOffset, 2 * data.length).filter((_, index) => index % 2 === 0);
}
