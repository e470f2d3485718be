/* LOOP and GUARD: the executor does what they say (src/loops.c). The kernel of LOOP tells it that a
 * loop begins. That of GUARD is never called: it tells the verifier that this build has it. */
#include "../generated/instructions/guard.h"
#include "../generated/instructions/loop.h"
#include "../src/loops.h"

#if GM_WITH_LOOP
int gm_kernel_loop(const struct gm_session *session, const void *instruction)
{
    (void)session;
    (void)instruction;
    return GM_LOOPING;
}
#endif

#if GM_WITH_GUARD
int gm_kernel_guard(const struct gm_session *session, const void *instruction)
{
    (void)session;
    (void)instruction;
    return GM_OK;
}
#endif
