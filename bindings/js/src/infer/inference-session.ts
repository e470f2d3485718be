import { loadRuntime } from "../runtime.js";
import type { Source } from "../source.js";
import { runtimeOptions } from "../training/env.js";
import { readImage } from "../training/images.js";
import { NamedInference } from "../training/named-inference.js";
import { Inference } from "./inference.js";

/** Runs a model, in the shape of onnxruntime's class. */
export class InferenceSession extends NamedInference {
  /** Opens a .mote file: its bytes, or where it lies. Options are accepted and not used. */
  static async create(model: Source, ..._options: unknown[]): Promise<InferenceSession> {
    const [runtime, image] = await Promise.all([loadRuntime(runtimeOptions()), readImage(model, "the model")]);
    return new InferenceSession(new Inference(image, runtime));
  }
}
