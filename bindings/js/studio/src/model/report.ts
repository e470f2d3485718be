import type { Analysis, ProgramReport, Region } from "../compiler/analysis";

const TRAINING = ["step", "train"];

/** Returns the program that trains, or the first one if none does. */
export function mainProgram({ programs }: Analysis): ProgramReport {
  const found = TRAINING.map((kind) => programs.find((program) => program.kind === kind)).find(Boolean);
  return found ?? programs[0]!;
}

/** A rectangle of the memory map. */
export interface Block {
  name: string;
  offset: number;
  size: number;
  start: number;
  end: number;
  /** Whether it is there in all programs, as are state, gradients and inputs. */
  lasts: boolean;
}

/** Returns the arena's contents while a program runs: what lasts, then the program's buffers by first instruction. */
export function blocksOf({ arena }: Analysis, program: ProgramReport): Block[] {
  const lasting = arena.filter(({ name, size }) => size > 0 && name !== "scratch").map((region) => always(region, program));
  const passing = program.spans.map((span) => ({ ...span, lasts: false }));
  return [...lasting, ...passing.sort((a, b) => a.start - b.start || a.offset - b.offset)];
}

function always({ name, offset, size }: Region, { instructions }: ProgramReport): Block {
  return { name, offset, size, start: 0, end: instructions, lasts: true };
}

/** Returns when a block is needed, in words. */
export function lifeOf({ start, end, lasts }: Block): string {
  if (lasts) return "always";
  return end - 1 === start ? `instruction ${start}` : `instructions ${start} to ${end - 1}`;
}
