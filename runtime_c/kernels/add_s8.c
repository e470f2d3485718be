/*
 * ADD_S8: y = round(((a - a_zero) a_scale + (b - b_zero) b_scale) / y_scale) + y_zero,
 *   clamped to low .. high.
 * MUL_S8: the same with a product instead of the sum.
 */
#include "../generated/instructions/add_s8.h"
#include "../generated/instructions/mul_s8.h"
#include "quantized.h"

#if GM_WITH_ADD_S8 || GM_WITH_MUL_S8

/* The affine scaling of an int8: real value = (x - zero) scale. */
typedef struct int8_scaling {
    int32_t zero;
    float scale;
} int8_scaling;

static inline float real_number(int8_t x, const int8_scaling *r)
{
    return (float)(x - r->zero) * r->scale;
}

/* Defines gm_kernel_<name>, which walks the contiguous y (d0, d1, d2, d3) in rows of d3
 * elements. y may be a or b. */
#define BINARY_S8_KERNEL(name, OP)                                                                                  \
    static void name##_row(const gm_insn_##name *insn, const int8_t *a, const int8_t *b, int8_t *y)                 \
    {                                                                                                               \
        const int8_scaling of_a = {gm_nearest_int8(insn->a_zero), insn->a_scale};                                   \
        const int8_scaling of_b = {gm_nearest_int8(insn->b_zero), insn->b_scale};                                   \
        const gm_output_range range = GM_RANGE(insn);                                                               \
        uint32_t a_stride = insn->a3, b_stride = insn->b3;                                                          \
        float scale = insn->y_scale;                                                                                \
        for (uint32_t i = 0, n = insn->d3; i < n; i++) {                                                            \
            y[i] = gm_to_int8((real_number(a[i * a_stride], &of_a) OP real_number(b[i * b_stride], &of_b)) / scale, \
                              &range);                                                                              \
        }                                                                                                           \
    }                                                                                                               \
                                                                                                                    \
    int gm_kernel_##name(const struct gm_session *session, const void *instruction)                                 \
    {                                                                                                               \
        const gm_insn_##name *insn = instruction;                                                                   \
        const int8_t *a = gm_i8(session, insn->a);                                                                  \
        const int8_t *b = gm_i8(session, insn->b);                                                                  \
        int8_t *y = gm_i8_out(session, insn->y);                                                                    \
        for (uint32_t i0 = 0; i0 < insn->d0; i0++) {                                                                \
            for (uint32_t i1 = 0; i1 < insn->d1; i1++) {                                                            \
                for (uint32_t i2 = 0; i2 < insn->d2; i2++) {                                                        \
                    name##_row(insn, a + (i0 * insn->a0 + i1 * insn->a1 + i2 * insn->a2),                           \
                               b + (i0 * insn->b0 + i1 * insn->b1 + i2 * insn->b2), y);                             \
                    y += insn->d3;                                                                                  \
                }                                                                                                   \
            }                                                                                                       \
        }                                                                                                           \
        return GM_OK;                                                                                               \
    }

#endif

#if GM_WITH_ADD_S8
BINARY_S8_KERNEL(add_s8, +)
#endif

#if GM_WITH_MUL_S8
BINARY_S8_KERNEL(mul_s8, *)
#endif
