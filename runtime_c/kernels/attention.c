/*
 * ATTENTION: y = p v with p = softmax(scale q k^T + attn_mask), for each sample and head.
 * ATTENTION_GRAD: dv = p^T dy, dp = dy v^T, ds = scale p (dp - sum of dp p), dq =
 *   ds k, dk = ds^T q.
 *
 * Both process one block of queries of one head at a time. The kernels of matrix products, Softmax
 * and elementwise instructions compute a block, in the order in which they would compute all scores
 * at once. dk and dv are sums over queries, and blocks come in ascending order. So the result is
 * bitwise equal to that of the unblocked computation.
 */
#include "../generated/instructions/add.h"
#include "../generated/instructions/attention.h"
#include "../generated/instructions/attention_grad.h"
#include "../generated/instructions/div.h"
#include "../generated/instructions/mul.h"
#include "../generated/instructions/select.h"
#include "../generated/instructions/softmax.h"
#include "../generated/instructions/softmax_grad.h"
#include "gemm_tile.h"
#include "rows.h"

#if GM_WITH_ATTENTION || GM_WITH_ATTENTION_GRAD

/* The inputs and the location of a block of scores (rows, keys). The uint32_t members up to p are
 * operands, as in an instruction. */
typedef struct scores_block {
    const float *q, *k;
    uint32_t scale, attn_mask, fill, p;
    uint32_t rows, keys, depth, divides;
    uint32_t q_row, k_row, k_col, mask_row;
} scores_block;

/* y (m, n) = the empty sum; rows of y are y_row elements apart. */
static void start_product(float *y, uint32_t m, uint32_t n, uint32_t y_row)
{
    for (uint32_t row = 0; row < m; row++) {
        gm_start_row(y + row * y_row, NULL, n);
    }
}

/* y (m, n) = a b */
static void multiply_block(const float *a, const float *b, float *y, uint32_t m, uint32_t n, uint32_t y_row,
                           const gm_gemm_strides *strides)
{
    start_product(y, m, n, y_row);
    gm_gemm_matrix(a, b, y, m, n, y_row, strides);
}

/* x (rows, keys) = scale x, or x / scale */
static void scale_scores(const gm_session *session, const scores_block *block, uint32_t x)
{
    const uint32_t n = block->rows * block->keys, by = block->scale;
    const gm_insn_mul mul = {.a = x, .b = by, .y = x, .d0 = 1, .d1 = 1, .d2 = 1, .d3 = n, .a3 = 1};
    const gm_insn_div div = {.a = x, .b = by, .y = x, .d0 = 1, .d1 = 1, .d2 = 1, .d3 = n, .a3 = 1};
    if (by != GM_NONE) {
        (void)(block->divides ? gm_kernel_div(session, &div) : gm_kernel_mul(session, &mul));
    }
}

/* x (rows, keys) += attn_mask */
static void add_mask(const gm_session *session, const scores_block *block, uint32_t x)
{
    const gm_insn_add add = {
        .a = x,
        .b = block->attn_mask,
        .y = x,
        .d0 = 1,
        .d1 = 1,
        .d2 = block->rows,
        .d3 = block->keys,
        .a2 = block->keys,
        .a3 = 1,
        .b2 = block->mask_row,
        .b3 = 1,
    };
    (void)gm_kernel_add(session, &add);
}

/* x (rows, keys) = filling wherever attn_mask is nonzero */
static void fill_masked(const gm_session *session, const scores_block *block, uint32_t x, uint32_t filling)
{
    const gm_insn_select select = {
        .c = block->attn_mask,
        .a = filling,
        .b = x,
        .y = x,
        .d0 = 1,
        .d1 = 1,
        .d2 = block->rows,
        .d3 = block->keys,
        .c2 = block->mask_row,
        .c3 = 1,
        .b2 = block->keys,
        .b3 = 1,
    };
    (void)gm_kernel_select(session, &select);
}

/* p (rows, keys) = softmax(scale q k^T + attn_mask) */
static void find_probabilities(const gm_session *session, const scores_block *block)
{
    const uint32_t p = block->p, rows = block->rows, keys = block->keys;
    const gm_insn_softmax softmax = {.x = p, .y = p, .outer = rows, .classes = keys, .inner = 1};
    const gm_gemm_strides strides = {block->q_row, 1, block->k_col, block->k_row, block->depth};
    multiply_block(block->q, block->k, gm_f32_out(session, p), rows, keys, keys, &strides);
    scale_scores(session, block, p);
    if (block->attn_mask != GM_NONE && block->fill != GM_NONE) {
        fill_masked(session, block, p, block->fill);
    } else if (block->attn_mask != GM_NONE) {
        add_mask(session, block, p);
    }
    (void)gm_kernel_softmax(session, &softmax);
}

