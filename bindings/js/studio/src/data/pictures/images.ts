/** Pictures, PNG or JPEG: bytes (samples, channels, height, width), in gray or RGB as the model takes them. */
import type { ClassFolder } from "../files/folders";
import type { FolderSamples } from "../files/wav";
import { asDataError, DataError } from "../problem";
import type { Reading } from "../reading";
import { bytesAt, MOST, wholeFile, type Source, type Watcher } from "../source";
import { counted, dims, named } from "../wording";
import { fitted, layoutOf, place, type Layout } from "./layout";
import { fromRgba, isOpaque, type Picture } from "./pixels";
import { claimsOf, type Claims } from "./wholeness";

/** By default, the bytes 0 .. 255 stand for 0 .. 1. */
export const SCALE = 1 / 255;
const HINT = "give PNG or JPEG files that are whole";

/** Decodes a complete file with these claims. A page uses a canvas. */
export type Decoder = (bytes: Uint8Array, claims: Claims) => Promise<Picture>;

/**
 * Returns a folder's pictures as bytes. Throws DataError, with the file's name, if one is damaged or of another size.
 */
export async function readPictures(folder: ClassFolder, reading: Reading, watcher: Watcher, decode: Decoder): Promise<FolderSamples> {
  const { files, path } = folder, first = await openPicture(files[0], watcher, decode);
  const { sampleShape, resize } = reading;
  const layout = sampleShape ? layoutOf(sampleShape, { path: files[0].path, ...first }, resize) : await ownLayout(files);
  const size = [layout.height ?? first.height, layout.width ?? first.width], length = layout.channels * size[0] * size[1];
  if (files.length * length > MOST) throw new DataError(`${named(path)} would take ${counted(files.length * length)} bytes, and at most ${counted(MOST)} are read`, "give fewer pictures");
  const data = new Uint8Array(files.length * length), changes = { resized: 0, "turned gray": 0, "given three channels": 0 };
  for (const [number, file] of files.entries()) {
    watcher.progress?.(number / files.length);
    const picture = number ? await openPicture(file, watcher, decode) : first;
    requireSize(file, picture, size, reading);
    place(fitted(picture, layout, size, changes), data, number * length, layout.channelsLast);
  }
  const told = Object.entries(changes).filter(([, count]) => count);
  const notes = told.map(([what, count]) => `${named(path)}: ${counted(count)} of ${counted(files.length)} pictures are ${what} (${dims([layout.channels, ...size])})`);
  return { x: { dtype: "uint8", shape: [files.length, ...shapeOf(layout, size)], data }, files: files.map((_, number) => number), notes };
}

function shapeOf({ channels, channelsLast }: Layout, size: number[]): number[] {
  return channelsLast ? [...size, channels] : [channels, ...size];
}

/** Throws DataError if a picture has another size and resizing was not asked for. */
function requireSize({ path }: Source, { width, height }: Picture, size: number[], { resize, sampleShape }: Reading): void {
  if (resize || (height === size[0] && width === size[1])) return;
  const wanted = sampleShape ? "the model takes" : "the first one has";
  const hint = "let pictures be stretched, which brings all of them to one size";
  throw new DataError(`${named(path)} is ${width} x ${height} pixels, ${wanted} ${size[1]} x ${size[0]}`, hint);
}

/** Returns a layout in the pictures' own size: gray if all of them are gray, else RGB. */
async function ownLayout(files: Source[]): Promise<Layout> {
  const open = { height: null, width: null, channelsLast: false };
  for (const file of files) if (await hasColours(file)) return { channels: 3, ...open };
  return { channels: 1, ...open };
}

async function hasColours(file: Source): Promise<boolean> {
  try {
    return claimsOf(await bytesAt(file, 0, file.blob.size)).colours;
  } catch (error) {
    throw asDataError(error, named(file.path), HINT);
  }
}

/** Returns a picture, turned upright by its orientation tag. Throws DataError, which names the file. */
export async function openPicture(source: Source, watcher: Watcher, decode: Decoder): Promise<Picture> {
  const bytes = await wholeFile(source, { signal: watcher.signal });
  try {
    return await decode(bytes, claimsOf(bytes));
  } catch (error) {
    throw asDataError(error, named(source.path), HINT);
  }
}

/** Decodes a picture with the browser, without its colour profile. Throws Error if parts of it are transparent. */
export async function decodeByCanvas(bytes: Uint8Array, claims: Claims): Promise<Picture> {
  const blob = new Blob([bytes as BlobPart], { type: claims.type });
  const bitmap = await createImageBitmap(blob, { colorSpaceConversion: "none", imageOrientation: "from-image" });
  const { width, height } = bitmap, canvas = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  if (!canvas) throw new Error("this browser has no canvas");
  canvas.drawImage(bitmap, 0, 0);
  bitmap.close();
  const { data } = canvas.getImageData(0, 0, width, height);
  if (!isOpaque(data)) throw new Error("parts of it are transparent: lay it over a background first");
  return fromRgba(width, height, data, claims.colours);
}
