/* Checks that end a program with NOT_FINITE before it writes state. */
#include "../generated/instructions/check_bound.h"
#include "../generated/instructions/check_finite.h"
#include "../src/gm_internal.h"
#include "../src/numerics.h"

/* CHECK_FINITE: stops the program if any x[i] is NaN or infinite. */
#if GM_WITH_CHECK_FINITE
int gm_kernel_check_finite(const struct gm_session *session, const void *instruction)
{
    const gm_insn_check_finite *insn = instruction;
    return gm_any_beyond(gm_f32(session, insn->x), insn->n, GM_INFINITY) ? GM_ERR_NOT_FINITE : GM_OK;
}
#endif

/* CHECK_BOUND: stops the program if any |x[i,j]| is NaN or not below limit. */
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
