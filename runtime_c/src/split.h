/* One instruction, on one thread or several. */
#ifndef GM_SPLIT_H
#define GM_SPLIT_H

#include "gm_internal.h"

#if GM_THREADS
/* In parts where the session has a splitter and the instruction is worth it. What a kernel returns. */
int gm_execute(const gm_session *session, const uint32_t *instruction);
#else
static inline int gm_execute(const gm_session *session, const uint32_t *instruction)
{
    return gm_kernels[*instruction & 0xFFFF](session, instruction);
}
#endif

#endif
