/* The executor implements LOOP and GUARD (src/loops.c). The kernel of LOOP signals that a
 * loop begins. Nobody calls the kernel of GUARD: its presence shows the verifier that this
 * build supports it. */
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
