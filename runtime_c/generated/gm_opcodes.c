/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#include <stddef.h>
#include "gm_opcodes.h"

#if GM_WITH_GEMM
static const gm_operand_info operands_gemm[] = {
    { GM_STRIDED, 6, 4 },
    { GM_STRIDED, 6, 10 },
    { GM_OPTIONAL, 1, 16 },
    { GM_WRITE, 3, 17 },
};
static const uint8_t params_gemm[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_FLAG,
    GM_PARAM_ENUM + 2,
};
static const uint8_t terms_gemm[] = { 5, 6, 7, 8, 5, 9, 6, 10, 8, 11, 5, 12, 8, 13, 7, 14, 7, 5, 6, 7 };
#endif

#if GM_WITH_GEMM_UPDATE
static const gm_operand_info operands_gemm_update[] = {
    { GM_STRIDED, 4, 3 },
    { GM_STRIDED, 4, 7 },
    { GM_WRITE, 1, 11 },
    { GM_WRITE, 2, 12 },
    { GM_WRITE | GM_OPTIONAL | GM_MOMENT, 2, 14 },
    { GM_WRITE | GM_OPTIONAL | GM_MOMENT, 2, 16 },
    { GM_OPTIONAL, 1, 18 },
    { 0, 1, 19 },
    { GM_RULE, 1, 20 },
};
static const uint8_t params_gemm_update[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
};
static const uint8_t terms_gemm_update[] = { 10, 11, 12, 10, 13, 12, 14, 12, 15, 11, 16, 11, 10, 11, 10, 11, 10, 11, 130, 129, 129 };
#endif

#if GM_WITH_UPDATE
static const gm_operand_info operands_update[] = {
    { 0, 1, 1 },
    { GM_WRITE, 1, 2 },
    { GM_WRITE | GM_OPTIONAL | GM_MOMENT, 1, 3 },
    { GM_WRITE | GM_OPTIONAL | GM_MOMENT, 1, 4 },
    { GM_OPTIONAL, 1, 5 },
    { 0, 1, 6 },
    { GM_OPTIONAL, 1, 7 },
    { GM_RULE, 1, 8 },
};
static const uint8_t params_update[] = {
    GM_PARAM_DIM,
};
static const uint8_t terms_update[] = { 9, 9, 9, 9, 9, 130, 129, 129, 129 };
#endif

#if GM_WITH_BIAS_CORRECTION
static const gm_operand_info operands_bias_correction[] = {
    { GM_WRITE, 1, 1 },
};
static const uint8_t params_bias_correction[] = {
    GM_PARAM_F32,
    GM_PARAM_F32,
    GM_PARAM_F32,
    GM_PARAM_F32,
};
static const uint8_t terms_bias_correction[] = { 129, 130 };
#endif

#if GM_WITH_SUM_SQUARES
static const gm_operand_info operands_sum_squares[] = {
    { 0, 1, 1 },
    { GM_WRITE, 1, 2 },
};
static const uint8_t params_sum_squares[] = {
    GM_PARAM_DIM,
    GM_PARAM_FLAG,
};
static const uint8_t terms_sum_squares[] = { 3, 3, 129 };
#endif

#if GM_WITH_CLIP_SCALE
static const gm_operand_info operands_clip_scale[] = {
    { 0, 1, 1 },
    { GM_OPTIONAL, 1, 2 },
    { GM_WRITE, 1, 3 },
};
static const uint8_t params_clip_scale[] = {
    GM_PARAM_F32,
};
static const uint8_t terms_clip_scale[] = { 129, 129, 129, 129 };
#endif

#if GM_WITH_CHECK_FINITE
static const gm_operand_info operands_check_finite[] = {
    { 0, 1, 1 },
};
static const uint8_t params_check_finite[] = {
    GM_PARAM_DIM,
};
static const uint8_t terms_check_finite[] = { 2, 2 };
#endif

#if GM_WITH_COPY
static const gm_operand_info operands_copy[] = {
    { GM_STRIDED, 12, 6 },
    { GM_WRITE | GM_STRIDED, 12, 18 },
};
static const uint8_t params_copy[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
};
static const uint8_t terms_copy[] = { 3, 4, 5, 6, 7, 8, 3, 9, 4, 10, 5, 11, 6, 12, 7, 13, 8, 14, 3, 15, 4, 16, 5, 17, 6, 18, 7, 19, 8, 20 };
#endif

#if GM_WITH_REDUCE_SUM
static const gm_operand_info operands_reduce_sum[] = {
    { GM_STRIDED, 16, 8 },
    { GM_WRITE, 4, 24 },
};
static const uint8_t params_reduce_sum[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_F32,
    GM_PARAM_FLAG,
};
static const uint8_t terms_reduce_sum[] = { 3, 4, 5, 6, 11, 12, 13, 14, 3, 7, 4, 8, 5, 9, 6, 10, 11, 15, 12, 16, 13, 17, 14, 18, 3, 4, 5, 6 };
#endif

#if GM_WITH_ADD || GM_WITH_SUB || GM_WITH_MUL || GM_WITH_DIV || GM_WITH_MAX || GM_WITH_MIN || GM_WITH_HEAVISIDE || GM_WITH_PRELU || GM_WITH_PRELU_SLOPE || GM_WITH_GREATER || GM_WITH_GREATER_OR_EQUAL || GM_WITH_EQUAL || GM_WITH_POW || GM_WITH_FMOD
static const gm_operand_info operands_add[] = {
    { GM_STRIDED | GM_IN_PLACE, 8, 4 },
    { GM_STRIDED | GM_IN_PLACE, 8, 12 },
    { GM_WRITE, 4, 20 },
};
static const uint8_t params_add[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
};
static const uint8_t terms_add[] = { 4, 5, 6, 7, 4, 8, 5, 9, 6, 10, 7, 11, 4, 12, 5, 13, 6, 14, 7, 15, 4, 5, 6, 7 };
#endif

#if GM_WITH_RELU || GM_WITH_SIGMOID || GM_WITH_TANH || GM_WITH_ABS || GM_WITH_EXP || GM_WITH_LOG || GM_WITH_SQRT || GM_WITH_HARD_SWISH || GM_WITH_SOFTPLUS || GM_WITH_SOFTSIGN || GM_WITH_MISH || GM_WITH_GELU || GM_WITH_GELU_TANH || GM_WITH_ERF || GM_WITH_SIN || GM_WITH_COS || GM_WITH_SIGN || GM_WITH_ATAN || GM_WITH_LOG1P || GM_WITH_FLOAT_TO_INT
static const gm_operand_info operands_relu[] = {
    { GM_IN_PLACE, 1, 1 },
    { GM_WRITE, 1, 2 },
};
static const uint8_t params_relu[] = {
    GM_PARAM_DIM,
};
static const uint8_t terms_relu[] = { 3, 3, 3 };
#endif

#if GM_WITH_RELU_GRAD || GM_WITH_SIGMOID_GRAD || GM_WITH_TANH_GRAD || GM_WITH_ABS_GRAD || GM_WITH_HARD_SWISH_GRAD || GM_WITH_SOFTPLUS_GRAD || GM_WITH_SOFTSIGN_GRAD || GM_WITH_MISH_GRAD || GM_WITH_GELU_GRAD || GM_WITH_GELU_TANH_GRAD
static const gm_operand_info operands_relu_grad[] = {
    { GM_IN_PLACE, 1, 1 },
    { GM_IN_PLACE, 1, 2 },
    { GM_WRITE, 1, 3 },
};
static const uint8_t params_relu_grad[] = {
    GM_PARAM_DIM,
};
static const uint8_t terms_relu_grad[] = { 4, 4, 4, 4 };
#endif

#if GM_WITH_LEAKY_RELU || GM_WITH_SWISH || GM_WITH_THRESHOLDED_RELU
static const gm_operand_info operands_leaky_relu[] = {
    { GM_IN_PLACE, 1, 1 },
    { GM_WRITE, 1, 2 },
};
static const uint8_t params_leaky_relu[] = {
    GM_PARAM_DIM,
    GM_PARAM_F32,
};
static const uint8_t terms_leaky_relu[] = { 3, 3, 3 };
#endif

#if GM_WITH_LEAKY_RELU_GRAD || GM_WITH_HARD_SIGMOID_GRAD || GM_WITH_SWISH_GRAD || GM_WITH_THRESHOLDED_RELU_GRAD
static const gm_operand_info operands_leaky_relu_grad[] = {
    { GM_IN_PLACE, 1, 1 },
    { GM_IN_PLACE, 1, 2 },
    { GM_WRITE, 1, 3 },
};
static const uint8_t params_leaky_relu_grad[] = {
    GM_PARAM_DIM,
    GM_PARAM_F32,
};
static const uint8_t terms_leaky_relu_grad[] = { 4, 4, 4, 4 };
#endif

#if GM_WITH_SOFTMAX || GM_WITH_LOG_SOFTMAX
static const gm_operand_info operands_softmax[] = {
    { GM_IN_PLACE, 3, 3 },
    { GM_WRITE, 3, 6 },
};
static const uint8_t params_softmax[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
};
static const uint8_t terms_softmax[] = { 3, 4, 5, 3, 4, 5, 3, 4, 5 };
#endif

#if GM_WITH_SOFTMAX_GRAD || GM_WITH_LOG_SOFTMAX_GRAD
static const gm_operand_info operands_softmax_grad[] = {
    { GM_IN_PLACE, 3, 3 },
    { GM_IN_PLACE, 3, 6 },
    { GM_WRITE, 3, 9 },
};
static const uint8_t params_softmax_grad[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
};
static const uint8_t terms_softmax_grad[] = { 4, 5, 6, 4, 5, 6, 4, 5, 6, 4, 5, 6 };
#endif

#if GM_WITH_DROPOUT
static const gm_operand_info operands_dropout[] = {
    { GM_IN_PLACE, 1, 1 },
    { 0, 1, 2 },
    { GM_WRITE, 1, 3 },
};
static const uint8_t params_dropout[] = {
    GM_PARAM_DIM,
    GM_PARAM_U32,
    GM_PARAM_U32,
    GM_PARAM_F32,
};
static const uint8_t terms_dropout[] = { 4, 4, 130, 4 };
#endif

#if GM_WITH_SOFTMAX_CROSS_ENTROPY
static const gm_operand_info operands_softmax_cross_entropy[] = {
    { GM_IN_PLACE, 3, 3 },
    { 0, 2, 6 },
    { GM_OPTIONAL, 1, 8 },
    { GM_OPTIONAL, 2, 9 },
    { GM_WRITE, 3, 11 },
    { GM_WRITE | GM_STRIDED | GM_FOLDS, 4, 14 },
};
static const uint8_t params_softmax_cross_entropy[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_ENUM + 3,
    GM_PARAM_I32,
    GM_PARAM_F32,
    GM_PARAM_FLAG,
};
static const uint8_t terms_softmax_cross_entropy[] = { 7, 8, 9, 7, 8, 9, 7, 9, 8, 7, 9, 7, 8, 9, 7, 10, 9, 11 };
#endif

#if GM_WITH_SOFTMAX_CROSS_ENTROPY_GRAD
static const gm_operand_info operands_softmax_cross_entropy_grad[] = {
    { GM_STRIDED, 4, 3 },
    { GM_IN_PLACE, 3, 7 },
    { 0, 2, 10 },
    { GM_OPTIONAL, 1, 12 },
    { GM_OPTIONAL, 2, 13 },
    { GM_WRITE, 3, 15 },
};
static const uint8_t params_softmax_cross_entropy_grad[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_ENUM + 3,
    GM_PARAM_I32,
    GM_PARAM_F32,
    GM_PARAM_FLAG,
};
static const uint8_t terms_softmax_cross_entropy_grad[] = { 7, 8, 9, 7, 10, 9, 11, 7, 8, 9, 7, 9, 8, 7, 9, 7, 8, 9 };
#endif

#if GM_WITH_MSE_LOSS || GM_WITH_L1_LOSS
static const gm_operand_info operands_mse_loss[] = {
    { 0, 1, 1 },
    { 0, 1, 2 },
    { GM_WRITE | GM_STRIDED | GM_FOLDS, 2, 3 },
};
static const uint8_t params_mse_loss[] = {
    GM_PARAM_DIM,
    GM_PARAM_FLAG,
    GM_PARAM_F32,
};
static const uint8_t terms_mse_loss[] = { 4, 4, 4, 4, 5 };
#endif

#if GM_WITH_MSE_LOSS_GRAD || GM_WITH_L1_LOSS_GRAD
static const gm_operand_info operands_mse_loss_grad[] = {
    { GM_STRIDED, 2, 1 },
    { GM_IN_PLACE, 1, 3 },
    { GM_IN_PLACE, 1, 4 },
    { GM_WRITE, 1, 5 },
};
static const uint8_t params_mse_loss_grad[] = {
    GM_PARAM_DIM,
    GM_PARAM_FLAG,
    GM_PARAM_F32,
};
static const uint8_t terms_mse_loss_grad[] = { 5, 5, 6, 5, 5, 5 };
#endif

#if GM_WITH_BCE_WITH_LOGITS_LOSS
static const gm_operand_info operands_bce_with_logits_loss[] = {
    { 0, 2, 2 },
    { 0, 2, 4 },
    { GM_OPTIONAL | GM_STRIDED, 2, 6 },
    { GM_WRITE | GM_STRIDED | GM_FOLDS, 4, 8 },
};
static const uint8_t params_bce_with_logits_loss[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_FLAG,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_F32,
};
static const uint8_t terms_bce_with_logits_loss[] = { 5, 6, 5, 6, 5, 6, 6, 7, 5, 8, 6, 9 };
#endif

#if GM_WITH_BCE_WITH_LOGITS_LOSS_GRAD
static const gm_operand_info operands_bce_with_logits_loss_grad[] = {
    { GM_STRIDED, 4, 2 },
    { GM_IN_PLACE, 2, 6 },
    { GM_IN_PLACE, 2, 8 },
    { GM_OPTIONAL | GM_STRIDED, 2, 10 },
    { GM_WRITE, 2, 12 },
};
static const uint8_t params_bce_with_logits_loss_grad[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_FLAG,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_F32,
};
static const uint8_t terms_bce_with_logits_loss_grad[] = { 6, 7, 6, 9, 7, 10, 6, 7, 6, 7, 7, 8, 6, 7 };
#endif

#if GM_WITH_CONV
static const gm_operand_info operands_conv[] = {
    { GM_STRIDED, 10, 8 },
    { GM_STRIDED, 10, 18 },
    { GM_OPTIONAL, 2, 28 },
    { GM_WRITE | GM_STRIDED, 10, 30 },
    { GM_STRIDED, 8, 40 },
    { GM_STRIDED, 8, 48 },
};
static const uint8_t params_conv[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_ENUM + 2,
};
static const uint8_t terms_conv[] = { 5, 6, 7, 8, 11, 12, 13, 14, 5, 21, 9, 22, 10, 23, 6, 24, 7, 25, 6, 26, 8, 27, 7, 28, 13, 29, 14, 30, 6, 8, 5, 31, 11, 32, 12, 33, 6, 34, 8, 35, 11, 15, 13, 17, 130, 19, 9, 129, 12, 16, 14, 18, 130, 20, 10, 129 };
#endif

#if GM_WITH_CONV_TRANSPOSE
static const gm_operand_info operands_conv_transpose[] = {
    { GM_STRIDED, 10, 8 },
    { GM_STRIDED, 10, 18 },
    { GM_OPTIONAL, 2, 28 },
    { GM_WRITE | GM_STRIDED, 10, 30 },
    { GM_STRIDED, 8, 40 },
    { GM_STRIDED, 8, 48 },
};
static const uint8_t params_conv_transpose[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_FLAG,
};
static const uint8_t terms_conv_transpose[] = { 5, 6, 7, 8, 9, 10, 13, 14, 5, 31, 11, 32, 12, 33, 6, 34, 8, 35, 6, 26, 8, 27, 7, 28, 13, 29, 14, 30, 6, 7, 5, 21, 9, 22, 10, 23, 6, 24, 7, 25, 11, 15, 13, 17, 130, 19, 9, 129, 12, 16, 14, 18, 130, 20, 10, 129 };
#endif

#if GM_WITH_CONV_GRAD_W
static const gm_operand_info operands_conv_grad_w[] = {
    { GM_STRIDED, 10, 8 },
    { GM_STRIDED, 10, 18 },
    { GM_WRITE, 5, 28 },
    { GM_STRIDED, 8, 33 },
    { GM_STRIDED, 8, 41 },
};
static const uint8_t params_conv_grad_w[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_FLAG,
};
static const uint8_t terms_conv_grad_w[] = { 4, 5, 6, 7, 10, 11, 12, 13, 4, 20, 8, 21, 9, 22, 5, 23, 6, 24, 4, 25, 10, 26, 11, 27, 5, 28, 7, 29, 5, 7, 6, 12, 13, 10, 14, 12, 16, 130, 18, 8, 129, 11, 15, 13, 17, 130, 19, 9, 129 };
#endif

#if GM_WITH_CONV_UPDATE
static const gm_operand_info operands_conv_update[] = {
    { GM_STRIDED, 10, 8 },
    { GM_STRIDED, 10, 18 },
    { GM_WRITE, 3, 28 },
    { GM_WRITE, 5, 31 },
    { GM_WRITE | GM_OPTIONAL | GM_MOMENT, 5, 36 },
    { GM_WRITE | GM_OPTIONAL | GM_MOMENT, 5, 41 },
    { GM_OPTIONAL, 1, 46 },
    { 0, 1, 47 },
    { GM_RULE, 1, 48 },
    { GM_STRIDED, 8, 49 },
    { GM_STRIDED, 8, 57 },
};
static const uint8_t params_conv_update[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
};
static const uint8_t terms_conv_update[] = { 10, 11, 12, 13, 16, 17, 18, 19, 10, 26, 14, 27, 15, 28, 11, 29, 12, 30, 10, 31, 16, 32, 17, 33, 11, 34, 13, 35, 12, 18, 19, 11, 13, 12, 18, 19, 11, 13, 12, 18, 19, 11, 13, 12, 18, 19, 130, 129, 129, 16, 20, 18, 22, 130, 24, 14, 129, 17, 21, 19, 23, 130, 25, 15, 129 };
#endif

#if GM_WITH_MAX_POOL
static const gm_operand_info operands_max_pool[] = {
    { GM_STRIDED, 8, 6 },
    { GM_WRITE | GM_STRIDED, 8, 14 },
    { GM_WRITE | GM_OPTIONAL | GM_BYTES, 4, 22 },
    { GM_STRIDED, 8, 26 },
    { GM_STRIDED, 8, 34 },
};
static const uint8_t params_max_pool[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_FLAG,
};
static const uint8_t terms_max_pool[] = { 4, 5, 8, 9, 10, 11, 4, 18, 6, 19, 7, 20, 5, 21, 4, 22, 8, 23, 9, 24, 5, 25, 4, 8, 9, 5, 8, 12, 10, 14, 130, 16, 6, 129, 9, 13, 11, 15, 130, 17, 7, 129 };
#endif

#if GM_WITH_MAX_POOL_GRAD
static const gm_operand_info operands_max_pool_grad[] = {
    { GM_STRIDED, 8, 8 },
    { GM_STRIDED, 8, 16 },
    { GM_WRITE | GM_STRIDED, 8, 24 },
    { GM_STRIDED, 8, 32 },
    { GM_STRIDED, 8, 40 },
};
static const uint8_t params_max_pool_grad[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
};
static const uint8_t terms_max_pool_grad[] = { 4, 5, 6, 7, 10, 11, 10, 11, 4, 18, 6, 19, 7, 20, 5, 21, 4, 22, 8, 23, 9, 24, 5, 25, 4, 18, 6, 19, 7, 20, 5, 21, 8, 12, 10, 14, 130, 16, 6, 129, 9, 13, 11, 15, 130, 17, 7, 129 };
#endif

#if GM_WITH_AVERAGE_POOL
static const gm_operand_info operands_average_pool[] = {
    { GM_STRIDED, 8, 6 },
    { GM_WRITE | GM_STRIDED, 8, 14 },
    { GM_STRIDED, 8, 22 },
    { GM_STRIDED, 8, 30 },
};
static const uint8_t params_average_pool[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_FLAG,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
};
static const uint8_t terms_average_pool[] = { 3, 4, 7, 8, 9, 10, 3, 17, 5, 18, 6, 19, 4, 20, 3, 21, 7, 22, 8, 23, 4, 24, 7, 11, 9, 13, 130, 15, 5, 129, 8, 12, 10, 14, 130, 16, 6, 129 };
#endif

