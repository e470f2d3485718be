/* SELECT: y = c != 0 ? a : b, broadcast by strides of 0. */
#include "../generated/instructions/select.h"
#include "../src/gm_internal.h"

#if GM_WITH_SELECT

static void select_row(const float *c, const float *a, const float *b, float *y, const gm_insn_select *insn)
{
    for (uint32_t i = 0; i < insn->d3; i++) {
        y[i] = c[i * insn->c3] != 0.0f ? a[i * insn->a3] : b[i * insn->b3];
    }
}

/* y (d0, d1, d2, d3) is contiguous; it may be a, b or c. */
int gm_kernel_select(const struct gm_session *session, const void *instruction)
{
    const gm_insn_select *insn = instruction;
    const float *c = gm_f32(session, insn->c);
    const float *a = gm_f32(session, insn->a);
    const float *b = gm_f32(session, insn->b);
    float *y = gm_f32_out(session, insn->y);
    for (uint32_t i0 = 0; i0 < insn->d0; i0++) {
        for (uint32_t i1 = 0; i1 < insn->d1; i1++) {
            for (uint32_t i2 = 0; i2 < insn->d2; i2++) {
                select_row(c + (i0 * insn->c0 + i1 * insn->c1 + i2 * insn->c2),
                           a + (i0 * insn->a0 + i1 * insn->a1 + i2 * insn->a2),
                           b + (i0 * insn->b0 + i1 * insn->b1 + i2 * insn->b2), y, insn);
                y += insn->d3;
            }
        }
    }
    return GM_OK;
}

#endif
