import { loadRuntime, type Runtime, type RuntimeOptions } from "./runtime.js";
import { readSource, type Source } from "./source.js";

export interface LoadOptions extends RuntimeOptions {
  /** Ends the fetch of the image. */
  signal?: AbortSignal;
}

/** Returns the runtime and the bytes of an image, which are loaded at the same time. */
export function loadBoth(image: Source, options?: LoadOptions): Promise<[Runtime, Uint8Array]> {
  return Promise.all([loadRuntime(options), readSource(image, "the image", options?.signal)]);
}
