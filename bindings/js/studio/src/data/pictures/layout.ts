/** The pictures that a model takes, from the shape of its input. */
import { DataError } from "../problem";
import { counted, dims, named } from "../wording";
import { gray, resized, rgb, type Picture } from "./pixels";

export interface Layout {
  channels: 1 | 3;
  /** Rows and columns of pixels; null if the model only says how many numbers there are. */
  height: number | null;
  width: number | null;
  /** Whether the channels of a pixel are adjacent. */
  channelsLast: boolean;
}

/** The path and size of the first picture. */
export interface First {
  path: string;
  width: number;
  height: number;
}

/**
 * Returns the layout of a model's input.
 *
 * The shape of a sample is (channels, height, width), (height, width, channels), (height, width), or just the number of
 * pixels. Throws DataError if it is not a shape of pictures.
 */
export function layoutOf(shape: readonly number[], first: First, resize: boolean): Layout {
  const isFirst = shape.length === 3 && isChannels(shape[0]), isLast = shape.length === 3 && isChannels(shape[2]);
  const asItIs = isLast && shape[0] === first.height && shape[1] === first.width;
  if (isFirst && !asItIs) return { channels: shape[0] as 1 | 3, height: shape[1], width: shape[2], channelsLast: false };
  if (isLast) return { channels: shape[2] as 1 | 3, height: shape[0], width: shape[1], channelsLast: true };
  if (shape.length === 2) return { channels: 1, height: shape[0], width: shape[1], channelsLast: false };
  if (shape.length === 1) return flatLayout(shape[0], first, resize);
  throw new DataError(`the model takes samples of ${dims(shape)}, which are not pictures`, "give arrays in an .npz");
}

function isChannels(dim: number): boolean {
  return dim === 1 || dim === 3;
}

/** Returns the layout of pictures for an input that is a row of `count` numbers. */
function flatLayout(count: number, first: First, resize: boolean): Layout {
  const pixels = first.width * first.height, open = { height: null, width: null, channelsLast: false };
  if (count === pixels || count === 3 * pixels) return { channels: count === pixels ? 1 : 3, ...open };
  const side = Math.round(Math.sqrt(count)), isSquare = side * side === count;
  if (resize && isSquare) return { channels: 1, height: side, width: side, channelsLast: false };
  throw new DataError(
    `${named(first.path)} has ${first.width} x ${first.height} pixels, the model takes ${counted(count)}`,
    isSquare ? "let pictures be stretched" : "that is not a square: resize the pictures first",
  );
}

/** Returns the picture in the layout: resized, gray or with three channels. Counts what it changes. */
export function fitted(picture: Picture, { channels }: Layout, [height, width]: readonly number[], changes: Changes): Picture {
  const isSize = picture.height === height && picture.width === width;
  const sized = isSize ? picture : resized(picture, width, height);
  changes.resized += Number(!isSize);
  changes["turned gray"] += Number(channels === 1 && picture.channels === 3);
  changes["given three channels"] += Number(channels === 3 && picture.channels === 1);
  return channels === 1 ? gray(sized) : rgb(sized);
}

/** How many pictures were changed, by the kind of change. */
export type Changes = Record<"resized" | "turned gray" | "given three channels", number>;

/** Writes a picture's pixels at the start of a sample, channel after channel or with adjacent channels. */
export function place({ width, height, channels, data }: Picture, target: Uint8Array, start: number, channelsLast: boolean): void {
  const pixels = width * height;
  for (let from = 0; from < data.length; from++) {
    const channel = from % channels, pixel = (from - channel) / channels;
    target[start + (channelsLast ? from : channel * pixels + pixel)] = data[from];
  }
}
