/** Compares samples with what a model takes, before it is trained. */
import type { DType, TensorInfo } from "gradmote";

import { classCounts, hasNamedClasses, partsOf, placeIn, rangeOf, type Dataset, type Part } from "./dataset";
import { sizeOf } from "./loaded";
import { DataError } from "./problem";
import { counted, dims, figure, listed, named, quoted } from "./wording";

/** An input or label of a model; `shape` is that of one sample. */
export interface ExpectedTensor {
  name: string;
  dtype: DType;
  shape: number[];
}

/** The samples that a model takes. */
export interface Expected {
  name: string;
  batch: number;
  inputs: ExpectedTensor[];
  labels: ExpectedTensor[];
  /** The number of classes if labels are class indices; else null. */
  classes: number | null;
}

/** The runtime's description of a model. */
export interface Described {
  requirements: { batch: number };
  inputs: TensorInfo[];
  labels: TensorInfo[];
  outputs: TensorInfo[];
}

/** A message names at most this many samples, and counts the others. */
const NAMED = 3;

/** Returns what a model takes. */
export function expectedOf(name: string, { requirements: { batch }, inputs, labels, outputs }: Described): Expected {
  const of = (tensors: TensorInfo[]) => tensors.map((tensor, index) => ({ name: tensor.name ?? String(index), dtype: tensor.dtype, shape: sampleShape(tensor, batch) }));
  const [label] = of(labels), [output] = outputs;
  const scores = output ? sampleShape(output, batch) : [], isClass = label?.dtype === "int32" && sizeOf(label.shape) === 1;
  return { name, batch, inputs: of(inputs), labels: of(labels), classes: isClass && scores.length === 1 && scores[0] > 1 ? scores[0] : null };
}

/** Returns the shape of one sample of a tensor that holds a batch. */
export function sampleShape({ shape }: TensorInfo, batch: number): number[] {
  return shape[0] === batch ? shape.slice(1) : [sizeOf(shape) / batch];
}

/** Returns the reasons why the model cannot be trained on the data; empty if it can. */
export function problems(data: Dataset, expected: Expected): DataError[] {
  const found: DataError[] = [];
  for (const { part, ending } of partsOf(data)) {
    const [input, ...inputs] = expected.inputs, [label, ...labels] = expected.labels;
    if (input) found.push(...shapeProblems(data.sampleShape, `x${ending}`, input, null));
    if (label && !data.y.length) found.push(new DataError(`the model takes labels '${named(label.name)}', and the data has none`, "add an array y, or a file with the labels"));
    else if (label) found.push(...labelProblems(data, part, `y${ending}`, label, expected.classes));
    if (!ending) found.push(...[...inputs, ...labels].map(further), ...[input, label].flatMap(quantized));
  }
  if (data.y.length && !expected.labels.length) found.push(new DataError("the model takes no y", "compile it with a loss"));
  const { count } = partsOf(data)[0]!.part;
  if (count < expected.batch) {
    found.push(new DataError(`${data.name}: ${count} samples do not fill a batch of ${expected.batch}`, "compile with a smaller batch"));
  }
  return found;
}

/** Throws DataError for the first reason why the model cannot be trained on the data. */
export function requireFit(data: Dataset, expected: Expected): void {
  const [problem] = problems(data, expected);
  if (problem) throw problem;
}

/** Returns a sentence for samples that fit the model. */
export function verdict(data: Dataset, expected: Expected): string {
  return `The data fits ${named(expected.name)}: ${counted(Math.floor((data.count - (data.heldOut ?? 0)) / expected.batch))} updates in an epoch.`;
}

/** Returns a sentence on each array with NaN or infinity: the first one's place, and the number of affected samples. */
export function notFinite(data: Dataset): string[] {
  return partsOf(data).flatMap(({ part, ending }) => [
    ...notFiniteIn(data, `x${ending}`, part.x, data.sampleShape),
    ...notFiniteIn(data, `y${ending}`, part.y, data.labelShape),
  ]);
}

function quantized(tensor: ExpectedTensor | undefined): DataError[] {
  if (!tensor || ["float32", "int32"].includes(tensor.dtype)) return [];
  const text = `'${named(tensor.name)}' takes ${tensor.dtype}, and this page has numbers of float32 and int32`;
  return [new DataError(text, "train it with gradmote train, which takes quantized numbers")];
}

function further({ name }: ExpectedTensor): DataError {
  return new DataError(`the model also takes '${named(name)}', and this page trains models of one input and one label`, "train it with gradmote train");
}

// ---- Shapes -------------------------------------------------------------------------------------------------------

function shapeProblems(given: number[], name: string, tensor: ExpectedTensor, classes: number | null): DataError[] {
  const [count, wanted] = [sizeOf(given), sizeOf(tensor.shape)], title = `'${named(tensor.name)}'`;
  if (count !== wanted) {
    const takes = tensor.shape.length > 1 ? `${wanted} (${dims(tensor.shape)})` : `${wanted}`;
    const text = `a sample of ${name} has ${count} value${count === 1 ? "" : "s"}, ${title} takes ${takes}`;
    return [new DataError(text, shapeHint(given, name, wanted, classes))];
  }
  if (!isTurned(given, tensor.shape)) return [];
  const text = `a sample of ${name} has the shape ${dims(given)}, ${title} takes ${dims(tensor.shape)}`;
  return [new DataError(text, "there are as many numbers, but in another order: transpose them; pictures are (channels, rows, columns)")];
}

