/** The arrays of a file with their origins, before conversion. */
import { named } from "./wording";

export type Numbers =
  | Float32Array | Float64Array | Int8Array | Int16Array | Int32Array | Uint8Array | Uint16Array | Uint32Array
  | BigInt64Array | BigUint64Array; // prettier-ignore

/** An array of numbers in row-major order. `dtype` is numpy's name for the file's type. */
export interface NumberArray {
  dtype: string;
  shape: number[];
  data: Numbers;
}

/** An array of text, for labels. */
export interface NameArray {
  dtype: "names";
  shape: number[];
  data: string[];
}

export type AnyArray = NumberArray | NameArray;

/** The origin of an array: lines and columns of a table, one file per sample, or an array of a file. */
export type Origin =
  | { kind: "table"; path: string; lines: Int32Array; columns: string[] }
  | { kind: "files"; path: string; files: string[] }
  | { kind: "array"; path: string };

/**
 * The contents of a file: arrays x, y, x_test, y_test, scale and zero. If labels are names, `classes` has the names of
 * the classes in their order; `notes` are sentences on what was done to the samples.
 */
export interface Loaded {
  path: string;
  arrays: Record<string, AnyArray>;
  origins: Record<string, Origin>;
  classes: string[] | null;
  notes: string[];
}

/** Returns whether an array holds text. */
export function hasNames(array: AnyArray): array is NameArray {
  return array.dtype === "names";
}

/** Returns how many numbers an array of that shape has. */
export function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, dim) => product * dim, 1);
}

/** Returns the index of a number in an array of that shape. */
export function indexOf(position: number, shape: readonly number[]): number[] {
  const found: number[] = [];
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    found.unshift(position % shape[axis]);
    position = Math.floor(position / shape[axis]);
  }
  return found;
}

/** Returns words for the place of one number in an array: its line and column, its file, or its index. */
export function placeOf(origin: Origin | undefined, name: string, index: readonly number[]): string {
  if (origin?.kind === "table" && index[0]! < origin.lines.length) {
    const column = origin.columns[index.length > 1 ? index[1] : 0];
    return `${named(origin.path)}, line ${origin.lines[index[0]]}, column ${named(column)}`;
  }
  if (origin?.kind === "files" && index[0]! < origin.files.length) return named(origin.files[index[0]]);
  return index.length ? `${name}[${index.join(", ")}]` : name;
}
