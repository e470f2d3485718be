// The payloads of the messages of docs/CONSOLE.md.
import { ERROR_TYPE, FAULTS, MESSAGES, type FaultName } from "../generated/console.js";
import { RuntimeFault, type GradmoteError } from "../index.js";
import { DeviceError, notOurs } from "./device-error.js";
import { joined, type Frame } from "./frames.js";

type Field = readonly [name: string, type: "u8" | "u16" | "u32" | "u64" | "i32" | "f32" | "bytes" | "text", count: number];
type Value<F extends Field> = F[1] extends "bytes" ? Uint8Array : F[1] extends "text" ? string : F[2] extends 1 ? Single<F> : number[];
type Single<F extends Field> = F[1] extends "u64" ? bigint : number;
type Values<Fields extends readonly Field[]> = { [F in Fields[number] as F[0]]: Value<F> };

/** The name of a message. */
export type Message = keyof typeof MESSAGES;
/** The fields of a request. */
export type RequestOf<M extends Message> = Values<(typeof MESSAGES)[M]["request"]>;
/** The fields of a reply. */
export type ReplyOf<M extends Message> = Values<(typeof MESSAGES)[M]["reply"]>;

const SIZES = { u8: 1, u16: 2, u32: 4, u64: 8, i32: 4, f32: 4, bytes: 0, text: 0 };
const SETTERS = { u8: "setUint8", u16: "setUint16", u32: "setUint32", i32: "setInt32", f32: "setFloat32" } as const;
const GETTERS = { u8: "getUint8", u16: "getUint16", u32: "getUint32", u64: "getBigUint64", i32: "getInt32", f32: "getFloat32" } as const;

/** Returns the payload of a request. */
export function requestPayload<M extends Message>(name: M, values: RequestOf<M>): Uint8Array {
  const fields: readonly Field[] = MESSAGES[name].request;
  return joined(fields.map(([field, type]) => packed(type, values[field as keyof typeof values])));
}

function packed(type: Field[1], value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  const view = new DataView(new ArrayBuffer(SIZES[type]));
  view[SETTERS[type as keyof typeof SETTERS]](0, value as number, true);
  return new Uint8Array(view.buffer);
}

/** Returns the fields of a reply. Throws DeviceError if its length is not what this version expects. */
export function replyValues<M extends Message>(name: M, payload: Uint8Array): ReplyOf<M> {
  const values: Record<string, unknown> = {}, view = new DataView(payload.buffer, payload.byteOffset, payload.length);
  let at = 0;
  for (const [field, type, count] of MESSAGES[name].reply as readonly Field[]) {
    if (type === "bytes" || type === "text") {
      const rest = payload.subarray(at);
      values[field] = type === "bytes" ? rest : new TextDecoder().decode(rest);
      return values as ReplyOf<M>;
    }
    if (at + SIZES[type] * count > payload.length) throw notOurs(name, payload.length);
    const found = Array.from({ length: count }, (_, i) => view[GETTERS[type]](at + SIZES[type] * i, true));
    values[field] = count > 1 ? found : found[0];
    at += SIZES[type] * count;
  }
  if (at !== payload.length) throw notOurs(name, payload.length);
  return values as ReplyOf<M>;
}

/** Returns the code in an error frame; undefined if the frame is not an error or carries something else. */
export function codeIn({ type, payload }: Frame): number | undefined {
  if (type !== ERROR_TYPE || payload.length !== 4) return undefined;
  return new DataView(payload.buffer, payload.byteOffset).getInt32(0, true);
}

/** Returns the error for a code that a board sent. */
export function errorOf(code: number, where: string): GradmoteError {
  for (const name of Object.keys(FAULTS) as FaultName[]) {
    const [number, text, hint] = FAULTS[name];
    if (number === code) return new DeviceError(name, `${where}: ${text} (${name}, ${code})`, hint, { code });
  }
  return new RuntimeFault(code, where);
}
