// What boards tell of themselves.
import type { STORE_DTYPE, View } from "../generated/records.js";
import type { Data, DType, Program } from "../index.js";

export type Role = "input" | "label" | "output" | "loss";

/** A board and its model. Sizes are bytes; without a model all of the model's are 0. */
export interface BoardInfo {
  name: string;
  /** The version of its runtime. */
  version: string;
  /** The numerics: "strict" boards reach the bits of a page, "fused" ones differ from it. */
  profile: "strict" | "fused";
  /** 0 while a model is open, else the code that says why none is. */
  status: number;
  programs: Program[];
  /** Samples in one step. */
  batch: number;
  imageSize: number;
  arenaRequired: number;
  stateSize: number;
  parametersSize: number;
  gradientsSize: number;
  /** 32 hex digits. */
  modelId: string;
  arenaAvailable: number;
  imageArea: number;
  checkpointArea: number;
  /** The checkpoint that the board keeps; 0 where it keeps none. */
  checkpointSize: number;
  /** 16 hex digits that tell this part from others of its kind; empty where it has none. */
  uniqueId: string;
  /** Images must be signed by the key that begins so; empty where none need be. */
  keyId: string;
}

/** How a board's memory is divided, in bytes. */
export interface Memory {
  ram: number;
  staticRam: number;
  stackSize: number;
  stackUsed: number;
  arenaAvailable: number;
  arenaRequired: number;
  code: number;
  image: number;
}

/** One input, label or output, as one program sees it. */
export interface BoardTensor {
  name: string;
  dtype: DType;
  /** The shape in the ONNX model. */
  shape: number[];
  /** Bytes. */
  size: number;
  /** false: a run overwrites it. */
  lasts: boolean;
}

/** The state of training after a run. */
export interface Metrics {
  /** Of the last eval, train or step; NaN before the first, and where a step was skipped. */
  loss: number;
  trainSteps: number;
  optimizerSteps: number;
  skippedSteps: number;
  /** Of the next update. */
  learningRate: number;
  /** The image's instructions that the last run executed. */
  instructions: number;
  /** The time of the last run by the board's own clock; NaN where it has none. */
  seconds: number;
}

/** The size and fill of a board's sample store. */
export interface BoardStore {
  capacity: number;
  classes: number;
  dtype: (typeof STORE_DTYPE)[number];
  /** Numbers in one sample. */
  elements: number;
  kept: number;
  /** Whether the board trains on them when it has nothing else to do. */
  idle: boolean;
}

/** The checkpoints that a board keeps of itself while it trains. */
export interface Saves {
  /** Updates from one to the next; 0 where none are kept. */
  every: number;
  /** Areas of flash that are written in turn. */
  slots: number;
  saves: number;
  /** The code of the last one's failure, or 0. */
  error: number;
}

/** What became of the old model's state. */
export interface Update {
  /** Whether the board keeps a checkpoint of the new model. */
  kept: boolean;
  /** How many entries were carried over; 0 where the model is the same, all of whose state stays. */
  carried: number;
}

/** Samples of one input or label, one behind another. A Uint8Array sends one byte for each element. */
export type Samples = View;

export type { Data };
