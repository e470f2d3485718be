import { load, loadRuntime, type Source } from "../index.js";
import { runtimeOptions } from "./env.js";
import { readImage } from "./images.js";
import { NamedInference } from "./named-inference.js";

/** Runs a model, in the shape of onnxruntime's class. */
export class InferenceSession extends NamedInference {
  /** Opens a .mote file: its bytes, or where it lies. Options are accepted and not used. */
  static async create(model: Source, ..._options: unknown[]): Promise<InferenceSession> {
    const options = runtimeOptions();
    const [image] = await Promise.all([readImage(model, "the model"), loadRuntime(options)]);
    return new InferenceSession(await load(image, options));
  }
}
