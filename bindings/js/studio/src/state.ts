// The state that panels share. A panel reads these signals and writes its own; panels exchange nothing else.

import { signal } from "@preact/signals";
import type { Program, RemoteSession, Requirements, TensorInfo } from "gradmote";
import type { Analysis, CompileOptions } from "./compiler/client";
import type { Dataset } from "./data/dataset";

/** The open model. `onnx` and `analysis` are null if only a .mote was given. */
export interface Model {
  name: string;
  image: Uint8Array;
  onnx: Uint8Array | null;
  analysis: Analysis | null;
  options: CompileOptions;
}

/** The runtime's facts about the open model. */
export interface Facts {
  requirements: Requirements;
  /** What is trained ("full", "head"); null if the image does not say. */
  scheme: string | null;
  inputs: TensorInfo[];
  labels: TensorInfo[];
  outputs: TensorInfo[];
  parameters: { name: string; shape: number[] }[];
  programs: Program[];
}

/** A message in the page's live region: a failure, or something that was done. */
export interface Notice {
  kind: "error" | "info";
  text: string;
  hint: string;
}

/** The open model. Only openModel() sets it, together with `session` and `facts`. */
export const model = signal<Model | null>(null);
export const facts = signal<Facts | null>(null);
/** The session of the open model, in a worker. It is closed when another model opens. */
export const session = signal<RemoteSession | null>(null);
export const data = signal<Dataset | null>(null);
export const notice = signal<Notice | null>(null);
/** Progress for screen readers; it is not visible. */
export const spoken = signal("");
