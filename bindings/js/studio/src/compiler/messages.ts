// The messages between the page and the compiler's worker.

import type { Analysis } from "./analysis";

/** What the worker loads: the contents of pyodide.json in the page's folder. */
export interface Settings {
  /** The folder of Pyodide's files, relative to the page. */
  base: string;
  /** Packages of Pyodide's own release. */
  packages: string[];
  /** Wheels, relative to the page. */
  wheels: string[];
}

/** The functions of bridge.py, with parameters and results. */
export interface Calls {
  compile(name: string, onnx: Uint8Array, options: string): { image: Uint8Array; analysis: string };
  analyze(name: string, image: Uint8Array, boards: string): { analysis: string };
  export(image: Uint8Array, onnx: Uint8Array, checkpoint: Uint8Array): { onnx: Uint8Array };
}

export type Request = { id: number; load: true } | { id: number; call: keyof Calls; values: unknown[] };

/** An error as a message carries it. After a fatal one, the worker is unusable. */
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
