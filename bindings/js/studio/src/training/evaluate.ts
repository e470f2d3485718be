// Measures how well the model does on samples that it was not trained on.

import type { RemoteSession, View } from "gradmote";
import type { Dataset } from "../data/dataset";
import { filled, gather } from "./batches";
import type { Plan } from "./plan";

export interface Evaluation {
  /** The samples that were used: "held-out samples", "training samples". */
  on: string;
  count: number;
  /** The mean loss of whole batches; null if the image cannot compute it. */
  loss: number | null;
  /** The share of correctly classified samples; null if labels are not classes. */
  accuracy: number | null;
  /** Row: the class of the label. Column: the class that the model predicted. */
  confusion: number[][] | null;
}

/** The number of batches that are sent to the worker at a time. */
const TOGETHER = 16;

/** Runs the model on the samples of these indices. The state does not change. */
export async function evaluate(session: RemoteSession, data: Dataset, plan: Plan, indices: Uint32Array, on: string): Promise<Evaluation> {
  const loss = await meanLoss(session, data, plan, indices);
  const guesses = plan.classes && plan.hasInfer ? await classesOf(session, data, plan, indices) : null;
  const confusion = guesses && tabled(guesses, data, plan, indices);
  const right = confusion ? confusion.reduce((sum, row, label) => sum + row[label]!, 0) : 0;
  return { on, count: indices.length, loss, accuracy: confusion && right / indices.length, confusion };
}

async function meanLoss(session: RemoteSession, data: Dataset, plan: Plan, indices: Uint32Array): Promise<number | null> {
  if (!plan.hasEval) return null;
  const whole = Math.max(1, Math.floor(indices.length / plan.batch));
  const batches = inBatches(filled(indices, plan.batch), plan.batch).slice(0, whole);
  const losses = await inTurns(batches, (some) => {
    const { x, y } = gather(data, plan, some);
    return session.evalStep(x, y);
  });
  return losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
}

/** Returns the class with the highest score for each sample. */
async function classesOf(session: RemoteSession, data: Dataset, plan: Plan, indices: Uint32Array): Promise<number[]> {
  const batches = inBatches(filled(indices, plan.batch), plan.batch);
  const guesses = await inTurns(batches, async (some) => {
    const [scores] = await session.infer(gather(data, plan, some).x);
    return highest(scores!, plan.classes);
  });
  return guesses.flat().slice(0, indices.length);
}

/** Calls `ask` for each batch, a few at a time, so that the page can draw in between and holds few copies. */
async function inTurns<T>(batches: Uint32Array[], ask: (batch: Uint32Array) => Promise<T>): Promise<T[]> {
  const found: T[] = [];
  for (let at = 0; at < batches.length; at += TOGETHER) {
    found.push(...(await Promise.all(batches.slice(at, at + TOGETHER).map(ask))));
  }
  return found;
}

/** Returns the column of the highest number of each row. */
export function highest(scores: View, classes: number): number[] {
  return Array.from({ length: scores.length / classes }, (_, row) => {
    let best = 0;
    for (let column = 1; column < classes; column++) {
      if (scores[row * classes + column]! > scores[row * classes + best]!) best = column;
    }
    return best;
  });
}

function tabled(guesses: number[], data: Dataset, { classes }: Plan, indices: Uint32Array): number[][] {
  const table = Array.from({ length: classes }, () => new Array<number>(classes).fill(0));
  guesses.forEach((guess, i) => {
    const row = table[data.y[indices[i]!]!];
    if (row) row[guess]!++;
  });
  return table;
}

function inBatches(indices: Uint32Array, batch: number): Uint32Array[] {
  return Array.from({ length: indices.length / batch }, (_, i) => indices.subarray(i * batch, (i + 1) * batch));
}
