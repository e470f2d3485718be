/** Samples divided into those to train on and those to validate with. */
import type { Dataset, Part } from "./dataset";
import { sizeOf } from "./loaded";

/** Returns a generator of numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns the numbers in an order that the generator draws. */
export function shuffled(numbers: readonly number[], random: () => number): number[] {
  const found = [...numbers];
  for (let last = found.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [found[last], found[other]] = [found[other], found[last]];
  }
  return found;
}

/** The numbers of the samples to train on and to validate with, both in the order of the data. */
export interface Division {
  training: number[];
  validation: number[];
}

/**
 * Returns which samples validate: `fraction` of each class, drawn by the seed. A class keeps at least one sample to
 * train on, and labels that are no classes are drawn as one.
 */
export function division(data: Dataset, fraction: number, seed: number): Division {
  const groups = new Map<number, number[]>(), random = randomOf(seed);
  for (let sample = 0; sample < data.count; sample++) {
    const group = data.classes.length ? data.y[sample] : 0;
    if (!groups.has(group)) groups.set(group, []);
    groups.get(group)!.push(sample);
  }
  const validation = new Set<number>();
  for (const group of [...groups.keys()].sort((one, other) => one - other)) {
    const samples = groups.get(group)!, wanted = Math.min(samples.length - 1, Math.round(samples.length * fraction));
    for (const sample of shuffled(samples, random).slice(0, Math.max(0, wanted))) validation.add(sample);
  }
  const all = Array.from({ length: data.count }, (_, sample) => sample);
  return { training: all.filter((sample) => !validation.has(sample)), validation: [...validation].sort((one, other) => one - other) };
}

/** Returns some samples with their labels, in the order in which they are named. */
export function chosen(data: Dataset, samples: readonly number[]): Part {
  const wide = sizeOf(data.sampleShape), narrow = data.y.length ? sizeOf(data.labelShape) : 0;
  const x = new Float32Array(samples.length * wide);
  const y = new (data.y.constructor as typeof Float32Array | typeof Int32Array)(samples.length * narrow);
  samples.forEach((sample, at) => {
    x.set(data.x.subarray(sample * wide, (sample + 1) * wide), at * wide);
    y.set(data.y.subarray(sample * narrow, (sample + 1) * narrow), at * narrow);
  });
  return { x, y, count: samples.length };
}

/** Returns the samples to train on and to validate with: those to test on that came along, else a part of each class. */
export function split(data: Dataset, fraction: number, seed: number): { training: Part; validation: Part } {
  if (data.test) return { training: data, validation: data.test };
  const { training, validation } = division(data, fraction, seed);
  return { training: chosen(data, training), validation: chosen(data, validation) };
}
