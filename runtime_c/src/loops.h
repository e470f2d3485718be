/*
 * Loops: an instruction LOOP repeats what follows it, and a GUARD says in which iterations the next
 * instruction runs, and how far its operands move on each time.
 *
 * The count of iterations is in the session, where no image can write. gm_open() has verified that
 * a loop ends at an instruction's border and lies in no other one, and every address that a guarded
 * instruction can have.
 */
#ifndef GM_LOOPS_H
#define GM_LOOPS_H

#include "gm_internal.h"

/* What the kernel of LOOP returns: what follows is repeated. */
#define GM_LOOPING 2

typedef struct gm_loop_place {
    const uint32_t *pc;
    uint32_t left;               /* how many instructions may still run */
} gm_loop_place;

/* Runs instructions of the loop, up to its end or until none are left, and moves the place on.
 * Those that a GUARD leaves out count too. Returns GM_OK or an error. */
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
