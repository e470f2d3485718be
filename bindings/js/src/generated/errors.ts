// Rendered from runtime_c/spec by `scons render`; do not edit.

/** Name -> what was wrong, what to do; in the order of the codes. */
const TEXTS = {
  INVALID_ARGUMENT: ["an argument is null, misaligned or out of range", "check pointers and indices"],
  BAD_MAGIC: ["this is not a Gradmote file", "pass a .mote image or a .gmck checkpoint written by gradmote"],
  BAD_VERSION: ["this runtime does not read the file's format version", "compile the model again, or install the gradmote that wrote it"],
  TRUNCATED: ["the file is shorter than its header says", "transfer the file again"],
  BAD_CRC: ["the file's checksum does not match its bytes", "transfer the file again; if it persists, the storage is failing"],
  BAD_SECTION: ["a section is outside the file, misaligned or of an invalid size", "compile the model again; the image was not written by gradmote"],
  BAD_OPCODE: ["this build of the runtime lacks an instruction", "build the runtime with this kernel, or compile the model for this version"],
  BAD_INSTRUCTION: ["an instruction's length or parameters do not match its opcode", "compile the model again; the image was not written by gradmote"],
  BAD_OPERAND: ["an operand is outside the arena or the constants, read-only, or overlaps another", "compile the model again; the image was not written by gradmote"],
  TOO_MUCH_WORK: ["a program would run longer than this runtime allows", "raise GM_MAX_WORK, or compile a smaller model"],
  ARENA_TOO_SMALL: ["the arena is smaller than the image requires", "pass at least gm_required() bytes, or compile the model with a smaller batch"],
  NO_PROGRAM: ["the image has no such program", "compile the model with a loss and an optimizer to train it"],
  NOT_FOUND: ["no tensor or property has that name or index", "list the names with `gradmote inspect`"],
  WRONG_SIZE: ["the data is not as long as the tensor or buffer", "list the shapes with `gradmote inspect`"],
  LABEL_OUT_OF_RANGE: ["a label is neither a class index nor ignore_index; nothing was changed", "labels must be in 0 .. classes-1"],
  NOT_FINITE: ["the input, the loss or a gradient is NaN or infinite, or a number or rate is too large; the step was skipped", "check the samples, lower the learning rate, or load a checkpoint"],
  WRONG_MODEL: ["the checkpoint belongs to another model", "load a checkpoint that was saved from this model"],
  IO: ["reading or writing the checkpoint failed", "check the storage of the callback"],
  BUSY: ["a program is still running", "finish it with gm_run() or drop it with gm_abort()"],
  NO_GRADIENTS: ["there are no gradients to apply", "call gm_train_step() before gm_optimizer_step()"],
  FULL: ["all property slots are in use", "compile the model with --properties N"],
  BAD_STATE: ["the state table is inconsistent with the header", "compile the model again; the image was not written by gradmote"],
  BAD_REGION: ["the header's regions overlap, are misaligned or exceed the arena", "compile the model again; the image was not written by gradmote"],
  BAD_TENSOR: ["an input, label, output or loss has an invalid shape or offset", "compile the model again; the image was not written by gradmote"],
  BAD_PROGRAM: ["a program's record does not match its instructions", "compile the model again; the image was not written by gradmote"],
  INDEX_OUT_OF_RANGE: ["an index is outside its axis; nothing was changed", "indices are in -size .. size-1"],
  NO_STORE: ["the image has no sample store", "compile the model with --store N"],
  STORE_EMPTY: ["the store has no samples", "learn some, or compile the model with --store-data"],
  BAD_STORE: ["the sample store has an invalid shape or offset", "compile the model again; the image was not written by gradmote"],
  OTHER_BASE: ["the delta belongs to another base or round", "send the delta of this round"],
  WRONG_ARITHMETIC: ["this build rounds differently from its profile", "compile without -ffast-math"],
  DOES_NOT_FIT: ["an integer does not fit the model's type", "use `gradmote export`"],
  WHOLE_BATCH: ["the program takes whole batches", "give all rows; `gradmote inspect` shows which programs count rows"],
} as const;

/** The name of an error of the runtime. */
export type ErrorName = keyof typeof TEXTS;

/** Name -> code, what was wrong, what to do. */
export const ERRORS = Object.fromEntries(
  Object.entries(TEXTS).map(([name, texts], at) => [name, [-1 - at, ...texts]]),
) as unknown as Record<ErrorName, readonly [number, string, string]>;
