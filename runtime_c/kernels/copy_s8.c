/* COPY_S8: y[i0..i5] = x[i0..i5], each side with its own strides; with a table,
 *   y = table[x + 128]. */
#include "../generated/instructions/copy_s8.h"
#include "quantized.h"

#if GM_WITH_COPY_S8

static void copy_bytes(const gm_insn_copy_s8 *insn, const int8_t *x, const int8_t *table, int8_t *y)
{
    uint32_t n = insn->d5, x_stride = insn->s5, y_stride = insn->t5;
    if (table != NULL) {
        for (uint32_t i = 0; i < n; i++) {
            y[i * y_stride] = table[x[i * x_stride] + 128];
        }
    } else if (x_stride == 1 && y_stride == 1) {
        memcpy(y, x, n);
    } else {
        for (uint32_t i = 0; i < n; i++) {
            y[i * y_stride] = x[i * x_stride];
        }
    }
}

/* Dimensions 3 to 5. */
static void copy_byte_block(const gm_insn_copy_s8 *insn, const int8_t *x, const int8_t *table, int8_t *y)
{
    for (uint32_t i3 = 0; i3 < insn->d3; i3++) {
        for (uint32_t i4 = 0; i4 < insn->d4; i4++) {
            copy_bytes(insn, x + (i3 * insn->s3 + i4 * insn->s4), table, y + (i3 * insn->t3 + i4 * insn->t4));
        }
    }
}

int gm_kernel_copy_s8(const struct gm_session *session, const void *instruction)
{
    const gm_insn_copy_s8 *insn = instruction;
    const int8_t *x = gm_i8(session, insn->x);
    const int8_t *table = insn->table == GM_NONE ? NULL : gm_i8(session, insn->table);
    int8_t *y = gm_i8_out(session, insn->y);
    for (uint32_t i0 = 0; i0 < insn->d0; i0++) {
        for (uint32_t i1 = 0; i1 < insn->d1; i1++) {
            for (uint32_t i2 = 0; i2 < insn->d2; i2++) {
                copy_byte_block(insn, x + (i0 * insn->s0 + i1 * insn->s1 + i2 * insn->s2), table,
                                y + (i0 * insn->t0 + i1 * insn->t1 + i2 * insn->t2));
            }
        }
    }
    return GM_OK;
}

#endif
