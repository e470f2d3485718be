/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#include "../gm_handle.h"

const char *gm_handle_error_name(int code)
{
    switch (code) {
    case GM_OK: return "GM_OK";
    case GM_ERR_INVALID_ARGUMENT: return "GM_ERR_INVALID_ARGUMENT";
    case GM_ERR_BAD_MAGIC: return "GM_ERR_BAD_MAGIC";
    case GM_ERR_BAD_VERSION: return "GM_ERR_BAD_VERSION";
    case GM_ERR_TRUNCATED: return "GM_ERR_TRUNCATED";
    case GM_ERR_BAD_CRC: return "GM_ERR_BAD_CRC";
    case GM_ERR_BAD_SECTION: return "GM_ERR_BAD_SECTION";
    case GM_ERR_BAD_OPCODE: return "GM_ERR_BAD_OPCODE";
    case GM_ERR_BAD_INSTRUCTION: return "GM_ERR_BAD_INSTRUCTION";
    case GM_ERR_BAD_OPERAND: return "GM_ERR_BAD_OPERAND";
    case GM_ERR_TOO_MUCH_WORK: return "GM_ERR_TOO_MUCH_WORK";
    case GM_ERR_ARENA_TOO_SMALL: return "GM_ERR_ARENA_TOO_SMALL";
    case GM_ERR_NO_PROGRAM: return "GM_ERR_NO_PROGRAM";
    case GM_ERR_NOT_FOUND: return "GM_ERR_NOT_FOUND";
    case GM_ERR_WRONG_SIZE: return "GM_ERR_WRONG_SIZE";
    case GM_ERR_LABEL_OUT_OF_RANGE: return "GM_ERR_LABEL_OUT_OF_RANGE";
    case GM_ERR_NOT_FINITE: return "GM_ERR_NOT_FINITE";
    case GM_ERR_WRONG_MODEL: return "GM_ERR_WRONG_MODEL";
    case GM_ERR_IO: return "GM_ERR_IO";
    case GM_ERR_BUSY: return "GM_ERR_BUSY";
    case GM_ERR_NO_GRADIENTS: return "GM_ERR_NO_GRADIENTS";
    case GM_ERR_FULL: return "GM_ERR_FULL";
    case GM_ERR_BAD_STATE: return "GM_ERR_BAD_STATE";
    case GM_ERR_BAD_REGION: return "GM_ERR_BAD_REGION";
    case GM_ERR_BAD_TENSOR: return "GM_ERR_BAD_TENSOR";
    case GM_ERR_BAD_PROGRAM: return "GM_ERR_BAD_PROGRAM";
    case GM_ERR_INDEX_OUT_OF_RANGE: return "GM_ERR_INDEX_OUT_OF_RANGE";
    case GM_ERR_NO_STORE: return "GM_ERR_NO_STORE";
    case GM_ERR_STORE_EMPTY: return "GM_ERR_STORE_EMPTY";
    case GM_ERR_BAD_STORE: return "GM_ERR_BAD_STORE";
    case GM_ERR_OTHER_BASE: return "GM_ERR_OTHER_BASE";
    case GM_ERR_WRONG_ARITHMETIC: return "GM_ERR_WRONG_ARITHMETIC";
    case GM_ERR_DOES_NOT_FIT: return "GM_ERR_DOES_NOT_FIT";
    case GM_ERR_WHOLE_BATCH: return "GM_ERR_WHOLE_BATCH";
    case GM_ERR_CLOSED: return "GM_ERR_CLOSED";
    case GM_ERR_IN_USE: return "GM_ERR_IN_USE";
    case GM_ERR_WRONG_DTYPE: return "GM_ERR_WRONG_DTYPE";
    case GM_ERR_NO_MEMORY: return "GM_ERR_NO_MEMORY";
    case GM_ERR_NO_FMA: return "GM_ERR_NO_FMA";
    case GM_ERR_NO_LIBRARY: return "GM_ERR_NO_LIBRARY";
    case GM_ERR_WRONG_COUNT: return "GM_ERR_WRONG_COUNT";
    case GM_ERR_FROZEN: return "GM_ERR_FROZEN";
    default: return "UNKNOWN";
    }
}

const char *gm_handle_error_text(int code)
{
    switch (code) {
    case GM_ERR_CLOSED: return "the session is closed";
    case GM_ERR_IN_USE: return "another thread is in a call of this session";
    case GM_ERR_WRONG_DTYPE: return "the data's type is not the tensor's";
    case GM_ERR_NO_MEMORY: return "there is no memory for another session";
    case GM_ERR_NO_FMA: return "this CPU has no fused multiply-add, which the profile fused needs";
    case GM_ERR_NO_LIBRARY: return "the library with this profile's runtime does not load";
    case GM_ERR_WRONG_COUNT: return "the program takes a different number of arrays";
    case GM_ERR_FROZEN: return "some weights do not train, and an image has those as constants";
    default: return gm_error_text(code);
    }
}

const char *gm_handle_error_hint(int code)
{
    switch (code) {
    case GM_ERR_CLOSED: return "open another one";
    case GM_ERR_IN_USE: return "give each thread a session of its own, or hold a lock around the calls of this one";
    case GM_ERR_WRONG_DTYPE: return "use numbers of the tensor's type, f32, i32, i8, u8 or i16; quantized ones are round(x / scale) + zero_point";
    case GM_ERR_NO_MEMORY: return "close sessions that are no longer used, or compile the model for a smaller batch";
    case GM_ERR_NO_FMA: return "use the profile strict";
    case GM_ERR_NO_LIBRARY: return "build it with `scons libraries`, and put it where the system looks for shared libraries";
    case GM_ERR_WRONG_COUNT: return "pass every input and then every label, in the session's order";
    case GM_ERR_FROZEN: return "ask for the trained parameters only, or compile the model with `--scheme full`";
    default: return gm_error_hint(code);
    }
}
