import { loadRuntime } from "../runtime.js";
import type { Source } from "../source.js";
import { runtimeOptions } from "../training/env.js";
import { readImage } from "../training/images.js";
import { NamedInference } from "../training/named-inference.js";
import { load } from "./load.js";

/** Runs a model, with the interface of onnxruntime's class. */
export class InferenceSession extends NamedInference {
  /** Opens a .mote file, given as its bytes or its address. Accepts options, and ignores them. */
  static async create(model: Source, ..._options: unknown[]): Promise<InferenceSession> {
    const options = runtimeOptions();
    const [image] = await Promise.all([readImage(model, "the model"), loadRuntime(options)]);
    return new InferenceSession(await load(image, options));
  }
}
