import type { Session, TensorInfo } from "../index.js";
import { feed, fetched, inputsOf, namesOf, tensorOf, type FetchesType, type OnnxValueMapType, type RunOptions } from "./feeds.js";

/** A session that infers, from any module. */
export type Infers = Pick<Session, "inputs" | "labels" | "setInput" | "infer" | "close"> & { outputs(program?: "infer"): TensorInfo[] };

/** The methods of onnxruntime's InferenceSession besides create(): inputs and outputs go by name. */
export class NamedInference {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  #session: Infers;

  protected constructor(session: Infers) {
    this.#session = session;
    this.inputNames = namesOf(inputsOf(session, "infer"));
    this.outputNames = namesOf(session.outputs("infer"));
  }

  /** Returns the outputs by name. */
  async run(feeds: OnnxValueMapType, fetches?: FetchesType | RunOptions, _options?: RunOptions): Promise<OnnxValueMapType> {
    const session = this.#session, names = fetched(this.outputNames, fetches);
    feed(session, "infer", feeds);
    const views = session.infer();
    const found = session.outputs("infer").map((info, i) => [info.name, tensorOf(info, views[i])]);
    return Object.fromEntries(found.filter(([name]) => names.includes(name as string)));
  }

  /** Ends the session and releases its memory. */
  async release(): Promise<void> {
    this.#session.close();
  }

  startProfiling(): void {}

  endProfiling(): void {}
}
