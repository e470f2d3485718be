/* Elementwise kernels, one mathematical expression each. */
#ifndef GM_ELEMENTWISE_H
#define GM_ELEMENTWISE_H

#include "../src/gm_internal.h"
#include "../src/numerics.h"
#include "arch/simd/simd.h"

/* Defines gm_kernel_<name>: y[i] is the expression in x and `insn`, the instruction with its
 * parameters. The kernel copies the instruction, so that the compiler need not assume that
 * stores to y change it. */
#define GM_MAP_KERNEL(name, ...)                                                    \
    int gm_kernel_##name(const struct gm_session *session, const void *instruction) \
    {                                                                               \
        const gm_insn_##name insn = *(const gm_insn_##name *)instruction;           \
        const float *inputs = gm_f32(session, insn.x);                              \
        float *outputs = gm_f32_out(session, insn.y);                               \
        for (uint32_t i = 0; i < insn.n; i++) {                                     \
            float x = inputs[i];                                                    \
            outputs[i] = (__VA_ARGS__);                                             \
        }                                                                           \
        return GM_OK;                                                               \
    }

/* The same for a function that arch/simd has in vectors: its number, and its parameter. */
#if GM_ARCH_FUNCTIONS
#define GM_MAP_FUNCTION_KERNEL(name, function, parameter, ...)                                           \
    int gm_kernel_##name(const struct gm_session *session, const void *instruction)                      \
    {                                                                                                    \
        const gm_insn_##name insn = *(const gm_insn_##name *)instruction;                                \
        const float *inputs = gm_f32(session, insn.x);                                                   \
        float *outputs = gm_f32_out(session, insn.y);                                                    \
        uint32_t done = gm_simd_function_row(function, inputs, parameter, outputs, insn.n) ? insn.n : 0; \
        for (uint32_t i = done; i < insn.n; i++) {                                                       \
            float x = inputs[i];                                                                         \
            outputs[i] = (__VA_ARGS__);                                                                  \
        }                                                                                                \
        return GM_OK;                                                                                    \
    }
#else
#define GM_MAP_FUNCTION_KERNEL(name, function, parameter, ...) GM_MAP_KERNEL(name, __VA_ARGS__)
#endif

/* The same for dx[i], an expression in dy, in the forward instruction's input or output `saved` (x
 * or y), and in insn. */
#define GM_MAP_GRAD_KERNEL(name, saved, ...)                                        \
    int gm_kernel_##name(const struct gm_session *session, const void *instruction) \
    {                                                                               \
        const gm_insn_##name insn = *(const gm_insn_##name *)instruction;           \
        const float *gradients = gm_f32(session, insn.dy);                          \
        const float *inputs = gm_f32(session, insn.saved);                          \
        float *outputs = gm_f32_out(session, insn.dx);                              \
        for (uint32_t i = 0; i < insn.n; i++) {                                     \
            float dy = gradients[i], saved = inputs[i];                             \
            outputs[i] = (__VA_ARGS__);                                             \
        }                                                                           \
        return GM_OK;                                                               \
    }

#endif
