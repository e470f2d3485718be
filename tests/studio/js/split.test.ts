// Samples to validate on: those that came for it, else a share of each class.

import assert from "node:assert/strict";
import { test } from "node:test";
import { drawing } from "studio/training/random";
import { split } from "studio/training/split";

const LABELS = Int32Array.from([...Array<number>(80).fill(0), ...Array<number>(15).fill(1), ...Array<number>(4).fill(2), 3]);
const DATA = { count: LABELS.length, classes: ["a", "b", "c", "d"], y: LABELS };
const counts = (samples: Uint32Array) => [0, 1, 2, 3].map((label) => samples.filter((sample) => LABELS[sample] === label).length);

test("a share of each class is held out, and one sample at least is trained on", () => {
  const { train, held } = split(DATA, 0.2, drawing(1));
  assert.deepEqual(counts(held), [16, 3, 1, 0]);
  assert.deepEqual([...train, ...held].sort((a, b) => a - b), Array.from(LABELS.keys()));
  assert.deepEqual(counts(split(DATA, 0.9, drawing(1)).train), [8, 1, 1, 1]);
});

test("a seed draws the same, another seed other samples", () => {
  const of = (seed: number) => [...split(DATA, 0.2, drawing(seed)).held];
  assert.deepEqual(of(7), of(7));
  assert.notDeepEqual(of(7), of(8));
});

test("without a draw the order stays, and the last of each class are held out", () => {
  const { train, held } = split(DATA, 0.25, null);
  assert.deepEqual([...train], [...train].sort((a, b) => a - b));
  assert.deepEqual([...held].slice(0, 3), [60, 61, 62]);
});

test("targets are held out as one, and nothing where no share is", () => {
  const targets = { count: 10, classes: [], y: Float32Array.from({ length: 20 }, (_, at) => at / 7) };
  assert.equal(split(targets, 0.3, drawing(1)).held.length, 3);
  assert.equal(split(targets, 0, drawing(1)).held.length, 0);
});

test("samples that came to test on are what is held out", () => {
  const { train, held } = split({ ...DATA, heldOut: 20 }, 0.5, drawing(1));
  assert.deepEqual([...held].sort((a, b) => a - b), Array.from({ length: 20 }, (_, at) => 80 + at));
  assert.equal(train.length, 80);
});