#if GM_WITH_AVERAGE_POOL_GRAD
static const gm_operand_info operands_average_pool_grad[] = {
    { GM_STRIDED, 8, 8 },
    { GM_WRITE | GM_STRIDED, 8, 16 },
    { GM_STRIDED, 8, 24 },
    { GM_STRIDED, 8, 32 },
};
static const uint8_t params_average_pool_grad[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_FLAG,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
};
static const uint8_t terms_average_pool_grad[] = { 3, 4, 5, 6, 9, 10, 9, 10, 3, 21, 7, 22, 8, 23, 4, 24, 3, 17, 5, 18, 6, 19, 4, 20, 7, 11, 9, 13, 130, 15, 5, 129, 8, 12, 10, 14, 130, 16, 6, 129 };
#endif

#if GM_WITH_CLAMP || GM_WITH_HARD_SIGMOID
static const gm_operand_info operands_clamp[] = {
    { GM_IN_PLACE, 1, 1 },
    { GM_WRITE, 1, 2 },
};
static const uint8_t params_clamp[] = {
    GM_PARAM_DIM,
    GM_PARAM_F32,
    GM_PARAM_F32,
};
static const uint8_t terms_clamp[] = { 3, 3, 3 };
#endif

#if GM_WITH_CLAMP_GRAD
static const gm_operand_info operands_clamp_grad[] = {
    { GM_IN_PLACE, 1, 1 },
    { GM_IN_PLACE, 1, 2 },
    { GM_WRITE, 1, 3 },
};
static const uint8_t params_clamp_grad[] = {
    GM_PARAM_DIM,
    GM_PARAM_F32,
    GM_PARAM_F32,
};
static const uint8_t terms_clamp_grad[] = { 4, 4, 4, 4 };
#endif

#if GM_WITH_ELU
static const gm_operand_info operands_elu[] = {
    { GM_IN_PLACE, 1, 1 },
    { GM_WRITE, 1, 2 },
};
static const uint8_t params_elu[] = {
    GM_PARAM_DIM,
    GM_PARAM_F32,
    GM_PARAM_F32,
    GM_PARAM_F32,
};
static const uint8_t terms_elu[] = { 3, 3, 3 };
#endif

#if GM_WITH_ELU_GRAD
static const gm_operand_info operands_elu_grad[] = {
    { GM_IN_PLACE, 1, 1 },
    { GM_IN_PLACE, 1, 2 },
    { GM_WRITE, 1, 3 },
};
static const uint8_t params_elu_grad[] = {
    GM_PARAM_DIM,
    GM_PARAM_F32,
    GM_PARAM_F32,
    GM_PARAM_F32,
};
static const uint8_t terms_elu_grad[] = { 4, 4, 4, 4 };
#endif

#if GM_WITH_GATHER
static const gm_operand_info operands_gather[] = {
    { 0, 3, 3 },
    { 0, 1, 6 },
    { GM_WRITE, 3, 7 },
};
static const uint8_t params_gather[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
};
static const uint8_t terms_gather[] = { 4, 6, 7, 4, 5, 7, 6, 4, 6, 7 };
#endif

#if GM_WITH_SCATTER_ADD
static const gm_operand_info operands_scatter_add[] = {
    { 0, 3, 3 },
    { 0, 1, 6 },
    { GM_WRITE, 3, 7 },
};
static const uint8_t params_scatter_add[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
};
static const uint8_t terms_scatter_add[] = { 4, 6, 7, 4, 6, 7, 6, 4, 5, 7 };
#endif

#if GM_WITH_WEIGHTED_GATHER
static const gm_operand_info operands_weighted_gather[] = {
    { 0, 3, 4 },
    { 0, 2, 7 },
    { 0, 2, 9 },
    { GM_WRITE, 3, 11 },
};
static const uint8_t params_weighted_gather[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
};
static const uint8_t terms_weighted_gather[] = { 5, 7, 8, 9, 5, 6, 9, 7, 8, 7, 8, 5, 7, 9 };
#endif

#if GM_WITH_WEIGHTED_SCATTER_ADD
static const gm_operand_info operands_weighted_scatter_add[] = {
    { 0, 3, 4 },
    { 0, 2, 7 },
    { 0, 2, 9 },
    { GM_WRITE, 3, 11 },
};
static const uint8_t params_weighted_scatter_add[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
};
static const uint8_t terms_weighted_scatter_add[] = { 5, 7, 8, 9, 5, 7, 9, 7, 8, 7, 8, 5, 6, 9 };
#endif

#if GM_WITH_CUMSUM
static const gm_operand_info operands_cumsum[] = {
    { GM_IN_PLACE, 3, 3 },
    { GM_WRITE, 3, 6 },
};
static const uint8_t params_cumsum[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_FLAG,
    GM_PARAM_FLAG,
};
static const uint8_t terms_cumsum[] = { 3, 4, 5, 3, 4, 5, 3, 4, 5 };
#endif

#if GM_WITH_REDUCE_MAX || GM_WITH_REDUCE_MIN
static const gm_operand_info operands_reduce_max[] = {
    { GM_STRIDED, 16, 8 },
    { GM_WRITE, 4, 24 },
};
static const uint8_t params_reduce_max[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
};
static const uint8_t terms_reduce_max[] = { 3, 4, 5, 6, 11, 12, 13, 14, 3, 7, 4, 8, 5, 9, 6, 10, 11, 15, 12, 16, 13, 17, 14, 18, 3, 4, 5, 6 };
#endif

#if GM_WITH_REDUCE_EXTREMUM_GRAD
static const gm_operand_info operands_reduce_extremum_grad[] = {
    { 0, 4, 8 },
    { 0, 4, 12 },
    { GM_STRIDED, 16, 16 },
    { GM_WRITE | GM_STRIDED, 16, 32 },
};
static const uint8_t params_reduce_extremum_grad[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
};
static const uint8_t terms_reduce_extremum_grad[] = { 5, 6, 7, 8, 13, 14, 15, 16, 5, 6, 7, 8, 5, 6, 7, 8, 5, 9, 6, 10, 7, 11, 8, 12, 13, 17, 14, 18, 15, 19, 16, 20, 5, 9, 6, 10, 7, 11, 8, 12, 13, 17, 14, 18, 15, 19, 16, 20 };
#endif

#if GM_WITH_SELECT
static const gm_operand_info operands_select[] = {
    { GM_STRIDED | GM_IN_PLACE, 8, 4 },
    { GM_STRIDED | GM_IN_PLACE, 8, 12 },
    { GM_STRIDED | GM_IN_PLACE, 8, 20 },
    { GM_WRITE, 4, 28 },
};
static const uint8_t params_select[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
};
static const uint8_t terms_select[] = { 5, 6, 7, 8, 5, 9, 6, 10, 7, 11, 8, 12, 5, 13, 6, 14, 7, 15, 8, 16, 5, 17, 6, 18, 7, 19, 8, 20, 5, 6, 7, 8 };
#endif

#if GM_WITH_STANDARDIZE
static const gm_operand_info operands_standardize[] = {
    { GM_STRIDED | GM_IN_PLACE, 16, 8 },
    { GM_WRITE | GM_OPTIONAL, 4, 24 },
    { GM_WRITE | GM_OPTIONAL, 4, 28 },
    { GM_WRITE | GM_OPTIONAL, 4, 32 },
    { GM_WRITE | GM_STRIDED, 16, 36 },
};
static const uint8_t params_standardize[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_F32,
    GM_PARAM_FLAG,
};
static const uint8_t terms_standardize[] = { 6, 7, 8, 9, 14, 15, 16, 17, 6, 10, 7, 11, 8, 12, 9, 13, 14, 18, 15, 19, 16, 20, 17, 21, 6, 7, 8, 9, 6, 7, 8, 9, 6, 7, 8, 9, 6, 10, 7, 11, 8, 12, 9, 13, 14, 18, 15, 19, 16, 20, 17, 21 };
#endif

#if GM_WITH_STANDARDIZE_GRAD
static const gm_operand_info operands_standardize_grad[] = {
    { GM_STRIDED | GM_IN_PLACE, 16, 8 },
    { GM_STRIDED | GM_IN_PLACE, 16, 24 },
    { 0, 4, 40 },
    { GM_WRITE | GM_STRIDED, 16, 44 },
};
static const uint8_t params_standardize_grad[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_FLAG,
};
static const uint8_t terms_standardize_grad[] = { 5, 6, 7, 8, 13, 14, 15, 16, 5, 9, 6, 10, 7, 11, 8, 12, 13, 17, 14, 18, 15, 19, 16, 20, 5, 9, 6, 10, 7, 11, 8, 12, 13, 17, 14, 18, 15, 19, 16, 20, 5, 6, 7, 8, 5, 9, 6, 10, 7, 11, 8, 12, 13, 17, 14, 18, 15, 19, 16, 20 };
#endif

#if GM_WITH_LSTM_CELLS
static const gm_operand_info operands_lstm_cells[] = {
    { GM_IN_PLACE, 4, 5 },
    { 0, 3, 9 },
    { GM_OPTIONAL, 2, 12 },
    { GM_OPTIONAL, 2, 14 },
    { GM_OPTIONAL, 2, 16 },
    { GM_WRITE | GM_STRIDED | GM_FOLDS, 8, 18 },
    { GM_WRITE | GM_STRIDED | GM_FOLDS, 8, 26 },
    { GM_WRITE, 4, 34 },
};
static const uint8_t params_lstm_cells[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_FLAG,
    GM_PARAM_FLAG,
};
static const uint8_t terms_lstm_cells[] = { 9, 10, 132, 11, 11, 9, 10, 132, 11, 132, 11, 11, 131, 11, 10, 11, 10, 11, 9, 12, 130, 12, 10, 11, 11, 129, 9, 13, 130, 13, 10, 11, 11, 129, 9, 10, 132, 11 };
#endif

#if GM_WITH_LSTM_CELLS_GRAD
static const gm_operand_info operands_lstm_cells_grad[] = {
    { GM_OPTIONAL | GM_STRIDED, 6, 5 },
    { GM_OPTIONAL, 2, 11 },
    { GM_OPTIONAL, 2, 13 },
    { 0, 3, 15 },
    { GM_OPTIONAL, 2, 18 },
    { GM_STRIDED, 8, 20 },
    { GM_IN_PLACE, 4, 28 },
    { GM_WRITE, 2, 32 },
    { GM_WRITE, 2, 34 },
    { GM_WRITE, 4, 36 },
};
static const uint8_t params_lstm_cells_grad[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_FLAG,
    GM_PARAM_FLAG,
};
static const uint8_t terms_lstm_cells_grad[] = { 11, 12, 132, 13, 13, 11, 14, 12, 15, 13, 129, 12, 13, 12, 13, 132, 13, 13, 131, 13, 11, 16, 130, 16, 12, 13, 13, 129, 11, 12, 132, 13, 12, 13, 12, 13, 11, 12, 132, 13 };
#endif

#if GM_WITH_GRU_CELLS
static const gm_operand_info operands_gru_cells[] = {
    { GM_IN_PLACE, 4, 5 },
    { 0, 3, 9 },
    { GM_OPTIONAL, 1, 12 },
    { GM_OPTIONAL, 2, 13 },
    { GM_WRITE | GM_STRIDED | GM_FOLDS, 8, 15 },
    { GM_WRITE | GM_STRIDED | GM_FOLDS, 6, 23 },
    { GM_WRITE, 4, 29 },
};
static const uint8_t params_gru_cells[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_FLAG,
    GM_PARAM_FLAG,
};
static const uint8_t terms_gru_cells[] = { 8, 9, 131, 10, 10, 8, 9, 131, 10, 131, 10, 10, 10, 9, 10, 8, 11, 130, 11, 9, 10, 10, 129, 8, 12, 9, 10, 10, 129, 8, 9, 131, 10 };
#endif

#if GM_WITH_GRU_CELLS_GRAD
static const gm_operand_info operands_gru_cells_grad[] = {
    { GM_OPTIONAL | GM_STRIDED, 6, 5 },
    { GM_OPTIONAL, 2, 11 },
    { 0, 3, 13 },
    { GM_STRIDED, 8, 16 },
    { GM_STRIDED, 6, 24 },
    { GM_IN_PLACE, 4, 30 },
    { GM_WRITE, 2, 34 },
    { GM_WRITE | GM_STRIDED | GM_FOLDS, 6, 36 },
    { GM_WRITE, 4, 42 },
};
static const uint8_t params_gru_cells_grad[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_FLAG,
    GM_PARAM_FLAG,
};
static const uint8_t terms_gru_cells_grad[] = { 10, 11, 131, 12, 12, 10, 13, 11, 14, 12, 129, 11, 12, 131, 12, 12, 10, 15, 130, 15, 11, 12, 12, 129, 10, 16, 11, 12, 12, 129, 10, 11, 131, 12, 11, 12, 10, 17, 11, 12, 12, 129, 10, 11, 131, 12 };
#endif

#if GM_WITH_RNN_CELLS
static const gm_operand_info operands_rnn_cells[] = {
    { GM_IN_PLACE, 3, 4 },
    { 0, 2, 7 },
    { GM_OPTIONAL, 2, 9 },
    { GM_WRITE | GM_STRIDED | GM_FOLDS, 8, 11 },
    { GM_WRITE, 3, 19 },
};
static const uint8_t params_rnn_cells[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_FLAG,
    GM_PARAM_FLAG,
};
static const uint8_t terms_rnn_cells[] = { 6, 7, 8, 8, 6, 7, 8, 8, 8, 7, 8, 6, 9, 130, 9, 7, 8, 8, 129, 6, 7, 8 };
#endif

#if GM_WITH_RNN_CELLS_GRAD
static const gm_operand_info operands_rnn_cells_grad[] = {
    { GM_OPTIONAL | GM_STRIDED, 6, 4 },
    { GM_OPTIONAL, 2, 10 },
    { 0, 2, 12 },
    { GM_STRIDED, 8, 14 },
    { GM_WRITE, 2, 22 },
    { GM_WRITE, 3, 24 },
};
static const uint8_t params_rnn_cells_grad[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_FLAG,
    GM_PARAM_FLAG,
};
static const uint8_t terms_rnn_cells_grad[] = { 7, 8, 9, 9, 7, 10, 8, 11, 9, 129, 8, 9, 9, 9, 7, 12, 130, 12, 8, 9, 9, 129, 8, 9, 7, 8, 9 };
#endif

#if GM_WITH_REDUCE_PROD
static const gm_operand_info operands_reduce_prod[] = {
    { 0, 3, 3 },
    { GM_WRITE, 2, 6 },
};
static const uint8_t params_reduce_prod[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
};
static const uint8_t terms_reduce_prod[] = { 3, 4, 5, 3, 4, 5, 3, 5 };
#endif

#if GM_WITH_REDUCE_PROD_GRAD
static const gm_operand_info operands_reduce_prod_grad[] = {
    { 0, 2, 3 },
    { 0, 3, 5 },
    { GM_WRITE, 3, 8 },
};
static const uint8_t params_reduce_prod_grad[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
};
static const uint8_t terms_reduce_prod_grad[] = { 4, 5, 6, 4, 6, 4, 5, 6, 4, 5, 6 };
#endif

#if GM_WITH_MATMUL
static const gm_operand_info operands_matmul[] = {
    { GM_STRIDED, 8, 5 },
    { GM_STRIDED, 8, 13 },
    { GM_WRITE | GM_STRIDED, 8, 21 },
};
static const uint8_t params_matmul[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
};
static const uint8_t terms_matmul[] = { 4, 5, 6, 7, 8, 4, 9, 5, 10, 6, 11, 8, 12, 4, 13, 5, 14, 8, 15, 7, 16, 4, 17, 5, 18, 6, 19, 7, 129 };
#endif

#if GM_WITH_MAX_POOL_INDEX_GRAD
static const gm_operand_info operands_max_pool_index_grad[] = {
    { GM_BYTES, 4, 6 },
    { GM_STRIDED, 8, 10 },
    { GM_WRITE | GM_STRIDED, 8, 18 },
    { GM_STRIDED, 8, 26 },
    { GM_STRIDED, 8, 34 },
};
static const uint8_t params_max_pool_index_grad[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
};
static const uint8_t terms_max_pool_index_grad[] = { 4, 5, 6, 7, 10, 11, 4, 8, 9, 5, 4, 22, 8, 23, 9, 24, 5, 25, 4, 18, 6, 19, 7, 20, 5, 21, 8, 12, 10, 14, 130, 16, 6, 129, 9, 13, 11, 15, 130, 17, 7, 129 };
#endif

#if GM_WITH_MASK
static const gm_operand_info operands_mask[] = {
    { 0, 1, 1 },
    { GM_WRITE | GM_BITS, 1, 2 },
};
static const uint8_t params_mask[] = {
    GM_PARAM_DIM,
    GM_PARAM_F32,
    GM_PARAM_F32,
    GM_PARAM_FLAG,
};
static const uint8_t terms_mask[] = { 3, 3, 3 };
#endif

#if GM_WITH_MASK_GRAD
static const gm_operand_info operands_mask_grad[] = {
    { GM_IN_PLACE, 1, 1 },
    { GM_BITS, 1, 2 },
    { GM_WRITE, 1, 3 },
};
static const uint8_t params_mask_grad[] = {
    GM_PARAM_DIM,
};
static const uint8_t terms_mask_grad[] = { 4, 4, 4, 4 };
#endif

#if GM_WITH_MOMENTS
static const gm_operand_info operands_moments[] = {
    { 0, 3, 3 },
    { GM_WRITE, 1, 6 },
    { GM_WRITE, 1, 7 },
    { GM_WRITE | GM_OPTIONAL, 1, 8 },
};
static const uint8_t params_moments[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_F32,
};
static const uint8_t terms_moments[] = { 5, 6, 7, 5, 6, 7, 6, 6, 6 };
#endif

#if GM_WITH_NORMALIZE
static const gm_operand_info operands_normalize[] = {
    { GM_IN_PLACE, 3, 3 },
    { GM_OPTIONAL, 1, 6 },
    { 0, 1, 7 },
    { 0, 1, 8 },
    { GM_OPTIONAL, 1, 9 },
    { GM_WRITE, 3, 10 },
};
static const uint8_t params_normalize[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_ENUM + 2,
};
static const uint8_t terms_normalize[] = { 7, 8, 9, 7, 8, 9, 8, 8, 8, 8, 7, 8, 9 };
#endif

#if GM_WITH_NORMALIZE_SUMS
static const gm_operand_info operands_normalize_sums[] = {
    { 0, 3, 3 },
    { 0, 3, 6 },
    { 0, 1, 9 },
    { 0, 1, 10 },
    { GM_WRITE, 1, 11 },
    { GM_WRITE, 1, 12 },
};
static const uint8_t params_normalize_sums[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
};
static const uint8_t terms_normalize_sums[] = { 7, 8, 9, 7, 8, 9, 7, 8, 9, 8, 8, 8, 8 };
#endif

#if GM_WITH_NORMALIZE_GRAD
static const gm_operand_info operands_normalize_grad[] = {
    { GM_IN_PLACE, 3, 3 },
    { GM_IN_PLACE, 3, 6 },
    { 0, 1, 9 },
    { 0, 1, 10 },
    { 0, 1, 11 },
    { 0, 1, 12 },
    { 0, 1, 13 },
    { GM_WRITE, 3, 14 },
};
static const uint8_t params_normalize_grad[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
};
static const uint8_t terms_normalize_grad[] = { 9, 10, 11, 9, 10, 11, 9, 10, 11, 10, 10, 10, 10, 10, 9, 10, 11 };
#endif

#if GM_WITH_SOFTMAX_CROSS_ENTROPY_WITH_GRAD || GM_WITH_SOFTMAX_CROSS_ENTROPY_PLAIN
static const gm_operand_info operands_softmax_cross_entropy_with_grad[] = {
    { GM_IN_PLACE, 3, 3 },
    { 0, 2, 6 },
    { GM_OPTIONAL, 1, 8 },
    { GM_OPTIONAL, 2, 9 },
    { GM_STRIDED, 4, 11 },
    { GM_WRITE | GM_STRIDED | GM_FOLDS, 4, 15 },
    { GM_WRITE, 3, 19 },
};
static const uint8_t params_softmax_cross_entropy_with_grad[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_ENUM + 3,
    GM_PARAM_I32,
};
static const uint8_t terms_softmax_cross_entropy_with_grad[] = { 8, 9, 10, 8, 9, 10, 8, 10, 9, 8, 10, 8, 11, 10, 12, 8, 11, 10, 12, 8, 9, 10 };
#endif

