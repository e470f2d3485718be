/*
 * CUMSUM: y[o,i,n] = sum of x[o,j,n] over j <= i, with exclusive j < i; with reverse
 *   from the other end.
 */
#include "../generated/instructions/cumsum.h"
#include "../src/gm_internal.h"

#if GM_WITH_CUMSUM

/* One row of `size` elements, `inner` apart, in the order of the sum. y may be x. */
static void cumulate_row(const float *x, float *y, const gm_insn_cumsum *insn)
{
    float sum = 0.0f;
    for (uint32_t step = 0; step < insn->size; step++) {
        uint32_t at = (insn->reverse ? insn->size - 1 - step : step) * insn->inner;
        float with = sum + x[at];
        y[at] = insn->exclusive ? sum : with;
        sum = with;
    }
}

int gm_kernel_cumsum(const struct gm_session *session, const void *instruction)
{
    const gm_insn_cumsum *insn = instruction;
    const float *x = gm_f32(session, insn->x);
    float *y = gm_f32_out(session, insn->y);
    for (uint32_t o = 0; o < insn->outer; o++) {
        for (uint32_t n = 0; n < insn->inner; n++) {
            uint32_t row = o * insn->size * insn->inner + n;
            cumulate_row(x + row, y + row, insn);
        }
    }
    return GM_OK;
}

#endif
