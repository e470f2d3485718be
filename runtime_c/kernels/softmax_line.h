/* What softmax, log-softmax and cross entropy share: one line of `classes` elements, `stride` apart. */
#ifndef GM_SOFTMAX_LINE_H
#define GM_SOFTMAX_LINE_H

#include "../src/numerics.h"

/* A NaN anywhere in the line survives: either as the maximum, or in the sum of exponentials. */
static inline float gm_line_max(const float *x, uint32_t classes, uint32_t stride)
{
    float max = x[0];
    for (uint32_t c = 1; c < classes; c++) {
        float value = x[c * stride];
        max = value > max ? value : max;
    }
    return max;
}

/* y = (x - max) - log(sum over ascending c of exp(x - max)); y may be x. In log_softmax.c. */
void gm_log_softmax_line(const float *x, float *y, uint32_t classes, uint32_t stride);

#endif