#if GM_WITH_CHECK_BOUND
static const gm_operand_info operands_check_bound[] = {
    { GM_STRIDED, 4, 2 },
};
static const uint8_t params_check_bound[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_F32,
};
static const uint8_t terms_check_bound[] = { 2, 3, 2, 4, 3, 129 };
#endif

#if GM_WITH_ROUND
static const gm_operand_info operands_round[] = {
    { GM_IN_PLACE, 1, 1 },
    { GM_WRITE, 1, 2 },
};
static const uint8_t params_round[] = {
    GM_PARAM_DIM,
    GM_PARAM_ENUM + 3,
};
static const uint8_t terms_round[] = { 3, 3, 3 };
#endif

#if GM_WITH_INT_TO_FLOAT
static const gm_operand_info operands_int_to_float[] = {
    { 0, 1, 1 },
    { GM_WRITE, 1, 2 },
};
static const uint8_t params_int_to_float[] = {
    GM_PARAM_DIM,
};
static const uint8_t terms_int_to_float[] = { 3, 3, 3 };
#endif

#if GM_WITH_FLAT_INDEX
static const gm_operand_info operands_flat_index[] = {
    { GM_STRIDED, 6, 3 },
    { GM_WRITE, 3, 9 },
};
static const uint8_t params_flat_index[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_FLAG,
};
static const uint8_t terms_flat_index[] = { 3, 5, 6, 3, 7, 5, 8, 6, 9, 3, 5, 6 };
#endif

#if GM_WITH_SCATTER
static const gm_operand_info operands_scatter[] = {
    { 0, 3, 3 },
    { 0, 1, 6 },
    { GM_WRITE, 3, 7 },
};
static const uint8_t params_scatter[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_ENUM + 4,
};
static const uint8_t terms_scatter[] = { 4, 6, 7, 4, 6, 7, 6, 4, 5, 7 };
#endif

#if GM_WITH_TOP_K
static const gm_operand_info operands_top_k[] = {
    { 0, 3, 4 },
    { GM_WRITE | GM_OPTIONAL, 3, 7 },
    { GM_WRITE, 3, 10 },
};
static const uint8_t params_top_k[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_FLAG,
    GM_PARAM_FLAG,
};
static const uint8_t terms_top_k[] = { 4, 5, 6, 7, 4, 5, 7, 4, 6, 7, 4, 6, 7 };
#endif

#if GM_WITH_RANDOM_UNIFORM
static const gm_operand_info operands_random_uniform[] = {
    { 0, 1, 1 },
    { GM_WRITE, 1, 2 },
};
static const uint8_t params_random_uniform[] = {
    GM_PARAM_DIM,
    GM_PARAM_U32,
    GM_PARAM_F32,
    GM_PARAM_F32,
};
static const uint8_t terms_random_uniform[] = { 3, 130, 3 };
#endif

#if GM_WITH_QUANTIZE
static const gm_operand_info operands_quantize[] = {
    { 0, 1, 1 },
    { GM_WRITE | GM_I8, 1, 2 },
};
static const uint8_t params_quantize[] = {
    GM_PARAM_DIM,
    GM_PARAM_F32,
    GM_PARAM_I32,
    GM_PARAM_I32,
    GM_PARAM_I32,
};
static const uint8_t terms_quantize[] = { 3, 3, 3 };
#endif

#if GM_WITH_DEQUANTIZE
static const gm_operand_info operands_dequantize[] = {
    { GM_STRIDED | GM_I8, 6, 3 },
    { 0, 1, 9 },
    { GM_OPTIONAL | GM_I8, 1, 10 },
    { GM_WRITE, 3, 11 },
};
static const uint8_t params_dequantize[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
};
static const uint8_t terms_dequantize[] = { 5, 6, 7, 5, 8, 6, 9, 7, 10, 6, 6, 5, 6, 7 };
#endif

#if GM_WITH_CONV_S8
static const gm_operand_info operands_conv_s8[] = {
    { GM_STRIDED | GM_I8, 10, 8 },
    { GM_STRIDED | GM_I8, 10, 18 },
    { GM_OPTIONAL, 2, 28 },
    { 0, 2, 30 },
    { GM_OPTIONAL, 2, 32 },
    { GM_WRITE | GM_STRIDED | GM_I8, 10, 34 },
    { GM_WRITE | GM_OPTIONAL, 1, 44 },
    { GM_STRIDED, 8, 45 },
    { GM_STRIDED, 8, 53 },
};
static const uint8_t params_conv_s8[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_I32,
    GM_PARAM_I32,
    GM_PARAM_I32,
    GM_PARAM_I32,
    GM_PARAM_I32,
    GM_PARAM_DIM,
};
static const uint8_t terms_conv_s8[] = { 8, 9, 10, 11, 14, 15, 16, 17, 8, 24, 12, 25, 13, 26, 9, 27, 10, 28, 9, 29, 11, 30, 10, 31, 16, 32, 17, 33, 9, 11, 9, 11, 9, 11, 8, 34, 14, 35, 15, 36, 9, 37, 11, 38, 44, 14, 18, 16, 20, 130, 22, 12, 129, 15, 19, 17, 21, 130, 23, 13, 129 };
#endif

#if GM_WITH_COPY_S8
static const gm_operand_info operands_copy_s8[] = {
    { GM_STRIDED | GM_I8, 12, 6 },
    { GM_OPTIONAL | GM_I8, 2, 18 },
    { GM_WRITE | GM_STRIDED | GM_I8, 12, 20 },
};
static const uint8_t params_copy_s8[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
};
static const uint8_t terms_copy_s8[] = { 4, 5, 6, 7, 8, 9, 4, 10, 5, 11, 6, 12, 7, 13, 8, 14, 9, 15, 144, 144, 4, 16, 5, 17, 6, 18, 7, 19, 8, 20, 9, 21 };
#endif

#if GM_WITH_ADD_S8 || GM_WITH_MUL_S8
static const gm_operand_info operands_add_s8[] = {
    { GM_STRIDED | GM_IN_PLACE | GM_I8, 8, 4 },
    { GM_STRIDED | GM_IN_PLACE | GM_I8, 8, 12 },
    { GM_WRITE | GM_I8, 4, 20 },
};
static const uint8_t params_add_s8[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_F32,
    GM_PARAM_I32,
    GM_PARAM_F32,
    GM_PARAM_I32,
    GM_PARAM_F32,
    GM_PARAM_I32,
    GM_PARAM_I32,
    GM_PARAM_I32,
};
static const uint8_t terms_add_s8[] = { 4, 5, 6, 7, 4, 8, 5, 9, 6, 10, 7, 11, 4, 12, 5, 13, 6, 14, 7, 15, 4, 5, 6, 7 };
#endif

#if GM_WITH_MAX_POOL_S8
static const gm_operand_info operands_max_pool_s8[] = {
    { GM_STRIDED | GM_I8, 8, 6 },
    { GM_WRITE | GM_STRIDED | GM_I8, 8, 14 },
    { GM_WRITE | GM_OPTIONAL | GM_BYTES, 4, 22 },
    { GM_STRIDED, 8, 26 },
    { GM_STRIDED, 8, 34 },
};
static const uint8_t params_max_pool_s8[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
};
static const uint8_t terms_max_pool_s8[] = { 4, 5, 8, 9, 10, 11, 4, 18, 6, 19, 7, 20, 5, 21, 4, 22, 8, 23, 9, 24, 5, 25, 4, 8, 9, 5, 8, 12, 10, 14, 130, 16, 6, 129, 9, 13, 11, 15, 130, 17, 7, 129 };
#endif

#if GM_WITH_AVERAGE_POOL_S8
static const gm_operand_info operands_average_pool_s8[] = {
    { GM_STRIDED | GM_I8, 8, 6 },
    { GM_WRITE | GM_STRIDED | GM_I8, 8, 14 },
    { GM_STRIDED, 8, 22 },
    { GM_STRIDED, 8, 30 },
};
static const uint8_t params_average_pool_s8[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_FLAG,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_ENUM + 4,
    GM_PARAM_F32,
    GM_PARAM_I32,
    GM_PARAM_F32,
    GM_PARAM_I32,
    GM_PARAM_I32,
    GM_PARAM_I32,
};
static const uint8_t terms_average_pool_s8[] = { 3, 4, 7, 8, 9, 10, 3, 17, 5, 18, 6, 19, 4, 20, 3, 21, 7, 22, 8, 23, 4, 24, 7, 11, 9, 13, 130, 15, 5, 129, 8, 12, 10, 14, 130, 16, 6, 129 };
#endif

#if GM_WITH_CONV_TRANSPOSE_S8
static const gm_operand_info operands_conv_transpose_s8[] = {
    { GM_STRIDED | GM_I8, 10, 8 },
    { GM_STRIDED | GM_I8, 10, 18 },
    { GM_OPTIONAL, 2, 28 },
    { 0, 2, 30 },
    { GM_OPTIONAL, 2, 32 },
    { GM_WRITE | GM_STRIDED | GM_I8, 10, 34 },
    { GM_WRITE | GM_OPTIONAL, 1, 44 },
    { GM_STRIDED, 8, 45 },
    { GM_STRIDED, 8, 53 },
};
static const uint8_t params_conv_transpose_s8[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_I32,
    GM_PARAM_I32,
    GM_PARAM_I32,
    GM_PARAM_I32,
    GM_PARAM_I32,
    GM_PARAM_DIM,
};
static const uint8_t terms_conv_transpose_s8[] = { 8, 9, 10, 11, 12, 13, 16, 17, 8, 34, 14, 35, 15, 36, 9, 37, 11, 38, 9, 29, 11, 30, 10, 31, 16, 32, 17, 33, 9, 10, 9, 10, 9, 10, 8, 24, 12, 25, 13, 26, 9, 27, 10, 28, 44, 14, 18, 16, 20, 130, 22, 12, 129, 15, 19, 17, 21, 130, 23, 13, 129 };
#endif

#if GM_WITH_MATMUL_S8
static const gm_operand_info operands_matmul_s8[] = {
    { GM_STRIDED | GM_I8, 8, 5 },
    { GM_STRIDED | GM_I8, 8, 13 },
    { GM_WRITE | GM_STRIDED | GM_I8, 8, 21 },
    { GM_WRITE | GM_OPTIONAL, 1, 29 },
};
static const uint8_t params_matmul_s8[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_F32,
    GM_PARAM_I32,
    GM_PARAM_I32,
    GM_PARAM_I32,
    GM_PARAM_I32,
    GM_PARAM_I32,
    GM_PARAM_DIM,
};
static const uint8_t terms_matmul_s8[] = { 5, 6, 7, 8, 9, 5, 10, 6, 11, 7, 12, 9, 13, 5, 14, 6, 15, 9, 16, 8, 17, 5, 18, 6, 19, 7, 20, 8, 129, 27 };
#endif

#if GM_WITH_QUANTIZE_GRAD_S16
static const gm_operand_info operands_quantize_grad_s16[] = {
    { 0, 3, 3 },
    { GM_OPTIONAL | GM_I8, 3, 6 },
    { GM_OPTIONAL | GM_BITS, 3, 9 },
    { GM_OPTIONAL, 1, 12 },
    { GM_WRITE | GM_I16, 3, 13 },
    { GM_WRITE, 1, 16 },
};
static const uint8_t params_quantize_grad_s16[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_I32,
    GM_PARAM_I32,
    GM_PARAM_I32,
};
static const uint8_t terms_quantize_grad_s16[] = { 7, 8, 9, 7, 8, 9, 7, 8, 9, 7, 8, 9, 8, 7, 8, 9, 130 };
#endif

#if GM_WITH_CONV_GRAD_X_S16
static const gm_operand_info operands_conv_grad_x_s16[] = {
    { GM_STRIDED | GM_I16, 10, 8 },
    { 0, 1, 18 },
    { GM_STRIDED | GM_I8, 10, 19 },
    { GM_OPTIONAL | GM_STRIDED | GM_IN_PLACE | GM_I16, 10, 29 },
    { GM_OPTIONAL, 1, 39 },
    { GM_OPTIONAL | GM_STRIDED | GM_I8, 10, 40 },
    { GM_OPTIONAL | GM_STRIDED | GM_BITS, 10, 50 },
    { GM_OPTIONAL, 2, 60 },
    { GM_WRITE | GM_STRIDED | GM_I16, 10, 62 },
    { GM_WRITE, 1, 72 },
    { GM_WRITE, 1, 73 },
    { GM_WRITE | GM_OPTIONAL, 1, 74 },
    { GM_STRIDED, 8, 75 },
    { GM_STRIDED, 8, 83 },
};
static const uint8_t params_conv_grad_x_s16[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_I32,
    GM_PARAM_I32,
    GM_PARAM_I32,
    GM_PARAM_I32,
    GM_PARAM_DIM,
};
static const uint8_t terms_conv_grad_x_s16[] = { 13, 14, 15, 16, 17, 18, 21, 22, 13, 39, 19, 40, 20, 41, 14, 42, 16, 43, 130, 14, 34, 16, 35, 15, 36, 21, 37, 22, 38, 13, 29, 17, 30, 18, 31, 14, 32, 15, 33, 130, 13, 29, 17, 30, 18, 31, 14, 32, 15, 33, 13, 29, 17, 30, 18, 31, 14, 32, 15, 33, 14, 15, 13, 29, 17, 30, 18, 31, 14, 32, 15, 33, 130, 129, 48, 19, 23, 21, 25, 130, 27, 17, 129, 20, 24, 22, 26, 130, 28, 18, 129 };
#endif

#if GM_WITH_CONV_GRAD_W_S16
static const gm_operand_info operands_conv_grad_w_s16[] = {
    { GM_STRIDED | GM_I8, 10, 8 },
    { GM_STRIDED | GM_I16, 10, 18 },
    { 0, 1, 28 },
    { 0, 2, 29 },
    { GM_WRITE, 5, 31 },
    { GM_WRITE | GM_OPTIONAL, 1, 36 },
    { GM_STRIDED, 8, 37 },
    { GM_STRIDED, 8, 45 },
};
static const uint8_t params_conv_grad_w_s16[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_I32,
    GM_PARAM_I32,
    GM_PARAM_FLAG,
    GM_PARAM_DIM,
};
static const uint8_t terms_conv_grad_w_s16[] = { 7, 8, 9, 10, 13, 14, 15, 16, 7, 23, 11, 24, 12, 25, 8, 26, 9, 27, 7, 28, 13, 29, 14, 30, 8, 31, 10, 32, 130, 8, 10, 8, 10, 9, 15, 16, 36, 13, 17, 15, 19, 130, 21, 11, 129, 14, 18, 16, 20, 130, 22, 12, 129 };
#endif

#if GM_WITH_SUM_S16
static const gm_operand_info operands_sum_s16[] = {
    { GM_STRIDED | GM_I16, 6, 3 },
    { 0, 1, 9 },
    { GM_OPTIONAL, 1, 10 },
    { GM_WRITE, 1, 11 },
};
static const uint8_t params_sum_s16[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_FLAG,
};
static const uint8_t terms_sum_s16[] = { 5, 6, 7, 5, 8, 6, 9, 7, 10, 130, 6, 6 };
#endif

#if GM_WITH_ADD_S16
static const gm_operand_info operands_add_s16[] = {
    { GM_STRIDED | GM_IN_PLACE | GM_I16, 8, 4 },
    { 0, 1, 12 },
    { GM_OPTIONAL | GM_STRIDED | GM_IN_PLACE | GM_I16, 8, 13 },
    { GM_OPTIONAL, 1, 21 },
    { GM_OPTIONAL | GM_I8, 4, 22 },
    { GM_OPTIONAL | GM_BITS, 4, 26 },
    { GM_OPTIONAL | GM_STRIDED, 8, 30 },
    { GM_WRITE | GM_I16, 4, 38 },
    { GM_WRITE, 1, 42 },
};
static const uint8_t params_add_s16[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_I32,
    GM_PARAM_I32,
    GM_PARAM_I32,
};
static const uint8_t terms_add_s16[] = { 10, 11, 12, 13, 10, 14, 11, 15, 12, 16, 13, 17, 130, 10, 18, 11, 19, 12, 20, 13, 21, 130, 10, 11, 12, 13, 10, 11, 12, 13, 10, 22, 11, 23, 12, 24, 13, 25, 10, 11, 12, 13, 130 };
#endif

#if GM_WITH_COPY_S16
static const gm_operand_info operands_copy_s16[] = {
    { GM_STRIDED | GM_I16, 12, 6 },
    { GM_WRITE | GM_STRIDED | GM_I16, 12, 18 },
};
static const uint8_t params_copy_s16[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
};
static const uint8_t terms_copy_s16[] = { 3, 4, 5, 6, 7, 8, 3, 9, 4, 10, 5, 11, 6, 12, 7, 13, 8, 14, 3, 15, 4, 16, 5, 17, 6, 18, 7, 19, 8, 20 };
#endif

#if GM_WITH_DEQUANTIZE_S16
static const gm_operand_info operands_dequantize_s16[] = {
    { GM_I16, 1, 1 },
    { 0, 1, 2 },
    { GM_WRITE, 1, 3 },
};
static const uint8_t params_dequantize_s16[] = {
    GM_PARAM_DIM,
};
static const uint8_t terms_dequantize_s16[] = { 4, 4, 130, 4 };
#endif

#if GM_WITH_MAX_POOL_GRAD_S16
static const gm_operand_info operands_max_pool_grad_s16[] = {
    { GM_BYTES, 4, 6 },
    { GM_STRIDED | GM_I16, 8, 10 },
    { 0, 1, 18 },
    { GM_WRITE | GM_STRIDED | GM_I16, 8, 19 },
    { GM_WRITE, 1, 27 },
    { GM_STRIDED, 8, 28 },
    { GM_STRIDED, 8, 36 },
};
static const uint8_t params_max_pool_grad_s16[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_I32,
};
static const uint8_t terms_max_pool_grad_s16[] = { 6, 7, 8, 9, 12, 13, 6, 10, 11, 7, 6, 24, 10, 25, 11, 26, 7, 27, 130, 6, 20, 8, 21, 9, 22, 7, 23, 130, 10, 14, 12, 16, 130, 18, 8, 129, 11, 15, 13, 17, 130, 19, 9, 129 };
#endif

#if GM_WITH_LOOP
static const gm_operand_info operands_loop[] = {
    { 0, 0, 0 },
};
static const uint8_t params_loop[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
};
static const uint8_t terms_loop[] = { 129 };
#endif

#if GM_WITH_GUARD
static const gm_operand_info operands_guard[] = {
    { 0, 0, 0 },
};
static const uint8_t params_guard[] = {
    GM_PARAM_STRIDE,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_U32,
    GM_PARAM_STRIDE,
    GM_PARAM_U32,
    GM_PARAM_STRIDE,
    GM_PARAM_U32,
    GM_PARAM_STRIDE,
};
static const uint8_t terms_guard[] = { 129 };
#endif

#if GM_WITH_SHIFT
static const gm_operand_info operands_shift[] = {
    { GM_WRITE | GM_BYTES, 1, 1 },
};
static const uint8_t params_shift[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
};
static const uint8_t terms_shift[] = { 2, 2 };
#endif

#if GM_WITH_QUANTIZE_GRAD
static const gm_operand_info operands_quantize_grad[] = {
    { GM_IN_PLACE, 3, 3 },
    { GM_OPTIONAL | GM_I8, 3, 6 },
    { GM_OPTIONAL | GM_BITS, 3, 9 },
    { GM_OPTIONAL, 1, 12 },
    { GM_WRITE, 3, 13 },
};
static const uint8_t params_quantize_grad[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_I32,
    GM_PARAM_I32,
};
static const uint8_t terms_quantize_grad[] = { 6, 7, 8, 6, 7, 8, 6, 7, 8, 6, 7, 8, 7, 6, 7, 8 };
#endif

