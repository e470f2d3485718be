import { opened, type LoadOptions } from "./load.js";
import { Session } from "./session.js";
import type { Source } from "./source.js";

export { DataError, GradmoteError, RuntimeFault } from "./errors.js";
export { ERRORS, type ErrorName } from "./generated/errors.js";
export { hasSimd, loadRuntime, type Runtime, type RuntimeOptions } from "./runtime.js";
export { connect, type RemoteSession } from "./connect.js";
export type { Epoch, TrainOptions } from "./train.js";
export type { LoadOptions } from "./load.js";
export type { Requirements } from "./requirements.js";
export { Session, type Control, type Flat, type Store, type View } from "./session.js";
export type { Data, DType } from "./arrays.js";
export type { Bytes } from "./bytes.js";
export { readSource, type Source } from "./source.js";
export type { Program, TensorInfo } from "./tensors.js";

/** Opens an image, given as the bytes of a .mote file or its address. Loads the runtime at the same time. */
export function load(image: Source, options?: LoadOptions): Promise<Session> {
  return opened(image, options, (bytes, runtime) => new Session(bytes, runtime));
}
