/** A numpy array: an .npy file, or a member of an .npz. */
import { hasNames, sizeOf, type AnyArray, type Numbers } from "../loaded";
import { asDataError, DataError } from "../problem";
import { wholeFile, type Source, type Watcher } from "../source";
import { counted, named } from "../wording";

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];
/** The most header bytes that numpy reads. */
const LONGEST_HEADER = 10_000;
const GAP = String.raw`[ \t\n\r\f]*`;
const SHAPE = String.raw`\(${GAP}(?:\d+L?${GAP},${GAP})*(?:(?<=,${GAP})\d+L?${GAP})?\)`;
const VALUE = String.raw`'[^']*'|"[^"]*"|True|False|${SHAPE}|\[.*\]`;
const PAIR = String.raw`${GAP}['"]\w+['"]${GAP}:${GAP}(?:${VALUE})${GAP}`;
const HEADER = new RegExp(String.raw`^\{${PAIR}(?:,${PAIR})*,?${GAP}\}${GAP}$`, "s");
const ENTRY = new RegExp(String.raw`['"](\w+)['"]${GAP}:${GAP}(${VALUE})`, "gs");
const DESCRIPTION = /^([<>|=])([a-zA-Z])(\d*)(?:\[\w*\])?$/;

/** numpy's letter and size -> its name, and the array class for it. */
const KINDS: Record<string, [string, new (buffer: ArrayBuffer) => Numbers]> = {
  f2: ["float16", Uint16Array],
  f4: ["float32", Float32Array],
  f8: ["float64", Float64Array],
  b1: ["bool", Uint8Array],
  i1: ["int8", Int8Array],
  i2: ["int16", Int16Array],
  i4: ["int32", Int32Array],
  i8: ["int64", BigInt64Array],
  u1: ["uint8", Uint8Array],
  u2: ["uint16", Uint16Array],
  u4: ["uint32", Uint32Array],
  u8: ["uint64", BigUint64Array],
};
const OTHERS: Record<string, string> = { c: "complex", M: "datetime64", m: "timedelta64", V: "records", O: "Python objects" };

interface Header {
  /** "<" or ">" or "|". */
  order: string;
  kind: string;
  itemSize: number;
  isFortran: boolean;
  shape: number[];
  /** The offset of the numbers. */
  start: number;
}

/** Returns whether a file begins like a numpy array. */
export function isNpy(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, index) => bytes[index] === byte);
}

/** Returns the array in an .npy file. Throws DataError if the file is damaged. */
export async function readNpy(source: Source, watcher: Watcher): Promise<AnyArray> {
  const bytes = await wholeFile(source, watcher);
  try {
    return arrayIn(bytes, "x");
  } catch (error) {
    throw asDataError(error, named(source.path), "write numbers with numpy.save(path, array)");
  }
}

/**
 * Returns the array in an .npy file's bytes. Throws Error if they are damaged, and DataError, which says `name`, if the
 * array does not hold numbers.
 */
export function arrayIn(bytes: Uint8Array, name: string): AnyArray {
  const header = headerIn(bytes, name), size = sizeOf(header.shape) * header.itemSize;
  if (size > bytes.length - header.start) {
    const shape = `(${header.shape.join(", ")})`;
    throw new Error(`it claims an array ${shape} of ${counted(size)} bytes, and has ${counted(bytes.length - header.start)} bytes of it`);
  }
  const items = bytes.slice(header.start, header.start + size);
  const array = header.kind === "U" || header.kind === "S" ? namesOf(items, header) : numbersOf(items, header);
  return header.isFortran ? inOrderOfC(array) : array;
}

function headerIn(bytes: Uint8Array, name: string): Header {
  if (!isNpy(bytes) || bytes.length < 12) throw new Error("it does not begin as an array of numpy");
  const isShort = bytes[6] === 1, view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] !== 0) throw new Error(`its version ${bytes[6]}.${bytes[7]} is not one of numpy's`);
  const start = isShort ? 10 : 12, length = isShort ? view.getUint16(8, true) : view.getUint32(8, true);
  if (length > LONGEST_HEADER || start + length > bytes.length) throw new Error("its header is cut off, or too long");
  const entries = entriesOf(new TextDecoder().decode(bytes.subarray(start, start + length)));
  const { descr, fortran_order: order, shape } = entries;
  if (Object.keys(entries).length !== 3 || !descr || !/^(True|False)$/.test(order ?? "") || !shape?.startsWith("(")) {
    throw new Error("its header does not say dtype, order and shape");
  }
  return { ...dtypeOf(descr, name), isFortran: order === "True", shape: shapeOf(shape), start: start + length };
}

