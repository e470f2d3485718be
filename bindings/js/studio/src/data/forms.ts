/** The file formats of samples. A file's first bytes identify its format, or else its name does. */
import { readLabels, readTable } from "./files/csv";
import { holdsSounds, partsOf } from "./files/folders";
import { isNpy, readNpy } from "./files/npy";
import { holdsArrays, readNpz } from "./files/npz";
import { readSounds } from "./files/wav";
import { contentOf, membersOf } from "./files/zip";
import { hasNames, type AnyArray, type Loaded, type Origin } from "./loaded";
import { readPictures, SCALE, type Decoder } from "./pictures/images";
import { asDataError, DataError } from "./problem";
import type { Reading } from "./reading";
import { bytesAt, endingOf, nameOf, requireReadable, type Source, type Watcher } from "./source";
import { listed, named } from "./wording";

const TEXT = [".csv", ".tsv", ".txt", ".data"];
const SAMPLES = [".png", ".jpg", ".jpeg", ".wav"];
const FORMS =
  "give an .npz with arrays x and y, two files x.npy and y.npy, a .csv whose last column is the label, or a folder or " +
  ".zip with a folder of PNG, JPEG or WAV files for each class";
/** Names of files with labels, and of files for testing. */
const LABELS = /^y([._-]|$)|label|target/i, TEST = /(^|[._-])test([._-]|$)/i;

type Kind = "npz" | "npy" | "csv" | "zip" | "sample";

/** What reading needs besides the files. */
export interface Means extends Watcher {
  reading: Reading;
  decode: Decoder;
}

/** Returns the arrays in files by name, unconverted. Throws DataError. */
export async function loadFiles(files: readonly Source[], means: Means): Promise<Loaded> {
  if (files.some(({ path }) => path.includes("/"))) return loadFolder(files, means);
  const shown = files.filter(({ path }) => !path.startsWith("."));
  if (!shown.length) throw new DataError("no files were given", FORMS);
  if (shown.length > 1 && shown.every(({ path }) => SAMPLES.includes(endingOf(path)))) return loadFolder(shown, means);
  const [train, test] = shown.length > 1 ? partition(shown, ({ path }) => !TEST.test(stem(path))) : [shown, []];
  const loaded = await loadPart(train.length ? train : test, means);
  return train.length && test.length ? withTest(loaded, await loadPart(test, means)) : loaded;
}

/** Returns the arrays of one file, or of two: one with the samples and one with the labels. */
async function loadPart(files: readonly Source[], means: Means): Promise<Loaded> {
  const [labels, samples] = files.length > 1 ? partition(files, ({ path }) => LABELS.test(stem(path))) : [[], files];
  if (samples.length !== 1 || labels.length > 1) {
    throw new DataError(`${listed(files.map(({ path }) => path))} are given together`, `${FORMS}; if there are several files, their names say which is which`);
  }
  const loaded = await loadOne(samples[0], { ...means, reading: { ...means.reading, hasLabels: !labels.length } });
  return labels.length ? withLabels(loaded, labels[0], means) : loaded;
}

async function loadOne(source: Source, means: Means): Promise<Loaded> {
  const kind = await kindOf(source);
  if (kind === "csv") return readTable(source, means.reading, means);
  if (kind === "zip") return loadFolder(await unzipped(source, means), means, source.path);
  if (kind === "sample") throw new DataError(`${named(source.path)} is one sample alone`, FORMS);
  const arrays = kind === "npz" ? await readNpz(source, means) : { x: await readNpy(source, means) };
  return arraysOf(source.path, arrays);
}

/** Returns a file's format. Throws DataError if it is not a known one. */
export async function kindOf(source: Source): Promise<Kind> {
  requireReadable(source);
  let start: Uint8Array;
  try {
    start = await bytesAt(source, 0, 6);
  } catch (error) {
    throw asDataError(error, named(source.path), "the file was moved or changed, or may not be read: give it again");
  }
  if (isNpy(start)) return "npy";
  if (start[0] === 0x50 && start[1] === 0x4b) return kindOfZip(source);
  if (TEXT.includes(endingOf(source.path))) return "csv";
  if (SAMPLES.includes(endingOf(source.path))) return "sample";
  throw new DataError(`cannot read ${named(source.path)}: it is not an .npz, .npy, .csv or .zip file`, FORMS);
}

