/* The verifier of programs: how much an instruction may do. */
#ifndef GM_VERIFY_PROGRAMS_H
#define GM_VERIFY_PROGRAMS_H

#include "gradmote.h"

/* Verifies all programs and instructions of an image whose other parts are verified. Returns GM_OK,
 * GM_ERR_BAD_PROGRAM, GM_ERR_BAD_OPCODE, GM_ERR_BAD_INSTRUCTION, GM_ERR_BAD_OPERAND or
 * GM_ERR_TOO_MUCH_WORK. */
int gm_verify_programs(const gm_header *header);

#endif
