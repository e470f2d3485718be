/* Runs one instruction, on one thread or several. */
#ifndef GM_SPLIT_H
#define GM_SPLIT_H

#include "gm_internal.h"

/* Returns how many bytes a number of an operand's elements takes. flags: of its gm_operand_info. */
static inline uint32_t gm_bytes_of(uint32_t flags, uint32_t elements)
{
    switch (flags & GM_TYPE) {
    case GM_BITS: return (elements + 7) / 8;
    case GM_BYTES:
    case GM_I8: return elements;
    case GM_I16: return 2 * elements;
    default: return 4 * elements;
    }
}

#if GM_THREADS
/* Executes an instruction: in parts, where the session has a splitter and the instruction has
 * enough work for two. Returns what the kernel returns: GM_OK or a negative gm_error. */
int gm_execute(const gm_session *session, const uint32_t *instruction);
#else
static inline int gm_execute(const gm_session *session, const uint32_t *instruction)
{
    return gm_kernels[*instruction & 0xFFFF](session, instruction);
}
#endif

#endif
