/*
 * FLOAT_TO_BF16: y = the bits of the bfloat16 nearest to x, ties to even.
 * BF16_TO_FLOAT: y = the float32 whose upper 16 bits are x; the lower 16 bits are 0.
 *
 * Both use integer arithmetic only, so every processor makes the same bits, for subnormals too.
 */
#include "../generated/instructions/bf16_to_float.h"
#include "../generated/instructions/float_to_bf16.h"
#include "../src/gm_internal.h"
#include "../src/numerics.h"

#if GM_WITH_FLOAT_TO_BF16

/* A carry out of the fraction goes into the exponent, as rounding requires. */
static uint16_t nearest_bfloat16(uint32_t bits)
{
    uint32_t rounded = (bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16;
    return (uint16_t)((bits & 0x7FFFFFFFu) > 0x7F800000u ? 0x7FC0u : rounded);
}

int gm_kernel_float_to_bf16(const struct gm_session *session, const void *instruction)
{
    const gm_insn_float_to_bf16 *insn = instruction;
    const float *x = gm_f32(session, insn->x);
    uint16_t *y = (uint16_t *)gm_i16_out(session, insn->y);
    for (uint32_t i = 0, n = insn->n; i < n; i++) {
        y[i] = nearest_bfloat16(gm_bits_of(x[i]));
    }
    return GM_OK;
}

#endif

#if GM_WITH_BF16_TO_FLOAT

int gm_kernel_bf16_to_float(const struct gm_session *session, const void *instruction)
{
    const gm_insn_bf16_to_float *insn = instruction;
    const uint16_t *x = (const uint16_t *)gm_i16(session, insn->x);
    float *y = gm_f32_out(session, insn->y);
    for (uint32_t i = 0, n = insn->n; i < n; i++) {
        y[i] = gm_float_of((uint32_t)x[i] << 16);
    }
    return GM_OK;
}

#endif
