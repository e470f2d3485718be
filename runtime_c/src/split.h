/* Runs one instruction, on one thread or several. */
#ifndef GM_SPLIT_H
#define GM_SPLIT_H

#include "gm_internal.h"
#include "../generated/gm_opcodes.h"

#if GM_THREADS
/* Executes an instruction: in parts if the session has a splitter and there is enough work for two.
 * Returns the kernel's result: GM_OK or a negative gm_error. */
int gm_execute(const gm_session *session, const uint32_t *instruction);
#else
static inline int gm_execute(const gm_session *session, const uint32_t *instruction)
{
    return gm_kernels[*instruction & 0xFFFF](session, instruction);
}
#endif

#endif