#if GM_WITH_CONV_GRAD_X_S8
static const gm_operand_info operands_conv_grad_x_s8[] = {
    { GM_STRIDED, 10, 8 },
    { GM_STRIDED | GM_I8, 10, 18 },
    { GM_WRITE | GM_STRIDED, 10, 28 },
    { GM_STRIDED, 8, 38 },
    { GM_STRIDED, 8, 46 },
};
static const uint8_t params_conv_grad_x_s8[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_I32,
    GM_PARAM_FLAG,
};
static const uint8_t terms_conv_grad_x_s8[] = { 4, 5, 6, 7, 8, 9, 12, 13, 4, 30, 10, 31, 11, 32, 5, 33, 7, 34, 5, 25, 7, 26, 6, 27, 12, 28, 13, 29, 4, 20, 8, 21, 9, 22, 5, 23, 6, 24, 10, 14, 12, 16, 130, 18, 8, 129, 11, 15, 13, 17, 130, 19, 9, 129 };
#endif

#if GM_WITH_CONV_GRAD_W_S8
static const gm_operand_info operands_conv_grad_w_s8[] = {
    { GM_STRIDED | GM_I8, 10, 8 },
    { GM_STRIDED, 10, 18 },
    { 0, 2, 28 },
    { GM_WRITE, 5, 30 },
    { GM_STRIDED, 8, 35 },
    { GM_STRIDED, 8, 43 },
};
static const uint8_t params_conv_grad_w_s8[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_I32,
    GM_PARAM_FLAG,
};
static const uint8_t terms_conv_grad_w_s8[] = { 5, 6, 7, 8, 11, 12, 13, 14, 5, 21, 9, 22, 10, 23, 6, 24, 7, 25, 5, 26, 11, 27, 12, 28, 6, 29, 8, 30, 6, 8, 6, 8, 7, 13, 14, 11, 15, 13, 17, 130, 19, 9, 129, 12, 16, 14, 18, 130, 20, 10, 129 };
#endif

#if GM_WITH_CONV_UPDATE_S8
static const gm_operand_info operands_conv_update_s8[] = {
    { GM_STRIDED | GM_I8, 10, 8 },
    { GM_STRIDED, 10, 18 },
    { GM_WRITE, 3, 28 },
    { GM_WRITE | GM_I8, 6, 31 },
    { GM_WRITE | GM_OPTIONAL | GM_MOMENT, 5, 37 },
    { GM_WRITE | GM_OPTIONAL | GM_MOMENT, 5, 42 },
    { GM_OPTIONAL, 1, 47 },
    { 0, 1, 48 },
    { GM_RULE, 1, 49 },
    { 0, 2, 50 },
    { 0, 2, 52 },
    { 0, 1, 54 },
    { GM_STRIDED, 8, 55 },
    { GM_STRIDED, 8, 63 },
};
static const uint8_t params_conv_update_s8[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_I32,
    GM_PARAM_DIM,
    GM_PARAM_U32,
    GM_PARAM_F32,
    GM_PARAM_I32,
    GM_PARAM_I32,
    GM_PARAM_I32,
};
static const uint8_t terms_conv_update_s8[] = { 13, 14, 15, 16, 19, 20, 21, 22, 13, 29, 17, 30, 18, 31, 14, 32, 15, 33, 13, 34, 19, 35, 20, 36, 14, 37, 16, 38, 15, 21, 22, 14, 16, 15, 21, 22, 40, 14, 16, 15, 21, 22, 14, 16, 15, 21, 22, 130, 129, 129, 14, 16, 14, 16, 130, 19, 23, 21, 25, 130, 27, 17, 129, 20, 24, 22, 26, 130, 28, 18, 129 };
#endif

#if GM_WITH_UPDATE_S8
static const gm_operand_info operands_update_s8[] = {
    { 0, 3, 3 },
    { GM_WRITE | GM_I8, 3, 6 },
    { GM_WRITE | GM_OPTIONAL | GM_MOMENT, 3, 9 },
    { GM_WRITE | GM_OPTIONAL | GM_MOMENT, 3, 12 },
    { GM_OPTIONAL, 1, 15 },
    { 0, 1, 16 },
    { GM_OPTIONAL, 1, 17 },
    { GM_RULE, 1, 18 },
    { 0, 1, 19 },
    { 0, 1, 20 },
};
static const uint8_t params_update_s8[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_U32,
    GM_PARAM_F32,
    GM_PARAM_I32,
    GM_PARAM_I32,
    GM_PARAM_I32,
};
static const uint8_t terms_update_s8[] = { 11, 12, 13, 11, 12, 13, 11, 12, 13, 11, 12, 13, 11, 12, 13, 130, 129, 129, 129, 12, 130 };
#endif

#if GM_WITH_UPDATE_S16
static const gm_operand_info operands_update_s16[] = {
    { 0, 3, 3 },
    { GM_WRITE | GM_I16, 3, 6 },
    { GM_WRITE | GM_OPTIONAL | GM_MOMENT, 3, 9 },
    { GM_WRITE | GM_OPTIONAL | GM_MOMENT, 3, 12 },
    { GM_OPTIONAL, 1, 15 },
    { 0, 1, 16 },
    { GM_OPTIONAL, 1, 17 },
    { GM_RULE, 1, 18 },
    { 0, 1, 19 },
    { 0, 1, 20 },
};
static const uint8_t params_update_s16[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_U32,
    GM_PARAM_F32,
    GM_PARAM_I32,
    GM_PARAM_I32,
    GM_PARAM_I32,
};
static const uint8_t terms_update_s16[] = { 11, 12, 13, 11, 12, 13, 11, 12, 13, 11, 12, 13, 11, 12, 13, 130, 129, 129, 129, 12, 130 };
#endif

#if GM_WITH_UPDATE_S32
static const gm_operand_info operands_update_s32[] = {
    { 0, 3, 3 },
    { GM_WRITE, 3, 6 },
    { GM_WRITE | GM_OPTIONAL | GM_MOMENT, 3, 9 },
    { GM_WRITE | GM_OPTIONAL | GM_MOMENT, 3, 12 },
    { GM_OPTIONAL, 1, 15 },
    { 0, 1, 16 },
    { GM_OPTIONAL, 1, 17 },
    { GM_RULE, 1, 18 },
    { 0, 1, 19 },
    { 0, 1, 20 },
};
static const uint8_t params_update_s32[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_U32,
    GM_PARAM_F32,
    GM_PARAM_I32,
    GM_PARAM_I32,
    GM_PARAM_I32,
};
static const uint8_t terms_update_s32[] = { 11, 12, 13, 11, 12, 13, 11, 12, 13, 11, 12, 13, 11, 12, 13, 130, 129, 129, 129, 12, 130 };
#endif

#if GM_WITH_CONV_UPDATE_S16
static const gm_operand_info operands_conv_update_s16[] = {
    { GM_STRIDED | GM_I8, 10, 8 },
    { GM_STRIDED | GM_I16, 10, 18 },
    { GM_WRITE, 3, 28 },
    { GM_WRITE | GM_I8, 6, 31 },
    { GM_WRITE | GM_OPTIONAL | GM_MOMENT, 5, 37 },
    { GM_WRITE | GM_OPTIONAL | GM_MOMENT, 5, 42 },
    { GM_OPTIONAL, 1, 47 },
    { 0, 1, 48 },
    { GM_RULE, 1, 49 },
    { 0, 2, 50 },
    { 0, 2, 52 },
    { 0, 1, 54 },
    { 0, 1, 55 },
    { GM_WRITE | GM_OPTIONAL, 1, 56 },
    { GM_STRIDED, 8, 57 },
    { GM_STRIDED, 8, 65 },
};
static const uint8_t params_conv_update_s16[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_I32,
    GM_PARAM_I32,
    GM_PARAM_DIM,
    GM_PARAM_U32,
    GM_PARAM_F32,
    GM_PARAM_I32,
    GM_PARAM_I32,
    GM_PARAM_I32,
    GM_PARAM_DIM,
};
static const uint8_t terms_conv_update_s16[] = { 15, 16, 17, 18, 21, 22, 23, 24, 15, 31, 19, 32, 20, 33, 16, 34, 17, 35, 15, 36, 21, 37, 22, 38, 16, 39, 18, 40, 17, 23, 24, 16, 18, 17, 23, 24, 43, 16, 18, 17, 23, 24, 16, 18, 17, 23, 24, 130, 129, 129, 16, 18, 16, 18, 130, 130, 49, 21, 25, 23, 27, 130, 29, 19, 129, 22, 26, 24, 28, 130, 30, 20, 129 };
#endif

#if GM_WITH_MASK_S8
static const gm_operand_info operands_mask_s8[] = {
    { GM_I8, 1, 1 },
    { GM_WRITE | GM_BITS, 1, 2 },
};
static const uint8_t params_mask_s8[] = {
    GM_PARAM_DIM,
    GM_PARAM_I32,
    GM_PARAM_I32,
};
static const uint8_t terms_mask_s8[] = { 3, 3, 3 };
#endif

#if GM_WITH_FLOAT_TO_BF16
static const gm_operand_info operands_float_to_bf16[] = {
    { 0, 1, 1 },
    { GM_WRITE | GM_I16, 1, 2 },
};
static const uint8_t params_float_to_bf16[] = {
    GM_PARAM_DIM,
};
static const uint8_t terms_float_to_bf16[] = { 3, 3, 3 };
#endif

#if GM_WITH_BF16_TO_FLOAT
static const gm_operand_info operands_bf16_to_float[] = {
    { GM_I16, 1, 1 },
    { GM_WRITE, 1, 2 },
};
static const uint8_t params_bf16_to_float[] = {
    GM_PARAM_DIM,
};
static const uint8_t terms_bf16_to_float[] = { 3, 3, 3 };
#endif

#if GM_WITH_ATTENTION
static const gm_operand_info operands_attention[] = {
    { GM_STRIDED, 8, 6 },
    { GM_STRIDED, 8, 14 },
    { GM_STRIDED, 8, 22 },
    { GM_OPTIONAL, 1, 30 },
    { GM_OPTIONAL | GM_STRIDED, 8, 31 },
    { GM_OPTIONAL, 1, 39 },
    { GM_WRITE, 2, 40 },
    { GM_WRITE | GM_STRIDED, 8, 42 },
};
static const uint8_t params_attention[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_FLAG,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
};
static const uint8_t terms_attention[] = { 130, 9, 10, 11, 12, 13, 9, 16, 10, 17, 11, 18, 13, 129, 9, 19, 10, 20, 12, 21, 13, 22, 9, 23, 10, 24, 12, 25, 13, 129, 129, 9, 26, 10, 27, 11, 28, 12, 129, 130, 14, 12, 9, 29, 10, 30, 11, 31, 13, 129 };
#endif

#if GM_WITH_ATTENTION_GRAD
static const gm_operand_info operands_attention_grad[] = {
    { GM_STRIDED, 8, 6 },
    { GM_STRIDED, 8, 14 },
    { GM_STRIDED, 8, 22 },
    { GM_STRIDED, 8, 30 },
    { GM_OPTIONAL, 1, 38 },
    { GM_OPTIONAL | GM_STRIDED, 8, 39 },
    { GM_OPTIONAL, 1, 47 },
    { GM_WRITE, 3, 48 },
    { GM_WRITE | GM_OPTIONAL | GM_STRIDED, 8, 51 },
    { GM_WRITE | GM_OPTIONAL | GM_STRIDED, 8, 59 },
    { GM_WRITE | GM_OPTIONAL | GM_STRIDED, 8, 67 },
    { GM_WRITE | GM_OPTIONAL | GM_STRIDED, 8, 75 },
};
static const uint8_t params_attention_grad[] = {
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_DIM,
    GM_PARAM_FLAG,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
    GM_PARAM_STRIDE,
};
static const uint8_t terms_attention_grad[] = { 133, 13, 14, 15, 16, 17, 13, 20, 14, 21, 15, 22, 17, 129, 13, 23, 14, 24, 15, 25, 17, 129, 13, 26, 14, 27, 16, 28, 17, 29, 13, 30, 14, 31, 16, 32, 17, 129, 129, 13, 33, 14, 34, 15, 35, 16, 129, 130, 130, 18, 16, 13, 36, 14, 37, 15, 38, 17, 129, 13, 39, 14, 40, 16, 41, 17, 129, 13, 39, 14, 40, 17, 41, 16, 129, 13, 42, 14, 43, 16, 44, 17, 129 };
#endif

#if GM_WITH_SUM
static const gm_operand_info operands_sum[] = {
    { 0, 1, 1 },
    { GM_WRITE, 1, 2 },
};
static const uint8_t params_sum[] = {
    GM_PARAM_DIM,
    GM_PARAM_F32,
};
static const uint8_t terms_sum[] = { 3, 3, 129 };
#endif

#if GM_WITH_SUM_GRAD
static const gm_operand_info operands_sum_grad[] = {
    { 0, 1, 1 },
    { GM_WRITE, 1, 2 },
};
static const uint8_t params_sum_grad[] = {
    GM_PARAM_DIM,
    GM_PARAM_F32,
};
static const uint8_t terms_sum_grad[] = { 3, 129, 3 };
#endif

enum {
#if GM_WITH_GEMM
    SHAPE_GEMM,
#endif
#if GM_WITH_GEMM_UPDATE
    SHAPE_GEMM_UPDATE,
#endif
#if GM_WITH_UPDATE
    SHAPE_UPDATE,
#endif
#if GM_WITH_BIAS_CORRECTION
    SHAPE_BIAS_CORRECTION,
#endif
#if GM_WITH_SUM_SQUARES
    SHAPE_SUM_SQUARES,
#endif
#if GM_WITH_CLIP_SCALE
    SHAPE_CLIP_SCALE,
#endif
#if GM_WITH_CHECK_FINITE
    SHAPE_CHECK_FINITE,
#endif
#if GM_WITH_COPY
    SHAPE_COPY,
#endif
#if GM_WITH_REDUCE_SUM
    SHAPE_REDUCE_SUM,
#endif
#if GM_WITH_ADD || GM_WITH_SUB || GM_WITH_MUL || GM_WITH_DIV || GM_WITH_MAX || GM_WITH_MIN || GM_WITH_HEAVISIDE || GM_WITH_PRELU || GM_WITH_PRELU_SLOPE || GM_WITH_GREATER || GM_WITH_GREATER_OR_EQUAL || GM_WITH_EQUAL || GM_WITH_POW || GM_WITH_FMOD
    SHAPE_ADD,
#endif
#if GM_WITH_RELU || GM_WITH_SIGMOID || GM_WITH_TANH || GM_WITH_ABS || GM_WITH_EXP || GM_WITH_LOG || GM_WITH_SQRT || GM_WITH_HARD_SWISH || GM_WITH_SOFTPLUS || GM_WITH_SOFTSIGN || GM_WITH_MISH || GM_WITH_GELU || GM_WITH_GELU_TANH || GM_WITH_ERF || GM_WITH_SIN || GM_WITH_COS || GM_WITH_SIGN || GM_WITH_ATAN || GM_WITH_LOG1P || GM_WITH_FLOAT_TO_INT
    SHAPE_RELU,
#endif
#if GM_WITH_RELU_GRAD || GM_WITH_SIGMOID_GRAD || GM_WITH_TANH_GRAD || GM_WITH_ABS_GRAD || GM_WITH_HARD_SWISH_GRAD || GM_WITH_SOFTPLUS_GRAD || GM_WITH_SOFTSIGN_GRAD || GM_WITH_MISH_GRAD || GM_WITH_GELU_GRAD || GM_WITH_GELU_TANH_GRAD
    SHAPE_RELU_GRAD,
#endif
#if GM_WITH_LEAKY_RELU || GM_WITH_SWISH || GM_WITH_THRESHOLDED_RELU
    SHAPE_LEAKY_RELU,
#endif
#if GM_WITH_LEAKY_RELU_GRAD || GM_WITH_HARD_SIGMOID_GRAD || GM_WITH_SWISH_GRAD || GM_WITH_THRESHOLDED_RELU_GRAD
    SHAPE_LEAKY_RELU_GRAD,
#endif
#if GM_WITH_SOFTMAX || GM_WITH_LOG_SOFTMAX
    SHAPE_SOFTMAX,
#endif
#if GM_WITH_SOFTMAX_GRAD || GM_WITH_LOG_SOFTMAX_GRAD
    SHAPE_SOFTMAX_GRAD,
#endif
#if GM_WITH_DROPOUT
    SHAPE_DROPOUT,
#endif
#if GM_WITH_SOFTMAX_CROSS_ENTROPY
    SHAPE_SOFTMAX_CROSS_ENTROPY,
#endif
#if GM_WITH_SOFTMAX_CROSS_ENTROPY_GRAD
    SHAPE_SOFTMAX_CROSS_ENTROPY_GRAD,
#endif
#if GM_WITH_MSE_LOSS || GM_WITH_L1_LOSS
    SHAPE_MSE_LOSS,
#endif
#if GM_WITH_MSE_LOSS_GRAD || GM_WITH_L1_LOSS_GRAD
    SHAPE_MSE_LOSS_GRAD,
#endif
#if GM_WITH_BCE_WITH_LOGITS_LOSS
    SHAPE_BCE_WITH_LOGITS_LOSS,
#endif
#if GM_WITH_BCE_WITH_LOGITS_LOSS_GRAD
    SHAPE_BCE_WITH_LOGITS_LOSS_GRAD,
#endif
#if GM_WITH_CONV
    SHAPE_CONV,
#endif
#if GM_WITH_CONV_TRANSPOSE
    SHAPE_CONV_TRANSPOSE,
#endif
#if GM_WITH_CONV_GRAD_W
    SHAPE_CONV_GRAD_W,
#endif
#if GM_WITH_CONV_UPDATE
    SHAPE_CONV_UPDATE,
#endif
#if GM_WITH_MAX_POOL
    SHAPE_MAX_POOL,
#endif
#if GM_WITH_MAX_POOL_GRAD
    SHAPE_MAX_POOL_GRAD,
#endif
#if GM_WITH_AVERAGE_POOL
    SHAPE_AVERAGE_POOL,
#endif
#if GM_WITH_AVERAGE_POOL_GRAD
    SHAPE_AVERAGE_POOL_GRAD,
#endif
#if GM_WITH_CLAMP || GM_WITH_HARD_SIGMOID
    SHAPE_CLAMP,
#endif
#if GM_WITH_CLAMP_GRAD
    SHAPE_CLAMP_GRAD,
#endif
#if GM_WITH_ELU
    SHAPE_ELU,
#endif
#if GM_WITH_ELU_GRAD
    SHAPE_ELU_GRAD,
#endif
#if GM_WITH_GATHER
    SHAPE_GATHER,
#endif
#if GM_WITH_SCATTER_ADD
    SHAPE_SCATTER_ADD,
#endif
#if GM_WITH_WEIGHTED_GATHER
    SHAPE_WEIGHTED_GATHER,
#endif
#if GM_WITH_WEIGHTED_SCATTER_ADD
    SHAPE_WEIGHTED_SCATTER_ADD,
#endif
#if GM_WITH_CUMSUM
    SHAPE_CUMSUM,
#endif
#if GM_WITH_REDUCE_MAX || GM_WITH_REDUCE_MIN
    SHAPE_REDUCE_MAX,
#endif
#if GM_WITH_REDUCE_EXTREMUM_GRAD
    SHAPE_REDUCE_EXTREMUM_GRAD,
#endif
#if GM_WITH_SELECT
    SHAPE_SELECT,
#endif
#if GM_WITH_STANDARDIZE
    SHAPE_STANDARDIZE,
#endif
#if GM_WITH_STANDARDIZE_GRAD
    SHAPE_STANDARDIZE_GRAD,
#endif
#if GM_WITH_LSTM_CELLS
    SHAPE_LSTM_CELLS,
#endif
#if GM_WITH_LSTM_CELLS_GRAD
    SHAPE_LSTM_CELLS_GRAD,
#endif
#if GM_WITH_GRU_CELLS
    SHAPE_GRU_CELLS,
#endif
#if GM_WITH_GRU_CELLS_GRAD
    SHAPE_GRU_CELLS_GRAD,
#endif
#if GM_WITH_RNN_CELLS
    SHAPE_RNN_CELLS,
#endif
#if GM_WITH_RNN_CELLS_GRAD
    SHAPE_RNN_CELLS_GRAD,
#endif
#if GM_WITH_REDUCE_PROD
    SHAPE_REDUCE_PROD,
#endif
#if GM_WITH_REDUCE_PROD_GRAD
    SHAPE_REDUCE_PROD_GRAD,
#endif
#if GM_WITH_MATMUL
    SHAPE_MATMUL,
#endif
#if GM_WITH_MAX_POOL_INDEX_GRAD
    SHAPE_MAX_POOL_INDEX_GRAD,
#endif
#if GM_WITH_MASK
    SHAPE_MASK,
#endif
#if GM_WITH_MASK_GRAD
    SHAPE_MASK_GRAD,
#endif
#if GM_WITH_MOMENTS
    SHAPE_MOMENTS,
#endif
#if GM_WITH_NORMALIZE
    SHAPE_NORMALIZE,
#endif
#if GM_WITH_NORMALIZE_SUMS
    SHAPE_NORMALIZE_SUMS,
#endif
#if GM_WITH_NORMALIZE_GRAD
    SHAPE_NORMALIZE_GRAD,
#endif
#if GM_WITH_SOFTMAX_CROSS_ENTROPY_WITH_GRAD || GM_WITH_SOFTMAX_CROSS_ENTROPY_PLAIN
    SHAPE_SOFTMAX_CROSS_ENTROPY_WITH_GRAD,
#endif
#if GM_WITH_CHECK_BOUND
    SHAPE_CHECK_BOUND,
#endif
#if GM_WITH_ROUND
    SHAPE_ROUND,
#endif
#if GM_WITH_INT_TO_FLOAT
    SHAPE_INT_TO_FLOAT,
#endif
#if GM_WITH_FLAT_INDEX
    SHAPE_FLAT_INDEX,
#endif
#if GM_WITH_SCATTER
    SHAPE_SCATTER,
#endif
#if GM_WITH_TOP_K
    SHAPE_TOP_K,
#endif
#if GM_WITH_RANDOM_UNIFORM
    SHAPE_RANDOM_UNIFORM,
#endif
#if GM_WITH_QUANTIZE
    SHAPE_QUANTIZE,
#endif
#if GM_WITH_DEQUANTIZE
    SHAPE_DEQUANTIZE,
#endif
#if GM_WITH_CONV_S8
    SHAPE_CONV_S8,
#endif
#if GM_WITH_COPY_S8
    SHAPE_COPY_S8,
#endif
#if GM_WITH_ADD_S8 || GM_WITH_MUL_S8
    SHAPE_ADD_S8,
#endif
#if GM_WITH_MAX_POOL_S8
    SHAPE_MAX_POOL_S8,
#endif
#if GM_WITH_AVERAGE_POOL_S8
    SHAPE_AVERAGE_POOL_S8,
#endif
#if GM_WITH_CONV_TRANSPOSE_S8
    SHAPE_CONV_TRANSPOSE_S8,
#endif
#if GM_WITH_MATMUL_S8
    SHAPE_MATMUL_S8,
#endif
#if GM_WITH_QUANTIZE_GRAD_S16
    SHAPE_QUANTIZE_GRAD_S16,
#endif
#if GM_WITH_CONV_GRAD_X_S16
    SHAPE_CONV_GRAD_X_S16,
#endif
#if GM_WITH_CONV_GRAD_W_S16
    SHAPE_CONV_GRAD_W_S16,
#endif
#if GM_WITH_SUM_S16
    SHAPE_SUM_S16,
#endif
#if GM_WITH_ADD_S16
    SHAPE_ADD_S16,
#endif
#if GM_WITH_COPY_S16
    SHAPE_COPY_S16,
#endif
#if GM_WITH_DEQUANTIZE_S16
    SHAPE_DEQUANTIZE_S16,
#endif
#if GM_WITH_MAX_POOL_GRAD_S16
    SHAPE_MAX_POOL_GRAD_S16,
#endif
#if GM_WITH_LOOP
    SHAPE_LOOP,
#endif
#if GM_WITH_GUARD
    SHAPE_GUARD,
#endif
#if GM_WITH_SHIFT
    SHAPE_SHIFT,
#endif
#if GM_WITH_QUANTIZE_GRAD
    SHAPE_QUANTIZE_GRAD,
#endif
#if GM_WITH_CONV_GRAD_X_S8
    SHAPE_CONV_GRAD_X_S8,
#endif
#if GM_WITH_CONV_GRAD_W_S8
    SHAPE_CONV_GRAD_W_S8,
#endif
#if GM_WITH_CONV_UPDATE_S8
    SHAPE_CONV_UPDATE_S8,
#endif
#if GM_WITH_UPDATE_S8
    SHAPE_UPDATE_S8,
#endif
#if GM_WITH_UPDATE_S16
    SHAPE_UPDATE_S16,
#endif
#if GM_WITH_UPDATE_S32
    SHAPE_UPDATE_S32,
#endif
#if GM_WITH_CONV_UPDATE_S16
    SHAPE_CONV_UPDATE_S16,
#endif
#if GM_WITH_MASK_S8
    SHAPE_MASK_S8,
#endif
#if GM_WITH_FLOAT_TO_BF16
    SHAPE_FLOAT_TO_BF16,
#endif
#if GM_WITH_BF16_TO_FLOAT
    SHAPE_BF16_TO_FLOAT,
#endif
#if GM_WITH_ATTENTION
    SHAPE_ATTENTION,
#endif
#if GM_WITH_ATTENTION_GRAD
    SHAPE_ATTENTION_GRAD,
#endif
#if GM_WITH_SUM
    SHAPE_SUM,
#endif
#if GM_WITH_SUM_GRAD
    SHAPE_SUM_GRAD,
#endif
    SHAPE_COUNT
};

