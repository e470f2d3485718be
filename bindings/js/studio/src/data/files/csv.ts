/**
 * Samples from a text table: one sample per row, with cells separated by commas, semicolons or tabs.
 *
 * A header is optional. The label is the last column, or the one that the user names; all others are the sample.
 */
import { Growing } from "../growing";
import type { AnyArray, Loaded, Origin } from "../loaded";
import { DataError } from "../problem";
import type { Reading } from "../reading";
import type { Source, Watcher } from "../source";
import { hasDecimalComma, isFloat32, isNumber, numberOf, strip } from "../text";
import { listed, named, quoted } from "../wording";
import { rowsOf, type Row } from "./rows";

/** The number of rows to look at to detect a header. */
const LOOKED_AT = 50;
const EVERY_CELL = "every cell of a sample must be a finite number; fill or leave out what is missing";

/** Returns samples x, float32 (rows, columns), and labels y. Throws DataError. */
export async function readTable(source: Source, reading: Reading, watcher: Watcher): Promise<Loaded> {
  const { columns, rows } = await opened(source, reading, watcher);
  const labels = reading.hasLabels === false ? [] : columns.labels(reading.label);
  const samples = columns.names.map((_, index) => index).filter((index) => !labels.includes(index));
  if (!samples.length) throw new DataError(`${named(source.path)} has one column`, "give the columns of the sample, and then the label's");
  return read(columns, rows, samples, labels);
}

/** Returns a file with labels alone: one column, or several for targets with several numbers. */
export async function readLabels(source: Source, reading: Reading, watcher: Watcher): Promise<Loaded> {
  const { columns, rows } = await opened(source, reading, watcher);
  return read(columns, rows, [], columns.names.map((_, index) => index));
}

/** Opens a table and reads its header. Throws DataError if there are no samples. */
async function opened(source: Source, reading: Reading, watcher: Watcher) {
  const batches = rowsOf(source, watcher), first: Row[] = [];
  while (first.length < LOOKED_AT) {
    const { value, done } = await batches.next();
    if (done) break;
    for (const row of value) first.push(row);
  }
  const hasHeader = reading.header === null ? isHeader(first.slice(0, LOOKED_AT)) : reading.header && first.length > 0;
  if (first.length - Number(hasHeader) < 1) throw new DataError(`${named(source.path)} has no samples`, "write a row for each sample");
  const names = first[0].cells.map((cell, index) => (hasHeader ? strip(cell) : String(index)));
  return { columns: new Columns(source.path, names), rows: behind(first.slice(Number(hasHeader)), batches) };
}

async function* behind(first: Row[], batches: AsyncGenerator<Row[]>): AsyncGenerator<Row[]> {
  yield first;
  yield* batches;
}

/** Returns the columns of the samples and of the labels, from all rows. */
async function read(columns: Columns, rows: AsyncGenerator<Row[]>, samples: number[], labels: number[]): Promise<Loaded> {
  const text = labels.length === 1 ? labels[0] : undefined;
  const taken = new TakenRows(columns, samples, text === undefined ? labels : [], text);
  for await (const batch of rows) for (const row of batch) taken.take(row);
  return taken.loaded();
}

/** The columns of a table. */
class Columns {
  /** Throws DataError if two columns have the same name; several may have none. */
  constructor(readonly path: string, readonly names: string[]) {
    const firstOf = new Map<string, number>();
    names.forEach((name, index) => {
      if (name && firstOf.has(name)) throw this.#twice(name, firstOf.get(name)!, index);
      firstOf.set(name, index);
    });
  }

  /** Returns the columns with that name, or with several names separated by commas; the last column by default. */
  labels(label: string | null): number[] {
    if (label === null) return [this.names.length - 1];
    const wanted = this.names.includes(label) ? [label] : label.split(",").map(strip);
    const missing = wanted.find((name) => !this.names.includes(name));
    if (missing === undefined) return wanted.map((name) => this.names.indexOf(name));
    throw new DataError(`${named(this.path)} has no column called ${quoted(missing)}`, `its columns are ${listed(this.names)}`);
  }

  place(line: number, column: number): string {
    return `${named(this.path)}, line ${line}, column ${named(this.names[column])}`;
  }

  #twice(name: string, first: number, second: number): DataError {
    return new DataError(
      `${named(this.path)}, line 1: columns ${first + 1} and ${second + 1} are both called ${quoted(name)}`,
      "give each column a name of its own; if the first line is a sample, say that there is no header",
    );
  }
}

