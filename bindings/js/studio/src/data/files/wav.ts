/** Recordings, as WAV files of PCM: numbers from -1 to 1, (samples, length), one channel. */
import type { NumberArray } from "../loaded";
import { asDataError, DataError } from "../problem";
import type { Reading } from "../reading";
import { MOST, wholeFile, type Source, type Watcher } from "../source";
import { counted, dims, named } from "../wording";
import type { ClassFolder } from "./folders";

const HINT = "give WAV files of PCM: 8, 16, 24 or 32 bits";
const PCM = 1, EXTENSIBLE = 0xfffe;

/** One recording: its numbers from -1 to 1, its rate in Hz, and the number of channels that were mixed. */
interface Sound {
  samples: Float32Array;
  rate: number;
  channels: number;
}

/** The samples of a folder: `files` has the index of each sample's file. */
export interface FolderSamples {
  x: NumberArray;
  files: number[];
  notes: string[];
}

/**
 * Returns the samples of all recordings.
 *
 * Cuts each recording into consecutive pieces of the same length, and skips a shorter rest. Fills up a recording that
 * is too short with silence. Throws DataError, which names the file.
 */
export async function readSounds({ path, files }: ClassFolder, reading: Reading, watcher: Watcher): Promise<FolderSamples> {
  const sounds: Sound[] = [];
  for (const file of files) {
    watcher.progress?.(sounds.length / files.length);
    sounds.push(await readSound(file, watcher));
  }
  requireOneRate(files, sounds);
  const length = lengthOf(files, sounds, reading);
  const counts = sounds.map(({ samples }) => Math.max(1, Math.floor(samples.length / length)));
  const count = counts.reduce((sum, pieces) => sum + pieces, 0);
  if (4 * length * count > MOST) throw new DataError(`${named(path)} would take ${counted(4 * length * count)} bytes`, "give fewer recordings");
  const x = { dtype: "float32", shape: [count, length], data: piecesOf(sounds, counts, length) };
  const notes = notesOn(sounds, length, count).map((note) => `${named(path)}: ${note}`);
  return { x, files: counts.flatMap((pieces, file) => Array<number>(pieces).fill(file)), notes };
}

function piecesOf(sounds: Sound[], counts: number[], length: number): Float32Array {
  const found = new Float32Array(counts.reduce((sum, pieces) => sum + pieces, 0) * length);
  let at = 0;
  sounds.forEach(({ samples }, index) => {
    found.set(samples.subarray(0, counts[index] * length), at);
    at += counts[index] * length;
  });
  return found;
}

function notesOn(sounds: Sound[], length: number, count: number): string[] {
  const mixed = sounds.filter(({ channels }) => channels > 1).length;
  const short = sounds.filter(({ samples }) => samples.length < length).length;
  const cut = sounds.filter(({ samples }) => samples.length > length && samples.length % length).length;
  return [
    `${counted(sounds.length)} recordings of ${counted(sounds[0].rate)} Hz give ${counted(count)} samples of ${counted(length)} numbers`,
    ...(mixed ? [`${counted(mixed)} recordings are mixed to one channel`] : []),
    ...(short ? [`${counted(short)} recordings are shorter, and filled up with silence`] : []),
    ...(cut ? [`${counted(cut)} recordings have a rest that fills no sample, which is left out`] : []),
  ];
}

function requireOneRate(files: Source[], sounds: Sound[]): void {
  const wrong = sounds.findIndex(({ rate }) => rate !== sounds[0].rate);
  if (wrong < 0) return;
  throw new DataError(
    `${named(files[wrong].path)} has ${counted(sounds[wrong].rate)} Hz, and ${counted(sounds[0].rate)} Hz is that of ${named(files[0].path)}`,
    "resample the recordings to the rate of those that the model was made for",
  );
}

