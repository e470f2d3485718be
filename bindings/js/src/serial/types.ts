// What boards report about themselves.
import type { STORE_DTYPE, View } from "../generated/records.js";
import type { Data, DType, Program } from "../index.js";

export type Role = "input" | "label" | "output" | "loss";

/** A board and its model. Sizes are in bytes; without a model, all of the model's sizes are 0. */
export interface BoardInfo {
  name: string;
  /** The version of its runtime. */
  version: string;
  /** The numerics: "strict" boards are bitwise equal to a page, "fused" ones are not. */
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
  /** The size of the checkpoint on the board; 0 if there is none. */
  checkpointSize: number;
  /** 16 hex digits that identify this part among others of its kind; empty if it has no id. */
  uniqueId: string;
  /** The first 8 bytes of the public key that must sign images, as hex; empty if images need no signature. */
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
  /** In bytes. */
  size: number;
  /** false: a run overwrites it. */
  lasts: boolean;
}

/** The state of training after a run. */
export interface Metrics {
  /** Of the last eval, train or step; NaN before the first, and if a step was skipped. */
  loss: number;
  trainSteps: number;
  optimizerSteps: number;
  skippedSteps: number;
  /** Of the next update. */
  learningRate: number;
  /** The image's instructions that the last run executed. */
  instructions: number;
  /** The time of the last run by the board's own clock; NaN if it has no clock. */
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
  /** Whether the board trains on them when it is idle. */
  idle: boolean;
}

/** The checkpoints that a board saves by itself while it trains. */
export interface Saves {
  /** Updates between two checkpoints; 0 if it saves none. */
  every: number;
  /** Areas of flash, written in turn. */
  slots: number;
  saves: number;
  /** The code of the last failure to save, or 0. */
  error: number;
}

/** What happened to the old model's state. */
export interface Update {
  /** Whether the board keeps a checkpoint of the new model. */
  kept: boolean;
  /** How many entries were carried over; 0 if the model is the same, and thus all of its state stays. */
  carried: number;
}

/** Samples of one input or label, concatenated. A Uint8Array sends one byte per element. */
export type Samples = View;

export type { Data };
