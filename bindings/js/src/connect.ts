import { GradmoteError } from "./errors.js";
import { explained } from "./explained.js";
import { opened, type LoadOptions } from "./load.js";
import { errorOf, type Reply } from "./messages.js";
import { openWorker } from "#platform";
import type { Session } from "./session.js";
import type { Source } from "./source.js";
import type { Epoch, TrainOptions } from "./train.js";

/** What a worker cannot offer: views to write into. */
type Local = "inputView" | "labelView" | "toString" | "train" | "close";
type Methods = { [K in keyof Session]: Session[K] extends (...values: never[]) => unknown ? K : never }[keyof Session];
type Remote = {
  [K in Exclude<Methods, Local>]: (...values: Parameters<Session[K]>) => Promise<Awaited<ReturnType<Session[K]>>>;
};

/** A session in a worker: the methods of Session as promises. The arrays that they return are copies. */
export interface RemoteSession extends Remote {
  /** Returns a property, such as learningRate. */
  get(name: "learningRate" | "skippedSteps" | "instructions"): Promise<number>;
  get(name: "scheme"): Promise<string | null>;
  set(name: "learningRate", value: number): Promise<void>;
  /** Like Session.train(); calls onEpoch in this thread. */
  train(options: TrainOptions): Promise<Epoch[]>;
  /** Ends the worker. Pending calls fail. */
  close(): void;
}

interface Waiting {
  done: (value: never) => void;
  failed: (error: unknown) => void;
  onEpoch?: (epoch: Epoch) => void;
}

/** Opens an image in a worker, so that the page never waits for a step. */
export function connect(image: Source, options?: LoadOptions): Promise<RemoteSession> {
  return opened(image, options, async (bytes, runtime) => {
    let remote: RemoteCalls | undefined;
    try {
      remote = new RemoteCalls();
      await remote.ask({ open: { image: bytes, runtime } });
      return session(remote);
    } catch (cause) {
      remote?.close();
      throw explained(cause, "the worker does not start", "serve the package from the page's origin");
    }
  });
}

/** Returns an object whose methods are calls to the worker. */
function session(remote: RemoteCalls): RemoteSession {
  const own: Record<string, unknown> = {
    get: (name: string) => remote.ask({ call: name, values: [] }),
    set: (name: string, value: unknown) => remote.ask({ set: name, value }),
    train: (options: TrainOptions) => remote.train(options),
    close: () => remote.close(),
    then: undefined, // so that await does not take the object for a promise
  };
  const get = (_: unknown, name: string | symbol) =>
    name in own || typeof name === "symbol" ? own[name as string] : (...values: unknown[]) => remote.ask({ call: name, values });
  return new Proxy({}, { get }) as RemoteSession;
}

/** Requests to a worker, and the callers that wait for its replies. */
class RemoteCalls {
  #line = openWorker();
  #waiting = new Map<number, Waiting>();
  #last = 0;
  #ended = "";

  constructor() {
    this.#line.receive((reply: Reply) => this.#take(reply));
    this.#line.failed((reason) => this.#end(`the worker has ended: ${reason}`));
  }

  ask<T>(question: object, onEpoch?: (epoch: Epoch) => void): Promise<T> {
    const id = ++this.#last;
    return new Promise<T>((done, failed) => {
      if (this.#ended) return failed(new GradmoteError(this.#ended, "connect again"));
      this.#waiting.set(id, { done, failed, onEpoch });
      try {
        this.#line.send({ id, ...question });
      } catch (cause) {
        this.#waiting.delete(id);
        failed(explained(cause, "the worker does not take this", "pass numbers, text and arrays"));
      }
    });
  }

  async train(options: TrainOptions): Promise<Epoch[]> {
    const { onEpoch, signal, ...data } = options ?? {};
    signal?.throwIfAborted();
    const id = this.#last + 1, abort = () => this.#line.send({ abort: id });
    signal?.addEventListener("abort", abort);
    try {
      return await this.ask<Epoch[]>({ call: "train", values: [data] }, onEpoch);
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  close(): void {
    this.#line.close();
    this.#end("the session is closed");
  }

  #take(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    if ("epoch" in reply) return waiting?.onEpoch?.(reply.epoch as Epoch);
    this.#waiting.delete(reply.id);
    if ("error" in reply) waiting?.failed(errorOf(reply.error));
    else waiting?.done(reply.value as never);
  }

  #end(reason: string): void {
    this.#ended ||= reason;
    for (const { failed } of this.#waiting.values()) failed(new GradmoteError(this.#ended, "connect again"));
    this.#waiting.clear();
  }
}
