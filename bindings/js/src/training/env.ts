import type { RuntimeOptions } from "../index.js";

/** The part of onnxruntime's `env` that means something here. */
export const env: {
  wasm: {
    /** The folder of gradmote.wasm and its other forms, or a module's address. */
    wasmPaths?: string;
    /** false: the plain form, even where the engine has vectors. */
    simd?: boolean;
    /** Taken and not used: one thread computes. */
    numThreads?: number;
    [name: string]: unknown;
  };
  [name: string]: unknown;
} = { wasm: {} };

/** Returns how the runtime is to be loaded. */
export function runtimeOptions(): RuntimeOptions {
  const { wasmPaths, simd } = env.wasm;
  return { ...(typeof wasmPaths === "string" ? { wasm: wasmPaths } : {}), ...(simd === undefined ? {} : { simd }) };
}
