// The board's measurements, as samples for the page's data and for the store on the board.

import { signal } from "@preact/signals";
import { GradmoteError } from "gradmote";
import type { Dataset } from "../data/dataset";
import { data, facts } from "../state";
import { isSameModel } from "./connection";
import type { Tools } from "./work";

/** The sample that was last read. */
export const sensed = signal<Float32Array | null>(null);

/** The number of updates on the store's samples per press. */
const REPLAYS = 50;

/** Reads the first sample of the input. Firmware with a sensor writes its measurements there. */
export async function read({ board }: Tools): Promise<string> {
  const values = await board.input(0), { batch } = board.info();
  sensed.value = Float32Array.from(values.subarray(0, values.length / batch));
  return "Read what the board senses";
}

/** Adds the last sample to the page's data. */
export function addToData(label: number): string {
  const sample = sensed.value, shape = facts.value?.inputs[0]?.shape.slice(1);
  if (!sample || !shape || !isSameModel.value) throw new GradmoteError("nothing was read for the page's model", "read the sensor first");
  const before = data.value ?? emptyData(shape);
  if (before.heldOut) throw new GradmoteError("the data came with samples to test on, so none can be added", "clear the data first");
  if (before.x.length !== before.count * sample.length) {
    throw new GradmoteError(`the data's samples have ${before.x.length / before.count} numbers, the board's ${sample.length}`, "clear the data first");
  }
  const count = before.count + 1, labels = before.y instanceof Int32Array ? Int32Array : Float32Array;
  const classes = Array.from({ length: Math.max(before.classes.length, label + 1) }, (_, i) => before.classes[i] ?? String(i));
  data.value = { ...before, count, classes, ...joined(before, sample, label, labels) };
  return `${count} samples: the last is of class ${classes[label]}`;
}

function joined({ x, y }: Dataset, sample: Float32Array, label: number, labels: Int32ArrayConstructor | Float32ArrayConstructor): Pick<Dataset, "x" | "y"> {
  const longer = new Float32Array(x.length + sample.length), more = new labels(y.length + 1);
  longer.set(x);
  longer.set(sample, x.length);
  more.set(y);
  more[y.length] = label;
  return { x: longer, y: more };
}

function emptyData(sampleShape: number[]): Dataset {
  return { name: "the board's sensor", x: new Float32Array(), y: new Int32Array(), count: 0, sampleShape, labelShape: [], classes: [], notes: [] };
}

/** Adds the board's measurement to its store. */
export function learn(label: number) {
  return async ({ board }: Tools): Promise<string> => {
    await board.learn(label);
    const { kept } = await board.storeClass(label);
    return `The board keeps ${kept} samples of class ${label}`;
  };
}

export function forget(label: number) {
  return async ({ board }: Tools): Promise<string> => {
    await board.forget(label);
    return `The board forgot class ${label}`;
  };
}

/** Trains on samples from the store. */
export async function replay({ board, signal, at }: Tools): Promise<string> {
  let loss = NaN;
  for (let step = 1; step <= REPLAYS; step++) {
    signal.throwIfAborted();
    ({ loss } = await board.replay());
    at(step / REPLAYS, `step ${step} of ${REPLAYS}, loss ${loss.toFixed(4)}`);
  }
  return `Trained for ${REPLAYS} steps on the board's samples: loss ${loss.toFixed(4)}`;
}

/** Reports how many of the store's samples the model recognizes. */
export async function score({ board, signal, at }: Tools): Promise<string> {
  const { classes } = await board.store();
  let [all, met] = [0, 0];
  for (let label = 0; label < classes; label++) {
    signal.throwIfAborted();
    const [kept, right] = await board.score(label);
    [all, met] = [all + kept, met + right];
    at((label + 1) / classes, `class ${label}: ${right} of ${kept} right`);
  }
  return `The board recognizes ${met} of its ${all} samples`;
}
