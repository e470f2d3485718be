/*
 * Starts the gradients from zero in the first TRAIN after an update or a reset.
 *
 * The simple way is to clear them all first. With GM_FRESH_SUMS, each instruction that adds to
 * gradients clears its own right before it adds, when it brings them into the cache anyway, or
 * overwrites them. The bits are the same, provided that each gradient is the sum of one
 * instruction. The first such TRAIN of a session finds out whether it is.
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

/* Lets all gradients start from zero in a TRAIN that begins. */
void gm_begin_fresh_sums(gm_session *session, const gm_program *program);

/* Clears the gradients that the instruction adds to, if they are to start from zero. GEMM clears
 * its own. */
void gm_clear_fresh_sum(const gm_session *session, const uint32_t *instruction);

static inline void gm_before_instruction(const gm_session *session, const uint32_t *instruction)
{
    if (session->fresh) {
        gm_clear_fresh_sum(session, instruction);
    }
}

/* Ends what gm_begin_fresh_sums() began. is_whole: 0 if TRAIN was refused or stopped. Then no
 * gradients remain, neither from before the reset nor from this TRAIN. */
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
