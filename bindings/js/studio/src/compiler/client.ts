// The compiler, for the rest of the page. It runs in a worker, which starts at first use, restarts after a crash, and
// is ended to cancel.

import { signal, type Signal } from "@preact/signals";
import { GradmoteError } from "gradmote";
import type { Analysis } from "./analysis";
import type { Calls, Compiled, Failure, Reply } from "./messages";

export type { Analysis } from "./analysis";

/** What `gradmote compile` takes; texts are in the form of its options. */
export interface CompileOptions {
  /** Empty for an image that only infers. */
  loss: string;
  optimizer: string;
  learningRate: number;
  scheme: string;
  batch: number;
  /**
   * RAM that training may take, such as "96K"; empty for no limit. With one, "full" lets a search choose the scheme.
   */
  budget: string;
  /** Boards for the report; all of them by default. */
  boards?: string[];
}

export const DEFAULT_OPTIONS: CompileOptions = {
  loss: "cross_entropy",
  optimizer: "adamw",
  learningRate: 0.01,
  scheme: "full",
  batch: 8,
  budget: "",
};

interface Waiting {
  done(value: never): void;
  failed(error: GradmoteError): void;
}

/** The compiler in the page. */
export class Compiler {
  readonly state: Signal<"absent" | "loading" | "ready" | "failed"> = signal("absent");
  /** What the compiler is doing, in words; empty when it is idle. */
  readonly progress: Signal<string> = signal("");
  #worker: Worker | null = null;
  #loading: Promise<void> | null = null;
  #waiting = new Map<number, Waiting>();
  #last = 0;

  /** Loads Python and the compiler, unless they are loaded. */
  load(): Promise<void> {
    return (this.#loading ??= this.#load());
  }

  /** Compiles a model. name: for the report. */
  async compile(onnx: Uint8Array, options: CompileOptions, name = "model.onnx"): Promise<Compiled> {
    const { image, analysis } = await this.#call("compile", name, onnx, JSON.stringify(options));
    return { image, analysis: JSON.parse(analysis) as Analysis };
  }

  async analyze(image: Uint8Array, name = "model.mote", boards: string[] | null = null): Promise<Analysis> {
    const { analysis } = await this.#call("analyze", name, image, JSON.stringify(boards));
    return JSON.parse(analysis) as Analysis;
  }

  /** Returns the ONNX model with the parameters that a session of the image has learned. */
  async exportOnnx(image: Uint8Array, onnx: Uint8Array, checkpoint: Uint8Array): Promise<Uint8Array> {
    return (await this.#call("export", image, onnx, checkpoint)).onnx;
  }

  /** Ends the current work. Pending calls fail; the next call starts the worker again. */
  cancel(): void {
    if (this.#worker) this.#end("absent", new GradmoteError("the compiler was stopped", "compile again to start it"));
  }

  async #load(): Promise<void> {
    const worker = new Worker(new URL("compiler.mjs", import.meta.url), { type: "module" });
    this.#worker = worker;
    this.state.value = "loading";
    worker.onmessage = ({ data }: MessageEvent<Reply>) => this.#worker === worker && this.#take(data);
    worker.onerror = (event) => {
      event.preventDefault();
      if (this.#worker === worker) this.#end("failed", crashed(event.message));
    };
    await this.#ask({ load: true });
    this.state.value = "ready";
  }

  async #call<Name extends keyof Calls>(call: Name, ...values: Parameters<Calls[Name]>): Promise<ReturnType<Calls[Name]>> {
    await this.load();
    return this.#ask({ call, values });
  }

  #ask<T>(request: object): Promise<T> {
    const id = ++this.#last;
    return new Promise<T>((done, failed) => {
      this.#waiting.set(id, { done, failed });
      this.#worker!.postMessage({ id, ...request });
    });
  }

  #take(reply: Reply): void {
    if ("progress" in reply) return void (this.progress.value = reply.progress);
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (!this.#waiting.size) this.progress.value = "";
    if ("value" in reply) return waiting?.done(reply.value as never);
    const error = errorOf(reply.failure);
    waiting?.failed(error);
    if (reply.failure.fatal) this.#end("failed", error);
  }

  #end(state: "absent" | "failed", error: GradmoteError): void {
    this.#worker?.terminate();
    this.#worker = this.#loading = null;
    this.state.value = state;
    this.progress.value = "";
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { failed } of waiting) failed(error);
  }
}

function errorOf({ text, hint }: Failure): GradmoteError {
  return new GradmoteError(text, hint);
}

function crashed(reason: string): GradmoteError {
  return new GradmoteError(
    `the compiler in the page has ended${reason ? ` (${reason})` : ""}`,
    "try again, which restarts it; compile large models with `gradmote compile`",
  );
}

/** The page's only compiler. */
export const compiler = new Compiler();
