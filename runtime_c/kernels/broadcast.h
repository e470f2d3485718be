/* Elementwise operations on two operands, broadcast by strides of 0. */
#ifndef GM_BROADCAST_H
#define GM_BROADCAST_H

#include "../src/gm_internal.h"
#include "arch/arch.h"

/* Defines gm_kernel_<name>, which walks the contiguous y (d0, d1, d2, d3) in rows of d3 elements;
 * <name>_row makes each row. y may be a or b. */
#define GM_BROADCAST_WALK(name)                                                               \
    int gm_kernel_##name(const struct gm_session *session, const void *instruction)           \
    {                                                                                         \
        const gm_insn_##name *insn = instruction;                                             \
        const float *a = gm_f32(session, insn->a);                                            \
        const float *b = gm_f32(session, insn->b);                                            \
        float *y = gm_f32_out(session, insn->y);                                              \
        for (uint32_t i0 = 0; i0 < insn->d0; i0++) {                                          \
            for (uint32_t i1 = 0; i1 < insn->d1; i1++) {                                      \
                for (uint32_t i2 = 0; i2 < insn->d2; i2++) {                                  \
                    name##_row(a + (i0 * insn->a0 + i1 * insn->a1 + i2 * insn->a2),           \
                               b + (i0 * insn->b0 + i1 * insn->b1 + i2 * insn->b2), y, insn); \
                    y += insn->d3;                                                            \
                }                                                                             \
            }                                                                                 \
        }                                                                                     \
        return GM_OK;                                                                         \
    }

/* y[i] = a[i] OP b[i] for contiguous rows. */
#if GM_ARCH_ELEMENTS
#define GM_EACH_ELEMENT(name, OP, a, b, y, n) gm_##name##_row(a, b, y, n);
void gm_add_row(const float *a, const float *b, float *y, uint32_t n);
void gm_sub_row(const float *a, const float *b, float *y, uint32_t n);
void gm_mul_row(const float *a, const float *b, float *y, uint32_t n);
void gm_div_row(const float *a, const float *b, float *y, uint32_t n);
#else
#define GM_EACH_ELEMENT(name, OP, a, b, y, n) \
    for (uint32_t i = 0; i < n; i++) {        \
        y[i] = a[i] OP b[i];                  \
    }
#endif

/* Defines gm_kernel_<name>: y = a OP b. The strides that compilers vectorize have
 * loops of their own. */
#define GM_BROADCAST_KERNEL(name, OP)                                                            \
    static void name##_row(const float *a, const float *b, float *y, const gm_insn_##name *insn) \
    {                                                                                            \
        uint32_t n = insn->d3, a_stride = insn->a3, b_stride = insn->b3;                         \
        if (a_stride == 1 && b_stride == 1) {                                                    \
            GM_EACH_ELEMENT(name, OP, a, b, y, n)                                                \
        } else if (a_stride == 1 && b_stride == 0) {                                             \
            float scalar = b[0];                                                                 \
            for (uint32_t i = 0; i < n; i++) {                                                   \
                y[i] = a[i] OP scalar;                                                           \
            }                                                                                    \
        } else {                                                                                 \
            for (uint32_t i = 0; i < n; i++) {                                                   \
                y[i] = a[i * a_stride] OP b[i * b_stride];                                       \
            }                                                                                    \
        }                                                                                        \
    }                                                                                            \
                                                                                                 \
    GM_BROADCAST_WALK(name)

/* Defines gm_kernel_<name>: y = the expression in the floats a and b. */
#define GM_BROADCAST_EXPRESSION_KERNEL(name, ...)                                                        \
    static void name##_row(const float *a_row, const float *b_row, float *y, const gm_insn_##name *insn) \
    {                                                                                                    \
        for (uint32_t i = 0; i < insn->d3; i++) {                                                        \
            float a = a_row[i * insn->a3], b = b_row[i * insn->b3];                                      \
            y[i] = (__VA_ARGS__);                                                                        \
        }                                                                                                \
    }                                                                                                    \
                                                                                                         \
    GM_BROADCAST_WALK(name)

#endif
