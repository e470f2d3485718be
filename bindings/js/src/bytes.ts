import { DataError } from "./errors.js";
import { explained } from "./explained.js";

/** Bytes in memory: an ArrayBuffer, or any view of one. */
export type Bytes = ArrayBuffer | SharedArrayBuffer | ArrayBufferView;

/** Returns the bytes of a buffer or view, without a copy. `what` is its name in messages. */
export function bytesOf(data: Bytes, what: string): Uint8Array {
  try {
    if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    if (isBuffer(data)) return new Uint8Array(data);
  } catch (cause) {
    throw explained(cause, what, "transfer a copy");
  }
  throw new DataError(`${what} takes bytes, not ${kindOf(data)}`, "pass an ArrayBuffer, a typed array or a Buffer");
}

/** Returns whether a value is an ArrayBuffer or a SharedArrayBuffer, of this realm or another. */
export function isBuffer(data: unknown): data is ArrayBuffer {
  return /^\[object (Shared)?ArrayBuffer\]$/.test(Object.prototype.toString.call(data));
}

/** Returns the name of a value's type for messages. */
export function kindOf(data: unknown): string {
  if (data === null || data === undefined) return String(data);
  return typeof data === "object" ? (data.constructor?.name ?? "an object") : `a ${typeof data}`;
}
