/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef ERROR_NAMES_H
#define ERROR_NAMES_H

static const char *error_name(mp_int_t code)
{
    switch (code) {
    case GM_ERR_INVALID_ARGUMENT: return "INVALID_ARGUMENT";
    case GM_ERR_BAD_MAGIC: return "BAD_MAGIC";
    case GM_ERR_BAD_VERSION: return "BAD_VERSION";
    case GM_ERR_TRUNCATED: return "TRUNCATED";
    case GM_ERR_BAD_CRC: return "BAD_CRC";
    case GM_ERR_BAD_SECTION: return "BAD_SECTION";
    case GM_ERR_BAD_OPCODE: return "BAD_OPCODE";
    case GM_ERR_BAD_INSTRUCTION: return "BAD_INSTRUCTION";
    case GM_ERR_BAD_OPERAND: return "BAD_OPERAND";
    case GM_ERR_TOO_MUCH_WORK: return "TOO_MUCH_WORK";
    case GM_ERR_ARENA_TOO_SMALL: return "ARENA_TOO_SMALL";
    case GM_ERR_NO_PROGRAM: return "NO_PROGRAM";
    case GM_ERR_NOT_FOUND: return "NOT_FOUND";
    case GM_ERR_WRONG_SIZE: return "WRONG_SIZE";
    case GM_ERR_LABEL_OUT_OF_RANGE: return "LABEL_OUT_OF_RANGE";
    case GM_ERR_NOT_FINITE: return "NOT_FINITE";
    case GM_ERR_WRONG_MODEL: return "WRONG_MODEL";
    case GM_ERR_IO: return "IO";
    case GM_ERR_BUSY: return "BUSY";
    case GM_ERR_NO_GRADIENTS: return "NO_GRADIENTS";
    case GM_ERR_FULL: return "FULL";
    case GM_ERR_BAD_STATE: return "BAD_STATE";
    case GM_ERR_BAD_REGION: return "BAD_REGION";
    case GM_ERR_BAD_TENSOR: return "BAD_TENSOR";
    case GM_ERR_BAD_PROGRAM: return "BAD_PROGRAM";
    case GM_ERR_INDEX_OUT_OF_RANGE: return "INDEX_OUT_OF_RANGE";
    case GM_ERR_NO_STORE: return "NO_STORE";
    case GM_ERR_STORE_EMPTY: return "STORE_EMPTY";
    case GM_ERR_BAD_STORE: return "BAD_STORE";
    case GM_ERR_OTHER_BASE: return "OTHER_BASE";
    case GM_ERR_WRONG_ARITHMETIC: return "WRONG_ARITHMETIC";
    case GM_ERR_DOES_NOT_FIT: return "DOES_NOT_FIT";
    case GM_ERR_WHOLE_BATCH: return "WHOLE_BATCH";
    default: return "UNKNOWN";
    }
}

#endif
