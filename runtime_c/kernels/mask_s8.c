/* MASK_S8: bit i of mask = low < q < high; the rest of the last byte is 0. */
#include "../generated/instructions/mask_s8.h"
#include "arch/arm_m/mask_s8.h"
#include "quantized.h"

#if GM_WITH_MASK_S8

/* One comparison for both bounds: modulo 2^32, q - least is below width exactly for values
 * between the bounds. */
typedef struct mask_bounds {
    uint32_t least, width;
} mask_bounds;

static mask_bounds bounds_of(const gm_insn_mask_s8 *insn)
{
    uint32_t least = (uint32_t)insn->low + 1u;
    return (mask_bounds){least, insn->low < insn->high ? (uint32_t)insn->high - least : 0};
}

static inline uint32_t mask_bit(mask_bounds bounds, const int8_t *q, uint32_t i)
{
    return (uint32_t)((uint32_t)q[i] - bounds.least < bounds.width) << i;
}

static inline uint32_t mask_eight(mask_bounds bounds, const int8_t *q)
{
    return mask_bit(bounds, q, 0) | mask_bit(bounds, q, 1) | mask_bit(bounds, q, 2) | mask_bit(bounds, q, 3) |
           mask_bit(bounds, q, 4) | mask_bit(bounds, q, 5) | mask_bit(bounds, q, 6) | mask_bit(bounds, q, 7);
}

int gm_kernel_mask_s8(const struct gm_session *session, const void *instruction)
{
    const gm_insn_mask_s8 *insn = instruction;
    const int8_t *q = gm_i8(session, insn->q);
    uint8_t *mask = gm_u8_out(session, insn->mask);
    const mask_bounds bounds = bounds_of(insn);
    uint32_t done = gm_arm_mask_eights(q, mask, insn->n / 8, insn->low, insn->high), left = insn->n - 8 * done,
             bits = 0;
    q += 8 * done, mask += done;
    for (; left >= 8; left -= 8, q += 8) {
        *mask++ = (uint8_t)mask_eight(bounds, q);
    }
    for (uint32_t i = 0; i < left; i++) {
        bits |= mask_bit(bounds, q, i);
    }
    if (left > 0) {
        *mask = (uint8_t)bits;
    }
    return GM_OK;
}

#endif
