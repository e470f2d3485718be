/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_OPCODES_H
#define GM_OPCODES_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

enum gm_opcode {
    GM_OP_GEMM = 1,
    GM_OP_GEMM_UPDATE = 2,
    GM_OP_UPDATE = 3,
    GM_OP_BIAS_CORRECTION = 4,
    GM_OP_SUM_SQUARES = 5,
    GM_OP_CLIP_SCALE = 6,
    GM_OP_CHECK_FINITE = 7,
    GM_OP_COPY = 8,
    GM_OP_REDUCE_SUM = 9,
    GM_OP_ADD = 10,
    GM_OP_SUB = 11,
    GM_OP_MUL = 12,
    GM_OP_DIV = 13,
    GM_OP_RELU = 14,
    GM_OP_RELU_GRAD = 15,
    GM_OP_LEAKY_RELU = 16,
    GM_OP_LEAKY_RELU_GRAD = 17,
    GM_OP_SIGMOID = 18,
    GM_OP_SIGMOID_GRAD = 19,
    GM_OP_TANH = 20,
    GM_OP_TANH_GRAD = 21,
    GM_OP_SOFTMAX = 22,
    GM_OP_SOFTMAX_GRAD = 23,
    GM_OP_LOG_SOFTMAX = 24,
    GM_OP_LOG_SOFTMAX_GRAD = 25,
    GM_OP_DROPOUT = 26,
    GM_OP_SOFTMAX_CROSS_ENTROPY = 27,
    GM_OP_SOFTMAX_CROSS_ENTROPY_GRAD = 28,
    GM_OP_MSE_LOSS = 29,
    GM_OP_MSE_LOSS_GRAD = 30,
    GM_OP_L1_LOSS = 31,
    GM_OP_L1_LOSS_GRAD = 32,
    GM_OP_BCE_WITH_LOGITS_LOSS = 33,
    GM_OP_BCE_WITH_LOGITS_LOSS_GRAD = 34,
    GM_OP_CONV = 35,
    GM_OP_CONV_TRANSPOSE = 36,
    GM_OP_CONV_GRAD_W = 37,
    GM_OP_CONV_UPDATE = 38,
    GM_OP_MAX_POOL = 39,
    GM_OP_MAX_POOL_GRAD = 40,
    GM_OP_AVERAGE_POOL = 41,
    GM_OP_AVERAGE_POOL_GRAD = 42,
    GM_OP_ABS = 43,
    GM_OP_ABS_GRAD = 44,
    GM_OP_EXP = 45,
    GM_OP_LOG = 46,
    GM_OP_SQRT = 47,
    GM_OP_CLAMP = 48,
    GM_OP_CLAMP_GRAD = 49,
    GM_OP_ELU = 50,
    GM_OP_ELU_GRAD = 51,
    GM_OP_HARD_SIGMOID = 52,
    GM_OP_HARD_SIGMOID_GRAD = 53,
    GM_OP_HARD_SWISH = 54,
    GM_OP_HARD_SWISH_GRAD = 55,
    GM_OP_SOFTPLUS = 56,
    GM_OP_SOFTPLUS_GRAD = 57,
    GM_OP_SOFTSIGN = 58,
    GM_OP_SOFTSIGN_GRAD = 59,
    GM_OP_MISH = 60,
    GM_OP_MISH_GRAD = 61,
    GM_OP_SWISH = 62,
    GM_OP_SWISH_GRAD = 63,
    GM_OP_GATHER = 64,
    GM_OP_SCATTER_ADD = 65,
    GM_OP_WEIGHTED_GATHER = 66,
    GM_OP_WEIGHTED_SCATTER_ADD = 67,
    GM_OP_CUMSUM = 68,
    GM_OP_REDUCE_MAX = 69,
    GM_OP_REDUCE_MIN = 70,
    GM_OP_REDUCE_EXTREMUM_GRAD = 71,
    GM_OP_GELU = 72,
    GM_OP_GELU_GRAD = 73,
    GM_OP_GELU_TANH = 74,
    GM_OP_GELU_TANH_GRAD = 75,
    GM_OP_ERF = 76,
    GM_OP_SIN = 77,
    GM_OP_COS = 78,
    GM_OP_MAX = 79,
    GM_OP_MIN = 80,
    GM_OP_HEAVISIDE = 81,
    GM_OP_PRELU = 82,
    GM_OP_PRELU_SLOPE = 83,
    GM_OP_SELECT = 84,
    GM_OP_GREATER = 85,
    GM_OP_GREATER_OR_EQUAL = 86,
    GM_OP_EQUAL = 87,
    GM_OP_POW = 88,
    GM_OP_STANDARDIZE = 89,
    GM_OP_STANDARDIZE_GRAD = 90,
    GM_OP_LSTM_CELLS = 91,
    GM_OP_LSTM_CELLS_GRAD = 92,
    GM_OP_GRU_CELLS = 93,
    GM_OP_GRU_CELLS_GRAD = 94,
    GM_OP_RNN_CELLS = 95,
    GM_OP_RNN_CELLS_GRAD = 96,
    GM_OP_REDUCE_PROD = 97,
    GM_OP_REDUCE_PROD_GRAD = 98,
    GM_OP_MATMUL = 99,
    GM_OP_MAX_POOL_INDEX_GRAD = 100,
    GM_OP_MASK = 101,
    GM_OP_MASK_GRAD = 102,
    GM_OP_MOMENTS = 103,
    GM_OP_NORMALIZE = 104,
    GM_OP_NORMALIZE_SUMS = 105,
    GM_OP_NORMALIZE_GRAD = 106,
    GM_OP_SOFTMAX_CROSS_ENTROPY_WITH_GRAD = 107,
    GM_OP_CHECK_BOUND = 108,
    GM_OP_ROUND = 109,
    GM_OP_SIGN = 110,
    GM_OP_FMOD = 111,
    GM_OP_ATAN = 112,
    GM_OP_LOG1P = 113,
    GM_OP_INT_TO_FLOAT = 114,
    GM_OP_FLOAT_TO_INT = 115,
    GM_OP_FLAT_INDEX = 116,
    GM_OP_SCATTER = 117,
    GM_OP_TOP_K = 118,
    GM_OP_RANDOM_UNIFORM = 119,
    GM_OP_THRESHOLDED_RELU = 120,
    GM_OP_THRESHOLDED_RELU_GRAD = 121,
    GM_OP_QUANTIZE = 122,
    GM_OP_DEQUANTIZE = 123,
    GM_OP_CONV_S8 = 124,
    GM_OP_COPY_S8 = 125,
    GM_OP_ADD_S8 = 126,
    GM_OP_MUL_S8 = 127,
    GM_OP_MAX_POOL_S8 = 128,
    GM_OP_AVERAGE_POOL_S8 = 129,
    GM_OP_CONV_TRANSPOSE_S8 = 130,
    GM_OP_MATMUL_S8 = 131,
    GM_OP_QUANTIZE_GRAD_S16 = 132,
    GM_OP_CONV_GRAD_X_S16 = 133,
    GM_OP_CONV_GRAD_W_S16 = 134,
    GM_OP_SUM_S16 = 135,
    GM_OP_ADD_S16 = 136,
    GM_OP_COPY_S16 = 137,
    GM_OP_DEQUANTIZE_S16 = 138,
    GM_OP_SOFTMAX_CROSS_ENTROPY_PLAIN = 139,
    GM_OP_MAX_POOL_GRAD_S16 = 140,
    GM_OP_LOOP = 141,
    GM_OP_GUARD = 142,
    GM_OP_SHIFT = 143,
    GM_OP_QUANTIZE_GRAD = 144,
    GM_OP_CONV_GRAD_X_S8 = 145,
    GM_OP_CONV_GRAD_W_S8 = 146,
    GM_OP_CONV_UPDATE_S8 = 147,
    GM_OP_UPDATE_S8 = 148,
    GM_OP_UPDATE_S16 = 149,
    GM_OP_UPDATE_S32 = 150,
    GM_OP_CONV_UPDATE_S16 = 151,
    GM_OP_MASK_S8 = 152,
    GM_OP_FLOAT_TO_BF16 = 153,
    GM_OP_BF16_TO_FLOAT = 154,
    GM_OP_ATTENTION = 155,
    GM_OP_ATTENTION_GRAD = 156,
    GM_OP_LIMIT = 157
};

/* Opcodes from here on are not in the tables of a build that has none of their groups. */
#define GM_OP_TABLES (GM_WITH_INT8 || GM_WITH_LOOPS || GM_WITH_LOOP || GM_WITH_ATTENTION || GM_WITH_ATTENTION_GRAD ? GM_OP_LIMIT : 122)

enum gm_activation { GM_ACTIVATION_NONE = 0, GM_ACTIVATION_RELU = 1 };
enum gm_reduction { GM_REDUCTION_NONE = 0, GM_REDUCTION_SUM = 1, GM_REDUCTION_MEAN = 2 };
enum gm_direction { GM_DIRECTION_NEAREST = 0, GM_DIRECTION_DOWN = 1, GM_DIRECTION_UP = 2 };
enum gm_combine { GM_COMBINE_REPLACE = 0, GM_COMBINE_MUL = 1, GM_COMBINE_MAX = 2, GM_COMBINE_MIN = 3 };
enum gm_order { GM_ORDER_ROWS = 0, GM_ORDER_COLUMNS = 1, GM_ORDER_LANES = 2, GM_ORDER_PAIRS = 3 };

/* y[b,m,n] = act(sum over k of a[b,m,k] b[b,k,n] + bias[n]); with accumulate, the sum starts from y */
typedef struct gm_insn_gemm {
    uint32_t head;
    uint32_t a;
    uint32_t b;
    uint32_t bias;
    uint32_t y;
    uint32_t batch;
    uint32_t m;
    uint32_t n;
    uint32_t k;
    uint32_t a_batch;
    uint32_t a_row;
    uint32_t a_col;
    uint32_t b_batch;
    uint32_t b_row;
    uint32_t b_col;
    uint32_t accumulate;
    uint32_t activation;
} gm_insn_gemm;
typedef char gm_assert_insn_gemm[sizeof(gm_insn_gemm) == 68 ? 1 : -1];

/* row by row: row[n] = sum over k of a[m,k] b[k,n]; then rule updates p[m,n] with it */
typedef struct gm_insn_gemm_update {
    uint32_t head;
    uint32_t a;
    uint32_t b;
    uint32_t row;
    uint32_t p;
    uint32_t slot1;
    uint32_t slot2;
    uint32_t aux;
    uint32_t lr;
    uint32_t rule;
    uint32_t m;
    uint32_t n;
    uint32_t k;
    uint32_t a_row;
    uint32_t a_col;
    uint32_t b_row;
    uint32_t b_col;
} gm_insn_gemm_update;
typedef char gm_assert_insn_gemm_update[sizeof(gm_insn_gemm_update) == 68 ? 1 : -1];

/* rule updates p[n] with the gradient scale * g[n] */
typedef struct gm_insn_update {
    uint32_t head;
    uint32_t g;
    uint32_t p;
    uint32_t slot1;
    uint32_t slot2;
    uint32_t aux;
    uint32_t lr;
    uint32_t scale;
    uint32_t rule;
    uint32_t n;
} gm_insn_update;
typedef char gm_assert_insn_update[sizeof(gm_insn_update) == 40 ? 1 : -1];

/* c[i] = c[i] beta_i + (1 - beta_i), so that after t steps c[i] = 1 - beta_i^t */
typedef struct gm_insn_bias_correction {
    uint32_t head;
    uint32_t c;
    float beta1;
    float one_minus_beta1;
    float beta2;
    float one_minus_beta2;
} gm_insn_bias_correction;
typedef char gm_assert_insn_bias_correction[sizeof(gm_insn_bias_correction) == 24 ? 1 : -1];

/* y = sum of x[i]^2 over ascending i; with accumulate, the sum starts from y */
typedef struct gm_insn_sum_squares {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
    uint32_t accumulate;
} gm_insn_sum_squares;
typedef char gm_assert_insn_sum_squares[sizeof(gm_insn_sum_squares) == 20 ? 1 : -1];

/* y = scale min(1, max_norm / (scale sqrt(sum_squares) + 1e-6)) */
typedef struct gm_insn_clip_scale {
    uint32_t head;
    uint32_t sum_squares;
    uint32_t scale;
    uint32_t y;
    float max_norm;
} gm_insn_clip_scale;
typedef char gm_assert_insn_clip_scale[sizeof(gm_insn_clip_scale) == 20 ? 1 : -1];

/* stops the program with NOT_FINITE if any x[i] is NaN or infinite */
typedef struct gm_insn_check_finite {
    uint32_t head;
    uint32_t x;
    uint32_t n;
} gm_insn_check_finite;
typedef char gm_assert_insn_check_finite[sizeof(gm_insn_check_finite) == 12 ? 1 : -1];

/* y[i0..i5] = x[i0..i5], each side with its own strides */
typedef struct gm_insn_copy {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t d0;
    uint32_t d1;
    uint32_t d2;
    uint32_t d3;
    uint32_t d4;
    uint32_t d5;
    uint32_t s0;
    uint32_t s1;
    uint32_t s2;
    uint32_t s3;
    uint32_t s4;
    uint32_t s5;
    uint32_t t0;
    uint32_t t1;
    uint32_t t2;
    uint32_t t3;
    uint32_t t4;
    uint32_t t5;
} gm_insn_copy;
typedef char gm_assert_insn_copy[sizeof(gm_insn_copy) == 84 ? 1 : -1];

/* y[k0..k3] = scale * sum over r0..r3 (row-major ascending) of x; with accumulate, added to y after scaling */
typedef struct gm_insn_reduce_sum {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t k0;
    uint32_t k1;
    uint32_t k2;
    uint32_t k3;
    uint32_t ks0;
    uint32_t ks1;
    uint32_t ks2;
    uint32_t ks3;
    uint32_t r0;
    uint32_t r1;
    uint32_t r2;
    uint32_t r3;
    uint32_t rs0;
    uint32_t rs1;
    uint32_t rs2;
    uint32_t rs3;
    float scale;
    uint32_t accumulate;
} gm_insn_reduce_sum;
typedef char gm_assert_insn_reduce_sum[sizeof(gm_insn_reduce_sum) == 84 ? 1 : -1];

/* y = a + b, broadcast by strides of 0 */
typedef struct gm_insn_add {
    uint32_t head;
    uint32_t a;
    uint32_t b;
    uint32_t y;
    uint32_t d0;
    uint32_t d1;
    uint32_t d2;
    uint32_t d3;
    uint32_t a0;
    uint32_t a1;
    uint32_t a2;
    uint32_t a3;
    uint32_t b0;
    uint32_t b1;
    uint32_t b2;
    uint32_t b3;
} gm_insn_add;
typedef char gm_assert_insn_add[sizeof(gm_insn_add) == 64 ? 1 : -1];

/* y = a - b, broadcast by strides of 0 */
typedef struct gm_insn_sub {
    uint32_t head;
    uint32_t a;
    uint32_t b;
    uint32_t y;
    uint32_t d0;
    uint32_t d1;
    uint32_t d2;
    uint32_t d3;
    uint32_t a0;
    uint32_t a1;
    uint32_t a2;
    uint32_t a3;
    uint32_t b0;
    uint32_t b1;
    uint32_t b2;
    uint32_t b3;
} gm_insn_sub;
typedef char gm_assert_insn_sub[sizeof(gm_insn_sub) == 64 ? 1 : -1];

/* y = a * b, broadcast by strides of 0 */
typedef struct gm_insn_mul {
    uint32_t head;
    uint32_t a;
    uint32_t b;
    uint32_t y;
    uint32_t d0;
    uint32_t d1;
    uint32_t d2;
    uint32_t d3;
    uint32_t a0;
    uint32_t a1;
    uint32_t a2;
    uint32_t a3;
    uint32_t b0;
    uint32_t b1;
    uint32_t b2;
    uint32_t b3;
} gm_insn_mul;
typedef char gm_assert_insn_mul[sizeof(gm_insn_mul) == 64 ? 1 : -1];

/* y = a / b, broadcast by strides of 0 */
typedef struct gm_insn_div {
    uint32_t head;
    uint32_t a;
    uint32_t b;
    uint32_t y;
    uint32_t d0;
    uint32_t d1;
    uint32_t d2;
    uint32_t d3;
    uint32_t a0;
    uint32_t a1;
    uint32_t a2;
    uint32_t a3;
    uint32_t b0;
    uint32_t b1;
    uint32_t b2;
    uint32_t b3;
} gm_insn_div;
typedef char gm_assert_insn_div[sizeof(gm_insn_div) == 64 ? 1 : -1];

/* y = x < 0 ? 0 : x, so that NaN stays NaN */
typedef struct gm_insn_relu {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_relu;
typedef char gm_assert_insn_relu[sizeof(gm_insn_relu) == 16 ? 1 : -1];

/* dx = y > 0 ? dy : 0 */
typedef struct gm_insn_relu_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t y;
    uint32_t dx;
    uint32_t n;
} gm_insn_relu_grad;
typedef char gm_assert_insn_relu_grad[sizeof(gm_insn_relu_grad) == 20 ? 1 : -1];

