/** Files as readers see them: read in slices, so that large ones show progress too. */
import { DataError } from "./problem";
import { counted, named } from "./wording";

/** The most bytes to read of one file, or of one folder. */
export const MOST = 2 ** 30;
/** Content up to this size is read from any compressed file, however small the file is. */
const ALWAYS = 256 * 2 ** 20;
/** The most bytes of content per byte of a compressed file. */
const RATIO = 100;
/** The bytes to read at a time. */
const SLICE = 2 ** 21;

/** A file by its path; `blob` has its bytes. */
export interface Source {
  path: string;
  blob: Blob;
}

/** Follows the progress of reading, from 0 to 1, and may end it. */
export interface Watcher {
  progress?: (part: number) => void;
  signal?: AbortSignal;
}

/** Returns a file's name without its folders. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Returns the extension of a file's name in lower case: ".csv". */
export function endingOf(path: string): string {
  const name = nameOf(path), dot = name.lastIndexOf(".");
  return dot > 0 ? name.slice(dot).toLowerCase() : "";
}

/** Throws DataError if a file is too large to read. */
export function requireReadable({ path, blob }: Source): void {
  if (blob.size <= MOST) return;
  throw new DataError(`${named(path)} has ${counted(blob.size)} bytes, and at most ${counted(MOST)} are read`, "split it");
}

/** Throws DataError if a file of `fileSize` bytes claims to hold too many bytes of samples. */
export function requireSize(path: string, size: number, fileSize: number): void {
  const most = Math.min(MOST, Math.max(ALWAYS, RATIO * fileSize));
  if (size <= most) return;
  const hint = "give fewer samples, or smaller ones; a file of arrays that is stored without compression may be larger";
  throw new DataError(`${named(path)} claims ${counted(size)} bytes of samples, and at most ${counted(most)} are read of it`, hint);
}

/** Returns some bytes of a file. */
export async function bytesAt({ blob }: Source, start: number, end: number): Promise<Uint8Array> {
  return new Uint8Array(await blob.slice(start, end).arrayBuffer());
}

/** Yields a file slice by slice. Throws the file system's error, or the signal's reason. */
export async function* slices(source: Source, { progress, signal }: Watcher): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < source.blob.size; at += SLICE) {
    signal?.throwIfAborted();
    progress?.(at / source.blob.size);
    yield await bytesAt(source, at, at + SLICE);
  }
}

/** Returns all bytes of a file. */
export async function wholeFile(source: Source, watcher: Watcher): Promise<Uint8Array> {
  requireReadable(source);
  const found = new Uint8Array(source.blob.size);
  let at = 0;
  for await (const part of slices(source, watcher)) {
    found.set(part, at);
    at += part.length;
  }
  return found;
}
