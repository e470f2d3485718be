/**
 * Properties of any length, after a checkpoint in its file (docs/SPEC.md, "Properties after a checkpoint"). Each stays in
 * the JSON that it was read in, as that shows whether a number is a float, and has all digits.
 */
import { crc32 } from "./crc32.js";
import { DataError, GradmoteError } from "./errors.js";
import { Checkpoint, CHECKPOINT_MAGIC, Lasting, LASTING_MAGIC, Property, PROPERTY_TYPE, STATE_ROLE, StateEntry } from "./generated/records.js";

/** A whole number is a bigint if a number cannot hold it. */
export type Value = number | bigint | string;

/** Name -> JSON of a number or a text. */
export type Properties = Map<string, string>;

const MAGIC = 0x50504d47; // GMPP
/** Bytes before the text: magic, size and checksum. */
const HEAD = 12;
const FLOAT_MAX = 3.4028234663852886e38;
/** The names and values of a flat JSON object. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/gs;

/** Returns the JSON of a value. A float has a point or an exponent. Throws DataError for what no checkpoint keeps. */
export function jsonOf(name: string, value: Value, type?: "int" | "float"): string {
  if (typeof value === "string") return JSON.stringify(wellFormed(value, name));
  if (typeof value !== "bigint" && !Number.isFinite(value)) throw new DataError(`property '${name}' is ${value}`, "pass a finite number, a bigint or a text");
  if (type ? type === "int" : typeof value === "bigint" || Number.isSafeInteger(value)) return String(int64(name, value));
  const json = String(Number(value));
  return /[.e]/.test(json) ? json : `${json}.0`;
}

/** Returns the value of a property's JSON. Throws GradmoteError for an integer of more than 64 bits, and too large a float. */
export function valueOf(name: string, json: string): Value {
  if (json[0] === '"') return JSON.parse(json) as string;
  const number = Number(json);
  if (!isWhole(json) && Number.isFinite(number)) return number;
  if (isWhole(json) && Number.isSafeInteger(number)) return number;
  if (isWhole(json) && fits64(BigInt(json))) return BigInt(json);
  throw new GradmoteError(`property '${name}' is ${json}, which is neither an int64 nor a float`);
}

/** Returns what a slot of the state can hold of a property: value and type; undefined if it fits none. */
export function slotOf(json: string): [number, "int32" | "float32"] | undefined {
  const number = Number(json); // NaN for a text
  if (isWhole(json)) return number === (number | 0) ? [number, "int32"] : undefined;
  return Math.abs(number) <= FLOAT_MAX ? [number, "float32"] : undefined;
}

/** Returns the name. Throws DataError if it is empty or has a lone surrogate, which UTF-8 cannot encode. */
export function checkedName(name: string): string {
  if (typeof name !== "string" || name === "") throw new DataError(`'${name}' is not a name for a property`, "use a text that is not empty");
  return wellFormed(name, name);
}

/** Returns the checkpoint, then what follows it in its file. */
export function packed(checkpoint: Uint8Array, frozen: Uint8Array, properties: Properties): Uint8Array {
  const members = [...properties].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, json]) => `${JSON.stringify(name)}: ${json}`);
  const text = new TextEncoder().encode(`{${members.join(", ")}}`), size = members.length ? HEAD + text.length : 0;
  const start = checkpoint.length + frozen.length, file = new Uint8Array(start + size);
  file.set(checkpoint);
  file.set(frozen, checkpoint.length);
  if (size === 0) return file;
  const head = new DataView(file.buffer, start);
  [MAGIC, text.length, crc32(text)].forEach((word, i) => head.setUint32(4 * i, word, true));
  file.set(text, start + HEAD);
  return file;
}

/**
 * Returns what follows a checkpoint in its file: the frozen weights, and the properties. Skips lasting records. Throws
 * GradmoteError if any of it is damaged.
 */
export function following(file: Uint8Array): { frozen: Uint8Array; properties: Properties } {
  const size = sizeOfCheckpoint(file, 0), start = size && afterLasting(file, size);
  const end = wordAt(file, start) === CHECKPOINT_MAGIC && start ? start + (sizeOfCheckpoint(file, start) || damaged()) : start;
  const rest = file.subarray(end || file.length);
  return { frozen: file.slice(start, end), properties: rest.length ? unpacked(rest) : new Map() };
}