/* y = x < 0 ? alpha x : x */
typedef struct gm_insn_leaky_relu {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
    float alpha;
} gm_insn_leaky_relu;
typedef char gm_assert_insn_leaky_relu[sizeof(gm_insn_leaky_relu) == 20 ? 1 : -1];

/* dx = x > 0 ? dy : alpha dy */
typedef struct gm_insn_leaky_relu_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t x;
    uint32_t dx;
    uint32_t n;
    float alpha;
} gm_insn_leaky_relu_grad;
typedef char gm_assert_insn_leaky_relu_grad[sizeof(gm_insn_leaky_relu_grad) == 24 ? 1 : -1];

/* y = 1 / (1 + exp(-x)) */
typedef struct gm_insn_sigmoid {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_sigmoid;
typedef char gm_assert_insn_sigmoid[sizeof(gm_insn_sigmoid) == 16 ? 1 : -1];

/* dx = dy y (1 - y) */
typedef struct gm_insn_sigmoid_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t y;
    uint32_t dx;
    uint32_t n;
} gm_insn_sigmoid_grad;
typedef char gm_assert_insn_sigmoid_grad[sizeof(gm_insn_sigmoid_grad) == 20 ? 1 : -1];

/* y = tanh(x) */
typedef struct gm_insn_tanh {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_tanh;
typedef char gm_assert_insn_tanh[sizeof(gm_insn_tanh) == 16 ? 1 : -1];

/* dx = dy (1 - y^2) */
typedef struct gm_insn_tanh_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t y;
    uint32_t dx;
    uint32_t n;
} gm_insn_tanh_grad;
typedef char gm_assert_insn_tanh_grad[sizeof(gm_insn_tanh_grad) == 20 ? 1 : -1];

/* y[o,c,i] = exp(x[o,c,i] - max over c) / sum over c of the same */
typedef struct gm_insn_softmax {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t outer;
    uint32_t classes;
    uint32_t inner;
} gm_insn_softmax;
typedef char gm_assert_insn_softmax[sizeof(gm_insn_softmax) == 24 ? 1 : -1];

/* dx = y (dy - sum over c of dy y) */
typedef struct gm_insn_softmax_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t y;
    uint32_t dx;
    uint32_t outer;
    uint32_t classes;
    uint32_t inner;
} gm_insn_softmax_grad;
typedef char gm_assert_insn_softmax_grad[sizeof(gm_insn_softmax_grad) == 28 ? 1 : -1];

/* y = (x - max) - log(sum over c of exp(x - max)) */
typedef struct gm_insn_log_softmax {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t outer;
    uint32_t classes;
    uint32_t inner;
} gm_insn_log_softmax;
typedef char gm_assert_insn_log_softmax[sizeof(gm_insn_log_softmax) == 24 ? 1 : -1];

/* dx = dy - exp(y) sum over c of dy */
typedef struct gm_insn_log_softmax_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t y;
    uint32_t dx;
    uint32_t outer;
    uint32_t classes;
    uint32_t inner;
} gm_insn_log_softmax_grad;
typedef char gm_assert_insn_log_softmax_grad[sizeof(gm_insn_log_softmax_grad) == 28 ? 1 : -1];

/* y[i] = random(seed, step, stream, i) < threshold ? 0 : scale x[i]; forward and backward alike */
typedef struct gm_insn_dropout {
    uint32_t head;
    uint32_t x;
    uint32_t counter;
    uint32_t y;
    uint32_t n;
    uint32_t stream;
    uint32_t threshold;
    float scale;
} gm_insn_dropout;
typedef char gm_assert_insn_dropout[sizeof(gm_insn_dropout) == 32 ? 1 : -1];

/* log_prob = log_softmax(x); loss = reduce(-mask weight[label] log_prob[label]), smoothed; labels equal to ignore_index count nothing; with log_input, log_prob = x */
typedef struct gm_insn_softmax_cross_entropy {
    uint32_t head;
    uint32_t x;
    uint32_t labels;
    uint32_t weight;
    uint32_t mask;
    uint32_t log_prob;
    uint32_t loss;
    uint32_t outer;
    uint32_t classes;
    uint32_t inner;
    uint32_t loss_outer;
    uint32_t loss_inner;
    uint32_t reduction;
    int32_t ignore_index;
    float smoothing;
    uint32_t log_input;
} gm_insn_softmax_cross_entropy;
typedef char gm_assert_insn_softmax_cross_entropy[sizeof(gm_insn_softmax_cross_entropy) == 64 ? 1 : -1];

/* dx = dloss mask weight[label] (exp(log_prob) - onehot(label)), smoothed, divided by the total weight where reduction is mean; with log_input, without exp(log_prob) */
typedef struct gm_insn_softmax_cross_entropy_grad {
    uint32_t head;
    uint32_t dloss;
    uint32_t log_prob;
    uint32_t labels;
    uint32_t weight;
    uint32_t mask;
    uint32_t dx;
    uint32_t outer;
    uint32_t classes;
    uint32_t inner;
    uint32_t loss_outer;
    uint32_t loss_inner;
    uint32_t reduction;
    int32_t ignore_index;
    float smoothing;
    uint32_t log_input;
} gm_insn_softmax_cross_entropy_grad;
typedef char gm_assert_insn_softmax_cross_entropy_grad[sizeof(gm_insn_softmax_cross_entropy_grad) == 64 ? 1 : -1];

/* loss = scale * sum of (x - target)^2, or one loss an element where loss_stride is 1 */
typedef struct gm_insn_mse_loss {
    uint32_t head;
    uint32_t x;
    uint32_t target;
    uint32_t loss;
    uint32_t n;
    uint32_t loss_stride;
    float scale;
} gm_insn_mse_loss;
typedef char gm_assert_insn_mse_loss[sizeof(gm_insn_mse_loss) == 28 ? 1 : -1];

/* dx = dloss * scale * 2 (x - target) */
typedef struct gm_insn_mse_loss_grad {
    uint32_t head;
    uint32_t dloss;
    uint32_t x;
    uint32_t target;
    uint32_t dx;
    uint32_t n;
    uint32_t loss_stride;
    float scale;
} gm_insn_mse_loss_grad;
typedef char gm_assert_insn_mse_loss_grad[sizeof(gm_insn_mse_loss_grad) == 32 ? 1 : -1];

/* loss = scale * sum of |x - target| */
typedef struct gm_insn_l1_loss {
    uint32_t head;
    uint32_t x;
    uint32_t target;
    uint32_t loss;
    uint32_t n;
    uint32_t loss_stride;
    float scale;
} gm_insn_l1_loss;
typedef char gm_assert_insn_l1_loss[sizeof(gm_insn_l1_loss) == 28 ? 1 : -1];

/* dx = dloss * scale * sign(x - target), sign(0) = 0 */
typedef struct gm_insn_l1_loss_grad {
    uint32_t head;
    uint32_t dloss;
    uint32_t x;
    uint32_t target;
    uint32_t dx;
    uint32_t n;
    uint32_t loss_stride;
    float scale;
} gm_insn_l1_loss_grad;
typedef char gm_assert_insn_l1_loss_grad[sizeof(gm_insn_l1_loss_grad) == 32 ? 1 : -1];

/* loss = scale * sum of (1 - t) x + (1 + (pos_weight[j] - 1) t) (log(1 + exp(-|x|)) + max(-x, 0)) */
typedef struct gm_insn_bce_with_logits_loss {
    uint32_t head;
    uint32_t x;
    uint32_t target;
    uint32_t pos_weight;
    uint32_t loss;
    uint32_t outer;
    uint32_t inner;
    uint32_t pos_stride;
    uint32_t loss_outer;
    uint32_t loss_inner;
    float scale;
} gm_insn_bce_with_logits_loss;
typedef char gm_assert_insn_bce_with_logits_loss[sizeof(gm_insn_bce_with_logits_loss) == 44 ? 1 : -1];

/* dx = dloss * scale * ((1 - t) - (1 + (pos_weight[j] - 1) t) sigmoid(-x)) */
typedef struct gm_insn_bce_with_logits_loss_grad {
    uint32_t head;
    uint32_t dloss;
    uint32_t x;
    uint32_t target;
    uint32_t pos_weight;
    uint32_t dx;
    uint32_t outer;
    uint32_t inner;
    uint32_t pos_stride;
    uint32_t loss_outer;
    uint32_t loss_inner;
    float scale;
} gm_insn_bce_with_logits_loss_grad;
typedef char gm_assert_insn_bce_with_logits_loss_grad[sizeof(gm_insn_bce_with_logits_loss_grad) == 48 ? 1 : -1];

/* y[b,o,p,g,m] = act(bias[g,m] + sum over kernel rows, columns and in_channels c of x w) */
typedef struct gm_insn_conv {
    uint32_t head;
    uint32_t x;
    uint32_t w;
    uint32_t bias;
    uint32_t y;
    uint32_t batch;
    uint32_t groups;
    uint32_t in_channels;
    uint32_t out_channels;
    uint32_t in_h;
    uint32_t in_w;
    uint32_t out_h;
    uint32_t out_w;
    uint32_t kernel_h;
    uint32_t kernel_w;
    uint32_t stride_h;
    uint32_t stride_w;
    uint32_t dilation_h;
    uint32_t dilation_w;
    uint32_t pad_h;
    uint32_t pad_w;
    uint32_t x_batch;
    uint32_t x_h;
    uint32_t x_w;
    uint32_t x_group;
    uint32_t x_channel;
    uint32_t w_group;
    uint32_t w_out_channel;
    uint32_t w_in_channel;
    uint32_t w_h;
    uint32_t w_w;
    uint32_t y_batch;
    uint32_t y_h;
    uint32_t y_w;
    uint32_t y_group;
    uint32_t y_channel;
    uint32_t activation;
} gm_insn_conv;
typedef char gm_assert_insn_conv[sizeof(gm_insn_conv) == 148 ? 1 : -1];

/* the gradient of CONV for x, and ONNX's ConvTranspose: x[b,i,j,g,c] = bias[g,c] + sum over kernel rows, columns and out_channels of y w; with accumulate, the sum starts from x */
typedef struct gm_insn_conv_transpose {
    uint32_t head;
    uint32_t y;
    uint32_t w;
    uint32_t bias;
    uint32_t x;
    uint32_t batch;
    uint32_t groups;
    uint32_t in_channels;
    uint32_t out_channels;
    uint32_t in_h;
    uint32_t in_w;
    uint32_t out_h;
    uint32_t out_w;
    uint32_t kernel_h;
    uint32_t kernel_w;
    uint32_t stride_h;
    uint32_t stride_w;
    uint32_t dilation_h;
    uint32_t dilation_w;
    uint32_t pad_h;
    uint32_t pad_w;
    uint32_t x_batch;
    uint32_t x_h;
    uint32_t x_w;
    uint32_t x_group;
    uint32_t x_channel;
    uint32_t w_group;
    uint32_t w_out_channel;
    uint32_t w_in_channel;
    uint32_t w_h;
    uint32_t w_w;
    uint32_t y_batch;
    uint32_t y_h;
    uint32_t y_w;
    uint32_t y_group;
    uint32_t y_channel;
    uint32_t accumulate;
} gm_insn_conv_transpose;
typedef char gm_assert_insn_conv_transpose[sizeof(gm_insn_conv_transpose) == 148 ? 1 : -1];

/* y[g,m,c,k,l] = sum over batch, output rows and columns of dy x: the gradient of CONV's w; with accumulate, the sum starts from y. The strides y_batch to y_channel are of dy */
typedef struct gm_insn_conv_grad_w {
    uint32_t head;
    uint32_t x;
    uint32_t dy;
    uint32_t y;
    uint32_t batch;
    uint32_t groups;
    uint32_t in_channels;
    uint32_t out_channels;
    uint32_t in_h;
    uint32_t in_w;
    uint32_t out_h;
    uint32_t out_w;
    uint32_t kernel_h;
    uint32_t kernel_w;
    uint32_t stride_h;
    uint32_t stride_w;
    uint32_t dilation_h;
    uint32_t dilation_w;
    uint32_t pad_h;
    uint32_t pad_w;
    uint32_t x_batch;
    uint32_t x_h;
    uint32_t x_w;
    uint32_t x_group;
    uint32_t x_channel;
    uint32_t y_batch;
    uint32_t y_h;
    uint32_t y_w;
    uint32_t y_group;
    uint32_t y_channel;
    uint32_t accumulate;
} gm_insn_conv_grad_w;
typedef char gm_assert_insn_conv_grad_w[sizeof(gm_insn_conv_grad_w) == 124 ? 1 : -1];

/* one output channel after another: row = the gradient of CONV's w[g,m]; then rule updates p[g,m] with it. The strides y_batch to y_channel are of dy */
typedef struct gm_insn_conv_update {
    uint32_t head;
    uint32_t x;
    uint32_t dy;
    uint32_t row;
    uint32_t p;
    uint32_t slot1;
    uint32_t slot2;
    uint32_t aux;
    uint32_t lr;
    uint32_t rule;
    uint32_t batch;
    uint32_t groups;
    uint32_t in_channels;
    uint32_t out_channels;
    uint32_t in_h;
    uint32_t in_w;
    uint32_t out_h;
    uint32_t out_w;
    uint32_t kernel_h;
    uint32_t kernel_w;
    uint32_t stride_h;
    uint32_t stride_w;
    uint32_t dilation_h;
    uint32_t dilation_w;
    uint32_t pad_h;
    uint32_t pad_w;
    uint32_t x_batch;
    uint32_t x_h;
    uint32_t x_w;
    uint32_t x_group;
    uint32_t x_channel;
    uint32_t y_batch;
    uint32_t y_h;
    uint32_t y_w;
    uint32_t y_group;
    uint32_t y_channel;
} gm_insn_conv_update;
typedef char gm_assert_insn_conv_update[sizeof(gm_insn_conv_update) == 144 ? 1 : -1];

/* y[b,o,p,c] = the largest x in the window; padding never wins; NaN does. index[b,o,p,c] = its tap, row-major; with relu 255 unless y > 0 */
typedef struct gm_insn_max_pool {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t index;
    uint32_t batch;
    uint32_t channels;
    uint32_t in_h;
    uint32_t in_w;
    uint32_t out_h;
    uint32_t out_w;
    uint32_t kernel_h;
    uint32_t kernel_w;
    uint32_t stride_h;
    uint32_t stride_w;
    uint32_t dilation_h;
    uint32_t dilation_w;
    uint32_t pad_h;
    uint32_t pad_w;
    uint32_t x_batch;
    uint32_t x_h;
    uint32_t x_w;
    uint32_t x_channel;
    uint32_t y_batch;
    uint32_t y_h;
    uint32_t y_w;
    uint32_t y_channel;
    uint32_t relu;
} gm_insn_max_pool;
typedef char gm_assert_insn_max_pool[sizeof(gm_insn_max_pool) == 108 ? 1 : -1];

/* dx = sum over kernel rows and columns of dy of the window that has this element there, where it is the window's first largest */
typedef struct gm_insn_max_pool_grad {
    uint32_t head;
    uint32_t x;
    uint32_t dy;
    uint32_t dx;
    uint32_t batch;
    uint32_t channels;
    uint32_t in_h;
    uint32_t in_w;
    uint32_t out_h;
    uint32_t out_w;
    uint32_t kernel_h;
    uint32_t kernel_w;
    uint32_t stride_h;
    uint32_t stride_w;
    uint32_t dilation_h;
    uint32_t dilation_w;
    uint32_t pad_h;
    uint32_t pad_w;
    uint32_t x_batch;
    uint32_t x_h;
    uint32_t x_w;
    uint32_t x_channel;
    uint32_t y_batch;
    uint32_t y_h;
    uint32_t y_w;
    uint32_t y_channel;
} gm_insn_max_pool_grad;
typedef char gm_assert_insn_max_pool_grad[sizeof(gm_insn_max_pool_grad) == 104 ? 1 : -1];

/* y[b,o,p,c] = sum of x in the window / count; count: taps inside the input, or with count_pad those inside input and padding */
typedef struct gm_insn_average_pool {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t batch;
    uint32_t channels;
    uint32_t in_h;
    uint32_t in_w;
    uint32_t out_h;
    uint32_t out_w;
    uint32_t kernel_h;
    uint32_t kernel_w;
    uint32_t stride_h;
    uint32_t stride_w;
    uint32_t dilation_h;
    uint32_t dilation_w;
    uint32_t pad_h;
    uint32_t pad_w;
    uint32_t x_batch;
    uint32_t x_h;
    uint32_t x_w;
    uint32_t x_channel;
    uint32_t y_batch;
    uint32_t y_h;
    uint32_t y_w;
    uint32_t y_channel;
    uint32_t count_pad;
    uint32_t padded_h;
    uint32_t padded_w;
} gm_insn_average_pool;
typedef char gm_assert_insn_average_pool[sizeof(gm_insn_average_pool) == 112 ? 1 : -1];

