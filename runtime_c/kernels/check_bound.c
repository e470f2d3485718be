/* CHECK_BOUND: stops the program with NOT_FINITE if any |x[i,j]| is NaN or not below limit. */
#include "../generated/instructions/check_bound.h"
#include "../src/gm_internal.h"

#if GM_WITH_CHECK_BOUND

int gm_kernel_check_bound(const struct gm_session *session, const void *instruction)
{
    const gm_insn_check_bound *insn = instruction;
    const float *x = gm_f32(session, insn->x);
    for (uint32_t rows = insn->rows;; x += insn->step) {
        if (gm_any_beyond(x, insn->n, insn->limit)) {
            return GM_ERR_NOT_FINITE;
        }
        if (--rows == 0) {
            return GM_OK;
        }
    }
}

#endif
