/* The functions with vectors that plain kernels call: <op>.c here is the form of ../../<op>.c, and
 * blocks/ has what several share. vector.h is not included, as the header of x86-64's vectors is
 * long. */
#ifndef GM_SIMD_H
#define GM_SIMD_H

#include "../arch.h"
#include "../../../src/gm_internal.h"

#if GM_ARCH_TILES

struct gm_adam_factors;
struct gm_adam_ort_factors;
struct gm_momentum_factors;
struct gm_gemm_strides;

/* Whether this processor has the instructions that the kernels here were compiled with. In builds
 * of zig the builtins say no to everything; with GM_ASK_CPU the processor itself is asked. */
#if defined(__x86_64__) && defined(GM_ASK_CPU)
int gm_simd_runs(void);
#else
static inline int gm_simd_runs(void)
{
#if !defined(__x86_64__)
    return 1;
#elif GM_FUSED
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return __builtin_cpu_supports("avx2");
#endif
}
#endif

/* Does the same as gm_gemm_matrix() of gemm_tile.h. */
void gm_simd_gemm(const float *a, const float *b, float *y, uint32_t m, uint32_t n, uint32_t y_row,
                  const struct gm_gemm_strides *s);

/* CONV and CONV_TRANSPOSE. Return 1 where they are done, 0 where they are left to plain C. */
int gm_simd_conv(const struct gm_session *session, const gm_insn_conv *insn);
int gm_simd_conv_transpose(const struct gm_session *session, const gm_insn_conv_transpose *insn);

/* GEMM_UPDATE with the arguments of its rule. Returns 1 where it is done. */
int gm_simd_gemm_update(const gm_insn_gemm_update *insn, const float *a, const float *b, gm_rule_args *args);

/* gm_sgd_step() and its like, of steps.h. Return how many of the n parameters are done. */
uint32_t gm_simd_sgd_step(const float *g, float *p, uint32_t n, float minus_lr, float scale);
uint32_t gm_simd_momentum_step(const struct gm_momentum_factors *factors, const float *g, float *p, float *v,
                               uint32_t n);
uint32_t gm_simd_adam_step(const struct gm_adam_factors *factors, const float *g, float *p, float *m, float *v,
                           uint32_t n);
uint32_t gm_simd_adam_ort_step(const struct gm_adam_ort_factors *factors, const float *g, float *p, float *m, float *v,
                               uint32_t n);

/* For CHECK_FINITE and CHECK_BOUND: returns how many of the first numbers are known to have a
 * square below `square`. */
uint32_t gm_simd_count_below(const float *x, uint32_t n, float square);

/* REDUCE_SUM. The first returns how many outputs of the row along k3 are done, the second 1 where
 * all along k2 and k3 are. */
uint32_t gm_simd_reduce_row(const float *x, float *y, const gm_insn_reduce_sum *insn);
int gm_simd_reduce_plane(const float *x, float *y, const gm_insn_reduce_sum *insn);

/* MAX_POOL, whose index may be NULL, and MAX_POOL_INDEX_GRAD. Return 1 where they are done. */
int gm_simd_max_pool(const gm_insn_max_pool *insn, const float *x, float *y, uint8_t *index, uint32_t no_tap);
int gm_simd_max_pool_index_grad(const gm_insn_max_pool_index_grad *insn, const uint8_t *index, const float *dy,
                                float *dx);

#endif
#endif
