import { loadRuntime, Session, type Source } from "../index.js";
import { runtimeOptions } from "./env.js";
import { readImage } from "./images.js";
import { NamedInference } from "./named-inference.js";

/** Runs a model, in the shape of onnxruntime's class. */
export class InferenceSession extends NamedInference {
  /** Opens a .mote file: its bytes, or where it lies. Options are accepted and not used. */
  static async create(model: Source, ..._options: unknown[]): Promise<InferenceSession> {
    const [runtime, image] = await Promise.all([loadRuntime(runtimeOptions()), readImage(model, "the model")]);
    return new InferenceSession(new Session(image, runtime));
  }
}
