/* COPY: y[i0..i5] = x[i0..i5], each side with its own strides. */
#include "../generated/instructions/copy.h"
#include "../src/gm_internal.h"

#if GM_WITH_COPY

static void copy_row(const float *x, float *y, uint32_t n, uint32_t x_stride, uint32_t y_stride)
{
    for (uint32_t i = 0; i < n; i++) {
        y[i * y_stride] = x[i * x_stride];
    }
}

/* Dimensions 3 to 5. */
static void copy_block(const float *x, float *y, const gm_insn_copy *insn)
{
    for (uint32_t i3 = 0; i3 < insn->d3; i3++) {
        for (uint32_t i4 = 0; i4 < insn->d4; i4++) {
            copy_row(x + (i3 * insn->s3 + i4 * insn->s4), y + (i3 * insn->t3 + i4 * insn->t4), insn->d5, insn->s5,
                     insn->t5);
        }
    }
}

int gm_kernel_copy(const struct gm_session *session, const void *instruction)
{
    const gm_insn_copy *insn = instruction;
    const float *x = gm_f32(session, insn->x);
    float *y = gm_f32_out(session, insn->y);
    for (uint32_t i0 = 0; i0 < insn->d0; i0++) {
        for (uint32_t i1 = 0; i1 < insn->d1; i1++) {
            for (uint32_t i2 = 0; i2 < insn->d2; i2++) {
                uint32_t from = i0 * insn->s0 + i1 * insn->s1 + i2 * insn->s2;
                uint32_t to = i0 * insn->t0 + i1 * insn->t1 + i2 * insn->t2;
                copy_block(x + from, y + to, insn);
            }
        }
    }
    return GM_OK;
}

#endif
