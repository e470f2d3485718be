import type { RuntimeOptions } from "../index.js";

/** The part of onnxruntime's `env` that applies here. */
export const env: {
  wasm: {
    /** The folder of gradmote.wasm and its other forms, or a module's address. */
    wasmPaths?: string;
    /** false: the plain form, even if the engine has vectors. */
    simd?: boolean;
    /** Accepted and ignored: the runtime uses one thread. */
    numThreads?: number;
    [name: string]: unknown;
  };
  [name: string]: unknown;
} = { wasm: {} };

/** Returns the options for loading the runtime. */
export function runtimeOptions(): RuntimeOptions {
  const { wasmPaths, simd } = env.wasm;
  return { ...(typeof wasmPaths === "string" ? { wasm: wasmPaths } : {}), ...(simd === undefined ? {} : { simd }) };
}
