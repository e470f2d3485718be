/** The samples that panels share, and facts about them. */
import { hasNames, placeOf, type AnyArray, type Loaded, type Origin } from "./loaded";
import { DataError } from "./problem";
import { nameOf } from "./source";
import { listed, named } from "./wording";

/** Concatenated samples, with their labels. */
export interface Dataset {
  name: string;
  x: Float32Array;
  /** Class indices (integers) or targets; empty if there are no labels. */
  y: Float32Array | Int32Array;
  /** The number of samples. */
  count: number;
  /** The shape of one sample, without the batch. */
  sampleShape: number[];
  /** The shape of one label: empty for a class. */
  labelShape: number[];
  /** The names of classes, in the order of their numbers; empty if labels are not classes. */
  classes: string[];
  /** What the user should know about how the data was read. */
  notes: string[];
  /** How many of the last samples are for testing, if the files have such samples. */
  heldOut?: number;
  /** The columns of a table, among which the user may choose the label. */
  columns?: string[];
  /** The origins of x and y, and of those for testing; messages name them. */
  origins?: Record<string, Origin>;
}

/** Some samples with their labels. */
export interface Part {
  x: Float32Array;
  y: Float32Array | Int32Array;
  count: number;
}

/** Integer labels count as classes up to this number of them. */
const MOST_CLASSES = 1000;
/** The arrays of a file that are used. */
const USED = ["x", "y", "x_test", "y_test"];

/** Returns the samples in arrays that were converted and scaled. Throws DataError if the arrays do not match. */
export function datasetOf({ path, arrays, origins, classes, notes }: Loaded): Dataset {
  if (!arrays.x) throw new DataError(`${named(path)} has no array x; it has ${listed(Object.keys(arrays).sort())}`, "name the samples x and the labels y");
  try {
    requirePairs(arrays);
  } catch (error) {
    if (error instanceof DataError) throw new DataError(`${named(path)}: ${error.text}`, error.hint);
    throw error;
  }
  const { x, y, x_test: test } = arrays, others = Object.keys(arrays).filter((name) => !USED.includes(name));
  const unused = others.length ? [`${named(nameOf(path))}: ${listed(others)} are not used here; gradmote train gives them to models of several inputs`] : [];
  return {
    name: nameOf(path),
    ...(test ? joined(partOf(x, y), partOf(test, arrays.y_test)) : partOf(x, y)),
    sampleShape: x.shape.slice(1),
    labelShape: y?.shape.slice(1) ?? [],
    classes: classes ?? countedClasses(y, arrays.y_test),
    notes: [...notes, ...unused],
    ...(test && { heldOut: test.shape[0] }),
    origins,
  };
}

/** Returns the samples for training, followed by those for testing. */
function joined(train: Part, test: Part): Part {
  const areWhole = train.y instanceof Int32Array && test.y instanceof Int32Array;
  const x = behind(new Float32Array(train.x.length + test.x.length), train.x, test.x);
  const labels = train.y.length + test.y.length;
  const y = areWhole ? behind(new Int32Array(labels), train.y, test.y) : behind(new Float32Array(labels), train.y, test.y);
  return { x, y, count: train.count + test.count };
}

function behind<T extends Values>(room: T, first: Values, second: Values): T {
  room.set(first);
  room.set(second, first.length);
  return room;
}

/** A part of the data, and the suffix of its arrays' names. */
export interface NamedPart {
  part: Part;
  ending: "" | "_test";
}

const divided = new WeakMap<Dataset, NamedPart[]>();

/** Returns views of the samples for training, and of those for testing if there are any. */
export function partsOf(data: Dataset): NamedPart[] {
  const found = divided.get(data) ?? viewsOf(data);
  divided.set(data, found);
  return found;
}

function viewsOf({ x, y, count, heldOut = 0 }: Dataset): NamedPart[] {
  const [wide, narrow] = [x.length / count, y.length / count], first = count - heldOut;
  const view = (start: number, end: number) => ({ x: x.subarray(wide * start, wide * end), y: y.subarray(narrow * start, narrow * end), count: end - start });
  return [{ part: view(0, first), ending: "" }, ...(heldOut ? [{ part: view(first, count), ending: "_test" as const }] : [])];
}