/* dx = sum over kernel rows and columns of dy / count of the window that has this element there */
typedef struct gm_insn_average_pool_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t dx;
    uint32_t batch;
    uint32_t channels;
    uint32_t in_h;
    uint32_t in_w;
    uint32_t out_h;
    uint32_t out_w;
    uint32_t kernel_h;
    uint32_t kernel_w;
    uint32_t stride_h;
    uint32_t stride_w;
    uint32_t dilation_h;
    uint32_t dilation_w;
    uint32_t pad_h;
    uint32_t pad_w;
    uint32_t x_batch;
    uint32_t x_h;
    uint32_t x_w;
    uint32_t x_channel;
    uint32_t y_batch;
    uint32_t y_h;
    uint32_t y_w;
    uint32_t y_channel;
    uint32_t count_pad;
    uint32_t padded_h;
    uint32_t padded_w;
} gm_insn_average_pool_grad;
typedef char gm_assert_insn_average_pool_grad[sizeof(gm_insn_average_pool_grad) == 112 ? 1 : -1];

/* y = |x| */
typedef struct gm_insn_abs {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_abs;
typedef char gm_assert_insn_abs[sizeof(gm_insn_abs) == 16 ? 1 : -1];

/* dx = dy sign(x), sign(0) = 0 */
typedef struct gm_insn_abs_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t x;
    uint32_t dx;
    uint32_t n;
} gm_insn_abs_grad;
typedef char gm_assert_insn_abs_grad[sizeof(gm_insn_abs_grad) == 20 ? 1 : -1];

/* y = exp(x) */
typedef struct gm_insn_exp {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_exp;
typedef char gm_assert_insn_exp[sizeof(gm_insn_exp) == 16 ? 1 : -1];

/* y = log(x) */
typedef struct gm_insn_log {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_log;
typedef char gm_assert_insn_log[sizeof(gm_insn_log) == 16 ? 1 : -1];

/* y = sqrt(x) */
typedef struct gm_insn_sqrt {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_sqrt;
typedef char gm_assert_insn_sqrt[sizeof(gm_insn_sqrt) == 16 ? 1 : -1];

/* y = min(max(x, low), high) */
typedef struct gm_insn_clamp {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
    float low;
    float high;
} gm_insn_clamp;
typedef char gm_assert_insn_clamp[sizeof(gm_insn_clamp) == 24 ? 1 : -1];

/* dx = low <= x <= high ? dy : 0 */
typedef struct gm_insn_clamp_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t x;
    uint32_t dx;
    uint32_t n;
    float low;
    float high;
} gm_insn_clamp_grad;
typedef char gm_assert_insn_clamp_grad[sizeof(gm_insn_clamp_grad) == 28 ? 1 : -1];

/* y = x > 0 ? scale x : alpha (exp(rate x) - 1) */
typedef struct gm_insn_elu {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
    float scale;
    float alpha;
    float rate;
} gm_insn_elu;
typedef char gm_assert_insn_elu[sizeof(gm_insn_elu) == 28 ? 1 : -1];

/* dx = y > 0 ? scale dy : rate (y + alpha) dy */
typedef struct gm_insn_elu_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t y;
    uint32_t dx;
    uint32_t n;
    float scale;
    float alpha;
    float rate;
} gm_insn_elu_grad;
typedef char gm_assert_insn_elu_grad[sizeof(gm_insn_elu_grad) == 32 ? 1 : -1];

/* y = min(max(alpha x + beta, 0), 1) */
typedef struct gm_insn_hard_sigmoid {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
    float alpha;
    float beta;
} gm_insn_hard_sigmoid;
typedef char gm_assert_insn_hard_sigmoid[sizeof(gm_insn_hard_sigmoid) == 24 ? 1 : -1];

/* dx = 0 < y < 1 ? alpha dy : 0 */
typedef struct gm_insn_hard_sigmoid_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t y;
    uint32_t dx;
    uint32_t n;
    float alpha;
} gm_insn_hard_sigmoid_grad;
typedef char gm_assert_insn_hard_sigmoid_grad[sizeof(gm_insn_hard_sigmoid_grad) == 24 ? 1 : -1];

/* y = x min(max(x / 6 + 1/2, 0), 1) */
typedef struct gm_insn_hard_swish {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_hard_swish;
typedef char gm_assert_insn_hard_swish[sizeof(gm_insn_hard_swish) == 16 ? 1 : -1];

/* dx = x <= -3 ? 0 : x < 3 ? (x / 3 + 1/2) dy : dy */
typedef struct gm_insn_hard_swish_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t x;
    uint32_t dx;
    uint32_t n;
} gm_insn_hard_swish_grad;
typedef char gm_assert_insn_hard_swish_grad[sizeof(gm_insn_hard_swish_grad) == 20 ? 1 : -1];

/* y = log(1 + exp(-|x|)) + max(x, 0) */
typedef struct gm_insn_softplus {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_softplus;
typedef char gm_assert_insn_softplus[sizeof(gm_insn_softplus) == 16 ? 1 : -1];

/* dx = dy sigmoid(x) */
typedef struct gm_insn_softplus_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t x;
    uint32_t dx;
    uint32_t n;
} gm_insn_softplus_grad;
typedef char gm_assert_insn_softplus_grad[sizeof(gm_insn_softplus_grad) == 20 ? 1 : -1];

/* y = x / (1 + |x|) */
typedef struct gm_insn_softsign {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_softsign;
typedef char gm_assert_insn_softsign[sizeof(gm_insn_softsign) == 16 ? 1 : -1];

/* dx = dy / (1 + |x|)^2 */
typedef struct gm_insn_softsign_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t x;
    uint32_t dx;
    uint32_t n;
} gm_insn_softsign_grad;
typedef char gm_assert_insn_softsign_grad[sizeof(gm_insn_softsign_grad) == 20 ? 1 : -1];

/* y = x t, t = tanh(log(1 + exp(x))) */
typedef struct gm_insn_mish {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_mish;
typedef char gm_assert_insn_mish[sizeof(gm_insn_mish) == 16 ? 1 : -1];

/* dx = dy (t + x sigmoid(x) (1 - t^2)), t as in MISH */
typedef struct gm_insn_mish_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t x;
    uint32_t dx;
    uint32_t n;
} gm_insn_mish_grad;
typedef char gm_assert_insn_mish_grad[sizeof(gm_insn_mish_grad) == 20 ? 1 : -1];

/* y = x sigmoid(alpha x) */
typedef struct gm_insn_swish {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
    float alpha;
} gm_insn_swish;
typedef char gm_assert_insn_swish[sizeof(gm_insn_swish) == 20 ? 1 : -1];

/* dx = dy (s + alpha x s (1 - s)), s = sigmoid(alpha x) */
typedef struct gm_insn_swish_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t x;
    uint32_t dx;
    uint32_t n;
    float alpha;
} gm_insn_swish_grad;
typedef char gm_assert_insn_swish_grad[sizeof(gm_insn_swish_grad) == 24 ? 1 : -1];

/* y[o,i,n] = x[o, indices[i], n]; below 0 an index counts from the end, out of range it stops with INDEX_OUT_OF_RANGE */
typedef struct gm_insn_gather {
    uint32_t head;
    uint32_t x;
    uint32_t indices;
    uint32_t y;
    uint32_t outer;
    uint32_t size;
    uint32_t count;
    uint32_t inner;
} gm_insn_gather;
typedef char gm_assert_insn_gather[sizeof(gm_insn_gather) == 32 ? 1 : -1];

/* dx[o, indices[i], n] += dy[o,i,n], o, i, n ascending; indices as GATHER */
typedef struct gm_insn_scatter_add {
    uint32_t head;
    uint32_t dy;
    uint32_t indices;
    uint32_t dx;
    uint32_t outer;
    uint32_t size;
    uint32_t count;
    uint32_t inner;
} gm_insn_scatter_add;
typedef char gm_assert_insn_scatter_add[sizeof(gm_insn_scatter_add) == 32 ? 1 : -1];

/* y[o,i,n] = sum over ascending t of weights[i,t] x[o, indices[i,t], n]; indices as GATHER */
typedef struct gm_insn_weighted_gather {
    uint32_t head;
    uint32_t x;
    uint32_t indices;
    uint32_t weights;
    uint32_t y;
    uint32_t outer;
    uint32_t size;
    uint32_t count;
    uint32_t taps;
    uint32_t inner;
} gm_insn_weighted_gather;
typedef char gm_assert_insn_weighted_gather[sizeof(gm_insn_weighted_gather) == 40 ? 1 : -1];

/* dx[o, indices[i,t], n] += weights[i,t] dy[o,i,n], o, i, t, n ascending; indices as GATHER */
typedef struct gm_insn_weighted_scatter_add {
    uint32_t head;
    uint32_t dy;
    uint32_t indices;
    uint32_t weights;
    uint32_t dx;
    uint32_t outer;
    uint32_t size;
    uint32_t count;
    uint32_t taps;
    uint32_t inner;
} gm_insn_weighted_scatter_add;
typedef char gm_assert_insn_weighted_scatter_add[sizeof(gm_insn_weighted_scatter_add) == 40 ? 1 : -1];

/* y[o,i,n] = sum of x[o,j,n] over j <= i, with exclusive j < i; with reverse from the other end */
typedef struct gm_insn_cumsum {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t outer;
    uint32_t size;
    uint32_t inner;
    uint32_t exclusive;
    uint32_t reverse;
} gm_insn_cumsum;
typedef char gm_assert_insn_cumsum[sizeof(gm_insn_cumsum) == 32 ? 1 : -1];

/* y[k0..k3] = largest x over r0..r3; NaN where there is one */
typedef struct gm_insn_reduce_max {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t k0;
    uint32_t k1;
    uint32_t k2;
    uint32_t k3;
    uint32_t ks0;
    uint32_t ks1;
    uint32_t ks2;
    uint32_t ks3;
    uint32_t r0;
    uint32_t r1;
    uint32_t r2;
    uint32_t r3;
    uint32_t rs0;
    uint32_t rs1;
    uint32_t rs2;
    uint32_t rs3;
} gm_insn_reduce_max;
typedef char gm_assert_insn_reduce_max[sizeof(gm_insn_reduce_max) == 76 ? 1 : -1];

/* y[k0..k3] = smallest x over r0..r3; NaN where there is one */
typedef struct gm_insn_reduce_min {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t k0;
    uint32_t k1;
    uint32_t k2;
    uint32_t k3;
    uint32_t ks0;
    uint32_t ks1;
    uint32_t ks2;
    uint32_t ks3;
    uint32_t r0;
    uint32_t r1;
    uint32_t r2;
    uint32_t r3;
    uint32_t rs0;
    uint32_t rs1;
    uint32_t rs2;
    uint32_t rs3;
} gm_insn_reduce_min;
typedef char gm_assert_insn_reduce_min[sizeof(gm_insn_reduce_min) == 76 ? 1 : -1];

/* dx = x = y ? dy / (how many x over r0..r3 equal y) : 0, for the largest or the smallest y */
typedef struct gm_insn_reduce_extremum_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t y;
    uint32_t x;
    uint32_t dx;
    uint32_t k0;
    uint32_t k1;
    uint32_t k2;
    uint32_t k3;
    uint32_t ks0;
    uint32_t ks1;
    uint32_t ks2;
    uint32_t ks3;
    uint32_t r0;
    uint32_t r1;
    uint32_t r2;
    uint32_t r3;
    uint32_t rs0;
    uint32_t rs1;
    uint32_t rs2;
    uint32_t rs3;
} gm_insn_reduce_extremum_grad;
typedef char gm_assert_insn_reduce_extremum_grad[sizeof(gm_insn_reduce_extremum_grad) == 84 ? 1 : -1];

/* y = x (1 + erf(x / sqrt(2))) / 2 */
typedef struct gm_insn_gelu {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_gelu;
typedef char gm_assert_insn_gelu[sizeof(gm_insn_gelu) == 16 ? 1 : -1];

/* dx = dy ((1 + erf(x / sqrt(2))) / 2 + x exp(-x^2 / 2) / sqrt(2 pi)) */
typedef struct gm_insn_gelu_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t x;
    uint32_t dx;
    uint32_t n;
} gm_insn_gelu_grad;
typedef char gm_assert_insn_gelu_grad[sizeof(gm_insn_gelu_grad) == 20 ? 1 : -1];

/* y = x s, s = sigmoid(u), u = sqrt(8 / pi) (x + 0.044715 x^3) */
typedef struct gm_insn_gelu_tanh {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_gelu_tanh;
typedef char gm_assert_insn_gelu_tanh[sizeof(gm_insn_gelu_tanh) == 16 ? 1 : -1];

/* dx = dy (s + x s (1 - s) du/dx), s and u as in GELU_TANH */
typedef struct gm_insn_gelu_tanh_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t x;
    uint32_t dx;
    uint32_t n;
} gm_insn_gelu_tanh_grad;
typedef char gm_assert_insn_gelu_tanh_grad[sizeof(gm_insn_gelu_tanh_grad) == 20 ? 1 : -1];

