// The report of gradmote.report.analyze.as_drawn(): that of `gradmote analyze --json`, with all buffers and opcodes.
// The names are Python's, as the JSON is used unchanged.

/** A named range of bytes of the arena, or of the image. */
export interface Region {
  name: string;
  offset: number;
  size: number;
}

/** A buffer of the arena's scratch: its bytes, and its instructions, from `start` up to but excluding `end`. */
export interface Span {
  name: string;
  offset: number;
  size: number;
  start: number;
  end: number;
}

export interface ProgramReport {
  kind: string;
  instructions: number;
  arena_bytes: number;
  scratch_bytes: number;
  lower_bound_bytes: number;
  machine_instructions: number | null;
  peak: { instruction: number; alive: Span[] };
  /** All buffers of the program, for the memory map. */
  spans: Span[];
  opcodes: OpcodeReport[];
}

/** An opcode of a program: how often it runs, its multiply-accumulates, its bytes, and machine instructions. */
export interface OpcodeReport {
  opcode: string;
  count: number;
  macs: number;
  code: number;
  machine: number | null;
}

export interface LayerReport {
  name: string;
  shape: number[] | null;
  parameters: number;
  macs_forward: number;
  macs_backward: number;
  saved: number;
  scratch: number;
  flash: number;
  machine: number | null;
}

export interface Analysis {
  name: string;
  scheme: string | null;
  batch: number;
  arena_bytes: number;
  image_bytes: number;
  arena: Region[];
  image: Region[];
  programs: ProgramReport[];
  layers: LayerReport[];
  notes: string[];
}
