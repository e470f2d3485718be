import { shuffled } from "./random";

export interface Split {
  train: Uint32Array;
  /** What is held out, to validate on. */
  held: Uint32Array;
}

/** Splits samples. draw: null keeps their order, and holds out the last. */
export function split(count: number, share: number, draw: (() => number) | null): Split {
  const all = Uint32Array.from({ length: count }, (_, index) => index);
  const order = draw ? shuffled(all, draw) : all;
  const cut = count - Math.round(count * share);
  return { train: order.slice(0, cut), held: order.slice(cut) };
}
