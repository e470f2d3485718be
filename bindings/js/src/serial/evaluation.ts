// Predictions and test results over many samples.
import type { Client } from "./client.js";
import { Feeds, picked, type BoardData } from "./feeds.js";
import type { TransferOptions } from "./requests.js";
import type { View } from "../generated/records.js";
import type { Turns } from "./turns.js";
import type { Role } from "./types.js";

/** The result over all samples. */
export interface Evaluation {
  /** The mean over the full batches; NaN if there is none. */
  loss: number;
  /** The share of labels that the model predicted, 0 to 1; NaN without classes. */
  accuracy: number;
}

/** Samples to test on. onProgress gets the number of finished samples and their total. */
export interface EvaluateOptions extends BoardData, TransferOptions {}

/**
 * Returns loss and accuracy over the samples. Repeated samples fill up the last batch and do not count; nor do
 * positions whose label is not a class, or whose mask (a label of y's shape) is 0.
 */
export async function evaluate(client: Client, turns: Turns, options: EvaluateOptions): Promise<Evaluation> {
  const test = await turns.take(() => Test.of(client, options)), losses: number[] = [], marks: boolean[] = [];
  for (const rows of batches(test.feeds, options)) {
    options.signal?.throwIfAborted();
    await turns.take(async () => {
      await test.write(rows);
      if (test.evaluates(rows)) losses.push(await test.loss(rows));
      if (test.hasClasses) marks.push(...(await test.marks(rows)));
    });
  }
  return { loss: mean(losses), accuracy: mean(marks.map(Number)) };
}

/** Returns the model's first output for all samples, concatenated. Integers become float32 numbers. */
export async function predict(client: Client, turns: Turns, options: EvaluateOptions): Promise<Float32Array> {
  const feeds = await turns.take(() => Feeds.of(client, options, "infer", ["input"])), parts: number[] = [];
  for (const rows of batches(feeds, options)) {
    options.signal?.throwIfAborted();
    await turns.take(async () => {
      await feeds.write(filled(rows, feeds.batch));
      const scores = await inferred(client), width = scores.length / feeds.batch;
      for (const score of scores.subarray(0, width * rows.length)) parts.push(score);
    });
  }
  return Float32Array.from(parts);
}

/** The programs of a board that test samples, run on one batch after another. */
class Test {
  private constructor(
    readonly feeds: Feeds,
    /** The program eval gives the loss, but only of a full batch. */
    private readonly hasEval: boolean,
    /** Usually eval gives the scores too; otherwise the program infer does. */
    private readonly evalGivesScores: boolean,
    private readonly inputsLast: boolean,
    readonly hasClasses: boolean,
  ) {}

  static async of(client: Client, options: EvaluateOptions): Promise<Test> {
    const { programs } = client.info(), hasEval = programs.includes("eval");
    const roles: Role[] = options.y ? ["input", "label"] : ["input"];
    const feeds = await Feeds.of(client, options, hasEval ? "eval" : "infer", hasEval ? ["input", "label"] : roles);
    const scores = hasEval && (await client.describe("eval", "output", 0)) !== undefined;
    const inputs = await client.tensors("infer", "input");
    const hasClasses = options.y !== undefined && !(options.y instanceof Float32Array);
    return new Test(feeds, hasEval, scores, inputs.every(({ lasts }) => lasts), hasClasses);
  }

  async write(rows: readonly number[]): Promise<void> {
    await this.feeds.write(filled(rows, this.feeds.batch));
  }

  /** Returns whether the program eval runs on these rows. */
  evaluates(rows: readonly number[]): boolean {
    return this.hasEval && rows.length === this.feeds.batch;
  }

  async loss(rows: readonly number[]): Promise<number> {
    return (await this.feeds.explained(rows, () => this.feeds.client.run("eval"))).loss;
  }

  /** Returns, for each label that counts, whether it has the largest score. */
  async marks(rows: readonly number[]): Promise<boolean[]> {
    const scores = await this.#scores(rows), labels = this.feeds.labels;
    if (!labels) return [];
    const masks = this.feeds.all.filter(({ role, index, width }) => role === "label" && index > 0 && width === labels.width);
    const width = scores.length / this.feeds.batch, classes = width / labels.width, y = picked(labels, rows);
    const hasSign = classes > 1 || scores instanceof Float32Array; // a quantized score's zero point is unknown
    if (!Number.isInteger(classes) || !hasSign) return [];
    const kept = [...y.keys()].filter((at) => y[at] >= 0 && y[at] < Math.max(classes, 2));
    const counted = kept.filter((at) => masks.every((mask) => picked(mask, rows)[at] > 0));
    return counted.map((at) => answer(scores, at, labels.width, classes) === y[at]);
  }

  /** Returns the scores of the batch that was written: (batch, classes), or (batch, classes, positions). */
  async #scores(rows: readonly number[]): Promise<View> {
    const { client } = this.feeds;
    if (this.evaluates(rows) && this.evalGivesScores) return client.tensor("eval", "output", 0);
    if (this.evaluates(rows) && !this.inputsLast) await this.write(rows);
    return inferred(client);
  }
}

/** Returns the predicted class at one label's position. A single score means class 1 if it is positive. */
function answer(scores: ArrayLike<number>, at: number, positions: number, classes: number): number {
  const start = Math.floor(at / positions) * classes * positions + (at % positions);
  if (classes === 1) return Number(scores[start] > 0);
  let best = 0;
  for (let label = 1; label < classes; label++) {
    if (scores[start + label * positions] > scores[start + best * positions]) best = label;
  }
  return best;
}

async function inferred(client: Client): Promise<View> {
  await client.run("infer");
  return client.tensor("infer", "output", 0);
}

/** Yields the sample indices of each batch; the last one may be short. */
function* batches({ count, batch }: Feeds, { onProgress }: TransferOptions): Generator<number[]> {
  for (let start = 0; start < count; start += batch) {
    const end = Math.min(start + batch, count);
    yield Array.from({ length: end - start }, (_, i) => start + i);
    onProgress?.(end, count);
  }
}

/** Repeats rows until they fill a batch. */
function filled(rows: readonly number[], batch: number): number[] {
  return Array.from({ length: batch }, (_, i) => rows[i % rows.length]);
}

function mean(numbers: number[]): number {
  return numbers.length ? numbers.reduce((sum, value) => sum + value, 0) / numbers.length : NaN;
}