function shapeHint(given: number[], name: string, wanted: number, classes: number | null): string {
  if (classes !== null && classes === given.at(-1) && wanted === 1) return "give class indices instead of one-hot rows: y.argmax(axis=1)";
  if (name.startsWith("y")) return "give as many labels for each sample as the model was compiled for";
  return "the data must have the shape of the ONNX model's input, without the batch";
}

/** Returns whether both shapes have several axes of the same lengths, but in a different order. */
function isTurned(given: number[], wanted: number[]): boolean {
  const [ours, theirs] = [given, wanted].map((shape) => shape.filter((dim) => dim !== 1));
  const order = (shape: number[]) => String([...shape].sort((one, other) => one - other));
  return String(ours) !== String(theirs) && order(ours) === order(theirs);
}

// ---- Labels -------------------------------------------------------------------------------------------------------

function labelProblems(data: Dataset, { y }: Part, name: string, tensor: ExpectedTensor, classes: number | null): DataError[] {
  const shape = shapeProblems(data.labelShape, name, tensor, classes);
  if (shape.length) return shape;
  const halves = tensor.dtype === "int32" && y instanceof Float32Array ? wrongOnes(y, (label) => !Number.isInteger(label)) : [];
  if (halves.length) {
    const hint = "give class indices, or compile the model with a loss on numbers: mse";
    return [new DataError(`${told(data, name, y, halves)}, and '${named(tensor.name)}' takes whole numbers`, hint)];
  }
  if (classes !== null) return rangeProblems(data, y, name, classes);
  if (tensor.dtype === "int32" || !hasNamedClasses(data) || data.classes.length <= 2) return [];
  const text = `the labels of ${name} are the names of ${data.classes.length} classes, and '${named(tensor.name)}' takes numbers`;
  return [new DataError(text, "compile the model for classes: cross entropy")];
}

function rangeProblems(data: Dataset, y: Part["y"], name: string, classes: number): DataError[] {
  const wrong = wrongOnes(y, (label) => label < 0 || label >= classes);
  if (!wrong.length) return [];
  const places = told(data, name, y, wrong);
  if (hasNamedClasses(data)) {
    const text = `${places}: the data has the classes ${listed(data.classes)}, and the model has only ${classes}`;
    return [new DataError(text, "compile the model with as many outputs as there are classes")];
  }
  const hint = "number the classes from 0 on, or compile the model with as many outputs as there are classes";
  return [new DataError(`${places}: labels must be in 0 .. ${classes - 1}`, hint)];
}

function wrongOnes(y: Part["y"], isWrong: (label: number) => boolean): number[] {
  const found: number[] = [];
  for (let at = 0; at < y.length; at++) if (isWrong(y[at])) found.push(at);
  return found;
}

/** Returns the places and values of the first wrong labels, and counts the others. */
function told(data: Dataset, name: string, y: Part["y"], wrong: number[]): string {
  const isArray = (data.origins?.[name]?.kind ?? "array") === "array", width = sizeOf(data.labelShape);
  const shown = wrong.slice(0, isArray ? NAMED : 1);
  const index = (at: number) => (data.labelShape.length ? [Math.floor(at / width), at % width] : [at]);
  const value = (at: number) => (hasNamedClasses(data) && data.classes[y[at]] !== undefined ? quoted(data.classes[y[at]]) : figure(y[at]));
  const places = shown.map((at) => `${placeIn(data, name, index(at))} is ${value(at)}`).join(", ");
  return places + (wrong.length > shown.length ? `, and ${wrong.length - shown.length} more` : "");
}

// ---- Numbers that are not finite ----------------------------------------------------------------------------------

function notFiniteIn(data: Dataset, name: string, values: Part["y"], shape: number[]): string[] {
  if (!rangeOf(values).notFinite) return [];
  const width = sizeOf(shape);
  let first = -1, samples = 0, last = -1;
  for (let at = 0; at < values.length; at++) {
    if (Number.isFinite(values[at])) continue;
    if (first < 0) first = at;
    const sample = Math.floor(at / width);
    samples += Number(sample !== last);
    last = sample;
  }
  const more = samples > 1 ? `, and ${counted(samples - 1)} more samples are not finite` : "";
  return [`${placeIn(data, name, [Math.floor(first / width), ...(shape.length ? [first % width] : [])])} is ${figure(values[first])}${more}: steps on such samples are skipped`];
}

/** Returns the names of classes without any sample to train on. */
export function emptyClasses(data: Dataset): string[] {
  const counts = classCounts(data.classes, partsOf(data)[0]!.part.y);
  return data.classes.filter((_, number) => !counts[number]);
}