const gm_opcode_shape gm_shapes[SHAPE_COUNT > 0 ? SHAPE_COUNT : 1] = {
#if GM_WITH_GEMM
    { operands_gemm, params_gemm, terms_gemm, 4, 12, 4, 0 },
#endif
#if GM_WITH_GEMM_UPDATE
    { operands_gemm_update, params_gemm_update, terms_gemm_update, 9, 7, 3, 0 },
#endif
#if GM_WITH_UPDATE
    { operands_update, params_update, terms_update, 8, 1, 1, 0 },
#endif
#if GM_WITH_BIAS_CORRECTION
    { operands_bias_correction, params_bias_correction, terms_bias_correction, 1, 4, 1, 0 },
#endif
#if GM_WITH_SUM_SQUARES
    { operands_sum_squares, params_sum_squares, terms_sum_squares, 2, 2, 1, 0 },
#endif
#if GM_WITH_CLIP_SCALE
    { operands_clip_scale, params_clip_scale, terms_clip_scale, 3, 1, 1, 0 },
#endif
#if GM_WITH_CHECK_FINITE
    { operands_check_finite, params_check_finite, terms_check_finite, 1, 1, 1, 0 },
#endif
#if GM_WITH_COPY
    { operands_copy, params_copy, terms_copy, 2, 18, 6, 0 },
#endif
#if GM_WITH_REDUCE_SUM
    { operands_reduce_sum, params_reduce_sum, terms_reduce_sum, 2, 18, 8, 0 },
#endif
#if GM_WITH_ADD || GM_WITH_SUB || GM_WITH_MUL || GM_WITH_DIV || GM_WITH_MAX || GM_WITH_MIN || GM_WITH_HEAVISIDE || GM_WITH_PRELU || GM_WITH_PRELU_SLOPE || GM_WITH_GREATER || GM_WITH_GREATER_OR_EQUAL || GM_WITH_EQUAL || GM_WITH_POW || GM_WITH_FMOD
    { operands_add, params_add, terms_add, 3, 12, 4, 0 },
#endif
#if GM_WITH_RELU || GM_WITH_SIGMOID || GM_WITH_TANH || GM_WITH_ABS || GM_WITH_EXP || GM_WITH_LOG || GM_WITH_SQRT || GM_WITH_HARD_SWISH || GM_WITH_SOFTPLUS || GM_WITH_SOFTSIGN || GM_WITH_MISH || GM_WITH_GELU || GM_WITH_GELU_TANH || GM_WITH_ERF || GM_WITH_SIN || GM_WITH_COS || GM_WITH_SIGN || GM_WITH_ATAN || GM_WITH_LOG1P || GM_WITH_FLOAT_TO_INT
    { operands_relu, params_relu, terms_relu, 2, 1, 1, 0 },
#endif
#if GM_WITH_RELU_GRAD || GM_WITH_SIGMOID_GRAD || GM_WITH_TANH_GRAD || GM_WITH_ABS_GRAD || GM_WITH_HARD_SWISH_GRAD || GM_WITH_SOFTPLUS_GRAD || GM_WITH_SOFTSIGN_GRAD || GM_WITH_MISH_GRAD || GM_WITH_GELU_GRAD || GM_WITH_GELU_TANH_GRAD
    { operands_relu_grad, params_relu_grad, terms_relu_grad, 3, 1, 1, 0 },
#endif
#if GM_WITH_LEAKY_RELU || GM_WITH_SWISH || GM_WITH_THRESHOLDED_RELU
    { operands_leaky_relu, params_leaky_relu, terms_leaky_relu, 2, 2, 1, 0 },
#endif
#if GM_WITH_LEAKY_RELU_GRAD || GM_WITH_HARD_SIGMOID_GRAD || GM_WITH_SWISH_GRAD || GM_WITH_THRESHOLDED_RELU_GRAD
    { operands_leaky_relu_grad, params_leaky_relu_grad, terms_leaky_relu_grad, 3, 2, 1, 0 },
#endif
#if GM_WITH_SOFTMAX || GM_WITH_LOG_SOFTMAX
    { operands_softmax, params_softmax, terms_softmax, 2, 3, 3, 0 },
#endif
#if GM_WITH_SOFTMAX_GRAD || GM_WITH_LOG_SOFTMAX_GRAD
    { operands_softmax_grad, params_softmax_grad, terms_softmax_grad, 3, 3, 3, 0 },
#endif
#if GM_WITH_DROPOUT
    { operands_dropout, params_dropout, terms_dropout, 3, 4, 1, 0 },
#endif
#if GM_WITH_SOFTMAX_CROSS_ENTROPY
    { operands_softmax_cross_entropy, params_softmax_cross_entropy, terms_softmax_cross_entropy, 6, 9, 3, 0 },
#endif
#if GM_WITH_SOFTMAX_CROSS_ENTROPY_GRAD
    { operands_softmax_cross_entropy_grad, params_softmax_cross_entropy_grad, terms_softmax_cross_entropy_grad, 6, 9, 3, 0 },
#endif
#if GM_WITH_MSE_LOSS || GM_WITH_L1_LOSS
    { operands_mse_loss, params_mse_loss, terms_mse_loss, 3, 3, 1, 0 },
#endif
#if GM_WITH_MSE_LOSS_GRAD || GM_WITH_L1_LOSS_GRAD
    { operands_mse_loss_grad, params_mse_loss_grad, terms_mse_loss_grad, 4, 3, 1, 0 },
#endif
#if GM_WITH_BCE_WITH_LOGITS_LOSS
    { operands_bce_with_logits_loss, params_bce_with_logits_loss, terms_bce_with_logits_loss, 4, 6, 2, 0 },
#endif
#if GM_WITH_BCE_WITH_LOGITS_LOSS_GRAD
    { operands_bce_with_logits_loss_grad, params_bce_with_logits_loss_grad, terms_bce_with_logits_loss_grad, 5, 6, 2, 0 },
#endif
#if GM_WITH_CONV
    { operands_conv, params_conv, terms_conv, 4, 32, 8, 2 },
#endif
#if GM_WITH_CONV_TRANSPOSE
    { operands_conv_transpose, params_conv_transpose, terms_conv_transpose, 4, 32, 8, 2 },
#endif
#if GM_WITH_CONV_GRAD_W
    { operands_conv_grad_w, params_conv_grad_w, terms_conv_grad_w, 3, 27, 8, 2 },
#endif
#if GM_WITH_CONV_UPDATE
    { operands_conv_update, params_conv_update, terms_conv_update, 9, 26, 8, 2 },
#endif
#if GM_WITH_MAX_POOL
    { operands_max_pool, params_max_pool, terms_max_pool, 3, 23, 6, 2 },
#endif
#if GM_WITH_MAX_POOL_GRAD
    { operands_max_pool_grad, params_max_pool_grad, terms_max_pool_grad, 3, 22, 8, 2 },
#endif
#if GM_WITH_AVERAGE_POOL
    { operands_average_pool, params_average_pool, terms_average_pool, 2, 25, 6, 2 },
#endif
#if GM_WITH_AVERAGE_POOL_GRAD
    { operands_average_pool_grad, params_average_pool_grad, terms_average_pool_grad, 2, 25, 8, 2 },
#endif
#if GM_WITH_CLAMP || GM_WITH_HARD_SIGMOID
    { operands_clamp, params_clamp, terms_clamp, 2, 3, 1, 0 },
#endif
#if GM_WITH_CLAMP_GRAD
    { operands_clamp_grad, params_clamp_grad, terms_clamp_grad, 3, 3, 1, 0 },
#endif
#if GM_WITH_ELU
    { operands_elu, params_elu, terms_elu, 2, 4, 1, 0 },
#endif
#if GM_WITH_ELU_GRAD
    { operands_elu_grad, params_elu_grad, terms_elu_grad, 3, 4, 1, 0 },
#endif
#if GM_WITH_GATHER
    { operands_gather, params_gather, terms_gather, 3, 4, 3, 0 },
#endif
#if GM_WITH_SCATTER_ADD
    { operands_scatter_add, params_scatter_add, terms_scatter_add, 3, 4, 3, 0 },
#endif
#if GM_WITH_WEIGHTED_GATHER
    { operands_weighted_gather, params_weighted_gather, terms_weighted_gather, 4, 5, 4, 0 },
#endif
#if GM_WITH_WEIGHTED_SCATTER_ADD
    { operands_weighted_scatter_add, params_weighted_scatter_add, terms_weighted_scatter_add, 4, 5, 4, 0 },
#endif
#if GM_WITH_CUMSUM
    { operands_cumsum, params_cumsum, terms_cumsum, 2, 5, 3, 0 },
#endif
#if GM_WITH_REDUCE_MAX || GM_WITH_REDUCE_MIN
    { operands_reduce_max, params_reduce_max, terms_reduce_max, 2, 16, 8, 0 },
#endif
#if GM_WITH_REDUCE_EXTREMUM_GRAD
    { operands_reduce_extremum_grad, params_reduce_extremum_grad, terms_reduce_extremum_grad, 4, 16, 8, 0 },
#endif
#if GM_WITH_SELECT
    { operands_select, params_select, terms_select, 4, 16, 4, 0 },
#endif
#if GM_WITH_STANDARDIZE
    { operands_standardize, params_standardize, terms_standardize, 5, 18, 8, 0 },
#endif
#if GM_WITH_STANDARDIZE_GRAD
    { operands_standardize_grad, params_standardize_grad, terms_standardize_grad, 4, 17, 8, 0 },
#endif
#if GM_WITH_LSTM_CELLS
    { operands_lstm_cells, params_lstm_cells, terms_lstm_cells, 8, 7, 5, 0 },
#endif
#if GM_WITH_LSTM_CELLS_GRAD
    { operands_lstm_cells_grad, params_lstm_cells_grad, terms_lstm_cells_grad, 10, 8, 5, 0 },
#endif
#if GM_WITH_GRU_CELLS
    { operands_gru_cells, params_gru_cells, terms_gru_cells, 7, 7, 5, 0 },
#endif
#if GM_WITH_GRU_CELLS_GRAD
    { operands_gru_cells_grad, params_gru_cells_grad, terms_gru_cells_grad, 9, 10, 5, 0 },
#endif
#if GM_WITH_RNN_CELLS
    { operands_rnn_cells, params_rnn_cells, terms_rnn_cells, 5, 6, 4, 0 },
#endif
#if GM_WITH_RNN_CELLS_GRAD
    { operands_rnn_cells_grad, params_rnn_cells_grad, terms_rnn_cells_grad, 6, 8, 4, 0 },
#endif
#if GM_WITH_REDUCE_PROD
    { operands_reduce_prod, params_reduce_prod, terms_reduce_prod, 2, 3, 3, 0 },
#endif
#if GM_WITH_REDUCE_PROD_GRAD
    { operands_reduce_prod_grad, params_reduce_prod_grad, terms_reduce_prod_grad, 3, 3, 3, 0 },
#endif
#if GM_WITH_MATMUL
    { operands_matmul, params_matmul, terms_matmul, 3, 16, 5, 0 },
#endif
#if GM_WITH_MAX_POOL_INDEX_GRAD
    { operands_max_pool_index_grad, params_max_pool_index_grad, terms_max_pool_index_grad, 3, 22, 6, 2 },
#endif
#if GM_WITH_MASK
    { operands_mask, params_mask, terms_mask, 2, 4, 1, 0 },
#endif
#if GM_WITH_MASK_GRAD
    { operands_mask_grad, params_mask_grad, terms_mask_grad, 3, 1, 1, 0 },
#endif
#if GM_WITH_MOMENTS
    { operands_moments, params_moments, terms_moments, 4, 4, 3, 0 },
#endif
#if GM_WITH_NORMALIZE
    { operands_normalize, params_normalize, terms_normalize, 6, 4, 3, 0 },
#endif
#if GM_WITH_NORMALIZE_SUMS
    { operands_normalize_sums, params_normalize_sums, terms_normalize_sums, 6, 3, 3, 0 },
#endif
#if GM_WITH_NORMALIZE_GRAD
    { operands_normalize_grad, params_normalize_grad, terms_normalize_grad, 8, 3, 3, 0 },
#endif
#if GM_WITH_SOFTMAX_CROSS_ENTROPY_WITH_GRAD || GM_WITH_SOFTMAX_CROSS_ENTROPY_PLAIN
    { operands_softmax_cross_entropy_with_grad, params_softmax_cross_entropy_with_grad, terms_softmax_cross_entropy_with_grad, 7, 7, 3, 0 },
#endif
#if GM_WITH_CHECK_BOUND
    { operands_check_bound, params_check_bound, terms_check_bound, 1, 4, 2, 0 },
#endif
#if GM_WITH_ROUND
    { operands_round, params_round, terms_round, 2, 2, 1, 0 },
#endif
#if GM_WITH_INT_TO_FLOAT
    { operands_int_to_float, params_int_to_float, terms_int_to_float, 2, 1, 1, 0 },
#endif
#if GM_WITH_FLAT_INDEX
    { operands_flat_index, params_flat_index, terms_flat_index, 2, 8, 3, 0 },
#endif
#if GM_WITH_SCATTER
    { operands_scatter, params_scatter, terms_scatter, 3, 5, 3, 0 },
#endif
#if GM_WITH_TOP_K
    { operands_top_k, params_top_k, terms_top_k, 3, 6, 4, 0 },
#endif
#if GM_WITH_RANDOM_UNIFORM
    { operands_random_uniform, params_random_uniform, terms_random_uniform, 2, 4, 1, 0 },
#endif
#if GM_WITH_QUANTIZE
    { operands_quantize, params_quantize, terms_quantize, 2, 5, 1, 0 },
#endif
#if GM_WITH_DEQUANTIZE
    { operands_dequantize, params_dequantize, terms_dequantize, 4, 6, 3, 0 },
#endif
#if GM_WITH_CONV_S8
    { operands_conv_s8, params_conv_s8, terms_conv_s8, 7, 37, 8, 2 },
#endif
#if GM_WITH_COPY_S8
    { operands_copy_s8, params_copy_s8, terms_copy_s8, 3, 18, 6, 0 },
#endif
#if GM_WITH_ADD_S8 || GM_WITH_MUL_S8
    { operands_add_s8, params_add_s8, terms_add_s8, 3, 20, 4, 0 },
#endif
#if GM_WITH_MAX_POOL_S8
    { operands_max_pool_s8, params_max_pool_s8, terms_max_pool_s8, 3, 22, 6, 2 },
#endif
#if GM_WITH_AVERAGE_POOL_S8
    { operands_average_pool_s8, params_average_pool_s8, terms_average_pool_s8, 2, 32, 6, 2 },
#endif
#if GM_WITH_CONV_TRANSPOSE_S8
    { operands_conv_transpose_s8, params_conv_transpose_s8, terms_conv_transpose_s8, 7, 37, 8, 2 },
#endif
#if GM_WITH_MATMUL_S8
    { operands_matmul_s8, params_matmul_s8, terms_matmul_s8, 4, 23, 5, 0 },
#endif
#if GM_WITH_QUANTIZE_GRAD_S16
    { operands_quantize_grad_s16, params_quantize_grad_s16, terms_quantize_grad_s16, 6, 6, 3, 0 },
#endif
#if GM_WITH_CONV_GRAD_X_S16
    { operands_conv_grad_x_s16, params_conv_grad_x_s16, terms_conv_grad_x_s16, 12, 36, 8, 2 },
#endif
#if GM_WITH_CONV_GRAD_W_S16
    { operands_conv_grad_w_s16, params_conv_grad_w_s16, terms_conv_grad_w_s16, 6, 30, 8, 2 },
#endif
#if GM_WITH_SUM_S16
    { operands_sum_s16, params_sum_s16, terms_sum_s16, 4, 7, 3, 0 },
#endif
#if GM_WITH_ADD_S16
    { operands_add_s16, params_add_s16, terms_add_s16, 9, 19, 4, 0 },
#endif
#if GM_WITH_COPY_S16
    { operands_copy_s16, params_copy_s16, terms_copy_s16, 2, 18, 6, 0 },
#endif
#if GM_WITH_DEQUANTIZE_S16
    { operands_dequantize_s16, params_dequantize_s16, terms_dequantize_s16, 3, 1, 1, 0 },
#endif
#if GM_WITH_MAX_POOL_GRAD_S16
    { operands_max_pool_grad_s16, params_max_pool_grad_s16, terms_max_pool_grad_s16, 5, 23, 6, 2 },
#endif
#if GM_WITH_LOOP
    { operands_loop, params_loop, terms_loop, 0, 2, 1, 0 },
#endif
#if GM_WITH_GUARD
    { operands_guard, params_guard, terms_guard, 0, 9, 1, 0 },
#endif
#if GM_WITH_SHIFT
    { operands_shift, params_shift, terms_shift, 1, 2, 1, 0 },
#endif
#if GM_WITH_QUANTIZE_GRAD
    { operands_quantize_grad, params_quantize_grad, terms_quantize_grad, 5, 5, 3, 0 },
#endif
#if GM_WITH_CONV_GRAD_X_S8
    { operands_conv_grad_x_s8, params_conv_grad_x_s8, terms_conv_grad_x_s8, 3, 33, 8, 2 },
#endif
#if GM_WITH_CONV_GRAD_W_S8
    { operands_conv_grad_w_s8, params_conv_grad_w_s8, terms_conv_grad_w_s8, 4, 28, 8, 2 },
#endif
#if GM_WITH_CONV_UPDATE_S8
    { operands_conv_update_s8, params_conv_update_s8, terms_conv_update_s8, 12, 33, 8, 2 },
#endif
#if GM_WITH_UPDATE_S8
    { operands_update_s8, params_update_s8, terms_update_s8, 10, 8, 3, 0 },
#endif
#if GM_WITH_UPDATE_S16
    { operands_update_s16, params_update_s16, terms_update_s16, 10, 8, 3, 0 },
#endif
#if GM_WITH_UPDATE_S32
    { operands_update_s32, params_update_s32, terms_update_s32, 10, 8, 3, 0 },
#endif
#if GM_WITH_CONV_UPDATE_S16
    { operands_conv_update_s16, params_conv_update_s16, terms_conv_update_s16, 14, 35, 8, 2 },
#endif
#if GM_WITH_MASK_S8
    { operands_mask_s8, params_mask_s8, terms_mask_s8, 2, 3, 1, 0 },
#endif
#if GM_WITH_FLOAT_TO_BF16
    { operands_float_to_bf16, params_float_to_bf16, terms_float_to_bf16, 2, 1, 1, 0 },
#endif
#if GM_WITH_BF16_TO_FLOAT
    { operands_bf16_to_float, params_bf16_to_float, terms_bf16_to_float, 2, 1, 1, 0 },
#endif
#if GM_WITH_ATTENTION
    { operands_attention, params_attention, terms_attention, 8, 23, 6, 0 },
#endif
#if GM_WITH_ATTENTION_GRAD
    { operands_attention_grad, params_attention_grad, terms_attention_grad, 12, 32, 6, 0 },
#endif
#if GM_WITH_SUM
    { operands_sum, params_sum, terms_sum, 2, 2, 1, 0 },
#endif
#if GM_WITH_SUM_GRAD
    { operands_sum_grad, params_sum_grad, terms_sum_grad, 2, 2, 1, 0 },
#endif
};

