/** Trains on the lessons, and predicts classes of samples. */
import { RuntimeFault, type RemoteSession } from "gradmote";

import { drawing, shuffled } from "../training/random";
import type { Lesson } from "./lesson";

/** The progress of training. */
export interface Progress {
  epoch: number;
  epochs: number;
  loss: number;
}

export interface Lecture {
  session: RemoteSession;
  lessons: Lesson[];
  /** The samples in one step. */
  batch: number;
  epochs: number;
  signal: AbortSignal;
  onProgress: (progress: Progress) => void;
}

/** Trains on the lessons: with the sample store if the image has one, else on all of them, batch after batch. */
export async function teach(lecture: Lecture): Promise<void> {
  await ((await hasStore(lecture.session)) ? byStore(lecture) : byBatches(lecture));
}

/** Returns whether the image was compiled with a sample store. */
export async function hasStore(session: RemoteSession): Promise<boolean> {
  try {
    return Boolean(await session.store());
  } catch (error) {
    if (error instanceof RuntimeFault && error.error === "NO_STORE") return false;
    throw error;
  }
}

/** Refills the store, and replays it. An epoch has as many steps as its samples need batches. */
async function byStore({ session, lessons, batch, epochs, signal, onProgress }: Lecture): Promise<void> {
  for (const [label, { samples }] of lessons.entries()) {
    await session.forget(label);
    for (const sample of samples) await session.learn(label, sample);
  }
  const count = lessons.reduce((sum, { samples }) => sum + samples.length, 0), steps = Math.max(1, Math.ceil(count / batch));
  for (let epoch = 1; epoch <= epochs; epoch++) {
    let total = 0;
    for (let step = 0; step < steps; step++) {
      signal.throwIfAborted();
      total += await session.replay();
    }
    onProgress({ epoch, epochs, loss: total / steps });
  }
}

async function byBatches({ session, lessons, batch, epochs, signal, onProgress }: Lecture): Promise<void> {
  const { x, y } = balanced(lessons, batch);
  await session.train({ x, y, epochs, signal, onEpoch: ({ epoch, loss }) => onProgress({ epoch, epochs, loss }) });
}

/** Returns whole batches with all classes equally frequent, in a shuffled order. */
export function balanced(lessons: Lesson[], batch: number): { x: Float32Array; y: Int32Array } {
  const taught = lessons.flatMap(({ samples }, label) => (samples.length ? [{ samples, label }] : []));
  const most = Math.max(...taught.map(({ samples }) => samples.length)), random = drawing(most);
  const all = taught.flatMap(({ samples, label }) => Array.from({ length: most }, (_, at) => ({ sample: samples[at % samples.length]!, label })));
  const wanted = Math.ceil(all.length / batch) * batch;
  const order = shuffled(Uint32Array.from({ length: wanted }, (_, at) => at % all.length), random);
  const size = all[0]!.sample.length, x = new Float32Array(wanted * size);
  order.forEach((number, at) => x.set(all[number]!.sample, at * size));
  return { x, y: Int32Array.from(order, (number) => all[number]!.label) };
}

// ---- What the model says ------------------------------------------------------------------------------------------

/** Returns the probability of each class for some samples. */
export async function predict(session: RemoteSession, samples: Float32Array[], batch: number, classes: number): Promise<number[][]> {
  const found: number[][] = [];
  for (let start = 0; start < samples.length; start += batch) {
    const some = samples.slice(start, start + batch), size = some[0]!.length, x = new Float32Array(batch * size);
    for (let at = 0; at < batch; at++) x.set(some[at] ?? some[0]!, at * size); // the first sample fills the batch up
    const [scores] = await session.infer(x);
    some.forEach((_, at) => found.push(probabilities([...scores!.subarray(at * classes, (at + 1) * classes)])));
  }
  return found;
}

/** Returns scores as they are if they are probabilities, else their softmax. */
export function probabilities(scores: number[]): number[] {
  const sum = scores.reduce((total, score) => total + score, 0);
  if (scores.every((score) => score >= 0 && score <= 1) && Math.abs(sum - 1) < 1e-3) return scores;
  const most = Math.max(...scores), powers = scores.map((score) => Math.exp(score - most));
  const total = powers.reduce((all, power) => all + power, 0);
  return powers.map((power) => power / total);
}

/** Returns, for each class, how many of its samples the model classifies correctly. */
export async function score(session: RemoteSession, lessons: Lesson[], batch: number, classes: number): Promise<number[]> {
  const found: number[] = [];
  for (const [label, { samples }] of lessons.entries()) {
    const told = samples.length ? await predict(session, samples, batch, classes) : [];
    found.push(told.filter((values) => values.indexOf(Math.max(...values)) === label).length);
  }
  return found;
}
