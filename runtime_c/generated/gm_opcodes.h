/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_OPCODES_H
#define GM_OPCODES_H

#include <stdint.h>
#include "gm_config.h"
#include "instructions/gemm.h"
#include "instructions/gemm_update.h"
#include "instructions/update.h"
#include "instructions/bias_correction.h"
#include "instructions/sum_squares.h"
#include "instructions/clip_scale.h"
#include "instructions/check_finite.h"
#include "instructions/copy.h"
#include "instructions/reduce_sum.h"
#include "instructions/add.h"
#include "instructions/sub.h"
#include "instructions/mul.h"
#include "instructions/div.h"
#include "instructions/relu.h"
#include "instructions/relu_grad.h"
#include "instructions/leaky_relu.h"
#include "instructions/leaky_relu_grad.h"
#include "instructions/sigmoid.h"
#include "instructions/sigmoid_grad.h"
#include "instructions/tanh.h"
#include "instructions/tanh_grad.h"
#include "instructions/softmax.h"
#include "instructions/softmax_grad.h"
#include "instructions/log_softmax.h"
#include "instructions/log_softmax_grad.h"
#include "instructions/dropout.h"
#include "instructions/softmax_cross_entropy.h"
#include "instructions/softmax_cross_entropy_grad.h"
#include "instructions/mse_loss.h"
#include "instructions/mse_loss_grad.h"
#include "instructions/l1_loss.h"
#include "instructions/l1_loss_grad.h"
#include "instructions/bce_with_logits_loss.h"
#include "instructions/bce_with_logits_loss_grad.h"
#include "instructions/conv.h"
#include "instructions/conv_transpose.h"
#include "instructions/conv_grad_w.h"
#include "instructions/conv_update.h"
#include "instructions/max_pool.h"
#include "instructions/max_pool_grad.h"
#include "instructions/average_pool.h"
#include "instructions/average_pool_grad.h"
#include "instructions/abs.h"
#include "instructions/abs_grad.h"
#include "instructions/exp.h"
#include "instructions/log.h"
#include "instructions/sqrt.h"
#include "instructions/clamp.h"
#include "instructions/clamp_grad.h"
#include "instructions/elu.h"
#include "instructions/elu_grad.h"
#include "instructions/hard_sigmoid.h"
#include "instructions/hard_sigmoid_grad.h"
#include "instructions/hard_swish.h"
#include "instructions/hard_swish_grad.h"
#include "instructions/softplus.h"
#include "instructions/softplus_grad.h"
#include "instructions/softsign.h"
#include "instructions/softsign_grad.h"
#include "instructions/mish.h"
#include "instructions/mish_grad.h"
#include "instructions/swish.h"
#include "instructions/swish_grad.h"
#include "instructions/gather.h"
#include "instructions/scatter_add.h"
#include "instructions/weighted_gather.h"
#include "instructions/weighted_scatter_add.h"
#include "instructions/cumsum.h"
#include "instructions/reduce_max.h"
#include "instructions/reduce_min.h"
#include "instructions/reduce_extremum_grad.h"
#include "instructions/gelu.h"
#include "instructions/gelu_grad.h"
#include "instructions/gelu_tanh.h"
#include "instructions/gelu_tanh_grad.h"
#include "instructions/erf.h"
#include "instructions/sin.h"
#include "instructions/cos.h"
#include "instructions/max.h"
#include "instructions/min.h"
#include "instructions/heaviside.h"
#include "instructions/prelu.h"
#include "instructions/prelu_slope.h"
#include "instructions/select.h"
#include "instructions/greater.h"
#include "instructions/greater_or_equal.h"
#include "instructions/equal.h"
#include "instructions/pow.h"
#include "instructions/standardize.h"
#include "instructions/standardize_grad.h"
#include "instructions/lstm_cells.h"
#include "instructions/lstm_cells_grad.h"
#include "instructions/gru_cells.h"
#include "instructions/gru_cells_grad.h"
#include "instructions/rnn_cells.h"
#include "instructions/rnn_cells_grad.h"
#include "instructions/reduce_prod.h"
#include "instructions/reduce_prod_grad.h"
#include "instructions/matmul.h"
#include "instructions/max_pool_index_grad.h"
#include "instructions/mask.h"
#include "instructions/mask_grad.h"
#include "instructions/moments.h"
#include "instructions/normalize.h"
#include "instructions/normalize_sums.h"
#include "instructions/normalize_grad.h"
#include "instructions/softmax_cross_entropy_with_grad.h"
#include "instructions/check_bound.h"
#include "instructions/round.h"
#include "instructions/sign.h"
#include "instructions/fmod.h"
#include "instructions/atan.h"
#include "instructions/log1p.h"
#include "instructions/int_to_float.h"
#include "instructions/float_to_int.h"
#include "instructions/flat_index.h"
#include "instructions/scatter.h"
#include "instructions/top_k.h"
#include "instructions/random_uniform.h"
#include "instructions/thresholded_relu.h"
#include "instructions/thresholded_relu_grad.h"
#include "instructions/quantize.h"
#include "instructions/dequantize.h"
#include "instructions/conv_s8.h"
#include "instructions/copy_s8.h"
#include "instructions/add_s8.h"
#include "instructions/mul_s8.h"
#include "instructions/max_pool_s8.h"
#include "instructions/average_pool_s8.h"
#include "instructions/conv_transpose_s8.h"
#include "instructions/matmul_s8.h"
#include "instructions/quantize_grad_s16.h"
#include "instructions/conv_grad_x_s16.h"
#include "instructions/conv_grad_w_s16.h"
#include "instructions/sum_s16.h"
#include "instructions/add_s16.h"
#include "instructions/copy_s16.h"
#include "instructions/dequantize_s16.h"
#include "instructions/softmax_cross_entropy_plain.h"
#include "instructions/max_pool_grad_s16.h"
#include "instructions/loop.h"
#include "instructions/guard.h"
#include "instructions/shift.h"
#include "instructions/quantize_grad.h"
#include "instructions/conv_grad_x_s8.h"
#include "instructions/conv_grad_w_s8.h"
#include "instructions/conv_update_s8.h"
#include "instructions/update_s8.h"
#include "instructions/update_s16.h"
#include "instructions/update_s32.h"
#include "instructions/conv_update_s16.h"
#include "instructions/mask_s8.h"
#include "instructions/float_to_bf16.h"
#include "instructions/bf16_to_float.h"
#include "instructions/attention.h"
#include "instructions/attention_grad.h"
#include "instructions/sum.h"
#include "instructions/sum_grad.h"

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
    GM_OP_SUM = 157,
    GM_OP_SUM_GRAD = 158,
    GM_OP_LIMIT = 159
};