/** The numbers in the rows, taken row by row. */
class TakenRows {
  #lines = new Growing((length) => new Int32Array(length));
  #x = new Growing((length) => new Float32Array(length));
  #targets = new Growing((length) => new Float64Array(length));
  #names: string[] = [];
  #known = new Map<string, string>();

  /** text: the single column of labels, which may be names; if it is given, there are no targets. */
  constructor(
    private readonly columns: Columns,
    private readonly samples: number[],
    private readonly targets: number[],
    private readonly text: number | undefined,
  ) {}

  /** Takes a row. Throws DataError if it has another length, or a cell that is not a number. */
  take({ line, cells }: Row): void {
    const { path, names } = this.columns;
    if (cells.length !== names.length) {
      throw new DataError(`${named(path)}, line ${line} has ${cells.length} cells, the first one ${names.length}`, "make all rows alike");
    }
    this.#lines.push(line);
    if (this.text !== undefined) this.#takeLabel(strip(cells[this.text]));
    for (const column of this.samples) this.#x.push(this.#number(line, cells[column], column));
    for (const column of this.targets) this.#targets.push(this.#number(line, cells[column], column));
  }

  /** Returns the arrays. Throws DataError for a label that is missing, or that is not a number while others are. */
  loaded(): Loaded {
    const { path, names } = this.columns, count = this.#lines.length;
    const arrays: Record<string, AnyArray> = {}, origins: Record<string, Origin> = {};
    const lines = this.#lines.taken();
    const add = (name: string, array: AnyArray, columns: number[]) => {
      arrays[name] = array;
      origins[name] = { kind: "table", path, lines, columns: columns.map((column) => names[column]) };
    };
    if (this.samples.length) add("x", { dtype: "float32", shape: [count, this.samples.length], data: this.#x.taken() }, this.samples);
    if (this.targets.length) add("y", whole(this.#targets.taken(), [count, this.targets.length]), this.targets);
    if (this.text !== undefined) add("y", this.#labels(), [this.text]);
    return { path, arrays, origins, classes: null, notes: [] };
  }

  #takeLabel(label: string): void {
    const known = this.#known.get(label) ?? label;
    this.#known.set(known, known);
    this.#names.push(known);
  }

  #number(line: number, cell: string, column: number): number {
    const value = numberOf(cell);
    if (isFloat32(value)) return value;
    const hint = hasDecimalComma(cell) ? "write a decimal point" : EVERY_CELL;
    throw new DataError(`${this.columns.place(line, column)}: ${quoted(strip(cell))} is not a finite float32 number`, hint);
  }

  #labels(): AnyArray {
    const areNames = ![...this.#known.keys()].some(isNumber);
    const isWrong = (label: string) => !label || !(areNames || isFloat32(numberOf(label)));
    const wrong = new Set([...this.#known.keys()].filter(isWrong));
    if (wrong.size) throw this.#wrongLabel(this.#names.findIndex((label) => wrong.has(label)));
    if (areNames) return { dtype: "names", shape: [this.#names.length], data: this.#names };
    return whole(Float64Array.from(this.#names, numberOf), [this.#names.length]);
  }

  #wrongLabel(row: number): DataError {
    const where = this.columns.place(this.#lines.at(row), this.text!), label = this.#names[row];
    if (!label) return new DataError(`${where} is empty: the sample has no label`, "fill it, or leave the row out");
    const hint = "give all labels as finite numbers, or all of them as names; number the classes from 0";
    return new DataError(`${where}: ${quoted(label)} is not a finite float32 number`, hint);
  }
}

/** Returns the numbers as int32 if that loses nothing, else as float32. */
function whole(values: Float64Array, shape: number[]): AnyArray {
  const fits = values.every((value) => Number.isInteger(value) && Math.abs(value) < 2 ** 31);
  const data = fits ? Int32Array.from(values) : Float32Array.from(values);
  return { dtype: fits ? "int32" : "float32", shape, data };
}

/**
 * Returns whether the first row has the names of columns.
 *
 * It does if none of its cells is a number. Columns without names are often counted, from 0 or 1: if all numbers of the
 * first row are such counts, it is a header if one of its words does not occur again below it.
 */
function isHeader(rows: Row[]): boolean {
  if (!rows.length) return false;
  const cells = rows[0].cells.map(strip), numbers = cells.filter(isNumber), below = rows.slice(1);
  if (!numbers.length) return true;
  const isCounted = [0, 1].some((first) => numbers.every((cell, index) => cell === String(index + first)));
  const standsAlone = (word: string, index: number) =>
    word !== "" && !isNumber(word) && below.every(({ cells }) => index < cells.length && strip(cells[index]) !== word);
  return isCounted && below.length > 0 && cells.some(standsAlone);
}
