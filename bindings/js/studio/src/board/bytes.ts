/** Images, drawings and measurements are often multiples of one of these. */
const SCALES = [1, 1 / 255, 1 / 16, 1 / 15, 1 / 127, 1 / 100];

/** Samples as they are sent over the line. */
export interface Sent {
  x: Float32Array | Uint8Array;
  scale: number;
}

/** Returns the samples as bytes, a quarter as long on the line, if the board restores the same numbers from them. */
export function asBytes(x: Float32Array): Sent {
  for (const scale of SCALES) {
    const single = Math.fround(scale), bytes = Uint8Array.from(x, (value) => Math.round(value / single));
    if (x.every((value, i) => Object.is(Math.fround(bytes[i]! * single), value))) return { x: bytes, scale };
  }
  return { x, scale: 1 };
}