function partOf(x: AnyArray, y: AnyArray | undefined): Part {
  const labels = y === undefined ? new Int32Array() : y.dtype === "float32" ? (y.data as Float32Array) : Int32Array.from(y.data as Int32Array);
  return { x: x.data as Float32Array, y: labels, count: x.shape[0] };
}

/** Returns class numbers as names; empty if labels are not classes. */
function countedClasses(...labels: (AnyArray | undefined)[]): string[] {
  const found = labels.filter((array) => array !== undefined);
  if (!found.length || found.some(({ dtype, shape }) => dtype === "float32" || shape.length !== 1)) return [];
  let least = 0, most = 0;
  for (const { data } of found) for (const label of data as Int32Array) [least, most] = [Math.min(least, label), Math.max(most, label)];
  return least < 0 || most >= MOST_CLASSES ? [] : Array.from({ length: most + 1 }, (_, label) => String(label));
}

// ---- What belongs together ----------------------------------------------------------------------------------------

function requirePairs({ x, y, x_test, y_test }: Record<string, AnyArray | undefined>): void {
  requirePair(x!, y, "x", "y");
  if (!x_test !== !y_test && (y || y_test)) throw new DataError("only one of x_test and y_test is there", "give both or none");
  if (!x_test) return;
  requirePair(x_test, y_test, "x_test", "y_test");
  for (const [test, train, name] of [[x_test, x!, "x"], [y_test, y, "y"]] as const) {
    if (test && train && String(test.shape.slice(1)) !== String(train.shape.slice(1))) {
      throw new DataError(`a sample of ${name}_test has another shape than one of ${name}`, "give both in one shape");
    }
  }
}

function requirePair(x: AnyArray, y: AnyArray | undefined, xName: string, yName: string): void {
  for (const [array, name] of [[x, xName], [y, yName]] as const) {
    if (!array) continue;
    if (hasNames(array)) throw new DataError(`${name} is text`, "store numbers");
    if (!array.shape.length || array.shape.slice(1).includes(0)) {
      throw new DataError(`${name} has the shape [${array.shape.join(", ")}]`, "store a row for each sample");
    }
  }
  const count = x.shape[0];
  if (!y && !count) throw new DataError(`${xName} has no samples`, "give at least one");
  if (y && (count !== y.shape[0] || !count)) {
    throw new DataError(`${xName} has ${count} samples and ${yName} ${y.shape[0]}`, "give the same number of both, at least one");
  }
}

// ---- What is shown ------------------------------------------------------------------------------------------------

/** Returns whether classes have names, rather than just numbers. */
export function hasNamedClasses({ classes }: Dataset): boolean {
  return classes.some((name, number) => name !== String(number));
}

/** Returns how many samples each class has. */
export function classCounts(classes: readonly string[], y: ArrayLike<number>): number[] {
  const counts = classes.map(() => 0);
  for (let at = 0; at < y.length; at++) if (y[at] in counts) counts[y[at]]++;
  return counts;
}

/** The smallest, the largest and the mean of the finite numbers, and how many are not finite. */
export interface Range {
  least: number;
  largest: number;
  mean: number;
  notFinite: number;
}

type Values = Dataset["x"] | Dataset["y"];

const known = new WeakMap<Values, Range>();

/** Returns all arrays of the data, part by part. */
export function arraysOf(data: Dataset): Values[] {
  return partsOf(data).flatMap(({ part }) => [part.x, part.y]);
}

/** Keeps the range of an array that was computed elsewhere, so that the page need not read millions of numbers. */
export function knowRange(values: Values, range: Range): void {
  known.set(values, range);
}

/** Returns the range of an array. */
export function rangeOf(values: Values): Range {
  const range = known.get(values) ?? foundRange(values);
  known.set(values, range);
  return range;
}

function foundRange(values: Values): Range {
  let [least, largest, sum, count] = [Infinity, -Infinity, 0, 0];
  for (let at = 0; at < values.length; at++) {
    const value = values[at]!;
    if (!Number.isFinite(value)) continue;
    if (value < least) least = value;
    if (value > largest) largest = value;
    sum += value;
    count++;
  }
  return { least, largest, mean: sum / count, notFinite: values.length - count };
}

/** Returns words for the place of one number in an array of the data. */
export function placeIn(data: Dataset, name: string, index: readonly number[]): string {
  return placeOf(data.origins?.[name], name, index);
}
