// Checks whether the samples fit the model, and says what a batch of them is.

import { DataError, type TensorInfo } from "gradmote";
import type { Dataset } from "../data/dataset";
import type { Facts } from "../state";
import { shaped } from "../parts/format";

export interface Plan {
  /** Samples in one step. */
  batch: number;
  /** The numbers in one sample, and in one label. */
  wide: number;
  narrow: number;
  input: TensorInfo;
  label: TensorInfo;
  /** The number of classes that the output scores; 0 if labels are not classes. */
  classes: number;
  /** false: the image has no program "step", and each step takes three calls. */
  hasStep: boolean;
  hasEval: boolean;
  hasInfer: boolean;
}

/** Returns how to feed the samples to the model. Throws DataError if they do not fit. */
export function planOf(facts: Facts, data: Dataset): Plan {
  const { programs, requirements, outputs } = facts, { batch } = requirements;
  const hasStep = programs.includes("step");
  if (!hasStep && !programs.includes("train")) {
    throw new DataError("this image only infers", "compile the model with a loss, and open that image");
  }
  const [input, label] = [only(facts.inputs, "input"), only(facts.labels, "label")];
  const [wide, narrow] = [perSample(input, batch), perSample(label, batch)];
  compare("sample", data.x.length / data.count, wide, input, data.sampleShape);
  compare("label", data.y.length / data.count, narrow, label, data.labelShape);
  if (data.count < batch) throw new DataError(`${data.count} samples do not fill a batch of ${batch}`, "add samples");
  const scores = outputs.length && narrow === 1 && label.dtype === "int32" ? perSample(outputs[0]!, batch) : 0;
  const classes = Number.isInteger(scores) && scores > 1 ? scores : 0;
  const [hasEval, hasInfer] = [programs.includes("eval"), programs.includes("infer")];
  return { batch, wide, narrow, input, label, classes, hasStep, hasEval, hasInfer };
}

function only(tensors: TensorInfo[], what: string): TensorInfo {
  const [found, ...more] = tensors;
  if (found && !more.length && ["float32", "int32"].includes(found.dtype)) return found;
  if (found && !more.length) {
    const text = `the ${what} '${found.name ?? what}' takes ${found.dtype}, and the page feeds float32 and int32`;
    throw new DataError(text, "train it with gradmote train, which takes quantized numbers");
  }
  const hint = "train it by Python or C, which take any number";
  throw new DataError(`this model has ${tensors.length} ${what}s, and the page feeds one`, hint);
}

function perSample(tensor: TensorInfo, batch: number): number {
  return tensor.shape.reduce((product, dim) => product * dim, 1) / batch;
}

function compare(what: string, given: number, wanted: number, tensor: TensorInfo, shape: number[]): void {
  if (given === wanted) return;
  const text = `a ${what} has ${given} numbers (${shaped(shape)}), and '${tensor.name ?? what}' takes ${wanted}`;
  throw new DataError(text, `the model's shape is ${shaped(tensor.shape)}, batch included: choose data that fits`);
}
