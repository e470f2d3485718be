/** Inference alone, for pages that do not train: half the size of the full runtime. */
export { Inference } from "./inference.js";
export { load } from "./load.js";
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
