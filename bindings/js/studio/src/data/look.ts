/** How samples look: which of them are pictures, and their pixels on a screen. */
import { sizeOf } from "./loaded";

/** A sample as a picture. */
export interface Look {
  width: number;
  height: number;
  channels: 1 | 3;
  /** Whether the channels of a pixel are adjacent. */
  channelsLast: boolean;
}

/** Square counts of numbers are shown as pictures if their side has at least this many. */
const LEAST_SIDE = 8;

/** Returns how a sample of that shape looks as a picture; null if it is not one. */
export function lookOf(shape: readonly number[]): Look | null {
  const [first = 0, second = 0, third = 0] = shape;
  if (shape.length === 3 && isChannels(first)) return { channels: first, height: second, width: third, channelsLast: false };
  if (shape.length === 3 && isChannels(third)) return { channels: third, height: first, width: second, channelsLast: true };
  if (shape.length === 2 && first > 1 && second > 1) return { channels: 1, height: first, width: second, channelsLast: false };
  const side = Math.round(Math.sqrt(sizeOf(shape)));
  const isSquare = shape.filter((dim) => dim !== 1).length === 1 && side * side === sizeOf(shape) && side >= LEAST_SIDE;
  return isSquare ? { channels: 1, height: side, width: side, channelsLast: false } : null;
}

function isChannels(dim: number): dim is 1 | 3 {
  return dim === 1 || dim === 3;
}

/** Returns the pixels of a sample for a screen; `least` is black and `largest` white. */
export function pixelsOf(sample: Float32Array, look: Look, least: number, largest: number): ImageData {
  const { width, height, channels, channelsLast } = look, pixels = width * height, found = new ImageData(width, height);
  const scale = 255 / (largest - least || 1);
  for (let pixel = 0; pixel < pixels; pixel++) {
    for (let channel = 0; channel < 3; channel++) {
      const own = channels === 1 ? 0 : channel;
      found.data[4 * pixel + channel] = (sample[channelsLast ? pixel * channels + own : own * pixels + pixel]! - least) * scale;
    }
    found.data[4 * pixel + 3] = 255;
  }
  return found;
}

/** Returns pixel bytes (adjacent channels) as a sample; 0 becomes `least`, and 255 becomes `largest`. */
export function sampleOf(bytes: ArrayLike<number>, look: Look, least: number, largest: number): Float32Array {
  const { width, height, channels, channelsLast } = look, pixels = width * height, found = new Float32Array(channels * pixels);
  for (let at = 0; at < found.length; at++) {
    const channel = at % channels, pixel = (at - channel) / channels;
    found[channelsLast ? at : channel * pixels + pixel] = least + (bytes[at]! / 255) * (largest - least);
  }
  return found;
}
