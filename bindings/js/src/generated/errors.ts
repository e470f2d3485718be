// Rendered from runtime_c/spec by `scons render`; do not edit.

/** Name -> code, what was wrong, what to do. */
export const ERRORS = {
  INVALID_ARGUMENT: [-1, "an argument is null, misaligned or out of range", "check pointers, 16-byte alignment of image and arena, and indices"],
  BAD_MAGIC: [-2, "this is not a Gradmote file", "pass a .mote image or a .gmck checkpoint written by gradmote"],
  BAD_VERSION: [-3, "the file's format version is not the one this runtime reads", "install the gradmote that wrote it, or compile the model again with this one"],
  TRUNCATED: [-4, "the file is shorter than its header says", "transfer the file again"],
  BAD_CRC: [-5, "the file's checksum does not match its bytes", "transfer the file again; if it persists, the storage is failing"],
  BAD_SECTION: [-6, "a section lies outside the file, is misaligned or has an impossible size", "compile the model again; the image was not written by gradmote"],
  BAD_OPCODE: [-7, "an instruction is unknown to this build of the runtime", "build the runtime with this kernel, or compile the model for this version"],
  BAD_INSTRUCTION: [-8, "an instruction's length or parameters are not what its opcode requires", "compile the model again; the image was not written by gradmote"],
  BAD_OPERAND: [-9, "an operand reaches outside the arena or the constants, may not be written, or overlaps another", "compile the model again; the image was not written by gradmote"],
  TOO_MUCH_WORK: [-10, "a program would run longer than this runtime allows", "raise GM_MAX_WORK in gm_config.h or compile a smaller model"],
  ARENA_TOO_SMALL: [-11, "the arena is smaller than the image requires", "pass at least gm_required() bytes, or compile the model with a smaller batch"],
  NO_PROGRAM: [-12, "the image has no such program", "compile the model with a loss and an optimizer to train it"],
  NOT_FOUND: [-13, "no tensor or property has that name or index", "list the names with `gradmote inspect`"],
  WRONG_SIZE: [-14, "the data is not as long as the tensor or buffer", "compare with the shape that `gradmote inspect` shows"],
  LABEL_OUT_OF_RANGE: [-15, "a label is neither a class index nor ignore_index; nothing was changed", "labels must lie in 0 .. classes-1"],
  NOT_FINITE: [-16, "the input, the loss or a gradient is NaN or infinite, or a number or rate too large; the step was skipped", "look for bad samples, lower the learning rate, or load the last save"],
  WRONG_MODEL: [-17, "the checkpoint belongs to another model", "load a checkpoint that was saved from this model"],
  IO: [-18, "reading or writing the checkpoint failed", "check the storage behind the callback"],
  BUSY: [-19, "a program is still running", "finish it with gm_run() or drop it with gm_abort()"],
  NO_GRADIENTS: [-20, "there are no gradients to apply", "call gm_train_step() before gm_optimizer_step()"],
  FULL: [-21, "all property slots are in use", "compile the model with --properties N"],
  BAD_STATE: [-22, "the state table is inconsistent with the header", "compile the model again; the image was not written by gradmote"],
  BAD_REGION: [-23, "the header's memory regions overlap, are misaligned or leave the arena", "compile the model again; the image was not written by gradmote"],
  BAD_TENSOR: [-24, "an input, label, output or loss has an impossible shape or place", "compile the model again; the image was not written by gradmote"],
  BAD_PROGRAM: [-25, "a program's record does not match its instructions", "compile the model again; the image was not written by gradmote"],
  INDEX_OUT_OF_RANGE: [-26, "an index lies outside the axis that it selects from; nothing was changed", "indices must lie in -size .. size-1"],
  NO_STORE: [-27, "the image has no sample store", "compile the model with --store N"],
  STORE_EMPTY: [-28, "the store has no samples", "learn some, or compile the model with --store-data"],
  BAD_STORE: [-29, "the sample store has an impossible place or shape", "compile the model again; the image was not written by gradmote"],
} as const satisfies Record<string, readonly [number, string, string]>;

/** The name of an error of the runtime. */
export type ErrorName = keyof typeof ERRORS;
