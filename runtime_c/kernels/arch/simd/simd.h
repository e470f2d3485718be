/* What plain kernels ask of the ones with vectors. */
#ifndef GM_SIMD_H
#define GM_SIMD_H

#include "vector.h"

#if GM_ARCH_SIMD

struct gm_gemm_strides;
struct gm_window_sum;

/* gm_gemm_matrix() of gemm_tile.h. */
void gm_simd_gemm(const float *a, const float *b, float *y, uint32_t m, uint32_t n, uint32_t y_row,
                  const struct gm_gemm_strides *s);

/* CONV and CONV_TRANSPOSE: 1 where they are done, 0 where they are left to plain C. */
int gm_simd_conv(const struct gm_session *session, const gm_insn_conv *insn);
int gm_simd_conv_transpose(const struct gm_session *session, const gm_insn_conv_transpose *insn);

/* The same of sums with one input and one output a group. */
int gm_simd_depthwise(const struct gm_window_sum *sum);

/* CONV_GRAD_W, and CONV_UPDATE with what its rule needs: 1 where they are done. */
int gm_simd_conv_grad_w(const struct gm_session *session, const gm_insn_conv_grad_w *insn);
int gm_simd_conv_update(const struct gm_session *session, const gm_insn_conv_update *insn, gm_rule_args *args);

#endif
#endif
