/*
 * ADD_S16: y 2^exponent = scale (a + b) if low < q < high and the bit of mask is 1, else 0,
 *   rounded; a and b are read with their exponents, and the result's exponent is the least that
 *   keeps the largest value within the limit.
 */
#include "../generated/instructions/add_s16.h"
#include "add_s16.h"
#include "arch/simd/s8.h"

#if GM_WITH_ADD_S16

/* Scans all values, and writes them to y unless it is NULL. y may be a or b. */
static void make_sum(const gm_insn_add_s16 *insn, const gm_sum_s16 *x, gm_gradient_s16 *made, int16_t *y)
{
#if GM_ARCH_SIMD_S8
    if (gm_simd_add_s16(insn, x, made, y)) {
        return;
    }
#endif
#if GM_ARCH_ADD_S16
    if (gm_arm_add_s16(insn, x, made, y)) {
        return;
    }
#endif
    uint32_t i = 0;
    for (uint32_t i0 = 0; i0 < insn->d0; i0++) {
        for (uint32_t i1 = 0; i1 < insn->d1; i1++) {
            for (uint32_t i2 = 0; i2 < insn->d2; i2++) {
                uint32_t a = i0 * insn->a0 + i1 * insn->a1 + i2 * insn->a2;
                uint32_t b = i0 * insn->b0 + i1 * insn->b1 + i2 * insn->b2;
                uint32_t s = i0 * insn->s0 + i1 * insn->s1 + i2 * insn->s2;
                for (uint32_t i3 = 0; i3 < insn->d3; i3++, i++) {
                    gm_make(made, y, i, gm_sum_s16_at(x, a + i3 * insn->a3, b + i3 * insn->b3, s + i3 * insn->s3, i));
                }
            }
        }
    }
}

int gm_kernel_add_s16(const struct gm_session *session, const void *instruction)
{
    const gm_insn_add_s16 *insn = instruction;
    int has_b = insn->b != GM_NONE && insn->b_exponent != GM_NONE;
    const gm_sum_s16 x = {
        .a = gm_i16(session, insn->a),
        .b = has_b ? gm_i16(session, insn->b) : NULL,
        .scale = gm_f32_optional(session, insn->scale),
        .a_unit = gm_power_of_two(gm_exponent_of(session, insn->a_exponent).exponent),
        .b_unit = has_b ? gm_power_of_two(gm_exponent_of(session, insn->b_exponent).exponent) : 0.0f,
        .mask = GM_CLAMP_MASK(session, insn),
    };
    gm_gradient_s16 made = {0};
    make_sum(insn, &x, &made, NULL);
    uint32_t largest = made.largest;
    int32_t exponent = gm_choose_exponent(&made, gm_magnitude_of(largest), 0, insn->limit);
    made.largest = largest;
    make_sum(insn, &x, &made, gm_i16_out(session, insn->y));
    gm_write_exponent(session, insn->exponent, exponent, &made);
    return GM_OK;
}

#endif
