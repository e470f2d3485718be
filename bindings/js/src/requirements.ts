import { check, RuntimeFault } from "./errors.js";
import { ERRORS } from "./generated/errors.js";
import type { Memory } from "./memory.js";
import { programNames, type Program } from "./tensors.js";

/** What an image needs and offers. Sizes are in bytes. */
export interface Requirements {
  arenaSize: number;
  stateSize: number;
  parametersSize: number;
  gradientsSize: number;
  /** Samples in one step. */
  batch: number;
  programs: Program[];
}

const ARENA_LIMIT = 2 ** 30; // the most that gm_open accepts

/** Returns what the image in a memory needs. size: of the image, in bytes. */
export function requirementsIn(memory: Memory, size: number): Requirements {
  check(memory.exports.gm_required(memory.image, size, memory.scratch), "image");
  const [arenaSize, stateSize, parametersSize, gradientsSize, batch, programs] = memory.words(memory.scratch, 6);
  if (arenaSize > ARENA_LIMIT) throw new RuntimeFault(ERRORS.BAD_REGION[0], "image");
  return { arenaSize, stateSize, parametersSize, gradientsSize, batch, programs: programNames(programs) };
}
