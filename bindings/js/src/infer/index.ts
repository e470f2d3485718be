/** Inference alone, for pages that do not train: half of the runtime's bytes. */
import { loadBoth, type LoadOptions } from "../load.js";
import type { Source } from "../source.js";
import { Inference } from "./inference.js";

export { Inference };
export { InferenceSession } from "./inference-session.js";
export { env } from "../training/env.js";
export { Tensor } from "../training/tensor.js";
export type { FetchesType, OnnxValueMapType, RunOptions } from "../training/feeds.js";
export { DataError, GradmoteError, RuntimeFault } from "../errors.js";
export { hasSimd, loadRuntime, type Runtime, type RuntimeOptions } from "../runtime.js";
export type { LoadOptions } from "../load.js";
export type { Requirements } from "../requirements.js";
export type { Source } from "../source.js";
export type { TensorInfo } from "../tensors.js";

/** Opens an image: the bytes of a .mote file, or where it lies. The runtime is loaded at the same time. */
export async function load(image: Source, options: LoadOptions = {}): Promise<Inference> {
  const [runtime, bytes] = await loadBoth(image, options);
  return new Inference(bytes, runtime);
}