/* Advances an operand by that many elements; an absent operand stays absent. */
static uint32_t further(uint32_t operand, uint32_t elements)
{
    return operand == GM_NONE ? GM_NONE : operand + 4 * elements;
}

/* The number of queries in the block that begins at query `first`. */
static uint32_t rows_from(uint32_t first, uint32_t queries, uint32_t rows)
{
    return queries - first < rows ? queries - first : rows;
}

/* The inputs of p for the block that begins at query `first` of head j of sample i. insn:
 * either instruction. */
#define SCORES_FROM(session, insn, i, j, first)                                                                 \
    {                                                                                                           \
        .q = gm_f32((session), (insn)->q) + (i) * (insn)->q0 + (j) * (insn)->q1 + (first) * (insn)->q_row,      \
        .k = gm_f32((session), (insn)->k) + (i) * (insn)->k0 + (j) * (insn)->k1,                                \
        .scale = (insn)->scale,                                                                                 \
        .attn_mask =                                                                                            \
            further((insn)->attn_mask, (i) * (insn)->mask0 + (j) * (insn)->mask1 + (first) * (insn)->mask_row), \
        .fill = (insn)->fill,                                                                                   \
        .p = (insn)->block,                                                                                     \
        .rows = rows_from((first), (insn)->queries, (insn)->rows),                                              \
        .keys = (insn)->keys,                                                                                   \
        .depth = (insn)->depth,                                                                                 \
        .divides = (insn)->divides,                                                                             \
        .q_row = (insn)->q_row,                                                                                 \
        .k_row = (insn)->k_row,                                                                                 \
        .k_col = (insn)->k_col,                                                                                 \
        .mask_row = (insn)->mask_row,                                                                           \
    }

#endif

#if GM_WITH_ATTENTION

/* y of all queries of head j of sample i, block by block. */
static void attend(const gm_session *session, const gm_insn_attention *insn, uint32_t i, uint32_t j)
{
    const gm_gemm_strides strides = {insn->keys, 1, insn->v_row, 1, insn->keys};
    const float *v = gm_f32(session, insn->v) + i * insn->v0 + j * insn->v1;
    float *y = gm_f32_out(session, insn->y) + i * insn->y0 + j * insn->y1;
    for (uint32_t first = 0; first < insn->queries;) {
        const scores_block block = SCORES_FROM(session, insn, i, j, first);
        find_probabilities(session, &block);
        multiply_block(gm_f32(session, block.p), v, y + first * insn->y_row, block.rows, insn->depth, insn->y_row,
                       &strides);
        first += block.rows;
    }
}

int gm_kernel_attention(const struct gm_session *session, const void *instruction)
{
    const gm_insn_attention *insn = instruction;
    for (uint32_t i = 0; i < insn->samples; i++) {
        for (uint32_t j = 0; j < insn->heads; j++) {
            attend(session, insn, i, j);
        }
    }
    return GM_OK;
}

#endif

#if GM_WITH_ATTENTION_GRAD

/* The inputs of a block's gradients, and the gradients themselves, NULL for those that nobody
 * wants. dk, dk_columns and dv cover all keys. */
typedef struct gradients_of_block {
    const float *dy, *v;
    float *dq, *dk, *dk_columns, *dv;
} gradients_of_block;

/* dv += p^T dy */
static void add_to_values(const gm_session *session, const gm_insn_attention_grad *insn, const scores_block *block,
                          const gradients_of_block *of)
{
    const gm_gemm_strides strides = {1, block->keys, insn->dy_row, 1, block->rows};
    if (of->dv != NULL) {
        gm_gemm_matrix(gm_f32(session, block->p), of->dy, of->dv, block->keys, block->depth, insn->dv_row, &strides);
    }
}

/* ds (rows, keys) = scale p (dp - sum of dp p), with dp = dy v^T; 0 at masked scores */
static void find_score_gradients(const gm_session *session, const gm_insn_attention_grad *insn,
                                 const scores_block *block, const gradients_of_block *of, uint32_t ds)
{
    const gm_insn_softmax_grad softmax_grad = {
        .dy = ds, .y = block->p, .dx = ds, .outer = block->rows, .classes = block->keys, .inner = 1};
    const gm_gemm_strides strides = {insn->dy_row, 1, 1, insn->v_row, block->depth};
    multiply_block(of->dy, of->v, gm_f32_out(session, ds), block->rows, block->keys, block->keys, &strides);
    (void)gm_kernel_softmax_grad(session, &softmax_grad);
    if (block->attn_mask != GM_NONE && block->fill != GM_NONE) {
        fill_masked(session, block, ds, further(block->fill, 1));
    }
    scale_scores(session, block, ds);
}

