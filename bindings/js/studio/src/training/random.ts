/** Returns a function that draws numbers in [0, 1) from a seed (mulberry32). */
export function drawing(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns the indices in a random order (Fisher and Yates). */
export function shuffled(indices: Uint32Array, draw: () => number): Uint32Array {
  const found = indices.slice();
  for (let last = found.length - 1; last > 0; last--) {
    const other = Math.floor(draw() * (last + 1));
    [found[last], found[other]] = [found[other]!, found[last]!];
  }
  return found;
}
