/*
 * Loops: a LOOP instruction repeats the instructions after it. A GUARD says in which iterations the
 * next instruction runs, and by how much its operands advance each time.
 *
 * The session holds the iteration count, so that no image can write to it. gm_open() has verified
 * that a loop ends between instructions and is not nested, and has checked every address that a
 * guarded instruction can reach.
 */
#ifndef GM_LOOPS_H
#define GM_LOOPS_H

#include "gm_internal.h"

/* The LOOP kernel's return value: repeat what follows. */
#define GM_LOOPING 2

typedef struct gm_loop_place {
    const uint32_t *pc;
    uint32_t left;               /* how many more instructions may run */
} gm_loop_place;

/* Runs instructions of the loop, up to its end or until none are left, and advances the place.
 * Instructions that a GUARD skips count too. Returns GM_OK or an error. */
#if GM_WITH_LOOP
int gm_run_loop(gm_session *session, gm_loop_place *place);
#else
static inline int gm_run_loop(gm_session *session, gm_loop_place *place)
{
    (void)session;
    (void)place;
    return GM_OK;
}
#endif

#endif