/** Returns the length of a sample: the requested one, else the model's, else the recordings' own. */
function lengthOf(files: Source[], sounds: Sound[], { sampleShape, length }: Reading): number {
  if (sampleShape && sampleShape.filter((dim) => dim !== 1).length > 1) {
    const hint = "make the features first (spectra, for example), and give them as an .npz";
    throw new DataError(`the model takes samples of ${dims(sampleShape)}, and a recording is one row of numbers`, hint);
  }
  const wanted = length ?? (sampleShape && (sampleShape.find((dim) => dim !== 1) ?? 1));
  if (wanted) return wanted;
  const [first] = sounds, other = sounds.findIndex(({ samples }) => samples.length !== first.samples.length);
  if (other < 0) return first.samples.length;
  throw new DataError(
    `${named(files[other].path)} has ${counted(sounds[other].samples.length)} samples, and ${named(files[0].path)} ${counted(first.samples.length)}`,
    "open the model first, which says how long a sample is",
  );
}

// ---- One recording ------------------------------------------------------------------------------------------------

/** Returns a recording with its channels mixed. Throws DataError if it is damaged, cut off or empty. */
async function readSound(source: Source, watcher: Watcher): Promise<Sound> {
  const bytes = await wholeFile(source, watcher);
  try {
    return soundIn(bytes, named(source.path));
  } catch (error) {
    throw asDataError(error, named(source.path), HINT);
  }
}

function soundIn(bytes: Uint8Array, path: string): Sound {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length), { format, data, claimed } = chunksOf(bytes, view);
  const channels = view.getUint16(format + 2, true), rate = view.getUint32(format + 4, true);
  const width = Math.ceil(view.getUint16(format + 14, true) / 8), frame = width * channels;
  if (!frame) throw new Error("it has no channels, or no bits");
  const frames = Math.floor(claimed / frame), there = Math.floor(data.length / frame);
  if (there < frames) throw new DataError(`${path} is cut off: it claims ${counted(frames)} samples and has ${counted(there)}`, "copy it again, or leave it out");
  if (!frames || width > 4 || !rate) {
    throw new DataError(`${path} has ${frames ? `samples of ${8 * width} bits at ${counted(rate)} Hz` : "no sound"}`, HINT);
  }
  return { samples: mixed(data, width, channels, frames), rate, channels };
}

/** Returns the offset of the format, and the data with its claimed size. Throws Error if the file is not PCM. */
function chunksOf(bytes: Uint8Array, view: DataView): { format: number; data: Uint8Array; claimed: number } {
  const name = (at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));
  if (bytes.length < 12 || name(0) !== "RIFF" || name(8) !== "WAVE") throw new Error("it does not begin as a WAV file");
  let format = 0;
  for (let at = 12; at + 8 <= bytes.length; ) {
    const kind = name(at), size = view.getUint32(at + 4, true), start = at + 8;
    if (kind === "fmt ") format = formatAt(view, start, size);
    if (kind === "data" && format) return { format, data: bytes.subarray(start, start + size), claimed: size };
    at = start + size + (size % 2);
  }
  throw new Error("it ends too soon");
}

function formatAt(view: DataView, at: number, size: number): number {
  if (size < 16 || at + size > view.byteLength) throw new Error("its format is cut off");
  const kind = view.getUint16(at, true), own = kind === EXTENSIBLE && size >= 26 ? view.getUint16(at + 24, true) : kind;
  if (own !== PCM) throw new Error(`its format is ${own}, which is not PCM`);
  return at;
}

/** Returns numbers from -1 to 1, the mean of the channels. One-byte samples are unsigned, wider ones signed. */
function mixed(data: Uint8Array, width: number, channels: number, frames: number): Float32Array {
  const view = new DataView(data.buffer, data.byteOffset, data.length), found = new Float32Array(frames);
  const number = {
    1: (at: number) => (view.getUint8(at) - 128) / 128,
    2: (at: number) => view.getInt16(at, true) / 2 ** 15,
    3: (at: number) => (view.getUint16(at, true) + view.getInt8(at + 2) * 2 ** 16) / 2 ** 23,
    4: (at: number) => view.getInt32(at, true) / 2 ** 31,
  }[width as 1 | 2 | 3 | 4];
  for (let frame = 0; frame < frames; frame++) {
    let sum = 0;
    for (let channel = 0; channel < channels; channel++) sum += number((frame * channels + channel) * width);
    found[frame] = sum / channels;
  }
  return found;
}
