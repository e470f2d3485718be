/* CHECK_FINITE: stops the program with NOT_FINITE if any x[i] is NaN or infinite. */
#include "../generated/instructions/check_finite.h"
#include "../src/gm_internal.h"
#include "../src/numerics.h"

#if GM_WITH_CHECK_FINITE

int gm_kernel_check_finite(const struct gm_session *session, const void *instruction)
{
    const gm_insn_check_finite *insn = instruction;
    return gm_any_beyond(gm_f32(session, insn->x), insn->n, GM_INFINITY) ? GM_ERR_NOT_FINITE : GM_OK;
}

#endif
