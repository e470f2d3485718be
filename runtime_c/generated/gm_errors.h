/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_ERRORS_H
#define GM_ERRORS_H

enum gm_error {
    GM_OK = 0,
    GM_ERR_INVALID_ARGUMENT = -1, /* an argument is null, misaligned or out of range */
    GM_ERR_BAD_MAGIC = -2, /* this is not a Gradmote file */
    GM_ERR_BAD_VERSION = -3, /* this runtime does not read the file's format version */
    GM_ERR_TRUNCATED = -4, /* the file is shorter than its header says */
    GM_ERR_BAD_CRC = -5, /* the file's checksum does not match its bytes */
    GM_ERR_BAD_SECTION = -6, /* a section is outside the file, misaligned or of an invalid size */
    GM_ERR_BAD_OPCODE = -7, /* this build of the runtime lacks an instruction */
    GM_ERR_BAD_INSTRUCTION = -8, /* an instruction's length or parameters do not match its opcode */
    GM_ERR_BAD_OPERAND = -9, /* an operand is outside the arena or the constants, read-only, or overlaps another */
    GM_ERR_TOO_MUCH_WORK = -10, /* a program would run longer than this runtime allows */
    GM_ERR_ARENA_TOO_SMALL = -11, /* the arena is smaller than the image requires */
    GM_ERR_NO_PROGRAM = -12, /* the image has no such program */
    GM_ERR_NOT_FOUND = -13, /* no tensor or property has that name or index */
    GM_ERR_WRONG_SIZE = -14, /* the data is not as long as the tensor or buffer */
    GM_ERR_LABEL_OUT_OF_RANGE = -15, /* a label is neither a class index nor ignore_index; nothing was changed */
    GM_ERR_NOT_FINITE = -16, /* the input, the loss or a gradient is NaN or infinite, or a number or rate is too large; the step was skipped */
    GM_ERR_WRONG_MODEL = -17, /* the checkpoint belongs to another model */
    GM_ERR_IO = -18, /* reading or writing the checkpoint failed */
    GM_ERR_BUSY = -19, /* a program is still running */
    GM_ERR_NO_GRADIENTS = -20, /* there are no gradients to apply */
    GM_ERR_FULL = -21, /* all property slots are in use */
    GM_ERR_BAD_STATE = -22, /* the state table is inconsistent with the header */
    GM_ERR_BAD_REGION = -23, /* the header's regions overlap, are misaligned or exceed the arena */
    GM_ERR_BAD_TENSOR = -24, /* an input, label, output or loss has an invalid shape or offset */
    GM_ERR_BAD_PROGRAM = -25, /* a program's record does not match its instructions */
    GM_ERR_INDEX_OUT_OF_RANGE = -26, /* an index is outside its axis; nothing was changed */
    GM_ERR_NO_STORE = -27, /* the image has no sample store */
    GM_ERR_STORE_EMPTY = -28, /* the store has no samples */
    GM_ERR_BAD_STORE = -29, /* the sample store has an invalid shape or offset */
    GM_ERR_OTHER_BASE = -30, /* the delta belongs to another base or round */
    GM_ERR_WRONG_ARITHMETIC = -31, /* this build rounds differently from its profile */
    GM_ERR_DOES_NOT_FIT = -32, /* an integer does not fit the model's type */
    GM_ERR_WHOLE_BATCH = -33, /* the program takes whole batches */
};

#endif
