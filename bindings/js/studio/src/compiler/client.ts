import { signal, type Signal } from "@preact/signals";
import { GradmoteError } from "gradmote";
import type { Analysis } from "./analysis";

export type { Analysis } from "./analysis";

/** What `gradmote compile` takes; texts as its options have them. */
export interface CompileOptions {
  loss: string;
  optimizer: string;
  learningRate: number;
  scheme: string;
  batch: number;
  /** RAM that training may take, such as "96K"; empty for no limit. */
  budget: string;
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

/** The compiler in the page. */
export class Compiler {
  readonly state: Signal<"absent" | "loading" | "ready" | "failed"> = signal("absent");
  /** What it is doing, in words; empty where it waits. */
  readonly progress: Signal<string> = signal("");

  async load(): Promise<void> {
    throw absent();
  }

  async compile(_onnx: Uint8Array, _options: CompileOptions): Promise<{ image: Uint8Array; analysis: Analysis }> {
    throw absent();
  }

  async analyze(_image: Uint8Array): Promise<Analysis> {
    throw absent();
  }

  async exportOnnx(_image: Uint8Array, _onnx: Uint8Array, _checkpoint: Uint8Array): Promise<Uint8Array> {
    throw absent();
  }
}

/** The one compiler of the page. */
export const compiler = new Compiler();

function absent(): GradmoteError {
  return new GradmoteError("the compiler is not in this page", "compile with `gradmote compile`, and open the .mote");
}
