/* The kernels of int8 and int16 with vectors; the plain kernels call them. */
#ifndef GM_SIMD_S8_H
#define GM_SIMD_S8_H

#include "../../../generated/instructions/add_s16.h"
#include "../../../generated/instructions/conv_s8.h"
#include "../../../generated/instructions/sum_s16.h"
#include "../arch.h"
#include "../../conv_gradient_s16.h"
#include "../../optimizers/stored_update.h"
#include "../../quantized.h"

#if GM_ARCH_SIMD_S8

struct gm_grad_x_s16;
struct gm_sum_s16;

#define GM_SUMS_AT_ONCE (4u * 8u)

/* Returns 1 if it did the work, 0 to leave it to plain C. */
int gm_simd_conv_s8(const struct gm_session *session, const gm_insn_conv_s8 *insn);

/* Scans all values of dx, and writes them unless dx is NULL. Returns 1 if it did the work. */
int gm_simd_conv_grad_x_s16(const struct gm_session *session, const struct gm_grad_x_s16 *x, gm_gradient_s16 *made,
                            int16_t *dx);

/* Stores q - step in some elements from index `first` on; a step is rate times step[i]. Returns how
 * many; the caller does the rest. */
uint32_t gm_simd_take_steps(const gm_stored_update *u, const float *step, float rate, uint32_t first, uint32_t n);

/* Scans all sums, and writes them to y unless it is NULL. Returns 1 if it did the work. */
int gm_simd_add_s16(const gm_insn_add_s16 *insn, const struct gm_sum_s16 *x, gm_gradient_s16 *made, int16_t *y);

/* Sums x over outer and inner for some channels from the first on, at most GM_SUMS_AT_ONCE,
 * and returns how many. */
uint32_t gm_simd_sum_channels(const gm_insn_sum_s16 *insn, const int16_t *x, uint32_t channels, int64_t *sums);

/* CONV_GRAD_W_S16, or CONV_UPDATE_S16, which consumes its gradients. */
typedef struct gm_simd_gradient {
    gm_conv_gradient_s8 gradient;
    uint32_t groups, out_channels, accumulate;
    const int8_t *x;
    const int16_t *dy;
    const float *factor, *units; /* units: NULL without an update */
    float unit;                  /* of dy */
    float *y;                    /* NULL with an update */
    const gm_stored_update *update;
} gm_simd_gradient;

/* Initializes the members that both instructions have as operands and parameters. */
#define GM_SIMD_GRADIENT(session, insn)                                                   \
    {                                                                                     \
        .gradient = GM_CONV_GRADIENT_S8(insn),                                            \
        .groups = (insn)->groups,                                                         \
        .out_channels = (insn)->out_channels,                                             \
        .x = gm_i8((session), (insn)->x),                                                 \
        .dy = gm_i16((session), (insn)->dy),                                              \
        .factor = gm_f32((session), (insn)->factor),                                      \
        .unit = gm_power_of_two(gm_exponent_of((session), (insn)->dy_exponent).exponent), \
    }

/* Turns sums into the gradients of n contiguous weights of an output channel, counted over all
 * groups. n is at most the number of a kernel's taps or columns. Sums are integers below 2^53 in
 * float64, which vectors convert to float32; they round as int64 does. */
void gm_simd_finish_gradient(const gm_simd_gradient *of, uint32_t channel, uint32_t first, const double *sums,
                             uint32_t n);

/* A product of dy and x is below 2^23, so the sum over fewer pixels is below 2^53. */
#define GM_PIXELS_OF_GRADIENT (1u << 29)

/* Return 1 if they did the work. The second is for one input and one output
 * channel in each group. */
int gm_simd_conv_gradient_s16(const gm_simd_gradient *of);
int gm_simd_depthwise_gradient_s16(const gm_simd_gradient *of);

#endif
#endif
