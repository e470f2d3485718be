import { DataError } from "gradmote";
import type { Dataset } from "../data/dataset";
import type { Plan } from "./plan";

export interface Batch {
  x: Float32Array | Int32Array;
  y: Float32Array | Int32Array;
}

/** Returns the samples of these indices, concatenated, in the types that the model takes. */
export function gather(data: Dataset, plan: Plan, indices: Uint32Array): Batch {
  return {
    x: picked(data.x, plan.wide, indices, plan.input.dtype),
    y: picked(data.y, plan.narrow, indices, plan.label.dtype),
  };
}

function picked(values: Float32Array | Int32Array, size: number, indices: Uint32Array, dtype: string): Float32Array | Int32Array {
  const length = size * indices.length;
  const found = dtype === "int32" ? new Int32Array(length) : new Float32Array(length);
  indices.forEach((index, row) => found.set(values.subarray(index * size, (index + 1) * size), row * size));
  if (dtype === "int32" && !(values instanceof Int32Array)) requireWhole(values, size, indices);
  return found;
}

function requireWhole(values: Float32Array, size: number, indices: Uint32Array): void {
  for (const index of indices) {
    if (!values.subarray(index * size, (index + 1) * size).every(Number.isInteger)) {
      throw new DataError(`sample ${index} has numbers that are not whole`, "the model takes whole numbers there");
    }
  }
}

/** Returns indices that fill whole batches: the first sample of the last batch fills it up. */
export function filled(indices: Uint32Array, batch: number): Uint32Array {
  const rest = indices.length % batch;
  if (!rest) return indices;
  const found = new Uint32Array(indices.length + batch - rest).fill(indices[indices.length - rest]!);
  found.set(indices);
  return found;
}