/* y = erf(x) */
typedef struct gm_insn_erf {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_erf;
typedef char gm_assert_insn_erf[sizeof(gm_insn_erf) == 16 ? 1 : -1];

/* y = sin(x) */
typedef struct gm_insn_sin {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_sin;
typedef char gm_assert_insn_sin[sizeof(gm_insn_sin) == 16 ? 1 : -1];

/* y = cos(x) */
typedef struct gm_insn_cos {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_cos;
typedef char gm_assert_insn_cos[sizeof(gm_insn_cos) == 16 ? 1 : -1];

/* y = max(a, b), broadcast by strides of 0; NaN where either is NaN */
typedef struct gm_insn_max {
    uint32_t head;
    uint32_t a;
    uint32_t b;
    uint32_t y;
    uint32_t d0;
    uint32_t d1;
    uint32_t d2;
    uint32_t d3;
    uint32_t a0;
    uint32_t a1;
    uint32_t a2;
    uint32_t a3;
    uint32_t b0;
    uint32_t b1;
    uint32_t b2;
    uint32_t b3;
} gm_insn_max;
typedef char gm_assert_insn_max[sizeof(gm_insn_max) == 64 ? 1 : -1];

/* y = min(a, b), broadcast by strides of 0; NaN where either is NaN */
typedef struct gm_insn_min {
    uint32_t head;
    uint32_t a;
    uint32_t b;
    uint32_t y;
    uint32_t d0;
    uint32_t d1;
    uint32_t d2;
    uint32_t d3;
    uint32_t a0;
    uint32_t a1;
    uint32_t a2;
    uint32_t a3;
    uint32_t b0;
    uint32_t b1;
    uint32_t b2;
    uint32_t b3;
} gm_insn_min;
typedef char gm_assert_insn_min[sizeof(gm_insn_min) == 64 ? 1 : -1];

/* y = a > b ? 1 : a < b ? 0 : 1/2, broadcast by strides of 0: the slope of max(a, b) along a */
typedef struct gm_insn_heaviside {
    uint32_t head;
    uint32_t a;
    uint32_t b;
    uint32_t y;
    uint32_t d0;
    uint32_t d1;
    uint32_t d2;
    uint32_t d3;
    uint32_t a0;
    uint32_t a1;
    uint32_t a2;
    uint32_t a3;
    uint32_t b0;
    uint32_t b1;
    uint32_t b2;
    uint32_t b3;
} gm_insn_heaviside;
typedef char gm_assert_insn_heaviside[sizeof(gm_insn_heaviside) == 64 ? 1 : -1];

/* y = a < 0 ? b a : a, broadcast by strides of 0 */
typedef struct gm_insn_prelu {
    uint32_t head;
    uint32_t a;
    uint32_t b;
    uint32_t y;
    uint32_t d0;
    uint32_t d1;
    uint32_t d2;
    uint32_t d3;
    uint32_t a0;
    uint32_t a1;
    uint32_t a2;
    uint32_t a3;
    uint32_t b0;
    uint32_t b1;
    uint32_t b2;
    uint32_t b3;
} gm_insn_prelu;
typedef char gm_assert_insn_prelu[sizeof(gm_insn_prelu) == 64 ? 1 : -1];

/* y = a > 0 ? 1 : b, broadcast by strides of 0: the slope of PRELU along a */
typedef struct gm_insn_prelu_slope {
    uint32_t head;
    uint32_t a;
    uint32_t b;
    uint32_t y;
    uint32_t d0;
    uint32_t d1;
    uint32_t d2;
    uint32_t d3;
    uint32_t a0;
    uint32_t a1;
    uint32_t a2;
    uint32_t a3;
    uint32_t b0;
    uint32_t b1;
    uint32_t b2;
    uint32_t b3;
} gm_insn_prelu_slope;
typedef char gm_assert_insn_prelu_slope[sizeof(gm_insn_prelu_slope) == 64 ? 1 : -1];

/* y = c is not 0 ? a : b, broadcast by strides of 0 */
typedef struct gm_insn_select {
    uint32_t head;
    uint32_t c;
    uint32_t a;
    uint32_t b;
    uint32_t y;
    uint32_t d0;
    uint32_t d1;
    uint32_t d2;
    uint32_t d3;
    uint32_t c0;
    uint32_t c1;
    uint32_t c2;
    uint32_t c3;
    uint32_t a0;
    uint32_t a1;
    uint32_t a2;
    uint32_t a3;
    uint32_t b0;
    uint32_t b1;
    uint32_t b2;
    uint32_t b3;
} gm_insn_select;
typedef char gm_assert_insn_select[sizeof(gm_insn_select) == 84 ? 1 : -1];

/* y = a > b ? 1 : 0, broadcast by strides of 0 */
typedef struct gm_insn_greater {
    uint32_t head;
    uint32_t a;
    uint32_t b;
    uint32_t y;
    uint32_t d0;
    uint32_t d1;
    uint32_t d2;
    uint32_t d3;
    uint32_t a0;
    uint32_t a1;
    uint32_t a2;
    uint32_t a3;
    uint32_t b0;
    uint32_t b1;
    uint32_t b2;
    uint32_t b3;
} gm_insn_greater;
typedef char gm_assert_insn_greater[sizeof(gm_insn_greater) == 64 ? 1 : -1];

/* y = a >= b ? 1 : 0, broadcast by strides of 0 */
typedef struct gm_insn_greater_or_equal {
    uint32_t head;
    uint32_t a;
    uint32_t b;
    uint32_t y;
    uint32_t d0;
    uint32_t d1;
    uint32_t d2;
    uint32_t d3;
    uint32_t a0;
    uint32_t a1;
    uint32_t a2;
    uint32_t a3;
    uint32_t b0;
    uint32_t b1;
    uint32_t b2;
    uint32_t b3;
} gm_insn_greater_or_equal;
typedef char gm_assert_insn_greater_or_equal[sizeof(gm_insn_greater_or_equal) == 64 ? 1 : -1];

/* y = a == b ? 1 : 0, broadcast by strides of 0 */
typedef struct gm_insn_equal {
    uint32_t head;
    uint32_t a;
    uint32_t b;
    uint32_t y;
    uint32_t d0;
    uint32_t d1;
    uint32_t d2;
    uint32_t d3;
    uint32_t a0;
    uint32_t a1;
    uint32_t a2;
    uint32_t a3;
    uint32_t b0;
    uint32_t b1;
    uint32_t b2;
    uint32_t b3;
} gm_insn_equal;
typedef char gm_assert_insn_equal[sizeof(gm_insn_equal) == 64 ? 1 : -1];

/* y = a^b, broadcast by strides of 0 */
typedef struct gm_insn_pow {
    uint32_t head;
    uint32_t a;
    uint32_t b;
    uint32_t y;
    uint32_t d0;
    uint32_t d1;
    uint32_t d2;
    uint32_t d3;
    uint32_t a0;
    uint32_t a1;
    uint32_t a2;
    uint32_t a3;
    uint32_t b0;
    uint32_t b1;
    uint32_t b2;
    uint32_t b3;
} gm_insn_pow;
typedef char gm_assert_insn_pow[sizeof(gm_insn_pow) == 64 ? 1 : -1];

/* y = (x - mean) inv_std over r0..r3, inv_std = 1 / sqrt(var + epsilon); mean is 0 unless centre */
typedef struct gm_insn_standardize {
    uint32_t head;
    uint32_t x;
    uint32_t inv_std;
    uint32_t mean;
    uint32_t var;
    uint32_t y;
    uint32_t k0;
    uint32_t k1;
    uint32_t k2;
    uint32_t k3;
    uint32_t ks0;
    uint32_t ks1;
    uint32_t ks2;
    uint32_t ks3;
    uint32_t r0;
    uint32_t r1;
    uint32_t r2;
    uint32_t r3;
    uint32_t rs0;
    uint32_t rs1;
    uint32_t rs2;
    uint32_t rs3;
    float epsilon;
    uint32_t centre;
} gm_insn_standardize;
typedef char gm_assert_insn_standardize[sizeof(gm_insn_standardize) == 96 ? 1 : -1];

/* dx = inv_std (dy - mean(dy) - y mean(dy y)), means over r0..r3; without mean(dy) unless centre */
typedef struct gm_insn_standardize_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t y;
    uint32_t inv_std;
    uint32_t dx;
    uint32_t k0;
    uint32_t k1;
    uint32_t k2;
    uint32_t k3;
    uint32_t ks0;
    uint32_t ks1;
    uint32_t ks2;
    uint32_t ks3;
    uint32_t r0;
    uint32_t r1;
    uint32_t r2;
    uint32_t r3;
    uint32_t rs0;
    uint32_t rs1;
    uint32_t rs2;
    uint32_t rs3;
    uint32_t centre;
} gm_insn_standardize_grad;
typedef char gm_assert_insn_standardize_grad[sizeof(gm_insn_standardize_grad) == 88 ? 1 : -1];

/* gates in order i, o, f, c'; c[t] = f c[t-1] + i c'; h[t] = o tanh(c[t]); with coupled, f = 1 - i */
typedef struct gm_insn_lstm_cells {
    uint32_t head;
    uint32_t z;
    uint32_t r;
    uint32_t p;
    uint32_t h0;
    uint32_t c0;
    uint32_t h;
    uint32_t c;
    uint32_t gates;
    uint32_t steps;
    uint32_t batch;
    uint32_t hidden;
    uint32_t h_step;
    uint32_t c_step;
    uint32_t reverse;
    uint32_t coupled;
} gm_insn_lstm_cells;
typedef char gm_assert_insn_lstm_cells[sizeof(gm_insn_lstm_cells) == 64 ? 1 : -1];

/* dz, the gradient of the gates before their activations, and those of the initial states */
typedef struct gm_insn_lstm_cells_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t dyh;
    uint32_t dyc;
    uint32_t r;
    uint32_t p;
    uint32_t c;
    uint32_t gates;
    uint32_t dh0;
    uint32_t dc0;
    uint32_t dz;
    uint32_t steps;
    uint32_t batch;
    uint32_t hidden;
    uint32_t dy_step;
    uint32_t dy_row;
    uint32_t c_step;
    uint32_t reverse;
    uint32_t coupled;
} gm_insn_lstm_cells_grad;
typedef char gm_assert_insn_lstm_cells_grad[sizeof(gm_insn_lstm_cells_grad) == 76 ? 1 : -1];

/* gates in order z, r, h'; h[t] = (1 - z) h' + z h[t-1]; part is r h[t-1], with reset_after r_h h[t-1] + bias */
typedef struct gm_insn_gru_cells {
    uint32_t head;
    uint32_t z;
    uint32_t r;
    uint32_t bias;
    uint32_t h0;
    uint32_t h;
    uint32_t part;
    uint32_t gates;
    uint32_t steps;
    uint32_t batch;
    uint32_t hidden;
    uint32_t h_step;
    uint32_t part_step;
    uint32_t reverse;
    uint32_t reset_after;
} gm_insn_gru_cells;
typedef char gm_assert_insn_gru_cells[sizeof(gm_insn_gru_cells) == 60 ? 1 : -1];

/* dz, the gradient of the gates before their activations, dpart, and that of the initial state */
typedef struct gm_insn_gru_cells_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t dyh;
    uint32_t r;
    uint32_t h;
    uint32_t part;
    uint32_t gates;
    uint32_t dh0;
    uint32_t dpart;
    uint32_t dz;
    uint32_t steps;
    uint32_t batch;
    uint32_t hidden;
    uint32_t dy_step;
    uint32_t dy_row;
    uint32_t h_step;
    uint32_t part_step;
    uint32_t dpart_step;
    uint32_t reverse;
    uint32_t reset_after;
} gm_insn_gru_cells_grad;
typedef char gm_assert_insn_gru_cells_grad[sizeof(gm_insn_gru_cells_grad) == 80 ? 1 : -1];

/* sums = z[t] + r h[t-1]; h[t] = relu or tanh of it */
typedef struct gm_insn_rnn_cells {
    uint32_t head;
    uint32_t z;
    uint32_t r;
    uint32_t h0;
    uint32_t h;
    uint32_t sums;
    uint32_t steps;
    uint32_t batch;
    uint32_t hidden;
    uint32_t h_step;
    uint32_t reverse;
    uint32_t relu;
} gm_insn_rnn_cells;
typedef char gm_assert_insn_rnn_cells[sizeof(gm_insn_rnn_cells) == 48 ? 1 : -1];

/* dz, the gradient of the sums before the activation, and that of the initial state */
typedef struct gm_insn_rnn_cells_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t dyh;
    uint32_t r;
    uint32_t h;
    uint32_t dh0;
    uint32_t dz;
    uint32_t steps;
    uint32_t batch;
    uint32_t hidden;
    uint32_t dy_step;
    uint32_t dy_row;
    uint32_t h_step;
    uint32_t reverse;
    uint32_t relu;
} gm_insn_rnn_cells_grad;
typedef char gm_assert_insn_rnn_cells_grad[sizeof(gm_insn_rnn_cells_grad) == 60 ? 1 : -1];

/* y[o,i] = product of x[o,c,i] over c */
typedef struct gm_insn_reduce_prod {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t outer;
    uint32_t classes;
    uint32_t inner;
} gm_insn_reduce_prod;
typedef char gm_assert_insn_reduce_prod[sizeof(gm_insn_reduce_prod) == 24 ? 1 : -1];

/* dx[o,c,i] = dy[o,i] times the product of x[o,b,i] over b != c */
typedef struct gm_insn_reduce_prod_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t x;
    uint32_t dx;
    uint32_t outer;
    uint32_t classes;
    uint32_t inner;
} gm_insn_reduce_prod_grad;
typedef char gm_assert_insn_reduce_prod_grad[sizeof(gm_insn_reduce_prod_grad) == 28 ? 1 : -1];

/* y[i,j,m,n] = sum over k of a[i,j,m,k] b[i,j,k,n]: products over two batch dimensions, such as samples and heads */
typedef struct gm_insn_matmul {
    uint32_t head;
    uint32_t a;
    uint32_t b;
    uint32_t y;
    uint32_t d0;
    uint32_t d1;
    uint32_t m;
    uint32_t n;
    uint32_t k;
    uint32_t a0;
    uint32_t a1;
    uint32_t a_row;
    uint32_t a_col;
    uint32_t b0;
    uint32_t b1;
    uint32_t b_row;
    uint32_t b_col;
    uint32_t y0;
    uint32_t y1;
    uint32_t y_row;
} gm_insn_matmul;
typedef char gm_assert_insn_matmul[sizeof(gm_insn_matmul) == 80 ? 1 : -1];

/* dx = sum over kernel rows and columns of dy of the window that has this element there, where its index says so */
typedef struct gm_insn_max_pool_index_grad {
    uint32_t head;
    uint32_t index;
    uint32_t dy;
    uint32_t dx;
    uint32_t batch;
    uint32_t channels;
    uint32_t in_h;
    uint32_t in_w;
    uint32_t out_h;
    uint32_t out_w;
    uint32_t kernel_h;
    uint32_t kernel_w;
    uint32_t stride_h;
    uint32_t stride_w;
    uint32_t dilation_h;
    uint32_t dilation_w;
    uint32_t pad_h;
    uint32_t pad_w;
    uint32_t x_batch;
    uint32_t x_h;
    uint32_t x_w;
    uint32_t x_channel;
    uint32_t y_batch;
    uint32_t y_h;
    uint32_t y_w;
    uint32_t y_channel;
} gm_insn_max_pool_index_grad;
typedef char gm_assert_insn_max_pool_index_grad[sizeof(gm_insn_max_pool_index_grad) == 104 ? 1 : -1];

/* bit i of mask = x in low .. high or NaN, or with relu x > 0; the rest of the last byte is 0 */
typedef struct gm_insn_mask {
    uint32_t head;
    uint32_t x;
    uint32_t mask;
    uint32_t n;
    float low;
    float high;
    uint32_t relu;
} gm_insn_mask;
typedef char gm_assert_insn_mask[sizeof(gm_insn_mask) == 28 ? 1 : -1];

/* dx = bit i of mask ? dy : 0 */
typedef struct gm_insn_mask_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t mask;
    uint32_t dx;
    uint32_t n;
} gm_insn_mask_grad;
typedef char gm_assert_insn_mask_grad[sizeof(gm_insn_mask_grad) == 20 ? 1 : -1];

/* mean and variance of each channel; inv_std = 1 / sqrt(var + epsilon) */
typedef struct gm_insn_moments {
    uint32_t head;
    uint32_t x;
    uint32_t mean;
    uint32_t inv_std;
    uint32_t var;
    uint32_t outer;
    uint32_t channels;
    uint32_t inner;
    float epsilon;
} gm_insn_moments;
typedef char gm_assert_insn_moments[sizeof(gm_insn_moments) == 36 ? 1 : -1];

/* y = act((x - mean) inv_std scale + bias); without both mean and bias the gradient of x where statistics are frozen */
typedef struct gm_insn_normalize {
    uint32_t head;
    uint32_t x;
    uint32_t mean;
    uint32_t inv_std;
    uint32_t scale;
    uint32_t bias;
    uint32_t y;
    uint32_t outer;
    uint32_t channels;
    uint32_t inner;
    uint32_t activation;
} gm_insn_normalize;
typedef char gm_assert_insn_normalize[sizeof(gm_insn_normalize) == 44 ? 1 : -1];

/* the gradients of NORMALIZE's scale and bias: dscale = sum of dy (x - mean) inv_std, dbias = sum of dy, over outer and inner */
typedef struct gm_insn_normalize_sums {
    uint32_t head;
    uint32_t dy;
    uint32_t x;
    uint32_t mean;
    uint32_t inv_std;
    uint32_t dscale;
    uint32_t dbias;
    uint32_t outer;
    uint32_t channels;
    uint32_t inner;
} gm_insn_normalize_sums;
typedef char gm_assert_insn_normalize_sums[sizeof(gm_insn_normalize_sums) == 40 ? 1 : -1];

/* the gradient of NORMALIZE's x where mean and inv_std are x's own: dx = scale inv_std (dy - dbias / n - (x - mean) inv_std dscale / n), n = outer inner */
typedef struct gm_insn_normalize_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t x;
    uint32_t mean;
    uint32_t inv_std;
    uint32_t scale;
    uint32_t dscale;
    uint32_t dbias;
    uint32_t dx;
    uint32_t outer;
    uint32_t channels;
    uint32_t inner;
} gm_insn_normalize_grad;
typedef char gm_assert_insn_normalize_grad[sizeof(gm_insn_normalize_grad) == 48 ? 1 : -1];

/* SOFTMAX_CROSS_ENTROPY and its gradient: p = softmax(x); loss = reduce(-mask weight[label] log(p[label])), dx = dloss mask weight[label] (p - onehot(label)), divided by the total weight where reduction is mean */
typedef struct gm_insn_softmax_cross_entropy_with_grad {
    uint32_t head;
    uint32_t x;
    uint32_t labels;
    uint32_t weight;
    uint32_t mask;
    uint32_t dloss;
    uint32_t loss;
    uint32_t dx;
    uint32_t outer;
    uint32_t classes;
    uint32_t inner;
    uint32_t loss_outer;
    uint32_t loss_inner;
    uint32_t reduction;
    int32_t ignore_index;
} gm_insn_softmax_cross_entropy_with_grad;
typedef char gm_assert_insn_softmax_cross_entropy_with_grad[sizeof(gm_insn_softmax_cross_entropy_with_grad) == 60 ? 1 : -1];

/* stops the program with NOT_FINITE if any |x[i,j]| is not below limit, or is NaN */
typedef struct gm_insn_check_bound {
    uint32_t head;
    uint32_t x;
    uint32_t rows;
    uint32_t n;
    uint32_t step;
    float limit;
} gm_insn_check_bound;
typedef char gm_assert_insn_check_bound[sizeof(gm_insn_check_bound) == 24 ? 1 : -1];

/* y = the integer nearest to x, the even one of two, or the next one down or up */
typedef struct gm_insn_round {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
    uint32_t direction;
} gm_insn_round;
typedef char gm_assert_insn_round[sizeof(gm_insn_round) == 20 ? 1 : -1];

