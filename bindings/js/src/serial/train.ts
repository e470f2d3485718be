// The training loop on a board: epochs over the page's samples.
import { DataError, GradmoteError, RuntimeFault, type Program } from "../index.js";
import type { Client } from "./client.js";
import { Feeds, trainingProgram, type BoardData } from "./feeds.js";
import type { Turns } from "./turns.js";
import type { Metrics } from "./types.js";

/** Samples, and how often to train on them. */
export interface BoardTrainOptions extends BoardData {
  epochs?: number;
  /** The batches whose gradients one update averages; more than one needs an image with the program "train". */
  microBatches?: number;
  /** Called after each update. */
  onStep?: (step: BoardStep) => void;
  /** Called after each epoch, and awaited: it may evaluate. */
  onEpoch?: (epoch: BoardEpoch) => unknown;
  /** Ends training between two updates; train() then throws the signal's reason. */
  signal?: AbortSignal;
}

/** One finished update. Its loss is NaN if the update was skipped. */
export interface BoardStep extends Metrics {
  /** From 1. */
  epoch: number;
  /** From 1, in this epoch. */
  step: number;
  /** Updates in an epoch. */
  steps: number;
}

export interface BoardEpoch {
  /** From 1. */
  epoch: number;
  /** The mean loss of its updates, each taken before the update; skipped updates do not count. */
  loss: number;
  /** Updates since the call. */
  steps: number;
  /** Updates of this epoch whose data, loss or gradient was not finite: they changed nothing. */
  skipped: number;
}

const NOT_FINITE = -16;

/** Trains on whole batches of the samples in order, ignores the rest, and returns all epochs as passed to onEpoch. */
export async function train(client: Client, turns: Turns, options: BoardTrainOptions): Promise<BoardEpoch[]> {
  const { epochs = 1, microBatches = 1, onStep, onEpoch, signal } = options, told: BoardEpoch[] = [];
  signal?.throwIfAborted();
  const feeds = await turns.take(() => checked(client, options, microBatches));
  const groups = groupsOf(feeds, microBatches);
  for (let epoch = 1; epoch <= epochs; epoch++) {
    const losses: number[] = [];
    for (const group of groups) {
      signal?.throwIfAborted();
      const metrics = await turns.take(() => updateOrSkip(feeds, group));
      losses.push(metrics.loss);
      onStep?.({ ...metrics, epoch, step: losses.length, steps: groups.length });
    }
    const counted = losses.filter((loss) => !Number.isNaN(loss)), skipped = losses.length - counted.length;
    told.push({ epoch, loss: mean(counted), steps: epoch * groups.length, skipped });
    await onEpoch?.(told[epoch - 1]);
    if (!counted.length) throw learnsNothing(epoch);
  }
  return told;
}

/** Returns the samples in the form that training takes. Throws DataError or DeviceError if the model cannot train. */
async function checked(client: Client, options: BoardTrainOptions, microBatches: number): Promise<Feeds> {
  if (!Number.isInteger(microBatches) || microBatches < 1) {
    throw new DataError(`microBatches is ${microBatches}`, "it must be a whole number of at least 1");
  }
  const program = trainingProgram(client.info().programs, microBatches);
  const feeds = await Feeds.of(client, options, program, ["input", "label"]), size = feeds.batch * microBatches;
  if (feeds.count >= size) return feeds;
  throw new DataError(`${feeds.count} samples do not fill a batch of ${size}`, "compile with a smaller --batch");
}

/** Returns the sample indices of each update, batch by batch. */
function groupsOf({ batch, count }: Feeds, microBatches: number): number[][][] {
  const size = batch * microBatches;
  const rows = (from: number) => Array.from({ length: batch }, (_, i) => from + i);
  return Array.from({ length: Math.floor(count / size) }, (_, group) =>
    Array.from({ length: microBatches }, (_, i) => rows(group * size + i * batch)));
}

async function updateOrSkip(feeds: Feeds, group: number[][]): Promise<Metrics> {
  try {
    return await feeds.explained(group.flat(), () => update(feeds, group));
  } catch (error) {
    if (!(error instanceof RuntimeFault && error.code === NOT_FINITE)) throw error;
    return { ...(await feeds.client.metrics()), loss: NaN };
  }
}

/** Makes one update on the mean gradient of some micro-batches. The metrics have the mean of their losses. */
async function update(feeds: Feeds, group: number[][]): Promise<Metrics> {
  const { client } = feeds;
  if (group.length === 1) {
    await feeds.write(group[0]);
    return trainOnce(client);
  }
  await client.request("LAZY_RESET", {});
  const losses: number[] = [];
  for (const rows of group) {
    await feeds.write(rows);
    losses.push((await client.run("train")).loss);
  }
  return { ...(await client.run("optimizer")), loss: mean(losses) };
}

/** Makes one update on the samples that were last written; the metrics have the loss before it. */
export async function trainOnce(client: Client, run = (program: Program) => client.run(program)): Promise<Metrics> {
  if (trainingProgram(client.info().programs) === "step") return run("step");
  await client.request("LAZY_RESET", {});
  const { loss } = await run("train");
  return { ...(await client.run("optimizer")), loss };
}

function mean(numbers: number[]): number {
  return numbers.length ? numbers.reduce((sum, value) => sum + value, 0) / numbers.length : NaN;
}

/** Returns the error for an epoch in which all updates were skipped, as they would be in the next ones. */
function learnsNothing(epoch: number): GradmoteError {
  const text = `all steps of epoch ${epoch} were skipped: the data, the loss or a gradient is NaN or infinite`;
  return new GradmoteError(text, "lower the learning rate, and look for NaN in the data");
}