const uint8_t gm_shape_index[GM_OP_TABLES] = {
#if GM_WITH_GEMM
    [GM_OP_GEMM] = SHAPE_GEMM,
#endif
#if GM_WITH_GEMM_UPDATE
    [GM_OP_GEMM_UPDATE] = SHAPE_GEMM_UPDATE,
#endif
#if GM_WITH_UPDATE
    [GM_OP_UPDATE] = SHAPE_UPDATE,
#endif
#if GM_WITH_BIAS_CORRECTION
    [GM_OP_BIAS_CORRECTION] = SHAPE_BIAS_CORRECTION,
#endif
#if GM_WITH_SUM_SQUARES
    [GM_OP_SUM_SQUARES] = SHAPE_SUM_SQUARES,
#endif
#if GM_WITH_CLIP_SCALE
    [GM_OP_CLIP_SCALE] = SHAPE_CLIP_SCALE,
#endif
#if GM_WITH_CHECK_FINITE
    [GM_OP_CHECK_FINITE] = SHAPE_CHECK_FINITE,
#endif
#if GM_WITH_COPY
    [GM_OP_COPY] = SHAPE_COPY,
#endif
#if GM_WITH_REDUCE_SUM
    [GM_OP_REDUCE_SUM] = SHAPE_REDUCE_SUM,
#endif
#if GM_WITH_ADD
    [GM_OP_ADD] = SHAPE_ADD,
#endif
#if GM_WITH_SUB
    [GM_OP_SUB] = SHAPE_ADD,
#endif
#if GM_WITH_MUL
    [GM_OP_MUL] = SHAPE_ADD,
#endif
#if GM_WITH_DIV
    [GM_OP_DIV] = SHAPE_ADD,
#endif
#if GM_WITH_RELU
    [GM_OP_RELU] = SHAPE_RELU,
#endif
#if GM_WITH_RELU_GRAD
    [GM_OP_RELU_GRAD] = SHAPE_RELU_GRAD,
#endif
#if GM_WITH_LEAKY_RELU
    [GM_OP_LEAKY_RELU] = SHAPE_LEAKY_RELU,
#endif
#if GM_WITH_LEAKY_RELU_GRAD
    [GM_OP_LEAKY_RELU_GRAD] = SHAPE_LEAKY_RELU_GRAD,
#endif
#if GM_WITH_SIGMOID
    [GM_OP_SIGMOID] = SHAPE_RELU,
#endif
#if GM_WITH_SIGMOID_GRAD
    [GM_OP_SIGMOID_GRAD] = SHAPE_RELU_GRAD,
#endif
#if GM_WITH_TANH
    [GM_OP_TANH] = SHAPE_RELU,
#endif
#if GM_WITH_TANH_GRAD
    [GM_OP_TANH_GRAD] = SHAPE_RELU_GRAD,
#endif
#if GM_WITH_SOFTMAX
    [GM_OP_SOFTMAX] = SHAPE_SOFTMAX,
#endif
#if GM_WITH_SOFTMAX_GRAD
    [GM_OP_SOFTMAX_GRAD] = SHAPE_SOFTMAX_GRAD,
#endif
#if GM_WITH_LOG_SOFTMAX
    [GM_OP_LOG_SOFTMAX] = SHAPE_SOFTMAX,
#endif
#if GM_WITH_LOG_SOFTMAX_GRAD
    [GM_OP_LOG_SOFTMAX_GRAD] = SHAPE_SOFTMAX_GRAD,
#endif
#if GM_WITH_DROPOUT
    [GM_OP_DROPOUT] = SHAPE_DROPOUT,
#endif
#if GM_WITH_SOFTMAX_CROSS_ENTROPY
    [GM_OP_SOFTMAX_CROSS_ENTROPY] = SHAPE_SOFTMAX_CROSS_ENTROPY,
#endif
#if GM_WITH_SOFTMAX_CROSS_ENTROPY_GRAD
    [GM_OP_SOFTMAX_CROSS_ENTROPY_GRAD] = SHAPE_SOFTMAX_CROSS_ENTROPY_GRAD,
#endif
#if GM_WITH_MSE_LOSS
    [GM_OP_MSE_LOSS] = SHAPE_MSE_LOSS,
#endif
#if GM_WITH_MSE_LOSS_GRAD
    [GM_OP_MSE_LOSS_GRAD] = SHAPE_MSE_LOSS_GRAD,
#endif
#if GM_WITH_L1_LOSS
    [GM_OP_L1_LOSS] = SHAPE_MSE_LOSS,
#endif
#if GM_WITH_L1_LOSS_GRAD
    [GM_OP_L1_LOSS_GRAD] = SHAPE_MSE_LOSS_GRAD,
#endif
#if GM_WITH_BCE_WITH_LOGITS_LOSS
    [GM_OP_BCE_WITH_LOGITS_LOSS] = SHAPE_BCE_WITH_LOGITS_LOSS,
#endif
#if GM_WITH_BCE_WITH_LOGITS_LOSS_GRAD
    [GM_OP_BCE_WITH_LOGITS_LOSS_GRAD] = SHAPE_BCE_WITH_LOGITS_LOSS_GRAD,
#endif
#if GM_WITH_CONV
    [GM_OP_CONV] = SHAPE_CONV,
#endif
#if GM_WITH_CONV_TRANSPOSE
    [GM_OP_CONV_TRANSPOSE] = SHAPE_CONV_TRANSPOSE,
#endif
#if GM_WITH_CONV_GRAD_W
    [GM_OP_CONV_GRAD_W] = SHAPE_CONV_GRAD_W,
#endif
#if GM_WITH_CONV_UPDATE
    [GM_OP_CONV_UPDATE] = SHAPE_CONV_UPDATE,
#endif
#if GM_WITH_MAX_POOL
    [GM_OP_MAX_POOL] = SHAPE_MAX_POOL,
#endif
#if GM_WITH_MAX_POOL_GRAD
    [GM_OP_MAX_POOL_GRAD] = SHAPE_MAX_POOL_GRAD,
#endif
#if GM_WITH_AVERAGE_POOL
    [GM_OP_AVERAGE_POOL] = SHAPE_AVERAGE_POOL,
#endif
#if GM_WITH_AVERAGE_POOL_GRAD
    [GM_OP_AVERAGE_POOL_GRAD] = SHAPE_AVERAGE_POOL_GRAD,
#endif
#if GM_WITH_ABS
    [GM_OP_ABS] = SHAPE_RELU,
#endif
#if GM_WITH_ABS_GRAD
    [GM_OP_ABS_GRAD] = SHAPE_RELU_GRAD,
#endif
#if GM_WITH_EXP
    [GM_OP_EXP] = SHAPE_RELU,
#endif
#if GM_WITH_LOG
    [GM_OP_LOG] = SHAPE_RELU,
#endif
#if GM_WITH_SQRT
    [GM_OP_SQRT] = SHAPE_RELU,
#endif
#if GM_WITH_CLAMP
    [GM_OP_CLAMP] = SHAPE_CLAMP,
#endif
#if GM_WITH_CLAMP_GRAD
    [GM_OP_CLAMP_GRAD] = SHAPE_CLAMP_GRAD,
#endif
#if GM_WITH_ELU
    [GM_OP_ELU] = SHAPE_ELU,
#endif
#if GM_WITH_ELU_GRAD
    [GM_OP_ELU_GRAD] = SHAPE_ELU_GRAD,
#endif
#if GM_WITH_HARD_SIGMOID
    [GM_OP_HARD_SIGMOID] = SHAPE_CLAMP,
#endif
#if GM_WITH_HARD_SIGMOID_GRAD
    [GM_OP_HARD_SIGMOID_GRAD] = SHAPE_LEAKY_RELU_GRAD,
#endif
#if GM_WITH_HARD_SWISH
    [GM_OP_HARD_SWISH] = SHAPE_RELU,
#endif
#if GM_WITH_HARD_SWISH_GRAD
    [GM_OP_HARD_SWISH_GRAD] = SHAPE_RELU_GRAD,
#endif
#if GM_WITH_SOFTPLUS
    [GM_OP_SOFTPLUS] = SHAPE_RELU,
#endif
#if GM_WITH_SOFTPLUS_GRAD
    [GM_OP_SOFTPLUS_GRAD] = SHAPE_RELU_GRAD,
#endif
#if GM_WITH_SOFTSIGN
    [GM_OP_SOFTSIGN] = SHAPE_RELU,
#endif
#if GM_WITH_SOFTSIGN_GRAD
    [GM_OP_SOFTSIGN_GRAD] = SHAPE_RELU_GRAD,
#endif
#if GM_WITH_MISH
    [GM_OP_MISH] = SHAPE_RELU,
#endif
#if GM_WITH_MISH_GRAD
    [GM_OP_MISH_GRAD] = SHAPE_RELU_GRAD,
#endif
#if GM_WITH_SWISH
    [GM_OP_SWISH] = SHAPE_LEAKY_RELU,
#endif
#if GM_WITH_SWISH_GRAD
    [GM_OP_SWISH_GRAD] = SHAPE_LEAKY_RELU_GRAD,
#endif
#if GM_WITH_GATHER
    [GM_OP_GATHER] = SHAPE_GATHER,
#endif
#if GM_WITH_SCATTER_ADD
    [GM_OP_SCATTER_ADD] = SHAPE_SCATTER_ADD,
#endif
#if GM_WITH_WEIGHTED_GATHER
    [GM_OP_WEIGHTED_GATHER] = SHAPE_WEIGHTED_GATHER,
#endif
#if GM_WITH_WEIGHTED_SCATTER_ADD
    [GM_OP_WEIGHTED_SCATTER_ADD] = SHAPE_WEIGHTED_SCATTER_ADD,
#endif
#if GM_WITH_CUMSUM
    [GM_OP_CUMSUM] = SHAPE_CUMSUM,
#endif
#if GM_WITH_REDUCE_MAX
    [GM_OP_REDUCE_MAX] = SHAPE_REDUCE_MAX,
#endif
#if GM_WITH_REDUCE_MIN
    [GM_OP_REDUCE_MIN] = SHAPE_REDUCE_MAX,
#endif
#if GM_WITH_REDUCE_EXTREMUM_GRAD
    [GM_OP_REDUCE_EXTREMUM_GRAD] = SHAPE_REDUCE_EXTREMUM_GRAD,
#endif
#if GM_WITH_GELU
    [GM_OP_GELU] = SHAPE_RELU,
#endif
#if GM_WITH_GELU_GRAD
    [GM_OP_GELU_GRAD] = SHAPE_RELU_GRAD,
#endif
#if GM_WITH_GELU_TANH
    [GM_OP_GELU_TANH] = SHAPE_RELU,
#endif
#if GM_WITH_GELU_TANH_GRAD
    [GM_OP_GELU_TANH_GRAD] = SHAPE_RELU_GRAD,
#endif
#if GM_WITH_ERF
    [GM_OP_ERF] = SHAPE_RELU,
#endif
#if GM_WITH_SIN
    [GM_OP_SIN] = SHAPE_RELU,
#endif
#if GM_WITH_COS
    [GM_OP_COS] = SHAPE_RELU,
#endif
#if GM_WITH_MAX
    [GM_OP_MAX] = SHAPE_ADD,
#endif
#if GM_WITH_MIN
    [GM_OP_MIN] = SHAPE_ADD,
#endif
#if GM_WITH_HEAVISIDE
    [GM_OP_HEAVISIDE] = SHAPE_ADD,
#endif
#if GM_WITH_PRELU
    [GM_OP_PRELU] = SHAPE_ADD,
#endif
#if GM_WITH_PRELU_SLOPE
    [GM_OP_PRELU_SLOPE] = SHAPE_ADD,
#endif
#if GM_WITH_SELECT
    [GM_OP_SELECT] = SHAPE_SELECT,
#endif
#if GM_WITH_GREATER
    [GM_OP_GREATER] = SHAPE_ADD,
#endif
#if GM_WITH_GREATER_OR_EQUAL
    [GM_OP_GREATER_OR_EQUAL] = SHAPE_ADD,
#endif
#if GM_WITH_EQUAL
    [GM_OP_EQUAL] = SHAPE_ADD,
#endif
#if GM_WITH_POW
    [GM_OP_POW] = SHAPE_ADD,
#endif
#if GM_WITH_STANDARDIZE
    [GM_OP_STANDARDIZE] = SHAPE_STANDARDIZE,
#endif
#if GM_WITH_STANDARDIZE_GRAD
    [GM_OP_STANDARDIZE_GRAD] = SHAPE_STANDARDIZE_GRAD,
#endif
#if GM_WITH_LSTM_CELLS
    [GM_OP_LSTM_CELLS] = SHAPE_LSTM_CELLS,
#endif
#if GM_WITH_LSTM_CELLS_GRAD
    [GM_OP_LSTM_CELLS_GRAD] = SHAPE_LSTM_CELLS_GRAD,
#endif
#if GM_WITH_GRU_CELLS
    [GM_OP_GRU_CELLS] = SHAPE_GRU_CELLS,
#endif
#if GM_WITH_GRU_CELLS_GRAD
    [GM_OP_GRU_CELLS_GRAD] = SHAPE_GRU_CELLS_GRAD,
#endif
#if GM_WITH_RNN_CELLS
    [GM_OP_RNN_CELLS] = SHAPE_RNN_CELLS,
#endif
#if GM_WITH_RNN_CELLS_GRAD
    [GM_OP_RNN_CELLS_GRAD] = SHAPE_RNN_CELLS_GRAD,
#endif
#if GM_WITH_REDUCE_PROD
    [GM_OP_REDUCE_PROD] = SHAPE_REDUCE_PROD,
#endif
#if GM_WITH_REDUCE_PROD_GRAD
    [GM_OP_REDUCE_PROD_GRAD] = SHAPE_REDUCE_PROD_GRAD,
#endif
#if GM_WITH_MATMUL
    [GM_OP_MATMUL] = SHAPE_MATMUL,
#endif
#if GM_WITH_MAX_POOL_INDEX_GRAD
    [GM_OP_MAX_POOL_INDEX_GRAD] = SHAPE_MAX_POOL_INDEX_GRAD,
#endif
#if GM_WITH_MASK
    [GM_OP_MASK] = SHAPE_MASK,
#endif
#if GM_WITH_MASK_GRAD
    [GM_OP_MASK_GRAD] = SHAPE_MASK_GRAD,
#endif
#if GM_WITH_MOMENTS
    [GM_OP_MOMENTS] = SHAPE_MOMENTS,
#endif
#if GM_WITH_NORMALIZE
    [GM_OP_NORMALIZE] = SHAPE_NORMALIZE,
#endif
#if GM_WITH_NORMALIZE_SUMS
    [GM_OP_NORMALIZE_SUMS] = SHAPE_NORMALIZE_SUMS,
#endif
#if GM_WITH_NORMALIZE_GRAD
    [GM_OP_NORMALIZE_GRAD] = SHAPE_NORMALIZE_GRAD,
#endif
#if GM_WITH_SOFTMAX_CROSS_ENTROPY_WITH_GRAD
    [GM_OP_SOFTMAX_CROSS_ENTROPY_WITH_GRAD] = SHAPE_SOFTMAX_CROSS_ENTROPY_WITH_GRAD,
#endif
#if GM_WITH_CHECK_BOUND
    [GM_OP_CHECK_BOUND] = SHAPE_CHECK_BOUND,
#endif
#if GM_WITH_ROUND
    [GM_OP_ROUND] = SHAPE_ROUND,
#endif
#if GM_WITH_SIGN
    [GM_OP_SIGN] = SHAPE_RELU,
#endif
#if GM_WITH_FMOD
    [GM_OP_FMOD] = SHAPE_ADD,
#endif
#if GM_WITH_ATAN
    [GM_OP_ATAN] = SHAPE_RELU,
#endif
#if GM_WITH_LOG1P
    [GM_OP_LOG1P] = SHAPE_RELU,
#endif
#if GM_WITH_INT_TO_FLOAT
    [GM_OP_INT_TO_FLOAT] = SHAPE_INT_TO_FLOAT,
#endif
#if GM_WITH_FLOAT_TO_INT
    [GM_OP_FLOAT_TO_INT] = SHAPE_RELU,
#endif
#if GM_WITH_FLAT_INDEX
    [GM_OP_FLAT_INDEX] = SHAPE_FLAT_INDEX,
#endif
#if GM_WITH_SCATTER
    [GM_OP_SCATTER] = SHAPE_SCATTER,
#endif
#if GM_WITH_TOP_K
    [GM_OP_TOP_K] = SHAPE_TOP_K,
#endif
#if GM_WITH_RANDOM_UNIFORM
    [GM_OP_RANDOM_UNIFORM] = SHAPE_RANDOM_UNIFORM,
#endif
#if GM_WITH_THRESHOLDED_RELU
    [GM_OP_THRESHOLDED_RELU] = SHAPE_LEAKY_RELU,
#endif
#if GM_WITH_THRESHOLDED_RELU_GRAD
    [GM_OP_THRESHOLDED_RELU_GRAD] = SHAPE_LEAKY_RELU_GRAD,
#endif
#if GM_WITH_QUANTIZE
    [GM_OP_QUANTIZE] = SHAPE_QUANTIZE,
#endif
#if GM_WITH_DEQUANTIZE
    [GM_OP_DEQUANTIZE] = SHAPE_DEQUANTIZE,
#endif
#if GM_WITH_CONV_S8
    [GM_OP_CONV_S8] = SHAPE_CONV_S8,
#endif
#if GM_WITH_COPY_S8
    [GM_OP_COPY_S8] = SHAPE_COPY_S8,
#endif
#if GM_WITH_ADD_S8
    [GM_OP_ADD_S8] = SHAPE_ADD_S8,
#endif
#if GM_WITH_MUL_S8
    [GM_OP_MUL_S8] = SHAPE_ADD_S8,
#endif
#if GM_WITH_MAX_POOL_S8
    [GM_OP_MAX_POOL_S8] = SHAPE_MAX_POOL_S8,
#endif
#if GM_WITH_AVERAGE_POOL_S8
    [GM_OP_AVERAGE_POOL_S8] = SHAPE_AVERAGE_POOL_S8,
#endif
#if GM_WITH_CONV_TRANSPOSE_S8
    [GM_OP_CONV_TRANSPOSE_S8] = SHAPE_CONV_TRANSPOSE_S8,
#endif
#if GM_WITH_MATMUL_S8
    [GM_OP_MATMUL_S8] = SHAPE_MATMUL_S8,
#endif
#if GM_WITH_QUANTIZE_GRAD_S16
    [GM_OP_QUANTIZE_GRAD_S16] = SHAPE_QUANTIZE_GRAD_S16,
#endif
#if GM_WITH_CONV_GRAD_X_S16
    [GM_OP_CONV_GRAD_X_S16] = SHAPE_CONV_GRAD_X_S16,
#endif
#if GM_WITH_CONV_GRAD_W_S16
    [GM_OP_CONV_GRAD_W_S16] = SHAPE_CONV_GRAD_W_S16,
#endif
#if GM_WITH_SUM_S16
    [GM_OP_SUM_S16] = SHAPE_SUM_S16,
#endif
#if GM_WITH_ADD_S16
    [GM_OP_ADD_S16] = SHAPE_ADD_S16,
#endif
#if GM_WITH_COPY_S16
    [GM_OP_COPY_S16] = SHAPE_COPY_S16,
#endif
#if GM_WITH_DEQUANTIZE_S16
    [GM_OP_DEQUANTIZE_S16] = SHAPE_DEQUANTIZE_S16,
#endif
#if GM_WITH_SOFTMAX_CROSS_ENTROPY_PLAIN
    [GM_OP_SOFTMAX_CROSS_ENTROPY_PLAIN] = SHAPE_SOFTMAX_CROSS_ENTROPY_WITH_GRAD,
#endif
#if GM_WITH_MAX_POOL_GRAD_S16
    [GM_OP_MAX_POOL_GRAD_S16] = SHAPE_MAX_POOL_GRAD_S16,
#endif
#if GM_WITH_LOOP
    [GM_OP_LOOP] = SHAPE_LOOP,
#endif
#if GM_WITH_GUARD
    [GM_OP_GUARD] = SHAPE_GUARD,
#endif
#if GM_WITH_SHIFT
    [GM_OP_SHIFT] = SHAPE_SHIFT,
#endif
#if GM_WITH_QUANTIZE_GRAD
    [GM_OP_QUANTIZE_GRAD] = SHAPE_QUANTIZE_GRAD,
#endif
#if GM_WITH_CONV_GRAD_X_S8
    [GM_OP_CONV_GRAD_X_S8] = SHAPE_CONV_GRAD_X_S8,
#endif
#if GM_WITH_CONV_GRAD_W_S8
    [GM_OP_CONV_GRAD_W_S8] = SHAPE_CONV_GRAD_W_S8,
#endif
#if GM_WITH_CONV_UPDATE_S8
    [GM_OP_CONV_UPDATE_S8] = SHAPE_CONV_UPDATE_S8,
#endif
#if GM_WITH_UPDATE_S8
    [GM_OP_UPDATE_S8] = SHAPE_UPDATE_S8,
#endif
#if GM_WITH_UPDATE_S16
    [GM_OP_UPDATE_S16] = SHAPE_UPDATE_S16,
#endif
#if GM_WITH_UPDATE_S32
    [GM_OP_UPDATE_S32] = SHAPE_UPDATE_S32,
#endif
#if GM_WITH_CONV_UPDATE_S16
    [GM_OP_CONV_UPDATE_S16] = SHAPE_CONV_UPDATE_S16,
#endif
#if GM_WITH_MASK_S8
    [GM_OP_MASK_S8] = SHAPE_MASK_S8,
#endif
#if GM_WITH_FLOAT_TO_BF16
    [GM_OP_FLOAT_TO_BF16] = SHAPE_FLOAT_TO_BF16,
#endif
#if GM_WITH_BF16_TO_FLOAT
    [GM_OP_BF16_TO_FLOAT] = SHAPE_BF16_TO_FLOAT,
#endif
#if GM_WITH_ATTENTION
    [GM_OP_ATTENTION] = SHAPE_ATTENTION,
#endif
#if GM_WITH_ATTENTION_GRAD
    [GM_OP_ATTENTION_GRAD] = SHAPE_ATTENTION_GRAD,
#endif
#if GM_WITH_SUM
    [GM_OP_SUM] = SHAPE_SUM,
#endif
#if GM_WITH_SUM_GRAD
    [GM_OP_SUM_GRAD] = SHAPE_SUM_GRAD,
#endif
};