async function kindOfZip(source: Source): Promise<Kind> {
  if (endingOf(source.path) === ".npz") return "npz";
  try {
    return (await holdsArrays(source)) ? "npz" : "zip";
  } catch (error) {
    throw asDataError(error, named(source.path), "pack it again");
  }
}

/** Returns the arrays of a file. A text array with the name "classes" gives the names of the classes. */
function arraysOf(path: string, given: Record<string, AnyArray>): Loaded {
  const { classes, ...others } = given, areNamed = classes !== undefined && hasNames(classes) && classes.shape.length === 1;
  const arrays = areNamed ? others : given;
  const origins = Object.fromEntries(Object.keys(arrays).map((name): [string, Origin] => [name, { kind: "array", path }]));
  return { path, arrays, origins, classes: areNamed ? classes.data : null, notes: [] };
}

// ---- Several files ------------------------------------------------------------------------------------------------

/** Returns the arrays, with y from a separate file. */
async function withLabels(loaded: Loaded, source: Source, means: Means): Promise<Loaded> {
  if (loaded.arrays.y) throw new DataError(`${named(loaded.path)} has labels, and ${named(source.path)} is given too`, "give the labels once");
  const kind = await kindOf(source);
  const found = kind === "csv" ? await readLabels(source, means.reading, means) : await loadOne(source, means);
  const from = kind === "npy" ? "x" : "y", y = found.arrays[from];
  if (!y) throw new DataError(`${named(source.path)} has no array y; it has ${listed(Object.keys(found.arrays).sort())}`, "name it y");
  return { ...loaded, arrays: { ...loaded.arrays, y }, origins: { ...loaded.origins, y: found.origins[from] } };
}

/** Returns the arrays, with those of a second file as x_test and y_test. */
function withTest(loaded: Loaded, test: Loaded): Loaded {
  if (loaded.arrays.x_test) throw new DataError(`${named(test.path)} is given, and there is an array x_test too`, "give the test set once");
  const found = { ...loaded, arrays: { ...loaded.arrays }, origins: { ...loaded.origins }, notes: [...loaded.notes, ...test.notes] };
  for (const name of ["x", "y"]) {
    if (!test.arrays[name]) continue;
    found.arrays[`${name}_test`] = test.arrays[name];
    found.origins[`${name}_test`] = test.origins[name];
  }
  return found;
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}

/** Returns a file's name without its extension. */
function stem(path: string): string {
  return nameOf(path).slice(0, nameOf(path).length - endingOf(path).length);
}

// ---- Folders ------------------------------------------------------------------------------------------------------

/** Returns the samples of a folder, and of its parts for training and for testing. */
async function loadFolder(files: readonly Source[], means: Means, zip?: string): Promise<Loaded> {
  const { path, parts } = partsOf(files);
  const found: Loaded = { path: zip ?? path, arrays: {}, origins: {}, classes: null, notes: [] };
  for (const [ending, part] of Object.entries(parts)) {
    const isSound = holdsSounds(part);
    const samples = isSound ? await readSounds(part, means.reading, means) : await readPictures(part, means.reading, means, means.decode);
    const origin: Origin = { kind: "files", path: part.path, files: samples.files.map((number) => part.files[number].path) };
    const names = samples.files.map((number) => part.classes[number]);
    found.arrays[`x${ending}`] = samples.x;
    found.arrays[`y${ending}`] = { dtype: "names", shape: [names.length], data: names };
    if (!isSound) found.arrays.scale = { dtype: "float64", shape: [], data: Float64Array.of(SCALE) };
    found.origins[`x${ending}`] = found.origins[`y${ending}`] = origin;
    found.notes.push(...samples.notes, ...part.notes);
  }
  return found;
}

/** Returns the files in a zip file. Throws DataError if one is damaged. */
async function unzipped(source: Source, { signal }: Watcher): Promise<Source[]> {
  const found: Source[] = [];
  try {
    for (const member of await membersOf(source)) {
      signal?.throwIfAborted();
      const isWanted = SAMPLES.includes(endingOf(member.name));
      const blob = new Blob(isWanted ? [(await contentOf(source, member)) as BlobPart] : []);
      found.push({ path: `${nameOf(source.path)}/${member.name}`, blob });
    }
  } catch (error) {
    throw asDataError(error, named(source.path), "pack it again");
  }
  return found;
}
