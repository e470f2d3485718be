import { u32, type Data } from "./arrays.js";
import { kindOf } from "./bytes.js";
import { DataError, RuntimeFault } from "./errors.js";

/** Concatenated numbers, in any form that step() takes. */
export type Numbers = readonly number[] | Float32Array | Int32Array | Int16Array | Uint16Array | Int8Array | Uint8Array | BigInt64Array;

/** Concatenated samples, and how often to train on them. */
export interface TrainOptions {
  /** The input of all samples: batch after batch, in the order of training. */
  x: Numbers;
  /** The labels of all samples. */
  y: Numbers;
  epochs?: number;
  /** Called after each epoch with the mean loss of its batches. */
  onEpoch?: (epoch: Epoch) => void;
  /** Ends training between two steps; train() then throws the signal's reason. */
  signal?: AbortSignal;
}

/** The session's methods that training calls. */
export interface Trainee {
  inputs(): { shape: readonly number[] }[];
  labels(): { shape: readonly number[] }[];
  requirements(): { programs: readonly string[] };
  step(...data: Data[]): number;
  trainStep(...data: Data[]): number;
  optimizerStep(): void;
  lazyResetGrad(): void;
}

export interface Epoch {
  /** From 1. */
  epoch: number;
  /** The mean loss of its batches. */
  loss: number;
  /** Batches since the call. */
  steps: number;
}

/** Milliseconds after which training lets a page draw, and a worker or node receive messages. */
const SLICE = typeof document === "undefined" ? 100 : 12;

/**
 * Trains on whole batches of the samples, ignores an incomplete last one, and returns all epochs as passed to onEpoch.
 * Yields to the page or worker between steps.
 */
export async function train(session: Trainee, options: TrainOptions): Promise<Epoch[]> {
  const { x, y, epochs = 1, onEpoch, signal } = options ?? {};
  const [wide, narrow] = [session.inputs()[0], session.labels()[0]].map((tensor) => tensor?.shape.reduce((count, dim) => count * dim, 1) ?? 0);
  const count = Math.floor(x?.length / wide), told: Epoch[] = [];
  if (!(count > 0) || x.length * narrow !== y?.length * wide) {
    const hint = `a batch has ${wide} numbers of x and ${narrow} of y`;
    throw new DataError(`train() got x of ${x?.length ?? kindOf(x)} and y of ${y?.length ?? kindOf(y)}`, hint);
  }
  u32(epochs, "epochs");
  let pause = Date.now() + SLICE, steps = 0;
  for (let epoch = 1; epoch <= epochs; epoch++) {
    let total = 0;
    for (let batch = 0; batch < count; batch++) {
      if (Date.now() > pause) {
        await new Promise((resume) => setTimeout(resume));
        pause = Date.now() + SLICE;
      }
      signal?.throwIfAborted();
      total += lossOf(session, [part(x, batch, wide), part(y, batch, narrow)], `batch ${batch + 1} of epoch ${epoch}`);
      steps++;
    }
    told.push({ epoch, loss: total / count, steps });
    onEpoch?.(told[epoch - 1]);
  }
  return told;
}

function part(all: Numbers, batch: number, size: number): Data {
  return all.slice(batch * size, (batch + 1) * size);
}

/** Trains on one batch, and returns its loss. If the runtime refuses, the error names the batch. */
function lossOf(session: Trainee, data: Data[], where: string): number {
  try {
    if (!session.requirements().programs.includes("train")) return session.step(...data);
    const loss = session.trainStep(...data);
    session.optimizerStep();
    session.lazyResetGrad();
    return loss;
  } catch (error) {
    throw error instanceof RuntimeFault ? new RuntimeFault(error.code, where) : error;
  }
}