const gm_kernel gm_kernels[GM_OP_TABLES] = {
#if GM_WITH_GEMM
    [GM_OP_GEMM] = gm_kernel_gemm,
#endif
#if GM_WITH_GEMM_UPDATE
    [GM_OP_GEMM_UPDATE] = gm_kernel_gemm_update,
#endif
#if GM_WITH_UPDATE
    [GM_OP_UPDATE] = gm_kernel_update,
#endif
#if GM_WITH_BIAS_CORRECTION
    [GM_OP_BIAS_CORRECTION] = gm_kernel_bias_correction,
#endif
#if GM_WITH_SUM_SQUARES
    [GM_OP_SUM_SQUARES] = gm_kernel_sum_squares,
#endif
#if GM_WITH_CLIP_SCALE
    [GM_OP_CLIP_SCALE] = gm_kernel_clip_scale,
#endif
#if GM_WITH_CHECK_FINITE
    [GM_OP_CHECK_FINITE] = gm_kernel_check_finite,
#endif
#if GM_WITH_COPY
    [GM_OP_COPY] = gm_kernel_copy,
#endif
#if GM_WITH_REDUCE_SUM
    [GM_OP_REDUCE_SUM] = gm_kernel_reduce_sum,
#endif
#if GM_WITH_ADD
    [GM_OP_ADD] = gm_kernel_add,
#endif
#if GM_WITH_SUB
    [GM_OP_SUB] = gm_kernel_sub,
#endif
#if GM_WITH_MUL
    [GM_OP_MUL] = gm_kernel_mul,
#endif
#if GM_WITH_DIV
    [GM_OP_DIV] = gm_kernel_div,
#endif
#if GM_WITH_RELU
    [GM_OP_RELU] = gm_kernel_relu,
#endif
#if GM_WITH_RELU_GRAD
    [GM_OP_RELU_GRAD] = gm_kernel_relu_grad,
#endif
#if GM_WITH_LEAKY_RELU
    [GM_OP_LEAKY_RELU] = gm_kernel_leaky_relu,
#endif
#if GM_WITH_LEAKY_RELU_GRAD
    [GM_OP_LEAKY_RELU_GRAD] = gm_kernel_leaky_relu_grad,
#endif
#if GM_WITH_SIGMOID
    [GM_OP_SIGMOID] = gm_kernel_sigmoid,
#endif
#if GM_WITH_SIGMOID_GRAD
    [GM_OP_SIGMOID_GRAD] = gm_kernel_sigmoid_grad,
#endif
#if GM_WITH_TANH
    [GM_OP_TANH] = gm_kernel_tanh,
#endif
#if GM_WITH_TANH_GRAD
    [GM_OP_TANH_GRAD] = gm_kernel_tanh_grad,
#endif
#if GM_WITH_SOFTMAX
    [GM_OP_SOFTMAX] = gm_kernel_softmax,
#endif
#if GM_WITH_SOFTMAX_GRAD
    [GM_OP_SOFTMAX_GRAD] = gm_kernel_softmax_grad,
#endif
#if GM_WITH_LOG_SOFTMAX
    [GM_OP_LOG_SOFTMAX] = gm_kernel_log_softmax,
#endif
#if GM_WITH_LOG_SOFTMAX_GRAD
    [GM_OP_LOG_SOFTMAX_GRAD] = gm_kernel_log_softmax_grad,
#endif
#if GM_WITH_DROPOUT
    [GM_OP_DROPOUT] = gm_kernel_dropout,
#endif
#if GM_WITH_SOFTMAX_CROSS_ENTROPY
    [GM_OP_SOFTMAX_CROSS_ENTROPY] = gm_kernel_softmax_cross_entropy,
#endif
#if GM_WITH_SOFTMAX_CROSS_ENTROPY_GRAD
    [GM_OP_SOFTMAX_CROSS_ENTROPY_GRAD] = gm_kernel_softmax_cross_entropy_grad,
#endif
#if GM_WITH_MSE_LOSS
    [GM_OP_MSE_LOSS] = gm_kernel_mse_loss,
#endif
#if GM_WITH_MSE_LOSS_GRAD
    [GM_OP_MSE_LOSS_GRAD] = gm_kernel_mse_loss_grad,
#endif
#if GM_WITH_L1_LOSS
    [GM_OP_L1_LOSS] = gm_kernel_l1_loss,
#endif
#if GM_WITH_L1_LOSS_GRAD
    [GM_OP_L1_LOSS_GRAD] = gm_kernel_l1_loss_grad,
#endif
#if GM_WITH_BCE_WITH_LOGITS_LOSS
    [GM_OP_BCE_WITH_LOGITS_LOSS] = gm_kernel_bce_with_logits_loss,
#endif
#if GM_WITH_BCE_WITH_LOGITS_LOSS_GRAD
    [GM_OP_BCE_WITH_LOGITS_LOSS_GRAD] = gm_kernel_bce_with_logits_loss_grad,
#endif
#if GM_WITH_CONV
    [GM_OP_CONV] = gm_kernel_conv,
#endif
#if GM_WITH_CONV_TRANSPOSE
    [GM_OP_CONV_TRANSPOSE] = gm_kernel_conv_transpose,
#endif
#if GM_WITH_CONV_GRAD_W
    [GM_OP_CONV_GRAD_W] = gm_kernel_conv_grad_w,
#endif
#if GM_WITH_CONV_UPDATE
    [GM_OP_CONV_UPDATE] = gm_kernel_conv_update,
#endif
#if GM_WITH_MAX_POOL
    [GM_OP_MAX_POOL] = gm_kernel_max_pool,
#endif
#if GM_WITH_MAX_POOL_GRAD
    [GM_OP_MAX_POOL_GRAD] = gm_kernel_max_pool_grad,
#endif
#if GM_WITH_AVERAGE_POOL
    [GM_OP_AVERAGE_POOL] = gm_kernel_average_pool,
#endif
#if GM_WITH_AVERAGE_POOL_GRAD
    [GM_OP_AVERAGE_POOL_GRAD] = gm_kernel_average_pool_grad,
#endif
#if GM_WITH_ABS
    [GM_OP_ABS] = gm_kernel_abs,
#endif
#if GM_WITH_ABS_GRAD
    [GM_OP_ABS_GRAD] = gm_kernel_abs_grad,
#endif
#if GM_WITH_EXP
    [GM_OP_EXP] = gm_kernel_exp,
#endif
#if GM_WITH_LOG
    [GM_OP_LOG] = gm_kernel_log,
#endif
#if GM_WITH_SQRT
    [GM_OP_SQRT] = gm_kernel_sqrt,
#endif
#if GM_WITH_CLAMP
    [GM_OP_CLAMP] = gm_kernel_clamp,
#endif
#if GM_WITH_CLAMP_GRAD
    [GM_OP_CLAMP_GRAD] = gm_kernel_clamp_grad,
#endif
#if GM_WITH_ELU
    [GM_OP_ELU] = gm_kernel_elu,
#endif
#if GM_WITH_ELU_GRAD
    [GM_OP_ELU_GRAD] = gm_kernel_elu_grad,
#endif
#if GM_WITH_HARD_SIGMOID
    [GM_OP_HARD_SIGMOID] = gm_kernel_hard_sigmoid,
#endif
#if GM_WITH_HARD_SIGMOID_GRAD
    [GM_OP_HARD_SIGMOID_GRAD] = gm_kernel_hard_sigmoid_grad,
#endif
#if GM_WITH_HARD_SWISH
    [GM_OP_HARD_SWISH] = gm_kernel_hard_swish,
#endif
#if GM_WITH_HARD_SWISH_GRAD
    [GM_OP_HARD_SWISH_GRAD] = gm_kernel_hard_swish_grad,
#endif
#if GM_WITH_SOFTPLUS
    [GM_OP_SOFTPLUS] = gm_kernel_softplus,
#endif
#if GM_WITH_SOFTPLUS_GRAD
    [GM_OP_SOFTPLUS_GRAD] = gm_kernel_softplus_grad,
#endif
#if GM_WITH_SOFTSIGN
    [GM_OP_SOFTSIGN] = gm_kernel_softsign,
#endif
#if GM_WITH_SOFTSIGN_GRAD
    [GM_OP_SOFTSIGN_GRAD] = gm_kernel_softsign_grad,
#endif
#if GM_WITH_MISH
    [GM_OP_MISH] = gm_kernel_mish,
#endif
#if GM_WITH_MISH_GRAD
    [GM_OP_MISH_GRAD] = gm_kernel_mish_grad,
#endif
#if GM_WITH_SWISH
    [GM_OP_SWISH] = gm_kernel_swish,
#endif
#if GM_WITH_SWISH_GRAD
    [GM_OP_SWISH_GRAD] = gm_kernel_swish_grad,
#endif
#if GM_WITH_GATHER
    [GM_OP_GATHER] = gm_kernel_gather,
#endif
#if GM_WITH_SCATTER_ADD
    [GM_OP_SCATTER_ADD] = gm_kernel_scatter_add,
#endif
#if GM_WITH_WEIGHTED_GATHER
    [GM_OP_WEIGHTED_GATHER] = gm_kernel_weighted_gather,
#endif
#if GM_WITH_WEIGHTED_SCATTER_ADD
    [GM_OP_WEIGHTED_SCATTER_ADD] = gm_kernel_weighted_scatter_add,
#endif
#if GM_WITH_CUMSUM
    [GM_OP_CUMSUM] = gm_kernel_cumsum,
#endif
#if GM_WITH_REDUCE_MAX
    [GM_OP_REDUCE_MAX] = gm_kernel_reduce_max,
#endif
#if GM_WITH_REDUCE_MIN
    [GM_OP_REDUCE_MIN] = gm_kernel_reduce_min,
#endif
#if GM_WITH_REDUCE_EXTREMUM_GRAD
    [GM_OP_REDUCE_EXTREMUM_GRAD] = gm_kernel_reduce_extremum_grad,
#endif
#if GM_WITH_GELU
    [GM_OP_GELU] = gm_kernel_gelu,
#endif
#if GM_WITH_GELU_GRAD
    [GM_OP_GELU_GRAD] = gm_kernel_gelu_grad,
#endif
#if GM_WITH_GELU_TANH
    [GM_OP_GELU_TANH] = gm_kernel_gelu_tanh,
#endif
#if GM_WITH_GELU_TANH_GRAD
    [GM_OP_GELU_TANH_GRAD] = gm_kernel_gelu_tanh_grad,
#endif
#if GM_WITH_ERF
    [GM_OP_ERF] = gm_kernel_erf,
#endif
#if GM_WITH_SIN
    [GM_OP_SIN] = gm_kernel_sin,
#endif
#if GM_WITH_COS
    [GM_OP_COS] = gm_kernel_cos,
#endif
#if GM_WITH_MAX
    [GM_OP_MAX] = gm_kernel_max,
#endif
#if GM_WITH_MIN
    [GM_OP_MIN] = gm_kernel_min,
#endif
#if GM_WITH_HEAVISIDE
    [GM_OP_HEAVISIDE] = gm_kernel_heaviside,
#endif
#if GM_WITH_PRELU
    [GM_OP_PRELU] = gm_kernel_prelu,
#endif
#if GM_WITH_PRELU_SLOPE
    [GM_OP_PRELU_SLOPE] = gm_kernel_prelu_slope,
#endif
#if GM_WITH_SELECT
    [GM_OP_SELECT] = gm_kernel_select,
#endif
#if GM_WITH_GREATER
    [GM_OP_GREATER] = gm_kernel_greater,
#endif
#if GM_WITH_GREATER_OR_EQUAL
    [GM_OP_GREATER_OR_EQUAL] = gm_kernel_greater_or_equal,
#endif
#if GM_WITH_EQUAL
    [GM_OP_EQUAL] = gm_kernel_equal,
#endif
#if GM_WITH_POW
    [GM_OP_POW] = gm_kernel_pow,
#endif
#if GM_WITH_STANDARDIZE
    [GM_OP_STANDARDIZE] = gm_kernel_standardize,
#endif
#if GM_WITH_STANDARDIZE_GRAD
    [GM_OP_STANDARDIZE_GRAD] = gm_kernel_standardize_grad,
#endif
#if GM_WITH_LSTM_CELLS
    [GM_OP_LSTM_CELLS] = gm_kernel_lstm_cells,
#endif
#if GM_WITH_LSTM_CELLS_GRAD
    [GM_OP_LSTM_CELLS_GRAD] = gm_kernel_lstm_cells_grad,
#endif
#if GM_WITH_GRU_CELLS
    [GM_OP_GRU_CELLS] = gm_kernel_gru_cells,
#endif
#if GM_WITH_GRU_CELLS_GRAD
    [GM_OP_GRU_CELLS_GRAD] = gm_kernel_gru_cells_grad,
#endif
#if GM_WITH_RNN_CELLS
    [GM_OP_RNN_CELLS] = gm_kernel_rnn_cells,
#endif
#if GM_WITH_RNN_CELLS_GRAD
    [GM_OP_RNN_CELLS_GRAD] = gm_kernel_rnn_cells_grad,
#endif
#if GM_WITH_REDUCE_PROD
    [GM_OP_REDUCE_PROD] = gm_kernel_reduce_prod,
#endif
#if GM_WITH_REDUCE_PROD_GRAD
    [GM_OP_REDUCE_PROD_GRAD] = gm_kernel_reduce_prod_grad,
#endif
#if GM_WITH_MATMUL
    [GM_OP_MATMUL] = gm_kernel_matmul,
#endif
#if GM_WITH_MAX_POOL_INDEX_GRAD
    [GM_OP_MAX_POOL_INDEX_GRAD] = gm_kernel_max_pool_index_grad,
#endif
#if GM_WITH_MASK
    [GM_OP_MASK] = gm_kernel_mask,
#endif
#if GM_WITH_MASK_GRAD
    [GM_OP_MASK_GRAD] = gm_kernel_mask_grad,
#endif
#if GM_WITH_MOMENTS
    [GM_OP_MOMENTS] = gm_kernel_moments,
#endif
#if GM_WITH_NORMALIZE
    [GM_OP_NORMALIZE] = gm_kernel_normalize,
#endif
#if GM_WITH_NORMALIZE_SUMS
    [GM_OP_NORMALIZE_SUMS] = gm_kernel_normalize_sums,
#endif
#if GM_WITH_NORMALIZE_GRAD
    [GM_OP_NORMALIZE_GRAD] = gm_kernel_normalize_grad,
#endif
#if GM_WITH_SOFTMAX_CROSS_ENTROPY_WITH_GRAD
    [GM_OP_SOFTMAX_CROSS_ENTROPY_WITH_GRAD] = gm_kernel_softmax_cross_entropy_with_grad,
#endif
#if GM_WITH_CHECK_BOUND
    [GM_OP_CHECK_BOUND] = gm_kernel_check_bound,
#endif
#if GM_WITH_ROUND
    [GM_OP_ROUND] = gm_kernel_round,
#endif
#if GM_WITH_SIGN
    [GM_OP_SIGN] = gm_kernel_sign,
#endif
#if GM_WITH_FMOD
    [GM_OP_FMOD] = gm_kernel_fmod,
#endif
#if GM_WITH_ATAN
    [GM_OP_ATAN] = gm_kernel_atan,
#endif
#if GM_WITH_LOG1P
    [GM_OP_LOG1P] = gm_kernel_log1p,
#endif
#if GM_WITH_INT_TO_FLOAT
    [GM_OP_INT_TO_FLOAT] = gm_kernel_int_to_float,
#endif
#if GM_WITH_FLOAT_TO_INT
    [GM_OP_FLOAT_TO_INT] = gm_kernel_float_to_int,
#endif
#if GM_WITH_FLAT_INDEX
    [GM_OP_FLAT_INDEX] = gm_kernel_flat_index,
#endif
#if GM_WITH_SCATTER
    [GM_OP_SCATTER] = gm_kernel_scatter,
#endif
#if GM_WITH_TOP_K
    [GM_OP_TOP_K] = gm_kernel_top_k,
#endif
#if GM_WITH_RANDOM_UNIFORM
    [GM_OP_RANDOM_UNIFORM] = gm_kernel_random_uniform,
#endif
#if GM_WITH_THRESHOLDED_RELU
    [GM_OP_THRESHOLDED_RELU] = gm_kernel_thresholded_relu,
#endif
#if GM_WITH_THRESHOLDED_RELU_GRAD
    [GM_OP_THRESHOLDED_RELU_GRAD] = gm_kernel_thresholded_relu_grad,
#endif
#if GM_WITH_QUANTIZE
    [GM_OP_QUANTIZE] = gm_kernel_quantize,
#endif
#if GM_WITH_DEQUANTIZE
    [GM_OP_DEQUANTIZE] = gm_kernel_dequantize,
#endif
#if GM_WITH_CONV_S8
    [GM_OP_CONV_S8] = gm_kernel_conv_s8,
#endif
#if GM_WITH_COPY_S8
    [GM_OP_COPY_S8] = gm_kernel_copy_s8,
#endif
#if GM_WITH_ADD_S8
    [GM_OP_ADD_S8] = gm_kernel_add_s8,
#endif
#if GM_WITH_MUL_S8
    [GM_OP_MUL_S8] = gm_kernel_mul_s8,
#endif
#if GM_WITH_MAX_POOL_S8
    [GM_OP_MAX_POOL_S8] = gm_kernel_max_pool_s8,
#endif
#if GM_WITH_AVERAGE_POOL_S8
    [GM_OP_AVERAGE_POOL_S8] = gm_kernel_average_pool_s8,
#endif
#if GM_WITH_CONV_TRANSPOSE_S8
    [GM_OP_CONV_TRANSPOSE_S8] = gm_kernel_conv_transpose_s8,
#endif
#if GM_WITH_MATMUL_S8
    [GM_OP_MATMUL_S8] = gm_kernel_matmul_s8,
#endif
#if GM_WITH_QUANTIZE_GRAD_S16
    [GM_OP_QUANTIZE_GRAD_S16] = gm_kernel_quantize_grad_s16,
#endif
#if GM_WITH_CONV_GRAD_X_S16
    [GM_OP_CONV_GRAD_X_S16] = gm_kernel_conv_grad_x_s16,
#endif
#if GM_WITH_CONV_GRAD_W_S16
    [GM_OP_CONV_GRAD_W_S16] = gm_kernel_conv_grad_w_s16,
#endif
#if GM_WITH_SUM_S16
    [GM_OP_SUM_S16] = gm_kernel_sum_s16,
#endif
#if GM_WITH_ADD_S16
    [GM_OP_ADD_S16] = gm_kernel_add_s16,
#endif
#if GM_WITH_COPY_S16
    [GM_OP_COPY_S16] = gm_kernel_copy_s16,
#endif
#if GM_WITH_DEQUANTIZE_S16
    [GM_OP_DEQUANTIZE_S16] = gm_kernel_dequantize_s16,
#endif
#if GM_WITH_SOFTMAX_CROSS_ENTROPY_PLAIN
    [GM_OP_SOFTMAX_CROSS_ENTROPY_PLAIN] = gm_kernel_softmax_cross_entropy_plain,
#endif
#if GM_WITH_MAX_POOL_GRAD_S16
    [GM_OP_MAX_POOL_GRAD_S16] = gm_kernel_max_pool_grad_s16,
#endif
#if GM_WITH_LOOP
    [GM_OP_LOOP] = gm_kernel_loop,
#endif
#if GM_WITH_GUARD
    [GM_OP_GUARD] = gm_kernel_guard,
#endif
#if GM_WITH_SHIFT
    [GM_OP_SHIFT] = gm_kernel_shift,
#endif
#if GM_WITH_QUANTIZE_GRAD
    [GM_OP_QUANTIZE_GRAD] = gm_kernel_quantize_grad,
#endif
#if GM_WITH_CONV_GRAD_X_S8
    [GM_OP_CONV_GRAD_X_S8] = gm_kernel_conv_grad_x_s8,
#endif
#if GM_WITH_CONV_GRAD_W_S8
    [GM_OP_CONV_GRAD_W_S8] = gm_kernel_conv_grad_w_s8,
#endif
#if GM_WITH_CONV_UPDATE_S8
    [GM_OP_CONV_UPDATE_S8] = gm_kernel_conv_update_s8,
#endif
#if GM_WITH_UPDATE_S8
    [GM_OP_UPDATE_S8] = gm_kernel_update_s8,
#endif
#if GM_WITH_UPDATE_S16
    [GM_OP_UPDATE_S16] = gm_kernel_update_s16,
#endif
#if GM_WITH_UPDATE_S32
    [GM_OP_UPDATE_S32] = gm_kernel_update_s32,
#endif
#if GM_WITH_CONV_UPDATE_S16
    [GM_OP_CONV_UPDATE_S16] = gm_kernel_conv_update_s16,
#endif
#if GM_WITH_MASK_S8
    [GM_OP_MASK_S8] = gm_kernel_mask_s8,
#endif
#if GM_WITH_FLOAT_TO_BF16
    [GM_OP_FLOAT_TO_BF16] = gm_kernel_float_to_bf16,
#endif
#if GM_WITH_BF16_TO_FLOAT
    [GM_OP_BF16_TO_FLOAT] = gm_kernel_bf16_to_float,
#endif
#if GM_WITH_ATTENTION
    [GM_OP_ATTENTION] = gm_kernel_attention,
#endif
#if GM_WITH_ATTENTION_GRAD
    [GM_OP_ATTENTION_GRAD] = gm_kernel_attention_grad,
#endif
#if GM_WITH_SUM
    [GM_OP_SUM] = gm_kernel_sum,
#endif
#if GM_WITH_SUM_GRAD
    [GM_OP_SUM_GRAD] = gm_kernel_sum_grad,
#endif
};

