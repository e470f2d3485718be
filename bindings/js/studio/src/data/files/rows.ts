/** Rows of a text table, by the rules of Python's csv module in strict mode. */
import { DataError } from "../problem";
import { asDataError } from "../problem";
import { bytesAt, requireReadable, slices, type Source, type Watcher } from "../source";
import { hasDecimalComma, strip } from "../text";
import { named } from "../wording";

/** A row's cells, and the line of the file on which it ends. */
export interface Row {
  line: number;
  cells: string[];
}

/** The most characters in a cell. */
const LONGEST_CELL = 131072;
const LINE_END = /\r\n|\r|\n/g;
const ROW_HINT = "write a row for each sample, as text";

/** Yields the rows that are not empty, several at a time. Throws DataError. */
export async function* rowsOf(source: Source, watcher: Watcher): AsyncGenerator<Row[]> {
  requireReadable(source);
  const decoder = await decoderOf(source), reader = new RowReader(source.path);
  for await (const bytes of slices(source, watcher)) {
    const rows = reader.take(decoded(decoder, bytes, reader, source.path));
    if (rows.length) yield rows;
  }
  yield reader.take(decoded(decoder, undefined, reader, source.path), true);
}

/** Returns a decoder for UTF-16 if the file begins with its byte order mark, else for UTF-8, with or without a mark. */
async function decoderOf(source: Source): Promise<TextDecoder> {
  const [first, second] = await bytesAt(source, 0, 2);
  const encoding = first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding, { fatal: true });
}

function decoded(decoder: TextDecoder, bytes: Uint8Array | undefined, reader: RowReader, path: string): string {
  try {
    return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode();
  } catch (error) {
    throw asDataError(error, `${named(path)}, after line ${reader.line}`, "save the table as text in UTF-8");
  }
}

/**
 * Returns the character that separates the cells of the first line. In a line with semicolons, commas are decimal
 * commas if each is part of a number.
 */
export function delimiterOf(line: string): string {
  const cells = strip(line).split(";");
  if (cells.length > 1 && cells.every((cell) => !cell.includes(",") || hasDecimalComma(cell))) return ";";
  const counts = [",", ";", "\t"].map((mark) => line.split(mark).length);
  return [",", ";", "\t"][counts.indexOf(Math.max(...counts))];
}

/** Makes rows from text that arrives in parts. */
class RowReader {
  /** The number of lines read. */
  line = 0;
  #rest = "";
  #searched = 0;
  #delimiter = "";
  #quoted: QuotedRow | undefined;

  constructor(private readonly path: string) {}

  /** Returns the complete rows. */
  take(text: string, isLast = false): Row[] {
    const rows: Row[] = [];
    this.#rest += text;
    let start = 0;
    for (const end of this.#lineEnds(isLast)) {
      this.#takeLine(this.#rest.slice(start, end), rows);
      start = end;
    }
    this.#searched = this.#rest.length - start;
    this.#rest = this.#rest.slice(start);
    if (isLast && this.#quoted) throw this.#refused("unexpected end of data");
    return rows;
  }

  /** Yields the ends of lines. If a part ends in a carriage return, the line feed may be in the next part. */
  *#lineEnds(isLast: boolean): Generator<number> {
    LINE_END.lastIndex = Math.max(0, this.#searched - 1);
    let last = 0;
    for (let found = LINE_END.exec(this.#rest); found; found = LINE_END.exec(this.#rest)) {
      const after = LINE_END.lastIndex;
      if (found[0] === "\r" && after === this.#rest.length && !isLast) break;
      yield (last = after);
      LINE_END.lastIndex = after;
    }
    if (isLast && last < this.#rest.length) yield this.#rest.length;
  }

  #takeLine(line: string, rows: Row[]): void {
    this.line++;
    this.#delimiter ||= delimiterOf(line);
    const cells = this.#quoted || line.includes('"') ? this.#quotedCells(line) : this.#plainCells(line);
    if (cells?.some((cell) => strip(cell) !== "")) rows.push({ line: this.line, cells });
  }

  #plainCells(line: string): string[] {
    const cells = line.replace(/[\r\n]+$/, "").split(this.#delimiter);
    if (line.length > LONGEST_CELL && cells.some((cell) => cell.length > LONGEST_CELL)) throw this.#tooLong();
    return cells;
  }

  #quotedCells(line: string): string[] | undefined {
    this.#quoted ??= new QuotedRow(this.#delimiter);
    const problem = this.#quoted.take(line);
    if (problem === "long") throw this.#tooLong();
    if (problem) throw this.#refused(problem);
    if (!this.#quoted.isWhole) return undefined;
    const { cells } = this.#quoted;
    this.#quoted = undefined;
    return cells;
  }

  #tooLong(): DataError {
    return this.#refused(`a cell has more than ${LONGEST_CELL} characters`);
  }

  #refused(why: string): DataError {
    return new DataError(`cannot read ${named(this.path)}, line ${this.line} (${why})`, ROW_HINT);
  }
}

/** A row with quotes, which may span several lines. */
class QuotedRow {
  cells: string[] = [];
  #cell: string[] = [];
  #length = 0;
  #state: "start" | "plain" | "quoted" | "closed" = "start";

  constructor(private readonly delimiter: string) {}

  /** Whether no quote is open, so that the row ends with the line. */
  get isWhole(): boolean {
    return this.#state !== "quoted";
  }

  /** Takes a line, including its end; returns what is wrong with it. */
  take(line: string): string {
    for (let at = 0; at < line.length; at++) {
      const problem = this.#takeCharacter(line[at]);
      if (problem) return problem;
    }
    if (this.isWhole) this.#endCell();
    return "";
  }

  #takeCharacter(character: string): string {
    const isEnd = character === "\n" || character === "\r";
    if (this.#state === "quoted") return character === '"' ? this.#to("closed") : this.#add(character);
    if (isEnd) return "";
    if (character === this.delimiter) return this.#endCell();
    if (this.#state === "start" && character === '"') return this.#to("quoted");
    if (this.#state === "closed" && character !== '"') return `'${this.delimiter}' expected after '"'`;
    this.#state = this.#state === "closed" ? "quoted" : "plain";
    return this.#add(character);
  }

  #to(state: "quoted" | "closed"): string {
    this.#state = state;
    return "";
  }

  #add(character: string): string {
    this.#cell.push(character);
    return ++this.#length > LONGEST_CELL ? "long" : "";
  }

  #endCell(): string {
    this.cells.push(this.#cell.join(""));
    [this.#cell, this.#length, this.#state] = [[], 0, "start"];
    return "";
  }
}
