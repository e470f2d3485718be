import { loadRuntime } from "../runtime.js";
import type { Source } from "../source.js";
import { runtimeOptions } from "../training/env.js";
import { readImage } from "../training/images.js";
import { NamedInference } from "../training/named-inference.js";
import { load } from "./load.js";

/** Runs a model, in the shape of onnxruntime's class. */
export class InferenceSession extends NamedInference {
  /** Opens a .mote file: its bytes, or where it lies. Options are accepted and not used. */
  static async create(model: Source, ..._options: unknown[]): Promise<InferenceSession> {
    const options = runtimeOptions();
    const [image] = await Promise.all([readImage(model, "the model"), loadRuntime(options)]);
    return new InferenceSession(await load(image, options));
  }
}
