import { DataError } from "./errors.js";
import type { Session } from "./session.js";

/** Samples one behind another, and how often to train on them. */
export interface TrainOptions {
  /** The first input of all samples: batch after batch, in the order of training. */
  x: Float32Array | Int32Array;
  /** The first label of all samples. */
  y: Float32Array | Int32Array;
  epochs?: number;
  /** Is called after each epoch with the mean loss of its batches. */
  onEpoch?: (epoch: Epoch) => void;
  /** Ends training between two steps; train() throws the signal's reason then. */
  signal?: AbortSignal;
}

export interface Epoch {
  /** From 1. */
  epoch: number;
  /** The mean loss of its batches. */
  loss: number;
  /** Batches since the call. */
  steps: number;
}

/** Milliseconds after which a page gets to draw, and a worker or node to listen. */
const SLICE = typeof document === "undefined" ? 100 : 12;

/**
 * Trains on whole batches of the samples, and returns what onEpoch was told. What is left over is not trained on. The
 * page or worker goes on between the steps.
 */
export async function train(session: Session, options: TrainOptions): Promise<Epoch[]> {
  const { x, y, epochs = 1, onEpoch, signal } = options;
  const batches = batchesOf(session, x, y), told: Epoch[] = [];
  let pause = Date.now() + SLICE, steps = 0;
  for (let epoch = 1; epoch <= epochs; epoch++) {
    let total = 0;
    for (const [inputs, labels] of batches) {
      if (Date.now() > pause) {
        await new Promise((resume) => setTimeout(resume));
        pause = Date.now() + SLICE;
      }
      signal?.throwIfAborted();
      total += session.step(inputs, labels);
      steps++;
    }
    told.push({ epoch, loss: total / batches.length, steps });
    onEpoch?.(told[epoch - 1]);
  }
  return told;
}

/** Returns views of the batches. Throws DataError where the samples are no whole batch, or of two counts. */
function batchesOf(session: Session, x: TrainOptions["x"], y: TrainOptions["y"]): [typeof x, typeof y][] {
  const [input] = session.inputs(), [label] = session.labels();
  const [wide, narrow] = [input.size / 4, (label?.size ?? 0) / 4];
  const count = Math.floor(y?.length / narrow);
  if (!(count > 0) || x?.length * narrow !== y.length * wide) {
    const hint = `a batch has ${wide} numbers of x and ${narrow} of y`;
    throw new DataError(`train() got ${x?.length} numbers of x and ${y?.length} of y`, hint);
  }
  return Array.from({ length: count }, (_, i) => [x.subarray(i * wide, (i + 1) * wide), y.subarray(i * narrow, (i + 1) * narrow)]);
}
