import type { Dataset } from "../data/dataset";
import { shuffled } from "./random";

export interface Split {
  train: Uint32Array;
  /** What is held out, to validate on. */
  held: Uint32Array;
}

/**
 * Splits samples: those that came to test on are held out, else a share of each class, or of all where labels are no
 * classes. Of each class the last ones in the order are held out, and one at least is not. draw: null keeps the order.
 */
export function split(data: Pick<Dataset, "count" | "heldOut" | "classes" | "y">, share: number, draw: (() => number) | null): Split {
  const all = Uint32Array.from({ length: data.count }, (_, index) => index);
  const order = draw ? shuffled(all, draw) : all, isHeld = heldOut(data, order, share);
  return { train: order.filter((sample) => !isHeld[sample]), held: order.filter((sample) => isHeld[sample]) };
}

/** Returns a 1 for each sample that is held out. */
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
