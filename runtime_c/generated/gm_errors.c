/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#include "gradmote.h"

const char *gm_error_text(int error)
{
    switch (error) {
    case GM_OK: return "success";
    case GM_AGAIN: return "instructions remain; call gm_run() again";
    case GM_ERR_INVALID_ARGUMENT: return "an argument is null, misaligned or out of range";
    case GM_ERR_BAD_MAGIC: return "this is not a Gradmote file";
    case GM_ERR_BAD_VERSION: return "this runtime does not read the file's format version";
    case GM_ERR_TRUNCATED: return "the file is shorter than its header says";
    case GM_ERR_BAD_CRC: return "the file's checksum does not match its bytes";
    case GM_ERR_BAD_SECTION: return "a section is outside the file, misaligned or of an invalid size";
    case GM_ERR_BAD_OPCODE: return "this build of the runtime lacks an instruction";
    case GM_ERR_BAD_INSTRUCTION: return "an instruction's length or parameters do not match its opcode";
    case GM_ERR_BAD_OPERAND: return "an operand is outside the arena or the constants, read-only, or overlaps another";
    case GM_ERR_TOO_MUCH_WORK: return "a program would run longer than this runtime allows";
    case GM_ERR_ARENA_TOO_SMALL: return "the arena is smaller than the image requires";
    case GM_ERR_NO_PROGRAM: return "the image has no such program";
    case GM_ERR_NOT_FOUND: return "no tensor or property has that name or index";
    case GM_ERR_WRONG_SIZE: return "the data is not as long as the tensor or buffer";
    case GM_ERR_LABEL_OUT_OF_RANGE: return "a label is neither a class index nor ignore_index; nothing was changed";
    case GM_ERR_NOT_FINITE: return "the input, the loss or a gradient is NaN or infinite, or a number or rate is too large; the step was skipped";
    case GM_ERR_WRONG_MODEL: return "the checkpoint belongs to another model";
    case GM_ERR_IO: return "reading or writing the checkpoint failed";
    case GM_ERR_BUSY: return "a program is still running";
    case GM_ERR_NO_GRADIENTS: return "there are no gradients to apply";
    case GM_ERR_FULL: return "all property slots are in use";
    case GM_ERR_BAD_STATE: return "the state table is inconsistent with the header";
    case GM_ERR_BAD_REGION: return "the header's regions overlap, are misaligned or exceed the arena";
    case GM_ERR_BAD_TENSOR: return "an input, label, output or loss has an invalid shape or offset";
    case GM_ERR_BAD_PROGRAM: return "a program's record does not match its instructions";
    case GM_ERR_INDEX_OUT_OF_RANGE: return "an index is outside its axis; nothing was changed";
    case GM_ERR_NO_STORE: return "the image has no sample store";
    case GM_ERR_STORE_EMPTY: return "the store has no samples";
    case GM_ERR_BAD_STORE: return "the sample store has an invalid shape or offset";
    case GM_ERR_OTHER_BASE: return "the delta belongs to another base or round";
    case GM_ERR_WRONG_ARITHMETIC: return "this build rounds differently from its profile";
    case GM_ERR_DOES_NOT_FIT: return "an integer does not fit the model's type";
    case GM_ERR_WHOLE_BATCH: return "the program takes whole batches";
    default: return "unknown error code";
    }
}

const char *gm_error_hint(int error)
{
    switch (error) {
    case GM_ERR_INVALID_ARGUMENT: return "check pointers and indices";
    case GM_ERR_BAD_MAGIC: return "pass a .mote image or a .gmck checkpoint written by gradmote";
    case GM_ERR_BAD_VERSION: return "compile the model again, or install the gradmote that wrote it";
    case GM_ERR_TRUNCATED: return "transfer the file again";
    case GM_ERR_BAD_CRC: return "transfer the file again; if it persists, the storage is failing";
    case GM_ERR_BAD_SECTION: return "compile the model again; the image was not written by gradmote";
    case GM_ERR_BAD_OPCODE: return "build the runtime with this kernel, or compile the model for this version";
    case GM_ERR_BAD_INSTRUCTION: return "compile the model again; the image was not written by gradmote";
    case GM_ERR_BAD_OPERAND: return "compile the model again; the image was not written by gradmote";
    case GM_ERR_TOO_MUCH_WORK: return "raise GM_MAX_WORK, or compile a smaller model";
    case GM_ERR_ARENA_TOO_SMALL: return "pass at least gm_required() bytes, or compile the model with a smaller batch";
    case GM_ERR_NO_PROGRAM: return "compile the model with a loss and an optimizer to train it";
    case GM_ERR_NOT_FOUND: return "list the names with `gradmote inspect`";
    case GM_ERR_WRONG_SIZE: return "list the shapes with `gradmote inspect`";
    case GM_ERR_LABEL_OUT_OF_RANGE: return "labels must be in 0 .. classes-1";
    case GM_ERR_NOT_FINITE: return "check the samples, lower the learning rate, or load a checkpoint";
    case GM_ERR_WRONG_MODEL: return "load a checkpoint that was saved from this model";
    case GM_ERR_IO: return "check the storage of the callback";
    case GM_ERR_BUSY: return "finish it with gm_run() or drop it with gm_abort()";
    case GM_ERR_NO_GRADIENTS: return "call gm_train_step() before gm_optimizer_step()";
    case GM_ERR_FULL: return "compile the model with --properties N";
    case GM_ERR_BAD_STATE: return "compile the model again; the image was not written by gradmote";
    case GM_ERR_BAD_REGION: return "compile the model again; the image was not written by gradmote";
    case GM_ERR_BAD_TENSOR: return "compile the model again; the image was not written by gradmote";
    case GM_ERR_BAD_PROGRAM: return "compile the model again; the image was not written by gradmote";
    case GM_ERR_INDEX_OUT_OF_RANGE: return "indices are in -size .. size-1";
    case GM_ERR_NO_STORE: return "compile the model with --store N";
    case GM_ERR_STORE_EMPTY: return "learn some, or compile the model with --store-data";
    case GM_ERR_BAD_STORE: return "compile the model again; the image was not written by gradmote";
    case GM_ERR_OTHER_BASE: return "send the delta of this round";
    case GM_ERR_WRONG_ARITHMETIC: return "compile without -ffast-math";
    case GM_ERR_DOES_NOT_FIT: return "use `gradmote export`";
    case GM_ERR_WHOLE_BATCH: return "give all rows; `gradmote inspect` shows which programs count rows";
    default: return "";
    }
}
