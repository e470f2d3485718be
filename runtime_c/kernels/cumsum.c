#include "../src/gm_internal.h"

#if GM_WITH_CUMSUM

/* One line of `size` elements, `stride` apart, taken in the order of the sum. y may be x. */
static void sum_line(const float *x, float *y, const gm_insn_cumsum *insn)
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
            uint32_t line = o * insn->size * insn->inner + n;
            sum_line(x + line, y + line, insn);
        }
    }
    return GM_OK;
}

#endif
