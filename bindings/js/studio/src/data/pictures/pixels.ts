/** Converts pixels to gray and resizes them with Pillow's arithmetic, so that a page gets the same bytes as Python. */

/** A picture: row by row, with the channels (1 or 3) of a pixel adjacent. */
export interface Picture {
  width: number;
  height: number;
  channels: 1 | 3;
  data: Uint8Array | Uint8ClampedArray;
}

/** Returns the picture with one channel: 0.299 red, 0.587 green and 0.114 blue. */
export function gray(picture: Picture): Picture {
  if (picture.channels === 1) return picture;
  const { width, height, data } = picture, found = new Uint8Array(width * height);
  for (let at = 0, from = 0; at < found.length; at++, from += 3) {
    found[at] = (data[from] * 19595 + data[from + 1] * 38470 + data[from + 2] * 7471 + 0x8000) >> 16;
  }
  return { width, height, channels: 1, data: found };
}

/** Returns the picture with three channels. */
export function rgb(picture: Picture): Picture {
  if (picture.channels === 3) return picture;
  const { width, height, data } = picture, found = new Uint8Array(3 * width * height);
  for (let at = 0; at < found.length; at++) found[at] = data[Math.floor(at / 3)];
  return { width, height, channels: 3, data: found };
}

/** Returns a canvas's pixels as a picture: with three channels if `colours` is true, else gray. */
export function fromRgba(width: number, height: number, data: Uint8ClampedArray, colours: boolean): Picture {
  const channels = colours ? 3 : 1, found = new Uint8Array(width * height * channels);
  for (let pixel = 0; pixel < width * height; pixel++) {
    for (let channel = 0; channel < channels; channel++) found[pixel * channels + channel] = data[4 * pixel + channel];
  }
  return { width, height, channels, data: found };
}

/** Returns whether all pixels of a canvas are opaque. */
export function isOpaque(data: Uint8ClampedArray): boolean {
  for (let at = 3; at < data.length; at += 4) if (data[at] !== 255) return false;
  return true;
}

// ---- Another size -------------------------------------------------------------------------------------------------

/** The fractional bits of a coefficient. */
const PRECISION = 32 - 8 - 2;

/** The source pixels of each target pixel: `counts` of them from `starts` on, at most `most`, with their weights. */
interface Weights {
  starts: Int32Array;
  counts: Int32Array;
  most: number;
  values: Int32Array;
}

/**
 * Returns the picture stretched to that size by a triangle filter, in integer arithmetic.
 *
 * Resizes the columns first, or the rows if those shrink by far more, as in Pillow 13. Earlier versions of Pillow
 * always begin with the columns, which changes some bytes by one.
 */
export function resized(picture: Picture, width: number, height: number): Picture {
  const lost = picture.height - height, rowsFirst = lost > 0 && lost > 2 * (picture.width - width);
  return rowsFirst ? wide(high(picture, height), width) : high(wide(picture, width), height);
}

function high(picture: Picture, height: number): Picture {
  return picture.height === height ? picture : along(picture, height);
}

function wide(picture: Picture, width: number): Picture {
  return picture.width === width ? picture : turned(along(turned(picture), width));
}

/** Returns the picture stretched to `size` rows. */
function along({ width, height, channels, data }: Picture, size: number): Picture {
  const { starts, counts, most, values } = weightsOf(height, size), step = width * channels;
  const found = new Uint8ClampedArray(size * step);
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < step; column++) {
      let sum = 1 << (PRECISION - 1);
      for (let tap = 0; tap < counts[row]; tap++) sum += data[(starts[row] + tap) * step + column] * values[row * most + tap];
      found[row * step + column] = sum >> PRECISION;
    }
  }
  return { width, height: size, channels, data: found };
}

/** Returns the picture with rows and columns exchanged. */
function turned({ width, height, channels, data }: Picture): Picture {
  const found = new Uint8Array(data.length);
  for (let row = 0, from = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      for (let channel = 0; channel < channels; channel++) found[(column * height + row) * channels + channel] = data[from++];
    }
  }
  return { width: height, height: width, channels, data: found };
}

function weightsOf(from: number, to: number): Weights {
  const scale = from / to, spread = Math.max(scale, 1), most = Math.ceil(spread) * 2 + 1;
  const found = { starts: new Int32Array(to), counts: new Int32Array(to), most, values: new Int32Array(to * most) };
  for (let target = 0; target < to; target++) {
    const centre = (target + 0.5) * scale;
    const start = Math.max(0, Math.trunc(centre - spread + 0.5)), end = Math.min(from, Math.trunc(centre + spread + 0.5));
    const weights = Array.from({ length: end - start }, (_, tap) => triangle((tap + start - centre + 0.5) * (1 / spread)));
    const sum = weights.reduce((total, weight) => total + weight, 0);
    found.starts[target] = start;
    found.counts[target] = end - start;
    weights.forEach((weight, tap) => (found.values[target * most + tap] = Math.trunc(0.5 + (sum ? weight / sum : weight) * 2 ** PRECISION)));
  }
  return found;
}

function triangle(distance: number): number {
  return Math.max(0, 1 - Math.abs(distance));
}