/* Opcodes from here on are not in the tables of a build that has none of them. */
#define GM_OP_TABLES (GM_WITH_INT8 || GM_WITH_LOOPS || GM_WITH_LOOP || GM_WITH_ATTENTION || GM_WITH_ATTENTION_GRAD || GM_WITH_SUM || GM_WITH_SUM_GRAD ? GM_OP_LIMIT : 122)

/* A kernel runs one verified instruction: GM_OK, or a negative gm_error that ends the program. */
typedef int (*gm_kernel)(const struct gm_session *session, const void *instruction);

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
/* 4 bytes, or 2 if the kind in the instruction's rule has GM_MOMENTS_BF16 */
#define GM_MOMENT (GM_WITH_SHORT_MOMENTS ? 192u : 0u)

/* An operand may touch, in elements: the product of parameters terms[0..n_terms), or if GM_STRIDED,
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
    const gm_operand_info *operands; /* after the operands, what must stay below 2^31, as if it were one */
    const uint8_t *params;           /* a gm_param_kind each; an enum's is GM_PARAM_ENUM + its number of choices */
    const uint8_t *terms;            /* the first n_work: the product that bounds the kernel's trips */
    uint8_t n_operands, n_params, n_work, n_windows;
} gm_opcode_shape;

/* NULL if no opcode has this code, or this build leaves it out. */
extern const gm_kernel gm_kernels[GM_OP_TABLES];

extern const gm_opcode_shape gm_shapes[];
extern const uint8_t gm_shape_index[GM_OP_TABLES];

/* NULL if the opcode, which is below GM_OP_TABLES, has no kernel. */
static inline const gm_opcode_shape *gm_shape_of(uint32_t opcode)
{
    return gm_kernels[opcode] ? &gm_shapes[gm_shape_index[opcode]] : 0;
}

#define GM_MOST_OPERANDS 14u   /* of an instruction */

#define GM_MOST_WORDS 50u

#if GM_THREADS
#define GM_MOST_FACTORS 8u     /* of an extent */

typedef struct gm_split_axis {
    uint8_t dim;                 /* word of the instruction, 0 if there are no more axes */
    uint8_t grain;               /* ranges start at multiples of it */
} gm_split_axis;

/* How an instruction may be cut. */
typedef struct gm_split_info {
    gm_split_axis axes[6];
    uint8_t own;                 /* word of an operand that each part needs for itself, or 0 */
    uint8_t ranged;              /* 1: parts get their range, and have the whole instruction */
} gm_split_info;

extern const gm_split_info gm_splits[GM_OP_LIMIT];
#endif

#endif
