import { load, loadRuntime, type Source } from "../index.js";
import { runtimeOptions } from "./env.js";
import { readImage } from "./images.js";
import { NamedInference } from "./named-inference.js";

/** Runs a model, with the interface of onnxruntime's class. */
export class InferenceSession extends NamedInference {
  /** Opens a .mote file, given as its bytes or its address. Accepts options, and ignores them. */
  static async create(model: Source, ..._options: unknown[]): Promise<InferenceSession> {
    const options = runtimeOptions();
    const [image] = await Promise.all([readImage(model, "the model"), loadRuntime(options)]);
    return new InferenceSession(await load(image, options));
  }
}
