import type { Dataset } from "../data/dataset";
import { shuffled } from "./random";

export interface Split {
  train: Uint32Array;
  /** The held-out samples, for validation. */
  held: Uint32Array;
}

/**
 * Splits samples. Holds out those that were given for testing, or else a share of each class (of all samples if labels
 * are not classes): the last ones in the order, but never all of a class. draw: null keeps the order.
 */
export function split(data: Pick<Dataset, "count" | "heldOut" | "classes" | "y">, share: number, draw: (() => number) | null): Split {
  const all = Uint32Array.from({ length: data.count }, (_, index) => index);
  const order = draw ? shuffled(all, draw) : all, isHeld = heldOut(data, order, share);
  return { train: order.filter((sample) => !isHeld[sample]), held: order.filter((sample) => isHeld[sample]) };
}

/** Returns a mask with 1 for each held-out sample. */
function heldOut({ count, heldOut, classes, y }: Pick<Dataset, "count" | "heldOut" | "classes" | "y">, order: Uint32Array, share: number): Uint8Array {
  const found = new Uint8Array(count);
  if (heldOut) return found.fill(1, count - heldOut);
  const groupOf = (sample: number) => (classes.length ? y[sample]! : 0), sizes = new Map<number, number>();
  for (const sample of order) sizes.set(groupOf(sample), (sizes.get(groupOf(sample)) ?? 0) + 1);
  const left = new Map([...sizes].map(([group, size]) => [group, Math.min(size - 1, Math.round(size * share))]));
  for (const sample of order.slice().reverse()) {
    const rest = left.get(groupOf(sample))!;
    if (rest > 0) found[sample] = 1;
    left.set(groupOf(sample), rest - 1);
  }
  return found;
}
