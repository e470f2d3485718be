/** What images, drawings and measurements are often multiples of. */
const SCALES = [1, 1 / 255, 1 / 16, 1 / 15, 1 / 127, 1 / 100];

/** Samples as the line carries them. */
export interface Sent {
  x: Float32Array | Uint8Array;
  scale: number;
}

/** Returns the samples as bytes, a quarter as long on the line, where the board makes the same numbers of them. */
export function asBytes(x: Float32Array): Sent {
  for (const scale of SCALES) {
    const single = Math.fround(scale), bytes = Uint8Array.from(x, (value) => Math.round(value / single));
    if (x.every((value, i) => Object.is(Math.fround(bytes[i]! * single), value))) return { x: bytes, scale };
  }
  return { x, scale: 1 };
}