/* y = x > 0 ? 1 : x < 0 ? -1 : x */
typedef struct gm_insn_sign {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_sign;
typedef char gm_assert_insn_sign[sizeof(gm_insn_sign) == 16 ? 1 : -1];

/* y = a - b trunc(a / b), exactly, with the sign of a; broadcast by strides of 0 */
typedef struct gm_insn_fmod {
    uint32_t head;
    uint32_t a;
    uint32_t b;
    uint32_t y;
    uint32_t d0;
    uint32_t d1;
    uint32_t d2;
    uint32_t d3;
    uint32_t a0;
    uint32_t a1;
    uint32_t a2;
    uint32_t a3;
    uint32_t b0;
    uint32_t b1;
    uint32_t b2;
    uint32_t b3;
} gm_insn_fmod;
typedef char gm_assert_insn_fmod[sizeof(gm_insn_fmod) == 64 ? 1 : -1];

/* y = arctan(x) */
typedef struct gm_insn_atan {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_atan;
typedef char gm_assert_insn_atan[sizeof(gm_insn_atan) == 16 ? 1 : -1];

/* y = log(1 + x), x >= 0 */
typedef struct gm_insn_log1p {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_log1p;
typedef char gm_assert_insn_log1p[sizeof(gm_insn_log1p) == 16 ? 1 : -1];

/* y = x, rounded to nearest */
typedef struct gm_insn_int_to_float {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_int_to_float;
typedef char gm_assert_insn_int_to_float[sizeof(gm_insn_int_to_float) == 16 ? 1 : -1];

/* y = x without its fraction, the nearest int32 where x is none; of NaN 0 */
typedef struct gm_insn_float_to_int {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_float_to_int;
typedef char gm_assert_insn_float_to_int[sizeof(gm_insn_float_to_int) == 16 ? 1 : -1];

/* y[o,i,n] = (first size + indices[o,i,n]) inner + n; first is o, with accumulate y[o,i,n]; indices as GATHER */
typedef struct gm_insn_flat_index {
    uint32_t head;
    uint32_t indices;
    uint32_t y;
    uint32_t outer;
    uint32_t size;
    uint32_t count;
    uint32_t inner;
    uint32_t i_outer;
    uint32_t i_count;
    uint32_t i_inner;
    uint32_t accumulate;
} gm_insn_flat_index;
typedef char gm_assert_insn_flat_index[sizeof(gm_insn_flat_index) == 44 ? 1 : -1];

/* y[o, indices[i], n] = x[o,i,n], or its product with x, or the larger or smaller of both; o, i, n ascending; indices as GATHER */
typedef struct gm_insn_scatter {
    uint32_t head;
    uint32_t x;
    uint32_t indices;
    uint32_t y;
    uint32_t outer;
    uint32_t size;
    uint32_t count;
    uint32_t inner;
    uint32_t combine;
} gm_insn_scatter;
typedef char gm_assert_insn_scatter[sizeof(gm_insn_scatter) == 36 ? 1 : -1];

/* the largest, or smallest, of x over c, in that order, and their c; NaN comes first; of equal ones the lowest c, with last the highest */
typedef struct gm_insn_top_k {
    uint32_t head;
    uint32_t x;
    uint32_t values;
    uint32_t indices;
    uint32_t outer;
    uint32_t size;
    uint32_t count;
    uint32_t inner;
    uint32_t smallest;
    uint32_t last;
} gm_insn_top_k;
typedef char gm_assert_insn_top_k[sizeof(gm_insn_top_k) == 40 ? 1 : -1];

/* y[i] = low + range u, u = random(seed, step, stream, i) / 2^32 cut to 24 bits */
typedef struct gm_insn_random_uniform {
    uint32_t head;
    uint32_t counter;
    uint32_t y;
    uint32_t n;
    uint32_t stream;
    float low;
    float range;
} gm_insn_random_uniform;
typedef char gm_assert_insn_random_uniform[sizeof(gm_insn_random_uniform) == 28 ? 1 : -1];

/* y = x > alpha ? x : 0 */
typedef struct gm_insn_thresholded_relu {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
    float alpha;
} gm_insn_thresholded_relu;
typedef char gm_assert_insn_thresholded_relu[sizeof(gm_insn_thresholded_relu) == 20 ? 1 : -1];

/* dx = x > alpha ? dy : 0 */
typedef struct gm_insn_thresholded_relu_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t x;
    uint32_t dx;
    uint32_t n;
    float alpha;
} gm_insn_thresholded_relu_grad;
typedef char gm_assert_insn_thresholded_relu_grad[sizeof(gm_insn_thresholded_relu_grad) == 24 ? 1 : -1];

/* y = round(x / scale) + zero, clamped to low .. high; NaN gives low */
typedef struct gm_insn_quantize {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
    float scale;
    int32_t zero;
    int32_t low;
    int32_t high;
} gm_insn_quantize;
typedef char gm_assert_insn_quantize[sizeof(gm_insn_quantize) == 32 ? 1 : -1];

/* y = (x - zero) scale, both of its channel; zero is 0 where it is absent */
typedef struct gm_insn_dequantize {
    uint32_t head;
    uint32_t x;
    uint32_t scale;
    uint32_t zero;
    uint32_t y;
    uint32_t outer;
    uint32_t channels;
    uint32_t inner;
    uint32_t x_outer;
    uint32_t x_channel;
    uint32_t x_inner;
} gm_insn_dequantize;
typedef char gm_assert_insn_dequantize[sizeof(gm_insn_dequantize) == 44 ? 1 : -1];

/* y[b,o,p,g,m] = round(multipliers[g,m] (bias[g,m] + sum over kernel rows, columns and in_channels of (x - x_zero) (w - w_zero)) + offsets[g,m]) + y_zero, clamped to low .. high */
typedef struct gm_insn_conv_s8 {
    uint32_t head;
    uint32_t x;
    uint32_t w;
    uint32_t bias;
    uint32_t multipliers;
    uint32_t offsets;
    uint32_t y;
    uint32_t panel;
    uint32_t batch;
    uint32_t groups;
    uint32_t in_channels;
    uint32_t out_channels;
    uint32_t in_h;
    uint32_t in_w;
    uint32_t out_h;
    uint32_t out_w;
    uint32_t kernel_h;
    uint32_t kernel_w;
    uint32_t stride_h;
    uint32_t stride_w;
    uint32_t dilation_h;
    uint32_t dilation_w;
    uint32_t pad_h;
    uint32_t pad_w;
    uint32_t x_batch;
    uint32_t x_h;
    uint32_t x_w;
    uint32_t x_group;
    uint32_t x_channel;
    uint32_t w_group;
    uint32_t w_out_channel;
    uint32_t w_in_channel;
    uint32_t w_h;
    uint32_t w_w;
    uint32_t y_batch;
    uint32_t y_h;
    uint32_t y_w;
    uint32_t y_group;
    uint32_t y_channel;
    int32_t x_zero;
    int32_t w_zero;
    int32_t y_zero;
    int32_t low;
    int32_t high;
    uint32_t panel_words;
} gm_insn_conv_s8;
typedef char gm_assert_insn_conv_s8[sizeof(gm_insn_conv_s8) == 180 ? 1 : -1];

/* y[i0..i5] = x[i0..i5], each side with its own strides; with a table, table[x + 128] */
typedef struct gm_insn_copy_s8 {
    uint32_t head;
    uint32_t x;
    uint32_t table;
    uint32_t y;
    uint32_t d0;
    uint32_t d1;
    uint32_t d2;
    uint32_t d3;
    uint32_t d4;
    uint32_t d5;
    uint32_t s0;
    uint32_t s1;
    uint32_t s2;
    uint32_t s3;
    uint32_t s4;
    uint32_t s5;
    uint32_t t0;
    uint32_t t1;
    uint32_t t2;
    uint32_t t3;
    uint32_t t4;
    uint32_t t5;
} gm_insn_copy_s8;
typedef char gm_assert_insn_copy_s8[sizeof(gm_insn_copy_s8) == 88 ? 1 : -1];

/* y = round(((a - a_zero) a_scale + (b - b_zero) b_scale) / y_scale) + y_zero, clamped to low .. high; broadcast by strides of 0 */
typedef struct gm_insn_add_s8 {
    uint32_t head;
    uint32_t a;
    uint32_t b;
    uint32_t y;
    uint32_t d0;
    uint32_t d1;
    uint32_t d2;
    uint32_t d3;
    uint32_t a0;
    uint32_t a1;
    uint32_t a2;
    uint32_t a3;
    uint32_t b0;
    uint32_t b1;
    uint32_t b2;
    uint32_t b3;
    float a_scale;
    int32_t a_zero;
    float b_scale;
    int32_t b_zero;
    float y_scale;
    int32_t y_zero;
    int32_t low;
    int32_t high;
} gm_insn_add_s8;
typedef char gm_assert_insn_add_s8[sizeof(gm_insn_add_s8) == 96 ? 1 : -1];

/* y = round(((a - a_zero) a_scale * (b - b_zero) b_scale) / y_scale) + y_zero, clamped to low .. high; broadcast by strides of 0 */
typedef struct gm_insn_mul_s8 {
    uint32_t head;
    uint32_t a;
    uint32_t b;
    uint32_t y;
    uint32_t d0;
    uint32_t d1;
    uint32_t d2;
    uint32_t d3;
    uint32_t a0;
    uint32_t a1;
    uint32_t a2;
    uint32_t a3;
    uint32_t b0;
    uint32_t b1;
    uint32_t b2;
    uint32_t b3;
    float a_scale;
    int32_t a_zero;
    float b_scale;
    int32_t b_zero;
    float y_scale;
    int32_t y_zero;
    int32_t low;
    int32_t high;
} gm_insn_mul_s8;
typedef char gm_assert_insn_mul_s8[sizeof(gm_insn_mul_s8) == 96 ? 1 : -1];

/* y[b,o,p,c] = the largest x in the window, -128 where it has no tap inside; index[b,o,p,c] = its tap, row-major, 255 where there is none */
typedef struct gm_insn_max_pool_s8 {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t index;
    uint32_t batch;
    uint32_t channels;
    uint32_t in_h;
    uint32_t in_w;
    uint32_t out_h;
    uint32_t out_w;
    uint32_t kernel_h;
    uint32_t kernel_w;
    uint32_t stride_h;
    uint32_t stride_w;
    uint32_t dilation_h;
    uint32_t dilation_w;
    uint32_t pad_h;
    uint32_t pad_w;
    uint32_t x_batch;
    uint32_t x_h;
    uint32_t x_w;
    uint32_t x_channel;
    uint32_t y_batch;
    uint32_t y_h;
    uint32_t y_w;
    uint32_t y_channel;
} gm_insn_max_pool_s8;
typedef char gm_assert_insn_max_pool_s8[sizeof(gm_insn_max_pool_s8) == 104 ? 1 : -1];

/* y[b,o,p,c] = round((sum of (x - x_zero) x_scale in the window / count) / y_scale) + y_zero, clamped to low .. high; the count as AVERAGE_POOL, the order of the sum as `order` says */
typedef struct gm_insn_average_pool_s8 {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t batch;
    uint32_t channels;
    uint32_t in_h;
    uint32_t in_w;
    uint32_t out_h;
    uint32_t out_w;
    uint32_t kernel_h;
    uint32_t kernel_w;
    uint32_t stride_h;
    uint32_t stride_w;
    uint32_t dilation_h;
    uint32_t dilation_w;
    uint32_t pad_h;
    uint32_t pad_w;
    uint32_t x_batch;
    uint32_t x_h;
    uint32_t x_w;
    uint32_t x_channel;
    uint32_t y_batch;
    uint32_t y_h;
    uint32_t y_w;
    uint32_t y_channel;
    uint32_t count_pad;
    uint32_t padded_h;
    uint32_t padded_w;
    uint32_t order;
    float x_scale;
    int32_t x_zero;
    float y_scale;
    int32_t y_zero;
    int32_t low;
    int32_t high;
} gm_insn_average_pool_s8;
typedef char gm_assert_insn_average_pool_s8[sizeof(gm_insn_average_pool_s8) == 140 ? 1 : -1];

/* x[b,i,j,g,c] = round(multipliers[g,c] (bias[g,c] + sum over kernel rows, columns and out_channels of (y - y_zero) (w - w_zero)) + offsets[g,c]) + x_zero, clamped to low .. high */
typedef struct gm_insn_conv_transpose_s8 {
    uint32_t head;
    uint32_t y;
    uint32_t w;
    uint32_t bias;
    uint32_t multipliers;
    uint32_t offsets;
    uint32_t x;
    uint32_t panel;
    uint32_t batch;
    uint32_t groups;
    uint32_t in_channels;
    uint32_t out_channels;
    uint32_t in_h;
    uint32_t in_w;
    uint32_t out_h;
    uint32_t out_w;
    uint32_t kernel_h;
    uint32_t kernel_w;
    uint32_t stride_h;
    uint32_t stride_w;
    uint32_t dilation_h;
    uint32_t dilation_w;
    uint32_t pad_h;
    uint32_t pad_w;
    uint32_t x_batch;
    uint32_t x_h;
    uint32_t x_w;
    uint32_t x_group;
    uint32_t x_channel;
    uint32_t w_group;
    uint32_t w_out_channel;
    uint32_t w_in_channel;
    uint32_t w_h;
    uint32_t w_w;
    uint32_t y_batch;
    uint32_t y_h;
    uint32_t y_w;
    uint32_t y_group;
    uint32_t y_channel;
    int32_t x_zero;
    int32_t w_zero;
    int32_t y_zero;
    int32_t low;
    int32_t high;
    uint32_t panel_words;
} gm_insn_conv_transpose_s8;
typedef char gm_assert_insn_conv_transpose_s8[sizeof(gm_insn_conv_transpose_s8) == 180 ? 1 : -1];

/* y[i,j,m,n] = round(multiplier sum over k of (a[i,j,m,k] - a_zero) (b[i,j,k,n] - b_zero)) + y_zero, clamped to low .. high */
typedef struct gm_insn_matmul_s8 {
    uint32_t head;
    uint32_t a;
    uint32_t b;
    uint32_t y;
    uint32_t panel;
    uint32_t d0;
    uint32_t d1;
    uint32_t m;
    uint32_t n;
    uint32_t k;
    uint32_t a0;
    uint32_t a1;
    uint32_t a_row;
    uint32_t a_col;
    uint32_t b0;
    uint32_t b1;
    uint32_t b_row;
    uint32_t b_col;
    uint32_t y0;
    uint32_t y1;
    uint32_t y_row;
    float multiplier;
    int32_t a_zero;
    int32_t b_zero;
    int32_t y_zero;
    int32_t low;
    int32_t high;
    uint32_t panel_words;
} gm_insn_matmul_s8;
typedef char gm_assert_insn_matmul_s8[sizeof(gm_insn_matmul_s8) == 112 ? 1 : -1];

/* y 2^exponent = scale[c] dy where low < q < high and the bit of mask is 1, else 0, rounded; the exponent is the least under which the largest keeps the limit. A number that is not finite stops the program with NOT_FINITE */
typedef struct gm_insn_quantize_grad_s16 {
    uint32_t head;
    uint32_t dy;
    uint32_t q;
    uint32_t mask;
    uint32_t scale;
    uint32_t y;
    uint32_t exponent;
    uint32_t outer;
    uint32_t channels;
    uint32_t inner;
    int32_t low;
    int32_t high;
    int32_t limit;
} gm_insn_quantize_grad_s16;
typedef char gm_assert_insn_quantize_grad_s16[sizeof(gm_insn_quantize_grad_s16) == 52 ? 1 : -1];

/* the gradient of CONV_S8 for x: dx[b,i,j,g,c] 2^exponent = scale[g,c] (2^dy_exponent sum over kernel rows, columns and out_channels of dy (w - w_zero) + 2^addend_exponent addend) where low < q < high and the bit of mask is 1, else 0, rounded; gain becomes that of the next step */
typedef struct gm_insn_conv_grad_x_s16 {
    uint32_t head;
    uint32_t dy;
    uint32_t dy_exponent;
    uint32_t w;
    uint32_t addend;
    uint32_t addend_exponent;
    uint32_t q;
    uint32_t mask;
    uint32_t scale;
    uint32_t dx;
    uint32_t exponent;
    uint32_t gain;
    uint32_t panel;
    uint32_t batch;
    uint32_t groups;
    uint32_t in_channels;
    uint32_t out_channels;
    uint32_t in_h;
    uint32_t in_w;
    uint32_t out_h;
    uint32_t out_w;
    uint32_t kernel_h;
    uint32_t kernel_w;
    uint32_t stride_h;
    uint32_t stride_w;
    uint32_t dilation_h;
    uint32_t dilation_w;
    uint32_t pad_h;
    uint32_t pad_w;
    uint32_t x_batch;
    uint32_t x_h;
    uint32_t x_w;
    uint32_t x_group;
    uint32_t x_channel;
    uint32_t w_group;
    uint32_t w_out_channel;
    uint32_t w_in_channel;
    uint32_t w_h;
    uint32_t w_w;
    uint32_t y_batch;
    uint32_t y_h;
    uint32_t y_w;
    uint32_t y_group;
    uint32_t y_channel;
    int32_t w_zero;
    int32_t low;
    int32_t high;
    int32_t limit;
    uint32_t panel_words;
} gm_insn_conv_grad_x_s16;
typedef char gm_assert_insn_conv_grad_x_s16[sizeof(gm_insn_conv_grad_x_s16) == 196 ? 1 : -1];

/* the gradient of CONV_S8 for w: y[g,m,c,k,l] = factor[g,m] 2^dy_exponent sum over batch, output rows and columns of dy (x - x_zero); with accumulate, added to y. The strides y_batch to y_channel are of dy. dy_limit is the limit of dy */
typedef struct gm_insn_conv_grad_w_s16 {
    uint32_t head;
    uint32_t x;
    uint32_t dy;
    uint32_t dy_exponent;
    uint32_t factor;
    uint32_t y;
    uint32_t panel;
    uint32_t batch;
    uint32_t groups;
    uint32_t in_channels;
    uint32_t out_channels;
    uint32_t in_h;
    uint32_t in_w;
    uint32_t out_h;
    uint32_t out_w;
    uint32_t kernel_h;
    uint32_t kernel_w;
    uint32_t stride_h;
    uint32_t stride_w;
    uint32_t dilation_h;
    uint32_t dilation_w;
    uint32_t pad_h;
    uint32_t pad_w;
    uint32_t x_batch;
    uint32_t x_h;
    uint32_t x_w;
    uint32_t x_group;
    uint32_t x_channel;
    uint32_t y_batch;
    uint32_t y_h;
    uint32_t y_w;
    uint32_t y_group;
    uint32_t y_channel;
    int32_t x_zero;
    int32_t dy_limit;
    uint32_t accumulate;
    uint32_t panel_words;
} gm_insn_conv_grad_w_s16;
typedef char gm_assert_insn_conv_grad_w_s16[sizeof(gm_insn_conv_grad_w_s16) == 148 ? 1 : -1];

/* y[c] = 2^x_exponent sum of x over outer and inner, divided by divisor[c]; with accumulate, added to y */
typedef struct gm_insn_sum_s16 {
    uint32_t head;
    uint32_t x;
    uint32_t x_exponent;
    uint32_t divisor;
    uint32_t y;
    uint32_t outer;
    uint32_t channels;
    uint32_t inner;
    uint32_t x_outer;
    uint32_t x_channel;
    uint32_t x_inner;
    uint32_t accumulate;
} gm_insn_sum_s16;
typedef char gm_assert_insn_sum_s16[sizeof(gm_insn_sum_s16) == 48 ? 1 : -1];

/* y 2^exponent = scale (2^a_exponent a + 2^b_exponent b) where low < q < high and the bit of mask is 1, else 0, rounded; the exponent is the least under which the largest keeps the limit. a, b and scale are broadcast by strides of 0 */
typedef struct gm_insn_add_s16 {
    uint32_t head;
    uint32_t a;
    uint32_t a_exponent;
    uint32_t b;
    uint32_t b_exponent;
    uint32_t q;
    uint32_t mask;
    uint32_t scale;
    uint32_t y;
    uint32_t exponent;
    uint32_t d0;
    uint32_t d1;
    uint32_t d2;
    uint32_t d3;
    uint32_t a0;
    uint32_t a1;
    uint32_t a2;
    uint32_t a3;
    uint32_t b0;
    uint32_t b1;
    uint32_t b2;
    uint32_t b3;
    uint32_t s0;
    uint32_t s1;
    uint32_t s2;
    uint32_t s3;
    int32_t low;
    int32_t high;
    int32_t limit;
} gm_insn_add_s16;
typedef char gm_assert_insn_add_s16[sizeof(gm_insn_add_s16) == 116 ? 1 : -1];

/* y[i0..i5] = x[i0..i5], each side with its own strides */
typedef struct gm_insn_copy_s16 {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t d0;
    uint32_t d1;
    uint32_t d2;
    uint32_t d3;
    uint32_t d4;
    uint32_t d5;
    uint32_t s0;
    uint32_t s1;
    uint32_t s2;
    uint32_t s3;
    uint32_t s4;
    uint32_t s5;
    uint32_t t0;
    uint32_t t1;
    uint32_t t2;
    uint32_t t3;
    uint32_t t4;
    uint32_t t5;
} gm_insn_copy_s16;
typedef char gm_assert_insn_copy_s16[sizeof(gm_insn_copy_s16) == 84 ? 1 : -1];

/* y = 2^x_exponent x */
typedef struct gm_insn_dequantize_s16 {
    uint32_t head;
    uint32_t x;
    uint32_t x_exponent;
    uint32_t y;
    uint32_t n;
} gm_insn_dequantize_s16;
typedef char gm_assert_insn_dequantize_s16[sizeof(gm_insn_dequantize_s16) == 20 ? 1 : -1];

/* SOFTMAX_CROSS_ENTROPY_WITH_GRAD, with the bits of the strict profile in both profiles */
typedef struct gm_insn_softmax_cross_entropy_plain {
    uint32_t head;
    uint32_t x;
    uint32_t labels;
    uint32_t weight;
    uint32_t mask;
    uint32_t dloss;
    uint32_t loss;
    uint32_t dx;
    uint32_t outer;
    uint32_t classes;
    uint32_t inner;
    uint32_t loss_outer;
    uint32_t loss_inner;
    uint32_t reduction;
    int32_t ignore_index;
} gm_insn_softmax_cross_entropy_plain;
typedef char gm_assert_insn_softmax_cross_entropy_plain[sizeof(gm_insn_softmax_cross_entropy_plain) == 60 ? 1 : -1];

/* dx 2^exponent = 2^dy_exponent sum over kernel rows and columns of dy of the window that has this element there, where its index says so; the exponent is the least under which the largest keeps the limit */
typedef struct gm_insn_max_pool_grad_s16 {
    uint32_t head;
    uint32_t index;
    uint32_t dy;
    uint32_t dy_exponent;
    uint32_t dx;
    uint32_t exponent;
    uint32_t batch;
    uint32_t channels;
    uint32_t in_h;
    uint32_t in_w;
    uint32_t out_h;
    uint32_t out_w;
    uint32_t kernel_h;
    uint32_t kernel_w;
    uint32_t stride_h;
    uint32_t stride_w;
    uint32_t dilation_h;
    uint32_t dilation_w;
    uint32_t pad_h;
    uint32_t pad_w;
    uint32_t x_batch;
    uint32_t x_h;
    uint32_t x_w;
    uint32_t x_channel;
    uint32_t y_batch;
    uint32_t y_h;
    uint32_t y_w;
    uint32_t y_channel;
    int32_t limit;
} gm_insn_max_pool_grad_s16;
typedef char gm_assert_insn_max_pool_grad_s16[sizeof(gm_insn_max_pool_grad_s16) == 116 ? 1 : -1];

/* the next `body` words of the program run `iterations` times; the executor does it */
typedef struct gm_insn_loop {
    uint32_t head;
    uint32_t body;
    uint32_t iterations;
} gm_insn_loop;
typedef char gm_assert_insn_loop[sizeof(gm_insn_loop) == 12 ? 1 : -1];

/* the next instruction runs in iterations first, first + period, .., count times, each time with three of its operands moved on by their steps, in bytes; the executor does it */
typedef struct gm_insn_guard {
    uint32_t head;
    uint32_t first;
    uint32_t count;
    uint32_t period;
    uint32_t operand_a;
    uint32_t step_a;
    uint32_t operand_b;
    uint32_t step_b;
    uint32_t operand_c;
    uint32_t step_c;
} gm_insn_guard;
typedef char gm_assert_insn_guard[sizeof(gm_insn_guard) == 40 ? 1 : -1];

/* moves bytes by .. n - 1 of x to its start, in place */
typedef struct gm_insn_shift {
    uint32_t head;
    uint32_t x;
    uint32_t n;
    uint32_t by;
} gm_insn_shift;
typedef char gm_assert_insn_shift[sizeof(gm_insn_shift) == 16 ? 1 : -1];

/* dx = dy scale where low < q < high and the bit of mask is 1, else 0, with the scale of its channel, or 1 where that is absent */
typedef struct gm_insn_quantize_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t q;
    uint32_t mask;
    uint32_t scale;
    uint32_t dx;
    uint32_t outer;
    uint32_t channels;
    uint32_t inner;
    int32_t low;
    int32_t high;
} gm_insn_quantize_grad;
typedef char gm_assert_insn_quantize_grad[sizeof(gm_insn_quantize_grad) == 44 ? 1 : -1];

/* x[b,i,j,g,c] = sum over kernel rows, columns and out_channels of y (w - w_zero): the gradient of CONV_S8 for x, from y in float32; with accumulate, the sum starts from x */
typedef struct gm_insn_conv_grad_x_s8 {
    uint32_t head;
    uint32_t y;
    uint32_t w;
    uint32_t x;
    uint32_t batch;
    uint32_t groups;
    uint32_t in_channels;
    uint32_t out_channels;
    uint32_t in_h;
    uint32_t in_w;
    uint32_t out_h;
    uint32_t out_w;
    uint32_t kernel_h;
    uint32_t kernel_w;
    uint32_t stride_h;
    uint32_t stride_w;
    uint32_t dilation_h;
    uint32_t dilation_w;
    uint32_t pad_h;
    uint32_t pad_w;
    uint32_t x_batch;
    uint32_t x_h;
    uint32_t x_w;
    uint32_t x_group;
    uint32_t x_channel;
    uint32_t w_group;
    uint32_t w_out_channel;
    uint32_t w_in_channel;
    uint32_t w_h;
    uint32_t w_w;
    uint32_t y_batch;
    uint32_t y_h;
    uint32_t y_w;
    uint32_t y_group;
    uint32_t y_channel;
    int32_t w_zero;
    uint32_t accumulate;
} gm_insn_conv_grad_x_s8;
typedef char gm_assert_insn_conv_grad_x_s8[sizeof(gm_insn_conv_grad_x_s8) == 148 ? 1 : -1];

/* y[g,m,c,k,l] = factor[g,m] times the sum over batch, output rows and columns of dy (x - x_zero): the gradient of CONV_S8's w; with accumulate, it is added to y. The strides y_batch to y_channel are of dy */
typedef struct gm_insn_conv_grad_w_s8 {
    uint32_t head;
    uint32_t x;
    uint32_t dy;
    uint32_t factor;
    uint32_t y;
    uint32_t batch;
    uint32_t groups;
    uint32_t in_channels;
    uint32_t out_channels;
    uint32_t in_h;
    uint32_t in_w;
    uint32_t out_h;
    uint32_t out_w;
    uint32_t kernel_h;
    uint32_t kernel_w;
    uint32_t stride_h;
    uint32_t stride_w;
    uint32_t dilation_h;
    uint32_t dilation_w;
    uint32_t pad_h;
    uint32_t pad_w;
    uint32_t x_batch;
    uint32_t x_h;
    uint32_t x_w;
    uint32_t x_group;
    uint32_t x_channel;
    uint32_t y_batch;
    uint32_t y_h;
    uint32_t y_w;
    uint32_t y_group;
    uint32_t y_channel;
    int32_t x_zero;
    uint32_t accumulate;
} gm_insn_conv_grad_w_s8;
typedef char gm_assert_insn_conv_grad_w_s8[sizeof(gm_insn_conv_grad_w_s8) == 132 ? 1 : -1];

/* one output channel after another: row = the gradient that CONV_GRAD_W_S8 makes of w[g,m]; then rule updates p[g,m] with it as UPDATE_S8 does, or with p_bytes 2 as UPDATE_S16 does */
typedef struct gm_insn_conv_update_s8 {
    uint32_t head;
    uint32_t x;
    uint32_t dy;
    uint32_t row;
    uint32_t p;
    uint32_t slot1;
    uint32_t slot2;
    uint32_t aux;
    uint32_t lr;
    uint32_t rule;
    uint32_t factor;
    uint32_t units;
    uint32_t counter;
    uint32_t batch;
    uint32_t groups;
    uint32_t in_channels;
    uint32_t out_channels;
    uint32_t in_h;
    uint32_t in_w;
    uint32_t out_h;
    uint32_t out_w;
    uint32_t kernel_h;
    uint32_t kernel_w;
    uint32_t stride_h;
    uint32_t stride_w;
    uint32_t dilation_h;
    uint32_t dilation_w;
    uint32_t pad_h;
    uint32_t pad_w;
    uint32_t x_batch;
    uint32_t x_h;
    uint32_t x_w;
    uint32_t x_group;
    uint32_t x_channel;
    uint32_t y_batch;
    uint32_t y_h;
    uint32_t y_w;
    uint32_t y_group;
    uint32_t y_channel;
    int32_t x_zero;
    uint32_t p_bytes;
    uint32_t stream;
    float limit;
    int32_t zero;
    int32_t low;
    int32_t high;
} gm_insn_conv_update_s8;
typedef char gm_assert_insn_conv_update_s8[sizeof(gm_insn_conv_update_s8) == 184 ? 1 : -1];

/* rule updates p, of which element i stands for (p - zero) units of its channel, with the gradient scale g; the step is rounded up or down at random, by its fraction, and p stays in low to high */
typedef struct gm_insn_update_s8 {
    uint32_t head;
    uint32_t g;
    uint32_t p;
    uint32_t slot1;
    uint32_t slot2;
    uint32_t aux;
    uint32_t lr;
    uint32_t scale;
    uint32_t rule;
    uint32_t units;
    uint32_t counter;
    uint32_t outer;
    uint32_t channels;
    uint32_t inner;
    uint32_t stream;
    float limit;
    int32_t zero;
    int32_t low;
    int32_t high;
} gm_insn_update_s8;
typedef char gm_assert_insn_update_s8[sizeof(gm_insn_update_s8) == 76 ? 1 : -1];

/* the same of 16 bits: a master whose high byte is the weight, so that zero is 256 times the weight's and 128 */
typedef struct gm_insn_update_s16 {
    uint32_t head;
    uint32_t g;
    uint32_t p;
    uint32_t slot1;
    uint32_t slot2;
    uint32_t aux;
    uint32_t lr;
    uint32_t scale;
    uint32_t rule;
    uint32_t units;
    uint32_t counter;
    uint32_t outer;
    uint32_t channels;
    uint32_t inner;
    uint32_t stream;
    float limit;
    int32_t zero;
    int32_t low;
    int32_t high;
} gm_insn_update_s16;
typedef char gm_assert_insn_update_s16[sizeof(gm_insn_update_s16) == 76 ? 1 : -1];

/* the same of 32 bits, for biases */
typedef struct gm_insn_update_s32 {
    uint32_t head;
    uint32_t g;
    uint32_t p;
    uint32_t slot1;
    uint32_t slot2;
    uint32_t aux;
    uint32_t lr;
    uint32_t scale;
    uint32_t rule;
    uint32_t units;
    uint32_t counter;
    uint32_t outer;
    uint32_t channels;
    uint32_t inner;
    uint32_t stream;
    float limit;
    int32_t zero;
    int32_t low;
    int32_t high;
} gm_insn_update_s32;
typedef char gm_assert_insn_update_s32[sizeof(gm_insn_update_s32) == 76 ? 1 : -1];

/* one output channel after another: row = the gradient that CONV_GRAD_W_S16 makes of w[g,m]; then rule updates p[g,m] with it as UPDATE_S8 does, or with p_bytes 2 as UPDATE_S16 does */
typedef struct gm_insn_conv_update_s16 {
    uint32_t head;
    uint32_t x;
    uint32_t dy;
    uint32_t row;
    uint32_t p;
    uint32_t slot1;
    uint32_t slot2;
    uint32_t aux;
    uint32_t lr;
    uint32_t rule;
    uint32_t factor;
    uint32_t units;
    uint32_t counter;
    uint32_t dy_exponent;
    uint32_t panel;
    uint32_t batch;
    uint32_t groups;
    uint32_t in_channels;
    uint32_t out_channels;
    uint32_t in_h;
    uint32_t in_w;
    uint32_t out_h;
    uint32_t out_w;
    uint32_t kernel_h;
    uint32_t kernel_w;
    uint32_t stride_h;
    uint32_t stride_w;
    uint32_t dilation_h;
    uint32_t dilation_w;
    uint32_t pad_h;
    uint32_t pad_w;
    uint32_t x_batch;
    uint32_t x_h;
    uint32_t x_w;
    uint32_t x_group;
    uint32_t x_channel;
    uint32_t y_batch;
    uint32_t y_h;
    uint32_t y_w;
    uint32_t y_group;
    uint32_t y_channel;
    int32_t x_zero;
    int32_t dy_limit;
    uint32_t p_bytes;
    uint32_t stream;
    float limit;
    int32_t zero;
    int32_t low;
    int32_t high;
    uint32_t panel_words;
} gm_insn_conv_update_s16;
typedef char gm_assert_insn_conv_update_s16[sizeof(gm_insn_conv_update_s16) == 200 ? 1 : -1];

/* bit i of mask = low < q < high; the rest of the last byte is 0 */
typedef struct gm_insn_mask_s8 {
    uint32_t head;
    uint32_t q;
    uint32_t mask;
    uint32_t n;
    int32_t low;
    int32_t high;
} gm_insn_mask_s8;
typedef char gm_assert_insn_mask_s8[sizeof(gm_insn_mask_s8) == 24 ? 1 : -1];

/* y = the bits of the bfloat16 that is nearest to x, to even where two are as near */
typedef struct gm_insn_float_to_bf16 {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_float_to_bf16;
typedef char gm_assert_insn_float_to_bf16[sizeof(gm_insn_float_to_bf16) == 16 ? 1 : -1];

/* y = the float32 of which x has the upper 16 bits; the others are 0 */
typedef struct gm_insn_bf16_to_float {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_bf16_to_float;
typedef char gm_assert_insn_bf16_to_float[sizeof(gm_insn_bf16_to_float) == 16 ? 1 : -1];

/* y[i,j,m,c] = sum over n of p[i,j,m,n] v[i,j,n,c], where p = softmax over n of scale (sum over c of q[i,j,m,c] k[i,j,n,c]) + attn_mask[i,j,m,n]; with divides, the sum is divided by scale; with fill, fill[0] stands where attn_mask is not 0, and nothing is added; `rows` queries at a time */
typedef struct gm_insn_attention {
    uint32_t head;
    uint32_t q;
    uint32_t k;
    uint32_t v;
    uint32_t scale;
    uint32_t attn_mask;
    uint32_t fill;
    uint32_t block;
    uint32_t y;
    uint32_t samples;
    uint32_t heads;
    uint32_t queries;
    uint32_t keys;
    uint32_t depth;
    uint32_t rows;
    uint32_t divides;
    uint32_t q0;
    uint32_t q1;
    uint32_t q_row;
    uint32_t k0;
    uint32_t k1;
    uint32_t k_row;
    uint32_t k_col;
    uint32_t v0;
    uint32_t v1;
    uint32_t v_row;
    uint32_t mask0;
    uint32_t mask1;
    uint32_t mask_row;
    uint32_t y0;
    uint32_t y1;
    uint32_t y_row;
} gm_insn_attention;
typedef char gm_assert_insn_attention[sizeof(gm_insn_attention) == 128 ? 1 : -1];

/* the gradients of ATTENTION: dv = p^T dy, ds = scale (p (dp - sum over n of dp p)) where dp = dy v^T, dq = ds k, dk = ds^T q, also by columns; with fill, fill[1] stands in place of ds where attn_mask is not 0, before scale; p is computed again */
typedef struct gm_insn_attention_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t q;
    uint32_t k;
    uint32_t v;
    uint32_t scale;
    uint32_t attn_mask;
    uint32_t fill;
    uint32_t block;
    uint32_t dq;
    uint32_t dk;
    uint32_t dk_columns;
    uint32_t dv;
    uint32_t samples;
    uint32_t heads;
    uint32_t queries;
    uint32_t keys;
    uint32_t depth;
    uint32_t rows;
    uint32_t divides;
    uint32_t dy0;
    uint32_t dy1;
    uint32_t dy_row;
    uint32_t q0;
    uint32_t q1;
    uint32_t q_row;
    uint32_t k0;
    uint32_t k1;
    uint32_t k_row;
    uint32_t k_col;
    uint32_t v0;
    uint32_t v1;
    uint32_t v_row;
    uint32_t mask0;
    uint32_t mask1;
    uint32_t mask_row;
    uint32_t dq0;
    uint32_t dq1;
    uint32_t dq_row;
    uint32_t dk0;
    uint32_t dk1;
    uint32_t dk_row;
    uint32_t dv0;
    uint32_t dv1;
    uint32_t dv_row;
} gm_insn_attention_grad;
typedef char gm_assert_insn_attention_grad[sizeof(gm_insn_attention_grad) == 180 ? 1 : -1];

/* A kernel runs one verified instruction: GM_OK, or a negative gm_error that ends the program. */
typedef int (*gm_kernel)(const struct gm_session *session, const void *instruction);

int gm_kernel_gemm(const struct gm_session *session, const void *instruction);
int gm_kernel_gemm_update(const struct gm_session *session, const void *instruction);
int gm_kernel_update(const struct gm_session *session, const void *instruction);
int gm_kernel_bias_correction(const struct gm_session *session, const void *instruction);
int gm_kernel_sum_squares(const struct gm_session *session, const void *instruction);
int gm_kernel_clip_scale(const struct gm_session *session, const void *instruction);
int gm_kernel_check_finite(const struct gm_session *session, const void *instruction);
int gm_kernel_copy(const struct gm_session *session, const void *instruction);
int gm_kernel_reduce_sum(const struct gm_session *session, const void *instruction);
int gm_kernel_add(const struct gm_session *session, const void *instruction);
int gm_kernel_sub(const struct gm_session *session, const void *instruction);
int gm_kernel_mul(const struct gm_session *session, const void *instruction);
int gm_kernel_div(const struct gm_session *session, const void *instruction);
int gm_kernel_relu(const struct gm_session *session, const void *instruction);
int gm_kernel_relu_grad(const struct gm_session *session, const void *instruction);
int gm_kernel_leaky_relu(const struct gm_session *session, const void *instruction);
int gm_kernel_leaky_relu_grad(const struct gm_session *session, const void *instruction);
int gm_kernel_sigmoid(const struct gm_session *session, const void *instruction);
int gm_kernel_sigmoid_grad(const struct gm_session *session, const void *instruction);
int gm_kernel_tanh(const struct gm_session *session, const void *instruction);
int gm_kernel_tanh_grad(const struct gm_session *session, const void *instruction);
int gm_kernel_softmax(const struct gm_session *session, const void *instruction);
int gm_kernel_softmax_grad(const struct gm_session *session, const void *instruction);
int gm_kernel_log_softmax(const struct gm_session *session, const void *instruction);
int gm_kernel_log_softmax_grad(const struct gm_session *session, const void *instruction);
int gm_kernel_dropout(const struct gm_session *session, const void *instruction);
int gm_kernel_softmax_cross_entropy(const struct gm_session *session, const void *instruction);
int gm_kernel_softmax_cross_entropy_grad(const struct gm_session *session, const void *instruction);
int gm_kernel_mse_loss(const struct gm_session *session, const void *instruction);
int gm_kernel_mse_loss_grad(const struct gm_session *session, const void *instruction);
int gm_kernel_l1_loss(const struct gm_session *session, const void *instruction);
int gm_kernel_l1_loss_grad(const struct gm_session *session, const void *instruction);
int gm_kernel_bce_with_logits_loss(const struct gm_session *session, const void *instruction);
int gm_kernel_bce_with_logits_loss_grad(const struct gm_session *session, const void *instruction);
int gm_kernel_conv(const struct gm_session *session, const void *instruction);
int gm_kernel_conv_transpose(const struct gm_session *session, const void *instruction);
int gm_kernel_conv_grad_w(const struct gm_session *session, const void *instruction);
int gm_kernel_conv_update(const struct gm_session *session, const void *instruction);
int gm_kernel_max_pool(const struct gm_session *session, const void *instruction);
int gm_kernel_max_pool_grad(const struct gm_session *session, const void *instruction);
int gm_kernel_average_pool(const struct gm_session *session, const void *instruction);
int gm_kernel_average_pool_grad(const struct gm_session *session, const void *instruction);
int gm_kernel_abs(const struct gm_session *session, const void *instruction);
int gm_kernel_abs_grad(const struct gm_session *session, const void *instruction);
int gm_kernel_exp(const struct gm_session *session, const void *instruction);
int gm_kernel_log(const struct gm_session *session, const void *instruction);
int gm_kernel_sqrt(const struct gm_session *session, const void *instruction);
int gm_kernel_clamp(const struct gm_session *session, const void *instruction);
int gm_kernel_clamp_grad(const struct gm_session *session, const void *instruction);
int gm_kernel_elu(const struct gm_session *session, const void *instruction);
int gm_kernel_elu_grad(const struct gm_session *session, const void *instruction);
int gm_kernel_hard_sigmoid(const struct gm_session *session, const void *instruction);
int gm_kernel_hard_sigmoid_grad(const struct gm_session *session, const void *instruction);
int gm_kernel_hard_swish(const struct gm_session *session, const void *instruction);
int gm_kernel_hard_swish_grad(const struct gm_session *session, const void *instruction);
int gm_kernel_softplus(const struct gm_session *session, const void *instruction);
int gm_kernel_softplus_grad(const struct gm_session *session, const void *instruction);
int gm_kernel_softsign(const struct gm_session *session, const void *instruction);
int gm_kernel_softsign_grad(const struct gm_session *session, const void *instruction);
int gm_kernel_mish(const struct gm_session *session, const void *instruction);
int gm_kernel_mish_grad(const struct gm_session *session, const void *instruction);
int gm_kernel_swish(const struct gm_session *session, const void *instruction);
int gm_kernel_swish_grad(const struct gm_session *session, const void *instruction);
int gm_kernel_gather(const struct gm_session *session, const void *instruction);
int gm_kernel_scatter_add(const struct gm_session *session, const void *instruction);
int gm_kernel_weighted_gather(const struct gm_session *session, const void *instruction);
int gm_kernel_weighted_scatter_add(const struct gm_session *session, const void *instruction);
int gm_kernel_cumsum(const struct gm_session *session, const void *instruction);
int gm_kernel_reduce_max(const struct gm_session *session, const void *instruction);
int gm_kernel_reduce_min(const struct gm_session *session, const void *instruction);
int gm_kernel_reduce_extremum_grad(const struct gm_session *session, const void *instruction);
int gm_kernel_gelu(const struct gm_session *session, const void *instruction);
int gm_kernel_gelu_grad(const struct gm_session *session, const void *instruction);
int gm_kernel_gelu_tanh(const struct gm_session *session, const void *instruction);
int gm_kernel_gelu_tanh_grad(const struct gm_session *session, const void *instruction);
int gm_kernel_erf(const struct gm_session *session, const void *instruction);
int gm_kernel_sin(const struct gm_session *session, const void *instruction);
int gm_kernel_cos(const struct gm_session *session, const void *instruction);
int gm_kernel_max(const struct gm_session *session, const void *instruction);
int gm_kernel_min(const struct gm_session *session, const void *instruction);
int gm_kernel_heaviside(const struct gm_session *session, const void *instruction);
int gm_kernel_prelu(const struct gm_session *session, const void *instruction);
int gm_kernel_prelu_slope(const struct gm_session *session, const void *instruction);
int gm_kernel_select(const struct gm_session *session, const void *instruction);
int gm_kernel_greater(const struct gm_session *session, const void *instruction);
int gm_kernel_greater_or_equal(const struct gm_session *session, const void *instruction);
int gm_kernel_equal(const struct gm_session *session, const void *instruction);
int gm_kernel_pow(const struct gm_session *session, const void *instruction);
int gm_kernel_standardize(const struct gm_session *session, const void *instruction);
int gm_kernel_standardize_grad(const struct gm_session *session, const void *instruction);
int gm_kernel_lstm_cells(const struct gm_session *session, const void *instruction);
int gm_kernel_lstm_cells_grad(const struct gm_session *session, const void *instruction);
int gm_kernel_gru_cells(const struct gm_session *session, const void *instruction);
int gm_kernel_gru_cells_grad(const struct gm_session *session, const void *instruction);
int gm_kernel_rnn_cells(const struct gm_session *session, const void *instruction);
int gm_kernel_rnn_cells_grad(const struct gm_session *session, const void *instruction);
int gm_kernel_reduce_prod(const struct gm_session *session, const void *instruction);
int gm_kernel_reduce_prod_grad(const struct gm_session *session, const void *instruction);
int gm_kernel_matmul(const struct gm_session *session, const void *instruction);
int gm_kernel_max_pool_index_grad(const struct gm_session *session, const void *instruction);
int gm_kernel_mask(const struct gm_session *session, const void *instruction);
int gm_kernel_mask_grad(const struct gm_session *session, const void *instruction);
int gm_kernel_moments(const struct gm_session *session, const void *instruction);
int gm_kernel_normalize(const struct gm_session *session, const void *instruction);
int gm_kernel_normalize_sums(const struct gm_session *session, const void *instruction);
int gm_kernel_normalize_grad(const struct gm_session *session, const void *instruction);
int gm_kernel_softmax_cross_entropy_with_grad(const struct gm_session *session, const void *instruction);
int gm_kernel_check_bound(const struct gm_session *session, const void *instruction);
int gm_kernel_round(const struct gm_session *session, const void *instruction);
int gm_kernel_sign(const struct gm_session *session, const void *instruction);
int gm_kernel_fmod(const struct gm_session *session, const void *instruction);
int gm_kernel_atan(const struct gm_session *session, const void *instruction);
int gm_kernel_log1p(const struct gm_session *session, const void *instruction);
int gm_kernel_int_to_float(const struct gm_session *session, const void *instruction);
int gm_kernel_float_to_int(const struct gm_session *session, const void *instruction);
int gm_kernel_flat_index(const struct gm_session *session, const void *instruction);
int gm_kernel_scatter(const struct gm_session *session, const void *instruction);
int gm_kernel_top_k(const struct gm_session *session, const void *instruction);
int gm_kernel_random_uniform(const struct gm_session *session, const void *instruction);
int gm_kernel_thresholded_relu(const struct gm_session *session, const void *instruction);
int gm_kernel_thresholded_relu_grad(const struct gm_session *session, const void *instruction);
int gm_kernel_quantize(const struct gm_session *session, const void *instruction);
int gm_kernel_dequantize(const struct gm_session *session, const void *instruction);
int gm_kernel_conv_s8(const struct gm_session *session, const void *instruction);
int gm_kernel_copy_s8(const struct gm_session *session, const void *instruction);
int gm_kernel_add_s8(const struct gm_session *session, const void *instruction);
int gm_kernel_mul_s8(const struct gm_session *session, const void *instruction);
int gm_kernel_max_pool_s8(const struct gm_session *session, const void *instruction);
int gm_kernel_average_pool_s8(const struct gm_session *session, const void *instruction);
int gm_kernel_conv_transpose_s8(const struct gm_session *session, const void *instruction);
int gm_kernel_matmul_s8(const struct gm_session *session, const void *instruction);
int gm_kernel_quantize_grad_s16(const struct gm_session *session, const void *instruction);
int gm_kernel_conv_grad_x_s16(const struct gm_session *session, const void *instruction);
int gm_kernel_conv_grad_w_s16(const struct gm_session *session, const void *instruction);
int gm_kernel_sum_s16(const struct gm_session *session, const void *instruction);
int gm_kernel_add_s16(const struct gm_session *session, const void *instruction);
int gm_kernel_copy_s16(const struct gm_session *session, const void *instruction);
int gm_kernel_dequantize_s16(const struct gm_session *session, const void *instruction);
int gm_kernel_softmax_cross_entropy_plain(const struct gm_session *session, const void *instruction);
int gm_kernel_max_pool_grad_s16(const struct gm_session *session, const void *instruction);
int gm_kernel_loop(const struct gm_session *session, const void *instruction);
int gm_kernel_guard(const struct gm_session *session, const void *instruction);
int gm_kernel_shift(const struct gm_session *session, const void *instruction);
int gm_kernel_quantize_grad(const struct gm_session *session, const void *instruction);
int gm_kernel_conv_grad_x_s8(const struct gm_session *session, const void *instruction);
int gm_kernel_conv_grad_w_s8(const struct gm_session *session, const void *instruction);
int gm_kernel_conv_update_s8(const struct gm_session *session, const void *instruction);
int gm_kernel_update_s8(const struct gm_session *session, const void *instruction);
int gm_kernel_update_s16(const struct gm_session *session, const void *instruction);
int gm_kernel_update_s32(const struct gm_session *session, const void *instruction);
int gm_kernel_conv_update_s16(const struct gm_session *session, const void *instruction);
int gm_kernel_mask_s8(const struct gm_session *session, const void *instruction);
int gm_kernel_float_to_bf16(const struct gm_session *session, const void *instruction);
int gm_kernel_bf16_to_float(const struct gm_session *session, const void *instruction);
int gm_kernel_attention(const struct gm_session *session, const void *instruction);
int gm_kernel_attention_grad(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_GEMM
#define GM_WITH_GEMM (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_GEMM_UPDATE
#define GM_WITH_GEMM_UPDATE (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_UPDATE
#define GM_WITH_UPDATE (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_BIAS_CORRECTION
#define GM_WITH_BIAS_CORRECTION (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_SUM_SQUARES
#define GM_WITH_SUM_SQUARES (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_CLIP_SCALE
#define GM_WITH_CLIP_SCALE (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_CHECK_FINITE
#define GM_WITH_CHECK_FINITE (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_COPY
#define GM_WITH_COPY (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_REDUCE_SUM
#define GM_WITH_REDUCE_SUM (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_ADD
#define GM_WITH_ADD ((!GM_ONLY_SELECTED) || GM_WITH_ATTENTION || GM_WITH_ATTENTION_GRAD)
#endif
#ifndef GM_WITH_SUB
#define GM_WITH_SUB (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_MUL
#define GM_WITH_MUL ((!GM_ONLY_SELECTED) || GM_WITH_ATTENTION || GM_WITH_ATTENTION_GRAD)
#endif
#ifndef GM_WITH_DIV
#define GM_WITH_DIV ((!GM_ONLY_SELECTED) || GM_WITH_ATTENTION || GM_WITH_ATTENTION_GRAD)
#endif
#ifndef GM_WITH_RELU
#define GM_WITH_RELU (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_RELU_GRAD
#define GM_WITH_RELU_GRAD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_LEAKY_RELU
#define GM_WITH_LEAKY_RELU (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_LEAKY_RELU_GRAD
#define GM_WITH_LEAKY_RELU_GRAD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_SIGMOID
#define GM_WITH_SIGMOID (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_SIGMOID_GRAD
#define GM_WITH_SIGMOID_GRAD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_TANH
#define GM_WITH_TANH (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_TANH_GRAD
#define GM_WITH_TANH_GRAD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_SOFTMAX
#define GM_WITH_SOFTMAX ((!GM_ONLY_SELECTED) || GM_WITH_ATTENTION || GM_WITH_ATTENTION_GRAD)
#endif
#ifndef GM_WITH_SOFTMAX_GRAD
#define GM_WITH_SOFTMAX_GRAD ((!GM_ONLY_SELECTED) || GM_WITH_ATTENTION_GRAD)
#endif
#ifndef GM_WITH_LOG_SOFTMAX
#define GM_WITH_LOG_SOFTMAX (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_LOG_SOFTMAX_GRAD
#define GM_WITH_LOG_SOFTMAX_GRAD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_DROPOUT
#define GM_WITH_DROPOUT (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_SOFTMAX_CROSS_ENTROPY
#define GM_WITH_SOFTMAX_CROSS_ENTROPY (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_SOFTMAX_CROSS_ENTROPY_GRAD
#define GM_WITH_SOFTMAX_CROSS_ENTROPY_GRAD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_MSE_LOSS
#define GM_WITH_MSE_LOSS (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_MSE_LOSS_GRAD
#define GM_WITH_MSE_LOSS_GRAD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_L1_LOSS
#define GM_WITH_L1_LOSS (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_L1_LOSS_GRAD
#define GM_WITH_L1_LOSS_GRAD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_BCE_WITH_LOGITS_LOSS
#define GM_WITH_BCE_WITH_LOGITS_LOSS (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_BCE_WITH_LOGITS_LOSS_GRAD
#define GM_WITH_BCE_WITH_LOGITS_LOSS_GRAD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_CONV
#define GM_WITH_CONV (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_CONV_TRANSPOSE
#define GM_WITH_CONV_TRANSPOSE (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_CONV_GRAD_W
#define GM_WITH_CONV_GRAD_W (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_CONV_UPDATE
#define GM_WITH_CONV_UPDATE (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_MAX_POOL
#define GM_WITH_MAX_POOL (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_MAX_POOL_GRAD
#define GM_WITH_MAX_POOL_GRAD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_AVERAGE_POOL
#define GM_WITH_AVERAGE_POOL (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_AVERAGE_POOL_GRAD
#define GM_WITH_AVERAGE_POOL_GRAD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_ABS
#define GM_WITH_ABS (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_ABS_GRAD
#define GM_WITH_ABS_GRAD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_EXP
#define GM_WITH_EXP (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_LOG
#define GM_WITH_LOG (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_SQRT
#define GM_WITH_SQRT (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_CLAMP
#define GM_WITH_CLAMP (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_CLAMP_GRAD
#define GM_WITH_CLAMP_GRAD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_ELU
#define GM_WITH_ELU (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_ELU_GRAD
#define GM_WITH_ELU_GRAD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_HARD_SIGMOID
#define GM_WITH_HARD_SIGMOID (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_HARD_SIGMOID_GRAD
#define GM_WITH_HARD_SIGMOID_GRAD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_HARD_SWISH
#define GM_WITH_HARD_SWISH (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_HARD_SWISH_GRAD
#define GM_WITH_HARD_SWISH_GRAD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_SOFTPLUS
#define GM_WITH_SOFTPLUS (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_SOFTPLUS_GRAD
#define GM_WITH_SOFTPLUS_GRAD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_SOFTSIGN
#define GM_WITH_SOFTSIGN (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_SOFTSIGN_GRAD
#define GM_WITH_SOFTSIGN_GRAD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_MISH
#define GM_WITH_MISH (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_MISH_GRAD
#define GM_WITH_MISH_GRAD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_SWISH
#define GM_WITH_SWISH (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_SWISH_GRAD
#define GM_WITH_SWISH_GRAD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_GATHER
#define GM_WITH_GATHER (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_SCATTER_ADD
#define GM_WITH_SCATTER_ADD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_WEIGHTED_GATHER
#define GM_WITH_WEIGHTED_GATHER (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_WEIGHTED_SCATTER_ADD
#define GM_WITH_WEIGHTED_SCATTER_ADD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_CUMSUM
#define GM_WITH_CUMSUM (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_REDUCE_MAX
#define GM_WITH_REDUCE_MAX (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_REDUCE_MIN
#define GM_WITH_REDUCE_MIN (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_REDUCE_EXTREMUM_GRAD
#define GM_WITH_REDUCE_EXTREMUM_GRAD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_GELU
#define GM_WITH_GELU (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_GELU_GRAD
#define GM_WITH_GELU_GRAD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_GELU_TANH
#define GM_WITH_GELU_TANH (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_GELU_TANH_GRAD
#define GM_WITH_GELU_TANH_GRAD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_ERF
#define GM_WITH_ERF (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_SIN
#define GM_WITH_SIN (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_COS
#define GM_WITH_COS (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_MAX
#define GM_WITH_MAX (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_MIN
#define GM_WITH_MIN (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_HEAVISIDE
#define GM_WITH_HEAVISIDE (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_PRELU
#define GM_WITH_PRELU (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_PRELU_SLOPE
#define GM_WITH_PRELU_SLOPE (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_SELECT
#define GM_WITH_SELECT ((!GM_ONLY_SELECTED) || GM_WITH_ATTENTION || GM_WITH_ATTENTION_GRAD)
#endif
#ifndef GM_WITH_GREATER
#define GM_WITH_GREATER (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_GREATER_OR_EQUAL
#define GM_WITH_GREATER_OR_EQUAL (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_EQUAL
#define GM_WITH_EQUAL (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_POW
#define GM_WITH_POW (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_STANDARDIZE
#define GM_WITH_STANDARDIZE (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_STANDARDIZE_GRAD
#define GM_WITH_STANDARDIZE_GRAD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_LSTM_CELLS
#define GM_WITH_LSTM_CELLS (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_LSTM_CELLS_GRAD
#define GM_WITH_LSTM_CELLS_GRAD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_GRU_CELLS
#define GM_WITH_GRU_CELLS (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_GRU_CELLS_GRAD
#define GM_WITH_GRU_CELLS_GRAD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_RNN_CELLS
#define GM_WITH_RNN_CELLS (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_RNN_CELLS_GRAD
#define GM_WITH_RNN_CELLS_GRAD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_REDUCE_PROD
#define GM_WITH_REDUCE_PROD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_REDUCE_PROD_GRAD
#define GM_WITH_REDUCE_PROD_GRAD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_MATMUL
#define GM_WITH_MATMUL ((!GM_ONLY_SELECTED) || GM_WITH_ATTENTION || GM_WITH_ATTENTION_GRAD)
#endif
#ifndef GM_WITH_MAX_POOL_INDEX_GRAD
#define GM_WITH_MAX_POOL_INDEX_GRAD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_MASK
#define GM_WITH_MASK (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_MASK_GRAD
#define GM_WITH_MASK_GRAD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_MOMENTS
#define GM_WITH_MOMENTS (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_NORMALIZE
#define GM_WITH_NORMALIZE (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_NORMALIZE_SUMS
#define GM_WITH_NORMALIZE_SUMS (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_NORMALIZE_GRAD
#define GM_WITH_NORMALIZE_GRAD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_SOFTMAX_CROSS_ENTROPY_WITH_GRAD
#define GM_WITH_SOFTMAX_CROSS_ENTROPY_WITH_GRAD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_CHECK_BOUND
#define GM_WITH_CHECK_BOUND (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_ROUND
#define GM_WITH_ROUND (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_SIGN
#define GM_WITH_SIGN (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_FMOD
#define GM_WITH_FMOD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_ATAN
#define GM_WITH_ATAN (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_LOG1P
#define GM_WITH_LOG1P (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_INT_TO_FLOAT
#define GM_WITH_INT_TO_FLOAT (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_FLOAT_TO_INT
#define GM_WITH_FLOAT_TO_INT (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_FLAT_INDEX
#define GM_WITH_FLAT_INDEX (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_SCATTER
#define GM_WITH_SCATTER (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_TOP_K
#define GM_WITH_TOP_K (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_RANDOM_UNIFORM
#define GM_WITH_RANDOM_UNIFORM (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_THRESHOLDED_RELU
#define GM_WITH_THRESHOLDED_RELU (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_THRESHOLDED_RELU_GRAD
#define GM_WITH_THRESHOLDED_RELU_GRAD (!GM_ONLY_SELECTED)
#endif
#ifndef GM_WITH_QUANTIZE
#define GM_WITH_QUANTIZE (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif
#ifndef GM_WITH_DEQUANTIZE
#define GM_WITH_DEQUANTIZE (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif
#ifndef GM_WITH_CONV_S8
#define GM_WITH_CONV_S8 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif
#ifndef GM_WITH_COPY_S8
#define GM_WITH_COPY_S8 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif
#ifndef GM_WITH_ADD_S8
#define GM_WITH_ADD_S8 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif
#ifndef GM_WITH_MUL_S8
#define GM_WITH_MUL_S8 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif
#ifndef GM_WITH_MAX_POOL_S8
#define GM_WITH_MAX_POOL_S8 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif
#ifndef GM_WITH_AVERAGE_POOL_S8
#define GM_WITH_AVERAGE_POOL_S8 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif
#ifndef GM_WITH_CONV_TRANSPOSE_S8
#define GM_WITH_CONV_TRANSPOSE_S8 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif
#ifndef GM_WITH_MATMUL_S8
#define GM_WITH_MATMUL_S8 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif
#ifndef GM_WITH_QUANTIZE_GRAD_S16
#define GM_WITH_QUANTIZE_GRAD_S16 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif
#ifndef GM_WITH_CONV_GRAD_X_S16
#define GM_WITH_CONV_GRAD_X_S16 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif
#ifndef GM_WITH_CONV_GRAD_W_S16
#define GM_WITH_CONV_GRAD_W_S16 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif
#ifndef GM_WITH_SUM_S16
#define GM_WITH_SUM_S16 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif
#ifndef GM_WITH_ADD_S16
#define GM_WITH_ADD_S16 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif
#ifndef GM_WITH_COPY_S16
#define GM_WITH_COPY_S16 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif
#ifndef GM_WITH_DEQUANTIZE_S16
#define GM_WITH_DEQUANTIZE_S16 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif
#ifndef GM_WITH_SOFTMAX_CROSS_ENTROPY_PLAIN
#define GM_WITH_SOFTMAX_CROSS_ENTROPY_PLAIN (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif
#ifndef GM_WITH_MAX_POOL_GRAD_S16
#define GM_WITH_MAX_POOL_GRAD_S16 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif
#ifndef GM_WITH_LOOP
#define GM_WITH_LOOP (!GM_ONLY_SELECTED && GM_WITH_LOOPS)
#endif
#ifndef GM_WITH_GUARD
#define GM_WITH_GUARD (!GM_ONLY_SELECTED && GM_WITH_LOOPS)
#endif
#ifndef GM_WITH_SHIFT
#define GM_WITH_SHIFT (!GM_ONLY_SELECTED && GM_WITH_LOOPS)
#endif
#ifndef GM_WITH_QUANTIZE_GRAD
#define GM_WITH_QUANTIZE_GRAD (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif
#ifndef GM_WITH_CONV_GRAD_X_S8
#define GM_WITH_CONV_GRAD_X_S8 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif
#ifndef GM_WITH_CONV_GRAD_W_S8
#define GM_WITH_CONV_GRAD_W_S8 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif
#ifndef GM_WITH_CONV_UPDATE_S8
#define GM_WITH_CONV_UPDATE_S8 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif
#ifndef GM_WITH_UPDATE_S8
#define GM_WITH_UPDATE_S8 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif
#ifndef GM_WITH_UPDATE_S16
#define GM_WITH_UPDATE_S16 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif
#ifndef GM_WITH_UPDATE_S32
#define GM_WITH_UPDATE_S32 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif
#ifndef GM_WITH_CONV_UPDATE_S16
#define GM_WITH_CONV_UPDATE_S16 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif
#ifndef GM_WITH_MASK_S8
#define GM_WITH_MASK_S8 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif
#ifndef GM_WITH_FLOAT_TO_BF16
#define GM_WITH_FLOAT_TO_BF16 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif
#ifndef GM_WITH_BF16_TO_FLOAT
#define GM_WITH_BF16_TO_FLOAT (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif
#ifndef GM_WITH_ATTENTION
#define GM_WITH_ATTENTION (!GM_ONLY_SELECTED && GM_WITH_FUSED_ATTENTION)
#endif
#ifndef GM_WITH_ATTENTION_GRAD
#define GM_WITH_ATTENTION_GRAD (!GM_ONLY_SELECTED && GM_WITH_FUSED_ATTENTION)
#endif

/* ---- Tables for gm_open() and the executor ---------------------------------------------------------------- */

#define GM_FOLDS 1u     /* written; strides may be 0 */
#define GM_WRITE 2u
#define GM_OPTIONAL 4u
#define GM_STRIDED 8u
#define GM_IN_PLACE 32u /* an output may take its place */
#define GM_TYPE 208u    /* these bits are one of the following, or 0 for elements of 4 bytes */
#define GM_RULE 16u
#define GM_BYTES 64u    /* u8: elements of 1 byte, from a word on */
#define GM_BITS 128u
#define GM_I8 80u
#define GM_I16 144u
/* 4 bytes, or 2 where the kind in the instruction's rule has GM_MOMENTS_BF16 */
#define GM_MOMENT (GM_WITH_SHORT_MOMENTS ? 192u : 0u)

/* An operand may touch, in elements: the product of parameters terms[0..n_terms), or where GM_STRIDED,
 * 1 + sum of (dim - 1) stride over pairs of terms. A term is the index of a word in the instruction, or
 * GM_TERM_COUNT + c for the constant c. */
#define GM_TERM_COUNT 128u

typedef struct gm_operand_info {
    uint8_t flags, n_terms;
    uint8_t first_term;          /* index into the shape's terms */
} gm_operand_info;

enum gm_param_kind { GM_PARAM_DIM, GM_PARAM_STRIDE, GM_PARAM_FLAG, GM_PARAM_F32, GM_PARAM_I32, GM_PARAM_U32, GM_PARAM_ENUM };

/* What the verifier knows of an instruction; opcodes of one shape share it. */
typedef struct gm_opcode_shape {
    const gm_operand_info *operands; /* behind the operands, what is to stay below 2^31, as if it were one */
    const uint8_t *params;           /* a gm_param_kind each; an enum's is GM_PARAM_ENUM + its number of choices */
    const uint8_t *terms;            /* the first n_work: the product that bounds the kernel's trips */
    uint8_t n_operands, n_params, n_work, n_windows;
} gm_opcode_shape;

/* NULL where no opcode has this code, or this build leaves it out. */
extern const gm_kernel gm_kernels[GM_OP_TABLES];

extern const gm_opcode_shape gm_shapes[];
extern const uint8_t gm_shape_index[GM_OP_TABLES];

/* NULL where the opcode, which is below GM_OP_TABLES, has no kernel. */
static inline const gm_opcode_shape *gm_shape_of(uint32_t opcode)
{
    return gm_kernels[opcode] ? &gm_shapes[gm_shape_index[opcode]] : 0;
}

#define GM_MOST_OPERANDS 14u   /* of an instruction */

#define GM_MOST_WORDS 50u

#if GM_THREADS
#define GM_MOST_FACTORS 8u     /* of an extent */

typedef struct gm_split_axis {
    uint8_t dim;                 /* word of the instruction, 0 where there are no more axes */
    uint8_t grain;               /* ranges start at multiples of it */
} gm_split_axis;

/* How an instruction may be cut. */
typedef struct gm_split_info {
    gm_split_axis axes[6];
    uint8_t own;                 /* word of an operand of which each part needs its own, or 0 */
    uint8_t ranged;              /* 1: parts are told their range, and have the whole instruction */
} gm_split_info;

extern const gm_split_info gm_splits[GM_OP_LIMIT];
#endif

#endif
