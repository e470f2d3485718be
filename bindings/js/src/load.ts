import type { RuntimeFault } from "./errors.js";
import { ERRORS } from "./generated/errors.js";
import { loadRuntime, type Runtime, type RuntimeOptions } from "./runtime.js";
import { readSource, type Source } from "./source.js";

export interface LoadOptions extends RuntimeOptions {
  /** Cancels the fetch of the image. */
  signal?: AbortSignal;
}

/**
 * Opens an image, and loads the runtime at the same time. If that runtime lacks an instruction, opens the image with
 * the form that has the int8 instructions too.
 */
export async function opened<T>(image: Source, options: LoadOptions | undefined, open: (image: Uint8Array, runtime: Runtime) => T): Promise<Awaited<T>> {
  const [runtime, bytes] = await Promise.all([loadRuntime(options), readSource(image, "the image", options?.signal)]);
  try {
    return await open(bytes, runtime);
  } catch (error) {
    if ((error as RuntimeFault).code !== ERRORS.BAD_OPCODE[0]) throw error;
    const larger = await loadRuntime({ ...options, int8: true }).catch((cause) => {
      throw Object.assign(error as RuntimeFault, { cause });
    });
    return open(bytes, larger) as Awaited<T>;
  }
}