/* dq = ds k, dk += ds^T q */
static void add_to_queries_and_keys(const gm_insn_attention_grad *insn, const scores_block *block,
                                    const gradients_of_block *of, const float *ds)
{
    const gm_gemm_strides along_keys = {block->keys, 1, block->k_row, block->k_col, block->keys};
    const gm_gemm_strides along_rows = {1, block->keys, block->q_row, 1, block->rows};
    const gm_gemm_strides by_columns = {1, block->q_row, block->keys, 1, block->rows};
    if (of->dq != NULL) {
        multiply_block(ds, block->k, of->dq, block->rows, block->depth, insn->dq_row, &along_keys);
    }
    if (of->dk != NULL) {
        gm_gemm_matrix(ds, block->q, of->dk, block->keys, block->depth, insn->dk_row, &along_rows);
    }
    if (of->dk_columns != NULL) {
        gm_gemm_matrix(block->q, ds, of->dk_columns, block->depth, block->keys, insn->dk_row, &by_columns);
    }
}

/* Clears dk and dv: their sums over queries begin. */
static void start_gradients(const gm_insn_attention_grad *insn, const gradients_of_block *of)
{
    if (of->dk != NULL) {
        start_product(of->dk, insn->keys, insn->depth, insn->dk_row);
    }
    if (of->dk_columns != NULL) {
        start_product(of->dk_columns, insn->depth, insn->keys, insn->dk_row);
    }
    if (of->dv != NULL) {
        start_product(of->dv, insn->keys, insn->depth, insn->dv_row);
    }
}

/* Returns a pointer to element `elements` of a gradient, or NULL. */
static float *gradient_at(const gm_session *session, uint32_t operand, uint32_t elements)
{
    return gm_f32_out_optional(session, further(operand, elements));
}

/* The gradients of the block that begins at query `first` of head j of sample i. */
static gradients_of_block gradients_from(const gm_session *session, const gm_insn_attention_grad *insn, uint32_t i,
                                         uint32_t j, uint32_t first)
{
    const uint32_t dk = i * insn->dk0 + j * insn->dk1;
    return (gradients_of_block){
        gm_f32(session, insn->dy) + i * insn->dy0 + j * insn->dy1 + first * insn->dy_row,
        gm_f32(session, insn->v) + i * insn->v0 + j * insn->v1,
        gradient_at(session, insn->dq, i * insn->dq0 + j * insn->dq1 + first * insn->dq_row),
        gradient_at(session, insn->dk, dk),
        gradient_at(session, insn->dk_columns, dk),
        gradient_at(session, insn->dv, i * insn->dv0 + j * insn->dv1),
    };
}

/* Computes a block's gradients, starting with p; the scores' gradients ds follow p in scratch. */
static void go_back(const gm_session *session, const gm_insn_attention_grad *insn, const scores_block *block,
                    const gradients_of_block *of)
{
    const uint32_t ds = further(insn->block, block->rows * block->keys);
    find_probabilities(session, block);
    add_to_values(session, insn, block, of);
    find_score_gradients(session, insn, block, of, ds);
    add_to_queries_and_keys(insn, block, of, gm_f32(session, ds));
}

/* All blocks of head j of sample i. */
static void go_back_over_head(const gm_session *session, const gm_insn_attention_grad *insn, uint32_t i, uint32_t j)
{
    for (uint32_t first = 0; first < insn->queries;) {
        const scores_block block = SCORES_FROM(session, insn, i, j, first);
        const gradients_of_block of = gradients_from(session, insn, i, j, first);
        if (first == 0) {
            start_gradients(insn, &of);
        }
        go_back(session, insn, &block, &of);
        first += block.rows;
    }
}

int gm_kernel_attention_grad(const struct gm_session *session, const void *instruction)
{
    const gm_insn_attention_grad *insn = instruction;
    for (uint32_t i = 0; i < insn->samples; i++) {
        for (uint32_t j = 0; j < insn->heads; j++) {
            go_back_over_head(session, insn, i, j);
        }
    }
    return GM_OK;
}

#endif