#if GM_THREADS
const gm_split_info gm_splits[GM_OP_LIMIT] = {
    [GM_OP_GEMM] = { { { 5, 1 }, { 6, 1 }, { 7, 1 } }, 0, 0 },
    [GM_OP_GEMM_UPDATE] = { { { 10, 1 } }, 3, 0 },
    [GM_OP_UPDATE] = { { { 9, 1 } }, 0, 0 },
    [GM_OP_CHECK_FINITE] = { { { 2, 1 } }, 0, 0 },
    [GM_OP_COPY] = { { { 3, 1 }, { 4, 1 }, { 5, 1 }, { 6, 1 }, { 7, 1 }, { 8, 1 } }, 0, 0 },
    [GM_OP_REDUCE_SUM] = { { { 3, 8 }, { 4, 8 }, { 5, 8 }, { 6, 8 } }, 0, 0 },
    [GM_OP_ADD] = { { { 4, 1 }, { 5, 1 }, { 6, 1 }, { 7, 1 } }, 0, 0 },
    [GM_OP_SUB] = { { { 4, 1 }, { 5, 1 }, { 6, 1 }, { 7, 1 } }, 0, 0 },
    [GM_OP_MUL] = { { { 4, 1 }, { 5, 1 }, { 6, 1 }, { 7, 1 } }, 0, 0 },
    [GM_OP_DIV] = { { { 4, 1 }, { 5, 1 }, { 6, 1 }, { 7, 1 } }, 0, 0 },
    [GM_OP_RELU] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_RELU_GRAD] = { { { 4, 1 } }, 0, 0 },
    [GM_OP_LEAKY_RELU] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_LEAKY_RELU_GRAD] = { { { 4, 1 } }, 0, 0 },
    [GM_OP_SIGMOID] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_SIGMOID_GRAD] = { { { 4, 1 } }, 0, 0 },
    [GM_OP_TANH] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_TANH_GRAD] = { { { 4, 1 } }, 0, 0 },
    [GM_OP_SOFTMAX] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_SOFTMAX_GRAD] = { { { 4, 1 } }, 0, 0 },
    [GM_OP_LOG_SOFTMAX] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_LOG_SOFTMAX_GRAD] = { { { 4, 1 } }, 0, 0 },
    [GM_OP_DROPOUT] = { { { 4, 1 } }, 0, 1 },
    [GM_OP_MSE_LOSS_GRAD] = { { { 5, 1 } }, 0, 0 },
    [GM_OP_L1_LOSS_GRAD] = { { { 5, 1 } }, 0, 0 },
    [GM_OP_BCE_WITH_LOGITS_LOSS_GRAD] = { { { 6, 1 } }, 0, 0 },
    [GM_OP_CONV] = { { { 5, 1 }, { 6, 8 }, { 8, 8 } }, 0, 0 },
    [GM_OP_CONV_TRANSPOSE] = { { { 5, 1 }, { 6, 8 }, { 7, 8 } }, 0, 0 },
    [GM_OP_CONV_GRAD_W] = { { { 5, 8 }, { 7, 8 } }, 0, 0 },
    [GM_OP_CONV_UPDATE] = { { { 11, 8 }, { 13, 8 } }, 3, 0 },
    [GM_OP_MAX_POOL] = { { { 4, 1 }, { 5, 8 } }, 0, 0 },
    [GM_OP_MAX_POOL_GRAD] = { { { 4, 1 }, { 5, 8 } }, 0, 0 },
    [GM_OP_AVERAGE_POOL] = { { { 3, 1 }, { 4, 8 } }, 0, 0 },
    [GM_OP_AVERAGE_POOL_GRAD] = { { { 3, 1 }, { 4, 8 } }, 0, 0 },
    [GM_OP_ABS] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_ABS_GRAD] = { { { 4, 1 } }, 0, 0 },
    [GM_OP_EXP] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_LOG] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_SQRT] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_CLAMP] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_CLAMP_GRAD] = { { { 4, 1 } }, 0, 0 },
    [GM_OP_ELU] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_ELU_GRAD] = { { { 4, 1 } }, 0, 0 },
    [GM_OP_HARD_SIGMOID] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_HARD_SIGMOID_GRAD] = { { { 4, 1 } }, 0, 0 },
    [GM_OP_HARD_SWISH] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_HARD_SWISH_GRAD] = { { { 4, 1 } }, 0, 0 },
    [GM_OP_SOFTPLUS] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_SOFTPLUS_GRAD] = { { { 4, 1 } }, 0, 0 },
    [GM_OP_SOFTSIGN] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_SOFTSIGN_GRAD] = { { { 4, 1 } }, 0, 0 },
    [GM_OP_MISH] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_MISH_GRAD] = { { { 4, 1 } }, 0, 0 },
    [GM_OP_SWISH] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_SWISH_GRAD] = { { { 4, 1 } }, 0, 0 },
    [GM_OP_GATHER] = { { { 4, 1 } }, 0, 0 },
    [GM_OP_SCATTER_ADD] = { { { 4, 1 } }, 0, 0 },
    [GM_OP_WEIGHTED_GATHER] = { { { 5, 1 } }, 0, 0 },
    [GM_OP_WEIGHTED_SCATTER_ADD] = { { { 5, 1 } }, 0, 0 },
    [GM_OP_CUMSUM] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_REDUCE_MAX] = { { { 3, 8 }, { 4, 8 }, { 5, 8 }, { 6, 8 } }, 0, 0 },
    [GM_OP_REDUCE_MIN] = { { { 3, 8 }, { 4, 8 }, { 5, 8 }, { 6, 8 } }, 0, 0 },
    [GM_OP_REDUCE_EXTREMUM_GRAD] = { { { 5, 8 }, { 6, 8 }, { 7, 8 }, { 8, 8 } }, 0, 0 },
    [GM_OP_GELU] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_GELU_GRAD] = { { { 4, 1 } }, 0, 0 },
    [GM_OP_GELU_TANH] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_GELU_TANH_GRAD] = { { { 4, 1 } }, 0, 0 },
    [GM_OP_ERF] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_SIN] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_COS] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_MAX] = { { { 4, 1 }, { 5, 1 }, { 6, 1 }, { 7, 1 } }, 0, 0 },
    [GM_OP_MIN] = { { { 4, 1 }, { 5, 1 }, { 6, 1 }, { 7, 1 } }, 0, 0 },
    [GM_OP_HEAVISIDE] = { { { 4, 1 }, { 5, 1 }, { 6, 1 }, { 7, 1 } }, 0, 0 },
    [GM_OP_PRELU] = { { { 4, 1 }, { 5, 1 }, { 6, 1 }, { 7, 1 } }, 0, 0 },
    [GM_OP_PRELU_SLOPE] = { { { 4, 1 }, { 5, 1 }, { 6, 1 }, { 7, 1 } }, 0, 0 },
    [GM_OP_SELECT] = { { { 5, 1 }, { 6, 1 }, { 7, 1 }, { 8, 1 } }, 0, 0 },
    [GM_OP_GREATER] = { { { 4, 1 }, { 5, 1 }, { 6, 1 }, { 7, 1 } }, 0, 0 },
    [GM_OP_GREATER_OR_EQUAL] = { { { 4, 1 }, { 5, 1 }, { 6, 1 }, { 7, 1 } }, 0, 0 },
    [GM_OP_EQUAL] = { { { 4, 1 }, { 5, 1 }, { 6, 1 }, { 7, 1 } }, 0, 0 },
    [GM_OP_POW] = { { { 4, 1 }, { 5, 1 }, { 6, 1 }, { 7, 1 } }, 0, 0 },
    [GM_OP_STANDARDIZE] = { { { 6, 8 }, { 7, 8 }, { 8, 8 }, { 9, 8 } }, 0, 0 },
    [GM_OP_STANDARDIZE_GRAD] = { { { 5, 8 }, { 6, 8 }, { 7, 8 }, { 8, 8 } }, 0, 0 },
    [GM_OP_LSTM_CELLS] = { { { 10, 1 } }, 0, 1 },
    [GM_OP_LSTM_CELLS_GRAD] = { { { 12, 1 } }, 0, 1 },
    [GM_OP_GRU_CELLS] = { { { 9, 1 } }, 0, 1 },
    [GM_OP_GRU_CELLS_GRAD] = { { { 11, 1 } }, 0, 1 },
    [GM_OP_RNN_CELLS] = { { { 7, 1 } }, 0, 1 },
    [GM_OP_RNN_CELLS_GRAD] = { { { 8, 1 } }, 0, 1 },
    [GM_OP_REDUCE_PROD] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_REDUCE_PROD_GRAD] = { { { 4, 1 } }, 0, 0 },
    [GM_OP_MATMUL] = { { { 4, 1 }, { 5, 1 }, { 6, 1 } }, 0, 0 },
    [GM_OP_MAX_POOL_INDEX_GRAD] = { { { 4, 1 } }, 0, 0 },
    [GM_OP_MASK] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_MASK_GRAD] = { { { 4, 1 } }, 0, 0 },
    [GM_OP_MOMENTS] = { { { 6, 8 } }, 0, 1 },
    [GM_OP_NORMALIZE] = { { { 7, 1 } }, 0, 0 },
    [GM_OP_NORMALIZE_SUMS] = { { { 8, 8 } }, 0, 1 },
    [GM_OP_NORMALIZE_GRAD] = { { { 9, 1 } }, 0, 1 },
    [GM_OP_CHECK_BOUND] = { { { 2, 1 }, { 3, 1 } }, 0, 0 },
    [GM_OP_ROUND] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_SIGN] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_FMOD] = { { { 4, 1 }, { 5, 1 }, { 6, 1 }, { 7, 1 } }, 0, 0 },
    [GM_OP_ATAN] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_LOG1P] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_INT_TO_FLOAT] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_FLOAT_TO_INT] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_SCATTER] = { { { 4, 1 } }, 0, 0 },
    [GM_OP_TOP_K] = { { { 4, 1 } }, 0, 0 },
    [GM_OP_THRESHOLDED_RELU] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_THRESHOLDED_RELU_GRAD] = { { { 4, 1 } }, 0, 0 },
    [GM_OP_QUANTIZE] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_DEQUANTIZE] = { { { 5, 1 }, { 6, 1 }, { 7, 1 } }, 0, 0 },
    [GM_OP_CONV_S8] = { { { 8, 1 }, { 9, 8 }, { 11, 8 } }, 7, 0 },
    [GM_OP_COPY_S8] = { { { 4, 1 }, { 5, 1 }, { 6, 1 }, { 7, 1 }, { 8, 1 }, { 9, 1 } }, 0, 0 },
    [GM_OP_ADD_S8] = { { { 4, 1 }, { 5, 1 }, { 6, 1 }, { 7, 1 } }, 0, 0 },
    [GM_OP_MUL_S8] = { { { 4, 1 }, { 5, 1 }, { 6, 1 }, { 7, 1 } }, 0, 0 },
    [GM_OP_MAX_POOL_S8] = { { { 4, 1 }, { 5, 8 } }, 0, 0 },
    [GM_OP_CONV_TRANSPOSE_S8] = { { { 8, 1 }, { 9, 8 }, { 10, 8 } }, 7, 0 },
    [GM_OP_MATMUL_S8] = { { { 5, 1 }, { 6, 1 }, { 7, 1 } }, 4, 0 },
    [GM_OP_CONV_GRAD_W_S16] = { { { 8, 8 }, { 10, 8 } }, 6, 0 },
    [GM_OP_SUM_S16] = { { { 6, 8 } }, 0, 0 },
    [GM_OP_COPY_S16] = { { { 3, 1 }, { 4, 1 }, { 5, 1 }, { 6, 1 }, { 7, 1 }, { 8, 1 } }, 0, 0 },
    [GM_OP_DEQUANTIZE_S16] = { { { 4, 1 } }, 0, 0 },
    [GM_OP_QUANTIZE_GRAD] = { { { 6, 1 } }, 0, 0 },
    [GM_OP_CONV_GRAD_X_S8] = { { { 4, 1 }, { 5, 8 }, { 6, 8 } }, 0, 0 },
    [GM_OP_CONV_GRAD_W_S8] = { { { 6, 1 }, { 8, 1 } }, 0, 0 },
    [GM_OP_MASK_S8] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_FLOAT_TO_BF16] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_BF16_TO_FLOAT] = { { { 3, 1 } }, 0, 0 },
    [GM_OP_ATTENTION] = { { { 9, 1 }, { 10, 1 } }, 7, 0 },
    [GM_OP_ATTENTION_GRAD] = { { { 13, 1 }, { 14, 1 } }, 8, 0 },
};
#endif
