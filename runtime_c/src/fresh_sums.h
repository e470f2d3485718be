/*
 * Gradients of the first TRAIN behind an update or a reset, which start from zero.
 *
 * The plain way is to clear them all before it. With GM_FRESH_SUMS, each instruction that adds to
 * gradients clears its own ones right before it adds, while they are on their way to the cache, or
 * writes them without a look at what was there. The bits are the same. That is only so where each
 * gradient is the sum of one instruction, which the first such TRAIN of a session finds out.
 */
#ifndef GM_FRESH_SUMS_H
#define GM_FRESH_SUMS_H

#include <string.h>

#include "gm_internal.h"

static inline void gm_clear_gradients(const gm_session *session)
{
    memset(session->arena + session->header->gradients_offset, 0, session->header->gradients_size);
}

#if GM_FRESH_SUMS

/* Lets all gradients start from zero in the program TRAIN, which begins. */
void gm_begin_fresh_sums(gm_session *session, const gm_program *program);

/* Clears what the instruction adds to, where that is to start from zero. GEMM clears its own. */
void gm_clear_fresh_sum(const gm_session *session, const uint32_t *instruction);

static inline void gm_before_instruction(const gm_session *session, const uint32_t *instruction)
{
    if (session->fresh) {
        gm_clear_fresh_sum(session, instruction);
    }
}

/* Ends what gm_begin_fresh_sums() began. is_whole: 0 where TRAIN was refused or stopped. Then nothing is left of
 * gradients from before the reset, nor of its own. */
static inline void gm_end_fresh_sums(gm_session *session, int is_whole)
{
    if (session->fresh && !is_whole) {
        gm_clear_gradients(session);
    }
    session->fresh = 0;
}

#else

static inline void gm_begin_fresh_sums(gm_session *session, const gm_program *program)
{
    (void)program;
    gm_clear_gradients(session);
}

static inline void gm_before_instruction(const gm_session *session, const uint32_t *instruction)
{
    (void)session;
    (void)instruction;
}

static inline void gm_end_fresh_sums(gm_session *session, int is_whole)
{
    (void)session;
    (void)is_whole;
}

#endif

#endif
