import { copyInto, type Data, type DType } from "./arrays.js";
import { DataError, GradmoteError } from "./errors.js";
import { DTYPE, Header, NONE, PROGRAM, ROLE, SECTION, Tensor as Record, type View } from "./generated/records.js";
import type { Memory } from "./memory.js";

export type Program = (typeof PROGRAM)[number];
export type Role = (typeof ROLE)[number];

/** A tensor as callers see it. */
export interface TensorInfo {
  name: string | null;
  dtype: DType;
  /** The shape in the ONNX model. */
  shape: number[];
  /** In bytes. */
  size: number;
  programs: Program[];
  /** false: programs overwrite it, so you must set it again for each run. */
  lasts: boolean;
  /** The programs that take fewer samples than the batch, which is the first dimension. */
  rowsIn: Program[];
}

/** One row of an image's table of inputs, labels and outputs. */
export class Tensor {
  /** Its name in messages. */
  readonly title: string;
  /** It holds data that no run has overwritten since. */
  given: boolean;
  /** The samples that it was given; 0: the whole batch. */
  rows = 0;

  constructor(readonly role: Role, readonly description: TensorInfo, readonly view: View) {
    this.title = description.name ? `${role} '${description.name}'` : role;
    this.given = description.lasts;
  }
}

/** Returns how many elements each sample of a tensor has; 0 if it has no samples. */
function rowLength({ view, description: { rowsIn, shape } }: Tensor): number {
  return rowsIn.length ? view.length / shape[0] : 0;
}

/** Copies data into a tensor: all of it, or its first samples, which its next runs count. */
export function give(tensor: Tensor, data: Data): void {
  const row = rowLength(tensor), { view, title } = tensor;
  const { length: count, byteLength = 0 } = Object(data) as Float32Array, length = count ?? byteLength / view.BYTES_PER_ELEMENT;
  const isPart = row > 0 && length > 0 && length < view.length && length % row === 0;
  copyInto(isPart ? (view.subarray(0, length) as View) : view, data, title);
  tensor.rows = isPart ? length / row : 0;
  tensor.given = true;
}

/** Returns how many samples all inputs and labels of a program have; 0: the whole batch. Throws DataError if they differ. */
export function rowsGiven(tensors: Tensor[], program: Program): number {
  const mine = tensors.filter((tensor) => tensor.description.programs.includes(program) && rowLength(tensor));
  const first = mine[0], other = mine.find(({ rows }) => rows !== first.rows);
  const samples = ({ rows, title, description: { shape } }: Tensor) => `${title} has ${rows || shape[0]} samples`;
  if (other) throw new DataError(`${samples(first)}, ${samples(other)}`, "give as many of each");
  if (first?.rows && !first.description.rowsIn.includes(program)) throw new DataError(samples(first), `${program} takes whole batches`);
  return first?.rows ?? 0;
}

/** Returns the part of an output that a run of so many samples made; 0: all of it. */
export function madeBy(rows: number, program: Program, tensor: Tensor): View {
  const isPart = rows && tensor.description.rowsIn.includes(program);
  return isPart ? (tensor.view.subarray(0, rows * rowLength(tensor)) as View) : tensor.view;
}

/** Returns copies of the tensors' descriptions. */
export function described(tensors: Tensor[]): TensorInfo[] {
  return structuredClone(tensors.map(({ description }) => description));
}

/** Returns every row in the image's order, with its view of the arena. The image must be verified. */
export function readTensors(memory: Memory, arena: number): Tensor[] {
  const [start, length] = section(memory, "tensors"), [names] = section(memory, "names");
  const scratch = headerWord(memory, Header.scratchOffset);
  const found: Tensor[] = [];
  for (let at = start; at < start + length; at += Record.sizeof) {
    const word = (field: number) => memory.words(at + field, 1)[0];
    const offset = word(Record.offset), size = word(Record.size), dtype = word(Record.dtype);
    const info: TensorInfo = {
      name: word(Record.name) === NONE ? null : memory.text(names + word(Record.name)),
      dtype: DTYPE[dtype],
      shape: [...memory.words(at + Record.dims, word(Record.rank))],
      size,
      programs: programNames(word(Record.programs)),
      lasts: offset < scratch,
      rowsIn: programNames(word(Record.programs) >> PROGRAM.length),
    };
    found.push(new Tensor(ROLE[word(Record.role)], info, memory.view(dtype, arena + offset, size)));
  }
  return found;
}

/** Returns a word of the image's header. */
export function headerWord(memory: Memory, field: number): number {
  return memory.words(memory.image + field, 1)[0];
}

/** Returns the start of an image's section in the memory, and its size in bytes. */
export function section(memory: Memory, name: (typeof SECTION)[number]): [start: number, size: number] {
  const [offset, size] = memory.words(memory.image + Header.sections + 8 * SECTION.indexOf(name), 2);
  return [memory.image + offset, size];
}

/** Returns the names of the program kinds whose bits are set. */
export function programNames(bits: number): Program[] {
  return PROGRAM.filter((_, kind) => (bits >> kind) & 1);
}

/** Returns the number of a program. Throws GradmoteError for an unknown name. */
export function programKind(name: string): number {
  const kind = PROGRAM.indexOf(name as Program);
  if (kind < 0) throw new GradmoteError(`there is no program '${name}'`, `use one of ${PROGRAM.join(", ")}`);
  return kind;
}

/** Throws DataError if a run has overwritten a tensor's data and nothing has replaced it. */
export function requireGiven(tensors: Tensor[]): void {
  const missing = tensors.find((tensor) => !tensor.given);
  if (!missing) return;
  const hint = "give it for each run, or compile without --overwrite-inputs";
  throw new DataError(`${missing.title} is not there: the image overwrites inputs`, hint);
}

/** Returns the tensor at an index. Throws DataError if there is none. */
export function pick(found: Tensor[], index: number, what: string): Tensor {
  if (Number.isInteger(index) && found[index]) return found[index];
  throw new DataError(`there is no ${what} ${index}`, `there are ${found.length}, counted from 0`);
}
