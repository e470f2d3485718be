// What the page and the worker of the compiler say to each other.

import type { Analysis } from "./analysis";

/** What a worker loads: pyodide.json, which lies beside the page. */
export interface Settings {
  /** The folder of Pyodide's files, from the page. */
  base: string;
  /** Packages of Pyodide's own release. */
  packages: string[];
  /** Wheels, from the page. */
  wheels: string[];
}

/** The calls of bridge.py: what they take, and what they return. */
export interface Calls {
  compile(name: string, onnx: Uint8Array, options: string): { image: Uint8Array; analysis: string };
  analyze(name: string, image: Uint8Array, boards: string): { analysis: string };
  export(image: Uint8Array, onnx: Uint8Array, checkpoint: Uint8Array): { onnx: Uint8Array };
}

export type Request = { id: number; load: true } | { id: number; call: keyof Calls; values: unknown[] };

/** An error as a message carries it. After a fatal one the worker can do nothing more. */
export interface Failure {
  text: string;
  hint: string;
  fatal: boolean;
}

export type Reply = { id: number; value: unknown } | { id: number; failure: Failure } | { progress: string };

export interface Compiled {
  image: Uint8Array;
  analysis: Analysis;
}
