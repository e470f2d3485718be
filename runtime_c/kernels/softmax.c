#include "../src/gm_internal.h"
#include "softmax_line.h"

#if GM_WITH_SOFTMAX
static void softmax_line(const float *x, float *y, uint32_t classes, uint32_t stride)
{
    float max = gm_line_max(x, classes, stride);
    float sum = 0.0f;
    for (uint32_t c = 0; c < classes; c++) {
        float e = gm_exp(x[c * stride] - max);
        y[c * stride] = e;
        sum += e;
    }
    for (uint32_t c = 0; c < classes; c++) {
        y[c * stride] /= sum;
    }
}

int gm_kernel_softmax(const struct gm_session *session, const void *instruction)
{
    return gm_softmax_lines(session, instruction, softmax_line);
}
#endif

#if GM_WITH_SOFTMAX_GRAD
static void softmax_grad_line(const float *dy, const float *y, float *dx, uint32_t classes, uint32_t stride)
{
    float dot = 0.0f;
    for (uint32_t c = 0; c < classes; c++) {
        dot = GM_MAC(dot, dy[c * stride], y[c * stride]);
    }
    for (uint32_t c = 0; c < classes; c++) {
        dx[c * stride] = y[c * stride] * (dy[c * stride] - dot);
    }
}

int gm_kernel_softmax_grad(const struct gm_session *session, const void *instruction)
{
    return gm_softmax_grad_lines(session, instruction, softmax_grad_line);
}
#endif
