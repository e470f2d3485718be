/* COPY_S16: y[i0..i5] = x[i0..i5], each side with its own strides. */
#include "../generated/instructions/copy_s16.h"
#include "../src/gm_internal.h"

#if GM_WITH_COPY_S16

/* Dimensions 3 to 5. */
static void copy_s16_block(const int16_t *x, int16_t *y, const gm_insn_copy_s16 *insn)
{
    for (uint32_t i3 = 0; i3 < insn->d3; i3++) {
        for (uint32_t i4 = 0; i4 < insn->d4; i4++) {
            const int16_t *from = x + (i3 * insn->s3 + i4 * insn->s4);
            int16_t *to = y + (i3 * insn->t3 + i4 * insn->t4);
            for (uint32_t i5 = 0; i5 < insn->d5; i5++) {
                to[i5 * insn->t5] = from[i5 * insn->s5];
            }
        }
    }
}

int gm_kernel_copy_s16(const struct gm_session *session, const void *instruction)
{
    const gm_insn_copy_s16 *insn = instruction;
    const int16_t *x = gm_i16(session, insn->x);
    int16_t *y = gm_i16_out(session, insn->y);
    for (uint32_t i0 = 0; i0 < insn->d0; i0++) {
        for (uint32_t i1 = 0; i1 < insn->d1; i1++) {
            for (uint32_t i2 = 0; i2 < insn->d2; i2++) {
                uint32_t from = i0 * insn->s0 + i1 * insn->s1 + i2 * insn->s2;
                uint32_t to = i0 * insn->t0 + i1 * insn->t1 + i2 * insn->t2;
                copy_s16_block(x + from, y + to, insn);
            }
        }
    }
    return GM_OK;
}

#endif
