/* The vector functions that plain kernels call: <op>.c here is the form of ../../<op>.c,
 * and blocks/ has what several share. vector.h is not included, since the header of
 * x86-64's vectors is long. */
#ifndef GM_SIMD_H
#define GM_SIMD_H

#include "../arch.h"
#include "../../../src/gm_internal.h"

#if GM_ARCH_TILES

struct gm_adam_factors;
struct gm_adam_ort_factors;
struct gm_momentum_factors;
struct gm_gemm_strides;

/* Most kernels include this file: a change to one of these must not recompile them all. */
struct gm_insn_average_pool;
struct gm_insn_average_pool_grad;
struct gm_insn_conv;
struct gm_insn_conv_transpose;
struct gm_insn_gemm_update;
struct gm_insn_lstm_cells;
struct gm_insn_lstm_cells_grad;
struct gm_insn_max_pool;
struct gm_insn_max_pool_index_grad;
struct gm_insn_reduce_sum;
struct gm_insn_standardize;
struct gm_insn_standardize_grad;

/* Whether this processor has the instructions that the kernels here were compiled
 * with. In zig builds the builtins always say no; with GM_ASK_CPU the code asks the
 * processor itself (width.h). */
#if defined(__x86_64__) && defined(GM_ASK_CPU)
int gm_simd_runs(void);
int gm_simd_runs_512(void);
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

/* Whether it supports avx512.h, too. */
static inline int gm_simd_runs_512(void)
{
#if GM_ARCH_AVX512
    return gm_simd_runs() && __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx512f");
#else
    return 0;
#endif
}
#endif

/* Does the same as gm_gemm_matrix() of gemm_tile.h. */
void gm_simd_gemm(const float *a, const float *b, float *y, uint32_t m, uint32_t n, uint32_t y_row,
                  const struct gm_gemm_strides *s);

#if GM_ARCH_OUTER_PRODUCT
/* y[i,j] = start + a[i a_row] b[j] for m rows of n; start: either zero. Returns 1
 * if it did the work. */
typedef struct gm_outer_product {
    uint32_t a_row, m, n;
    float start;
} gm_outer_product;
int gm_simd_outer_product(const gm_outer_product *product, const float *a, const float *b, float *y);
#endif

/* CONV and CONV_TRANSPOSE. Return 1 if they did the work, 0 to leave it to plain C. */
int gm_simd_conv(const struct gm_session *session, const struct gm_insn_conv *insn);
int gm_simd_conv_transpose(const struct gm_session *session, const struct gm_insn_conv_transpose *insn);

/* GEMM_UPDATE with the arguments of its rule. Returns 1 if it did the work. */
int gm_simd_gemm_update(const struct gm_insn_gemm_update *insn, const float *a, const float *b, gm_rule_args *args);

/* gm_sgd_step() and the like, of steps.h. Return how many of the n parameters are done. */
uint32_t gm_simd_sgd_step(const float *g, float *p, uint32_t n, float minus_lr, float scale);
uint32_t gm_simd_momentum_step(const struct gm_momentum_factors *factors, const float *g, float *p, float *v,
                               uint32_t n);
uint32_t gm_simd_adam_step(const struct gm_adam_factors *factors, const float *g, float *p, float *m, float *v,
                           uint32_t n);
uint32_t gm_simd_adam_ort_step(const struct gm_adam_ort_factors *factors, const float *g, float *p, float *m, float *v,
                               uint32_t n);

/* For CHECK_FINITE and CHECK_BOUND: returns how many leading values are known to have a
 * square below `square`. */
uint32_t gm_simd_count_below(const float *x, uint32_t n, float square);

/* REDUCE_SUM. The first returns how many outputs of the row along k3 are done, the second 1 if all
 * along k2 and k3 are. */
uint32_t gm_simd_reduce_row(const float *x, float *y, const struct gm_insn_reduce_sum *insn);
int gm_simd_reduce_plane(const float *x, float *y, const struct gm_insn_reduce_sum *insn);

/* MAX_POOL, whose index may be NULL, and MAX_POOL_INDEX_GRAD. Return 1 if they did the work. */
int gm_simd_max_pool(const struct gm_insn_max_pool *insn, const float *x, float *y, uint8_t *index, uint32_t no_tap);
int gm_simd_max_pool_index_grad(const struct gm_insn_max_pool_index_grad *insn, const uint8_t *index, const float *dy,
                                float *dx);

#endif

#if GM_ARCH_FUNCTIONS

/* y[i] = the function of x[i]; y may be x. The parameter: exp takes x - parameter, swish its alpha;
 * others none. Returns 1 if it did the work. */
typedef enum gm_simd_function {
    GM_SIMD_EXP,
    GM_SIMD_SIGMOID,
    GM_SIMD_SWISH,
    GM_SIMD_TANH,
    GM_SIMD_GELU,
    GM_SIMD_GELU_TANH
} gm_simd_function;
int gm_simd_function_row(gm_simd_function function, const float *x, float parameter, float *y, uint32_t n);

/* SOFTMAX and SOFTMAX_GRAD for rows of n contiguous elements. Return 1 if they did the work. */
int gm_simd_softmax(const float *x, float *y, uint32_t rows, uint32_t n);
int gm_simd_softmax_grad(const float *dy, const float *y, float *dx, uint32_t rows, uint32_t n);

/* One output of AVERAGE_POOL, and one window of AVERAGE_POOL_GRAD that covers an input: y = sum of
 * x / count, and dx += dy / count, for adjacent channels. x: of the sample; y, dx and dy: at the
 * pixel. Return how many channels are done. */
uint32_t gm_simd_average(const struct gm_insn_average_pool *insn, const float *x, uint32_t row, uint32_t column,
                         float count, float *y);
uint32_t gm_simd_average_grad(const struct gm_insn_average_pool_grad *insn, const float *dy, float count, float *dx);

/* STANDARDIZE and STANDARDIZE_GRAD, with their operands; statistics may be NULL. Return 1 if
 * they did the work. */
typedef struct gm_standardized {
    const float *x;
    float *y, *inv_std, *mean, *var;
} gm_standardized;
typedef struct gm_standardized_grad {
    const float *dy, *y, *inv_std;
    float *dx;
} gm_standardized_grad;
int gm_simd_standardize(const struct gm_insn_standardize *insn, const gm_standardized *to);
int gm_simd_standardize_grad(const struct gm_insn_standardize_grad *insn, const gm_standardized_grad *to);

/* Transposes w (n, hidden) into a panel of `room` floats. Returns the stride of the panel in
 * elements, or 0 if w does not fit. */
uint32_t gm_simd_transpose(float *panel, uint32_t room, const float *w, uint32_t n, uint32_t hidden);

/* One row of LSTM_CELLS, with the previous cells in `before`; gates: the sums, which become the
 * gates. p may be NULL. Returns 1 if it did the work. */
int gm_simd_lstm_row(const struct gm_insn_lstm_cells *insn, const float *p, float *gates, const float *before, float *c,
                     float *h);

/* One row of LSTM_CELLS_GRAD: dz from dh and dc, which become those of the previous step, except
 * for what comes through the gates. Returns 1 if it did the work. */
struct gm_lstm_row;
int gm_simd_lstm_row_grad(const struct gm_insn_lstm_cells_grad *insn, const struct gm_lstm_row *row, float *dh,
                          float *dc, float *dz);

/* A part of one row of GRU_CELLS_GRAD, a gm_gru_part. Returns 1 if it did the work. */
struct gm_gru_row;
int gm_simd_gru_row_grad(const struct gm_gru_row *row, int part);

#endif
#endif
