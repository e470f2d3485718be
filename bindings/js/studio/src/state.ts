// What the panels share. A panel reads these signals and writes its own; nothing else goes between panels.

import { signal } from "@preact/signals";
import type { Program, RemoteSession, Requirements, TensorInfo } from "gradmote";
import type { Analysis, CompileOptions } from "./compiler/client";
import type { Dataset } from "./data/dataset";

/** The model that is open. `onnx` and `analysis` are null where only a .mote was given. */
export interface Model {
  name: string;
  image: Uint8Array;
  onnx: Uint8Array | null;
  analysis: Analysis | null;
  options: CompileOptions;
}

/** What the runtime says of the open model. */
export interface Facts {
  requirements: Requirements;
  /** What is trained ("full", "head"); null where the image does not say. */
  scheme: string | null;
  inputs: TensorInfo[];
  labels: TensorInfo[];
  outputs: TensorInfo[];
  parameters: { name: string; shape: number[] }[];
  programs: Program[];
}

/** What the page tells of in its live region: a failure, or something that was done. */
export interface Notice {
  kind: "error" | "info";
  text: string;
  hint: string;
}

/** The open model. It is set by openModel() alone, together with `session` and `facts`. */
export const model = signal<Model | null>(null);
export const facts = signal<Facts | null>(null);
/** The session of the open model, in a worker. It is closed when another model is opened. */
export const session = signal<RemoteSession | null>(null);
export const data = signal<Dataset | null>(null);
export const notice = signal<Notice | null>(null);
/** Progress for those who listen: a screen reader says it, nothing shows it. */
export const spoken = signal("");
