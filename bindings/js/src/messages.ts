import { DataError, GradmoteError, RuntimeFault } from "./errors.js";
import type { Runtime } from "./runtime.js";

/** What a page asks of a worker. */
export type Request =
  | { id: number; open: { image: Uint8Array; runtime: Runtime } }
  | { id: number; call: string; values: unknown[] }
  | { id: number; set: string; value: unknown }
  | { abort: number };

/** What a worker answers: epochs while it trains, then a value or an error. */
export type Reply = { id: number; value: unknown } | { id: number; epoch: unknown } | { id: number; error: Told };

interface Told {
  name: string;
  text: string;
  hint: string;
  code?: number;
}

/** Returns an error in a form that a message can carry. */
export function toldError(error: unknown): Told {
  const { name, message, text = message, hint = "", code } = error as RuntimeFault;
  return { name, text, hint, code };
}

/** Returns the error that a worker reported. */
export function errorOf({ name, text, hint, code }: Told): Error {
  if (name === "RuntimeFault") return new RuntimeFault(code!, text.slice(0, text.indexOf(": ")));
  if (name === "DataError") return new DataError(text, hint);
  return name === "GradmoteError" ? new GradmoteError(text, hint) : Object.assign(new Error(text), { name });
}

/** Returns the buffers in a message's value, to be transferred rather than copied. */
export function buffersIn(value: unknown): ArrayBuffer[] {
  const views = (Array.isArray(value) ? value : [value]).filter((item) => ArrayBuffer.isView(item));
  return [...new Set(views.map((view) => view.buffer as ArrayBuffer))];
}
