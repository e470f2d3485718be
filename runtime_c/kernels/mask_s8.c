/* MASK_S8: bit i of mask = low < q < high; the rest of the last byte is 0. */
#include "quantized.h"

#if GM_WITH_MASK_S8

int gm_kernel_mask_s8(const struct gm_session *session, const void *instruction)
{
    const gm_insn_mask_s8 *insn = instruction;
    const int8_t *q = gm_i8(session, insn->q);
    uint8_t *mask = gm_u8_out(session, insn->mask);
    uint32_t bits = 0;
    for (uint32_t i = 0; i < insn->n; i++) {
        bits |= (uint32_t)gm_is_between(q[i], insn->low, insn->high) << i % 8;
        if (i % 8 == 7 || i + 1 == insn->n) {
            mask[i / 8] = (uint8_t)bits;
            bits = 0;
        }
    }
    return GM_OK;
}

#endif
