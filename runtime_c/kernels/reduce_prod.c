/*
 * REDUCE_PROD: y[o,i] = product of x[o,c,i] over c.
 * REDUCE_PROD_GRAD: dx[o,c,i] = dy[o,i] times the product of x[o,b,i] over b != c.
 */
#include "../generated/instructions/reduce_prod.h"
#include "../generated/instructions/reduce_prod_grad.h"
#include "../src/gm_internal.h"

#if GM_WITH_REDUCE_PROD

int gm_kernel_reduce_prod(const struct gm_session *session, const void *instruction)
{
    const gm_insn_reduce_prod *insn = instruction;
    const float *x = gm_f32(session, insn->x);
    float *y = gm_f32_out(session, insn->y);
    for (uint32_t o = 0; o < insn->outer; o++, x += insn->classes * insn->inner) {
        for (uint32_t i = 0; i < insn->inner; i++) {
            float product = 1.0f;
            for (uint32_t c = 0; c < insn->classes; c++) {
                product *= x[c * insn->inner + i];
            }
            *y++ = product;
        }
    }
    return GM_OK;
}

#endif

#if GM_WITH_REDUCE_PROD_GRAD

/* One row of `classes` elements, `stride` apart: dy times all elements before this one, then times
 * all after it. Without division, an x of 0 needs no special case. */
static void product_gradient(const float *x, float *dx, float dy, uint32_t classes, uint32_t stride)
{
    float before = dy;
    for (uint32_t c = 0; c < classes; c++) {
        dx[c * stride] = before;
        before *= x[c * stride];
    }
    float behind = 1.0f;
    for (uint32_t c = classes; c-- > 0;) {
        dx[c * stride] *= behind;
        behind *= x[c * stride];
    }
}

int gm_kernel_reduce_prod_grad(const struct gm_session *session, const void *instruction)
{
    const gm_insn_reduce_prod_grad *insn = instruction;
    const float *dy = gm_f32(session, insn->dy);
    const float *x = gm_f32(session, insn->x);
    float *dx = gm_f32_out(session, insn->dx);
    for (uint32_t o = 0; o < insn->outer; o++) {
        for (uint32_t i = 0; i < insn->inner; i++) {
            uint32_t row = o * insn->classes * insn->inner + i;
            product_gradient(x + row, dx + row, *dy++, insn->classes, insn->inner);
        }
    }
    return GM_OK;
}

#endif
