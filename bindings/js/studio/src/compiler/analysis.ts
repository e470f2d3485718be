// The report of `gradmote analyze --json`. Names are Python's: the JSON is taken as it comes.

/** A named range of bytes of the arena, or of the image. */
export interface Region {
  name: string;
  offset: number;
  size: number;
}

/** A buffer of the arena's scratch: its bytes, and the instructions from `start` to before `end`. */
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
  spans?: Span[];
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

/** A board's figures, whether the model fits it, and what it lacks. */
export interface BoardReport {
  name: string;
  title: string;
  fits: boolean;
  lacks: string[];
  [figure: string]: unknown;
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
  board: BoardReport | null;
  /** All boards, where they were asked for. */
  boards?: BoardReport[];
}
