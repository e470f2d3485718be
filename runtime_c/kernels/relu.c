#include "../src/gm_internal.h"
#include "rows.h"

#if GM_WITH_RELU
int gm_kernel_relu(const struct gm_session *session, const void *instruction)
{
    const gm_insn_relu *insn = instruction;
    const float *x = gm_f32(session, insn->x);
    float *y = gm_f32_out(session, insn->y);
    gm_relu_row(x, y, insn->n);
    return GM_OK;
}
#endif

#if GM_WITH_RELU_GRAD
static float passed(float dy, float y)
{
    return gm_is_positive(y) ? dy : 0.0f;
}

int gm_kernel_relu_grad(const struct gm_session *session, const void *instruction)
{
    const gm_insn_relu_grad *insn = instruction;
    const float *dy = gm_f32(session, insn->dy);
    const float *y = gm_f32(session, insn->y);
    float *dx = gm_f32_out(session, insn->dx);
    uint32_t i = 0, n = insn->n;
    for (; n - i >= 4; i += 4) {
        float a = passed(dy[i], y[i]), b = passed(dy[i + 1], y[i + 1]);
        float c = passed(dy[i + 2], y[i + 2]), d = passed(dy[i + 3], y[i + 3]);
        dx[i] = a, dx[i + 1] = b, dx[i + 2] = c, dx[i + 3] = d;
    }
    for (; i < n; i++) {
        dx[i] = passed(dy[i], y[i]);
    }
    return GM_OK;
}
#endif