/** Returns the entries of a header, which is a Python dictionary. */
function entriesOf(text: string): Record<string, string | undefined> {
  if (!HEADER.test(text)) throw new Error("its header is not a dictionary");
  return Object.fromEntries([...text.matchAll(ENTRY)].map(([, key, value]) => [key, value]));
}

function dtypeOf(text: string, name: string): Pick<Header, "order" | "kind" | "itemSize"> {
  const [, order, letter, digits] = DESCRIPTION.exec(text.slice(1, -1)) ?? [, "|", text[0] === "[" ? "V" : "", ""];
  const size = Number(digits);
  if (letter === "U" || letter === "S") return { order: order!, kind: letter, itemSize: letter === "U" ? 4 * size : size };
  if (KINDS[letter + digits]) return { order: order!, kind: letter + digits, itemSize: size };
  if (!OTHERS[letter!] && letter !== "f") throw new Error(`its dtype ${named(text)} is not one of numpy's`);
  throw new DataError(`${name} is ${OTHERS[letter!] ?? `float${8 * size}`}`, "store numbers: float32 or float64, integers, or bytes (uint8)");
}

function shapeOf(text: string): number[] {
  const shape = [...text.matchAll(/\d+/g)].map(([digits]) => Number(digits));
  if (shape.length > 32 || !Number.isSafeInteger(sizeOf(shape.map((dim) => dim || 1)) * 8)) throw new Error("its shape is too large");
  return shape;
}

function numbersOf(items: Uint8Array, { kind, order, itemSize, shape }: Header): AnyArray {
  if (order === ">") swapBytes(items, itemSize);
  const [dtype, Numbers] = KINDS[kind], data = new Numbers(items.buffer as ArrayBuffer);
  return { dtype, shape, data: kind === "f2" ? Float32Array.from(data as Uint16Array, fromHalf) : data };
}

/** Reverses the bytes of each number, in place. */
function swapBytes(items: Uint8Array, size: number): void {
  for (let at = 0; size > 1 && at < items.length; at += size) items.subarray(at, at + size).reverse();
}

/** Returns the number that a float16's bits stand for. */
function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1, exponent = (bits >> 10) & 31, fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : fraction * 2 ** -24);
}

/** Returns fixed-length texts, without their trailing zeros. */
function namesOf(items: Uint8Array, { kind, order, itemSize, shape }: Header): AnyArray {
  if (kind === "U" && order === ">") swapBytes(items, 4);
  const decoder = new TextDecoder(), count = sizeOf(shape);
  const text = (index: number) => {
    const item = items.subarray(index * itemSize, (index + 1) * itemSize);
    return (kind === "S" ? decoder.decode(item) : charactersOf(item)).replace(/\0+$/, "");
  };
  return { dtype: "names", shape, data: Array.from({ length: count }, (_, index) => text(index)) };
}

function charactersOf(item: Uint8Array): string {
  const view = new DataView(item.buffer, item.byteOffset, item.length);
  const codes = Array.from({ length: item.length / 4 }, (_, index) => view.getUint32(4 * index, true));
  if (codes.some((code) => code > 0x10ffff)) throw new Error("its text has invalid characters");
  return String.fromCodePoint(...codes);
}

/** Returns an array in Fortran's order (first axis fastest) as one in C's order (last axis fastest). */
function inOrderOfC(array: AnyArray): AnyArray {
  const { shape, data } = array, index = shape.map(() => 0), steps: number[] = [];
  shape.reduce((step, dim) => (steps.push(step), step * dim), 1);
  const found = data.slice() as typeof data;
  for (let to = 0, from = 0; to < data.length; to++) {
    found[to] = data[from];
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      from += steps[axis];
      if (++index[axis] < shape[axis]) break;
      from -= steps[axis] * shape[axis];
      index[axis] = 0;
    }
  }
  return (hasNames(array) ? { ...array, data: found } : { ...array, data: found }) as AnyArray;
}

