import { loadRuntime, Session, type Source } from "../index.js";
import { runtimeOptions } from "./env.js";
import { feed, fetched, inputsOf, namesOf, tensorOf, type FetchesType, type OnnxValueMapType, type RunOptions } from "./feeds.js";
import { readImage } from "./images.js";

/** Runs a model, in the shape of onnxruntime's class. */
export class InferenceSession {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  #session: Session;

  private constructor(session: Session) {
    this.#session = session;
    this.inputNames = namesOf(inputsOf(session, "infer"));
    this.outputNames = namesOf(session.outputs("infer"));
  }

  /** Opens a .mote file: its bytes, or where it lies. Options are accepted and not used. */
  static async create(model: Source, ..._options: unknown[]): Promise<InferenceSession> {
    const [runtime, image] = await Promise.all([loadRuntime(runtimeOptions()), readImage(model, "the model")]);
    return new InferenceSession(new Session(image, runtime));
  }

  /** Returns the outputs by name. */
  async run(feeds: OnnxValueMapType, fetches?: FetchesType | RunOptions, _options?: RunOptions): Promise<OnnxValueMapType> {
    const session = this.#session, names = fetched(this.outputNames, fetches);
    feed(session, inputsOf(session, "infer"), feeds);
    const views = session.infer();
    const found = session.outputs("infer").map((info, i) => [info.name, tensorOf(info, views[i])]);
    return Object.fromEntries(found.filter(([name]) => names.includes(name as string)));
  }

  /** Ends the session and lets go of its memory. */
  async release(): Promise<void> {
    this.#session.close();
  }

  startProfiling(): void {}

  endProfiling(): void {}
}
