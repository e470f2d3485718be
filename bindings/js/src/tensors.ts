import { type DType } from "./arrays.js";
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
}

/** One row of an image's table of inputs, labels and outputs. */
export class Tensor {
  /** Its name in messages. */
  readonly title: string;
  /** It holds data that no run has overwritten since. */
  given: boolean;

  constructor(readonly role: Role, readonly description: TensorInfo, readonly view: View) {
    this.title = description.name ? `${role} '${description.name}'` : role;
    this.given = description.lasts;
  }
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
