/** Training and inference as in onnxruntime-web/training: a page changes its import and its artifacts. */
export { env } from "./env.js";
export { InferenceSession } from "./inference-session.js";
export { Tensor } from "./tensor.js";
export { TrainingSession, type TrainingSessionCreateOptions } from "./training-session.js";
export type { FetchesType, OnnxValueMapType, RunOptions } from "./feeds.js";
export { DataError, GradmoteError, RuntimeFault } from "../index.js";