/** Returns the properties in the slots of a plain checkpoint's state. */
export function slotsIn(checkpoint: Uint8Array): Properties {
  const found: Properties = new Map(), state = checkpoint.length - wordAt(checkpoint, Checkpoint.stateSize);
  for (let i = 0, at: number = Checkpoint.sizeof; i < wordAt(checkpoint, Checkpoint.entries); i++, at += StateEntry.sizeof) {
    if (STATE_ROLE[wordAt(checkpoint, at + StateEntry.role)] !== "properties") continue;
    const first = state + wordAt(checkpoint, at + StateEntry.offset), end = first + wordAt(checkpoint, at + StateEntry.size);
    for (let slot = first; slot < end; slot += Property.sizeof) takeSlot(found, checkpoint.subarray(slot, slot + Property.sizeof));
  }
  return found;
}

function takeSlot(found: Properties, slot: Uint8Array): void {
  const type = PROPERTY_TYPE[wordAt(slot, Property.type)], view = viewOf(slot);
  if (type === "empty") return;
  const key = slot.subarray(Property.key, Property.type), name = new TextDecoder().decode(key.subarray(0, key.indexOf(0)));
  const value = type === "f32" ? view.getFloat32(Property.value, true) : view.getInt32(Property.value, true);
  found.set(name, jsonOf(name, value, type === "f32" ? "float" : "int"));
}

/** Returns the size of a whole checkpoint at `at`, or 0 if there is none. */
function sizeOfCheckpoint(file: Uint8Array, at: number): number {
  const size = wordAt(file, at + Checkpoint.size), isThere = wordAt(file, at) === CHECKPOINT_MAGIC;
  return isThere && size >= Checkpoint.sizeof && size <= file.length - at ? size : 0;
}

function afterLasting(file: Uint8Array, at: number): number {
  while (wordAt(file, at) === LASTING_MAGIC) {
    const start = at + Lasting.sizeof, end = start + wordAt(file, at + Lasting.size);
    if (end + 4 > file.length || crc32(file.subarray(start, end)) !== wordAt(file, end)) damaged();
    at = end + 4;
  }
  return at;
}

function unpacked(rest: Uint8Array): Properties {
  const text = rest.subarray(HEAD);
  if (wordAt(rest, 0) !== MAGIC || wordAt(rest, 4) !== text.length || wordAt(rest, 8) !== crc32(text)) damaged();
  try {
    return membersOf(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(text));
  } catch (cause) {
    return damaged(cause);
  }
}

function membersOf(json: string): Properties {
  const values = JSON.parse(json) as object, tokens = json.match(TOKENS) ?? [];
  const isFlat = Object.values(values).every((value) => typeof value === "string" || typeof value === "number");
  if (!isFlat || json.trimStart()[0] !== "{" || tokens.length !== 2 * Object.keys(values).length) damaged();
  return new Map(Object.keys(values).map((_, i) => [JSON.parse(tokens[2 * i]) as string, tokens[2 * i + 1]]));
}

function damaged(cause?: unknown): never {
  throw new GradmoteError("the properties after the checkpoint are damaged", "transfer the file again", { cause });
}

function int64(name: string, value: number | bigint): bigint {
  const isWhole = typeof value === "bigint" || Number.isInteger(value);
  if (isWhole && fits64(BigInt(value))) return BigInt(value);
  throw new DataError(`property '${name}' is ${value}`, "an int must be whole and fit 64 bits; keep it as a float");
}

function fits64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

function isWhole(json: string): boolean {
  return /^-?\d+$/.test(json);
}

function wellFormed(text: string, name: string): string {
  if (!/\p{Surrogate}/u.test(text)) return text;
  throw new DataError(`'${text}' in property '${name}' is not valid Unicode`, "leave out its lone surrogates");
}

/** Returns the u32 at an offset; 0 if it is past the end. */
function wordAt(file: Uint8Array, at: number): number {
  return at + 4 <= file.length ? viewOf(file).getUint32(at, true) : 0;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
