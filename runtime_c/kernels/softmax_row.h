/* The row that softmax, log-softmax and cross entropy share: `classes` elements, `stride`
 * apart. Each kernel keeps its own loops over a row: one shared function took 1 to 8 %
 * longer on a Cortex-M4F. */
#ifndef GM_SOFTMAX_ROW_H
#define GM_SOFTMAX_ROW_H

#include "../src/numerics.h"

/* Runs BODY for the offset `row` of the first element of each row of a tensor
 * (outer, classes, inner). */
#define GM_FOR_ROWS(insn, BODY)                                     \
    for (uint32_t o = 0; o < (insn)->outer; o++) {                  \
        for (uint32_t i = 0; i < (insn)->inner; i++) {              \
            uint32_t row = o * (insn)->classes * (insn)->inner + i; \
            BODY                                                    \
        }                                                           \
    }

/* A NaN anywhere in the row survives, either as the maximum or in the sum of exponentials. */
static inline float gm_row_max(const float *x, uint32_t classes, uint32_t stride)
{
    float max = x[0];
    for (uint32_t c = 1; c < classes; c++) {
        float value = x[c * stride];
        max = value > max ? value : max;
    }
    return max;
}

/* y = (x - max) - log(sum over ascending c of exp(x - max)); y may be x. In log_softmax.c. */
void gm_log_softmax_row(const float *x, float *y, uint32_t classes, uint32_t stride);

#endif
