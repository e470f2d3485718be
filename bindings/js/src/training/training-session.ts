import { DataError, GradmoteError, load, loadRuntime, type Program, type Session, type Source, type TensorInfo } from "../index.js";
import { runtimeOptions } from "./env.js";
import { feed, fetched, inputsOf, namesOf, tensorOf, type FetchesType, type OnnxValueMapType, type RunOptions } from "./feeds.js";
import { readCheckpoint, readImage, requireTraining } from "./images.js";
import { Tensor } from "./tensor.js";
import { stepped, summed, type Updates } from "./updates.js";

/**
 * What a training session starts from. One .mote image holds the models of training, evaluation and optimizer, and the
 * initial state: pass it for all four. For the state, you may instead pass a checkpoint from Session.save().
 */
export interface TrainingSessionCreateOptions {
  checkpointState: Source;
  trainModel: Source;
  evalModel?: Source;
  optimizerModel?: Source;
}

/** Trains a model, with the interface of onnxruntime-web's class of that name. */
export class TrainingSession {
  #session: Session;
  #updates: Updates;
  /** The program that computes gradients. */
  #training: "train" | "step";
  #hasEval: boolean;
  #hasOptimizer: boolean;

  private constructor(session: Session, image: Uint8Array, options: TrainingSessionCreateOptions) {
    this.#session = session;
    this.#training = session.requirements().programs.includes("train") ? "train" : "step";
    this.#updates = this.#training === "train" ? summed(session, image) : stepped(session);
    this.#hasEval = Boolean(options.evalModel);
    this.#hasOptimizer = Boolean(options.optimizerModel);
  }

  /** Opens an image and its state. Accepts session options, and ignores them. */
  static async create(options: TrainingSessionCreateOptions, _sessionOptions?: unknown): Promise<TrainingSession> {
    if (typeof options?.trainModel === "undefined") throw new DataError("there is no trainModel among the options", "pass an image for it");
    const chosen = runtimeOptions();
    const [image, checkpoint] = await Promise.all([
      readImage(options.trainModel, "the training model"),
      readCheckpoint(options.checkpointState),
      loadRuntime(chosen),
    ]);
    const session = await load(image, chosen);
    requireTraining(session.requirements().programs);
    if (checkpoint) session.load(checkpoint);
    return new TrainingSession(session, image, options);
  }

  get trainingInputNames(): readonly string[] {
    return namesOf(inputsOf(this.#session, this.#training));
  }

  get trainingOutputNames(): readonly string[] {
    return outputNames(this.#session, this.#training);
  }

  get evalInputNames(): readonly string[] {
    this.#require(this.#hasEval, "evalModel");
    return namesOf(inputsOf(this.#session, "eval"));
  }

  get evalOutputNames(): readonly string[] {
    this.#require(this.#hasEval, "evalModel");
    return outputNames(this.#session, "eval");
  }

  /** Makes the next runTrainStep() start from zero gradients. */
  async lazyResetGrad(): Promise<void> {
    this.#updates.lazyResetGrad();
  }

  /** Adds the gradients of one batch, and returns its loss and the other outputs of training by name. */
  async runTrainStep(feeds: OnnxValueMapType, fetches?: FetchesType | RunOptions, _options?: RunOptions): Promise<OnnxValueMapType> {
    return this.#run(this.#training, feeds, fetches);
  }

  /** Applies the sum of the gradients since lazyResetGrad(). */
  async runOptimizerStep(_options?: RunOptions): Promise<void> {
    this.#require(this.#hasOptimizer, "optimizerModel");
    this.#updates.optimizerStep();
  }

  /** Returns the loss of a batch and the other outputs of evaluation by name, without training. */
  async runEvalStep(feeds: OnnxValueMapType, fetches?: FetchesType | RunOptions, _options?: RunOptions): Promise<OnnxValueMapType> {
    this.#require(this.#hasEval, "evalModel");
    return this.#run("eval", feeds, fetches);
  }

  /** Returns the number of elements of all parameters, as in getContiguousParameters(). */
  async getParametersSize(trainableOnly = true): Promise<number> {
    this.#requireAllTrained(trainableOnly);
    return this.#session.parameters().length;
  }

  /** Sets all parameters. buffer: the bytes of an array like that of getContiguousParameters(). */
  async loadParametersBuffer(buffer: Uint8Array, trainableOnly = true): Promise<void> {
    this.#requireAllTrained(trainableOnly);
    const size = this.#session.requirements().parametersSize;
    if (buffer?.byteLength === size) {
      this.#session.setParameters(buffer);
      return this.#updates.replaced();
    }
    throw new DataError(`the parameters take ${size} bytes; ${buffer?.byteLength} were given`, "see getContiguousParameters()");
  }

  /** Returns a copy of all parameters, concatenated: float32 numbers, or bytes if some are quantized. */
  async getContiguousParameters(trainableOnly = true): Promise<Tensor> {
    this.#requireAllTrained(trainableOnly);
    const found = this.#session.parameters().slice();
    return new Tensor(found instanceof Float32Array ? "float32" : "uint8", found) as Tensor;
  }

  /** Ends the session and releases its memory. */
  async release(): Promise<void> {
    this.#session.close();
  }

  /** The underlying session; its save() makes a checkpoint. */
  get session(): Session {
    return this.#session;
  }

  #run(program: Program, feeds: OnnxValueMapType, fetches?: FetchesType | RunOptions): OnnxValueMapType {
    const session = this.#session, outputs = session.outputs(program), [loss] = session.losses(program);
    const names = fetched(outputNames(session, program), fetches);
    feed(session, program, feeds);
    const value = program === "eval" ? session.evalStep() : this.#updates.trainStep();
    const found: [string | null, Tensor][] = [[loss.name, new Tensor("float32", [value], loss.shape) as Tensor]];
    outputs.forEach((info, i) => found.push([info.name, tensorOf(info, session.output(i, program))]));
    return Object.fromEntries(found.filter(([name]) => names.includes(name!)));
  }

  #require(given: boolean, option: string): void {
    if (!given) throw new GradmoteError(`the training session was created without ${option}`, `pass ${option} to create()`);
  }

  /** Throws GradmoteError if the caller asks for frozen parameters too, which are constants of the image. */
  #requireAllTrained(trainableOnly: boolean): void {
    if (trainableOnly || this.#session.scheme === "full") return;
    throw new GradmoteError("frozen parameters are constants of the image", "pass trainableOnly = true: the others never change");
  }
}

function outputNames(session: Session, program: Program): string[] {
  const found: TensorInfo[] = [...session.losses(program), ...session.outputs(program)];
  return namesOf(found);
}
