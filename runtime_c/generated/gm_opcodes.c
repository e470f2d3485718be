/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#include <stddef.h>
#include "gm_opcodes.h"

#if GM_WITH_GEMM
#define GM_KERNEL_GEMM gm_kernel_gemm
#else
#define GM_KERNEL_GEMM NULL
#endif
#if GM_WITH_GEMM_UPDATE
#define GM_KERNEL_GEMM_UPDATE gm_kernel_gemm_update
#else
#define GM_KERNEL_GEMM_UPDATE NULL
#endif
#if GM_WITH_UPDATE
#define GM_KERNEL_UPDATE gm_kernel_update
#else
#define GM_KERNEL_UPDATE NULL
#endif
#if GM_WITH_BIAS_CORRECTION
#define GM_KERNEL_BIAS_CORRECTION gm_kernel_bias_correction
#else
#define GM_KERNEL_BIAS_CORRECTION NULL
#endif
#if GM_WITH_SUM_SQUARES
#define GM_KERNEL_SUM_SQUARES gm_kernel_sum_squares
#else
#define GM_KERNEL_SUM_SQUARES NULL
#endif
#if GM_WITH_CLIP_SCALE
#define GM_KERNEL_CLIP_SCALE gm_kernel_clip_scale
#else
#define GM_KERNEL_CLIP_SCALE NULL
#endif
#if GM_WITH_CHECK_FINITE
#define GM_KERNEL_CHECK_FINITE gm_kernel_check_finite
#else
#define GM_KERNEL_CHECK_FINITE NULL
#endif
#if GM_WITH_COPY
#define GM_KERNEL_COPY gm_kernel_copy
#else
#define GM_KERNEL_COPY NULL
#endif
#if GM_WITH_REDUCE_SUM
#define GM_KERNEL_REDUCE_SUM gm_kernel_reduce_sum
#else
#define GM_KERNEL_REDUCE_SUM NULL
#endif
#if GM_WITH_ADD
#define GM_KERNEL_ADD gm_kernel_add
#else
#define GM_KERNEL_ADD NULL
#endif
#if GM_WITH_SUB
#define GM_KERNEL_SUB gm_kernel_sub
#else
#define GM_KERNEL_SUB NULL
#endif
#if GM_WITH_MUL
#define GM_KERNEL_MUL gm_kernel_mul
#else
#define GM_KERNEL_MUL NULL
#endif
#if GM_WITH_DIV
#define GM_KERNEL_DIV gm_kernel_div
#else
#define GM_KERNEL_DIV NULL
#endif
#if GM_WITH_RELU
#define GM_KERNEL_RELU gm_kernel_relu
#else
#define GM_KERNEL_RELU NULL
#endif
#if GM_WITH_RELU_GRAD
#define GM_KERNEL_RELU_GRAD gm_kernel_relu_grad
#else
#define GM_KERNEL_RELU_GRAD NULL
#endif
#if GM_WITH_LEAKY_RELU
#define GM_KERNEL_LEAKY_RELU gm_kernel_leaky_relu
#else
#define GM_KERNEL_LEAKY_RELU NULL
#endif
#if GM_WITH_LEAKY_RELU_GRAD
#define GM_KERNEL_LEAKY_RELU_GRAD gm_kernel_leaky_relu_grad
#else
#define GM_KERNEL_LEAKY_RELU_GRAD NULL
#endif
#if GM_WITH_SIGMOID
#define GM_KERNEL_SIGMOID gm_kernel_sigmoid
#else
#define GM_KERNEL_SIGMOID NULL
#endif
#if GM_WITH_SIGMOID_GRAD
#define GM_KERNEL_SIGMOID_GRAD gm_kernel_sigmoid_grad
#else
#define GM_KERNEL_SIGMOID_GRAD NULL
#endif
#if GM_WITH_TANH
#define GM_KERNEL_TANH gm_kernel_tanh
#else
#define GM_KERNEL_TANH NULL
#endif
#if GM_WITH_TANH_GRAD
#define GM_KERNEL_TANH_GRAD gm_kernel_tanh_grad
#else
#define GM_KERNEL_TANH_GRAD NULL
#endif
#if GM_WITH_SOFTMAX
#define GM_KERNEL_SOFTMAX gm_kernel_softmax
#else
#define GM_KERNEL_SOFTMAX NULL
#endif
#if GM_WITH_SOFTMAX_GRAD
#define GM_KERNEL_SOFTMAX_GRAD gm_kernel_softmax_grad
#else
#define GM_KERNEL_SOFTMAX_GRAD NULL
#endif
#if GM_WITH_LOG_SOFTMAX
#define GM_KERNEL_LOG_SOFTMAX gm_kernel_log_softmax
#else
#define GM_KERNEL_LOG_SOFTMAX NULL
#endif
#if GM_WITH_LOG_SOFTMAX_GRAD
#define GM_KERNEL_LOG_SOFTMAX_GRAD gm_kernel_log_softmax_grad
#else
#define GM_KERNEL_LOG_SOFTMAX_GRAD NULL
#endif
#if GM_WITH_DROPOUT
#define GM_KERNEL_DROPOUT gm_kernel_dropout
#else
#define GM_KERNEL_DROPOUT NULL
#endif
#if GM_WITH_SOFTMAX_CROSS_ENTROPY
#define GM_KERNEL_SOFTMAX_CROSS_ENTROPY gm_kernel_softmax_cross_entropy
#else
#define GM_KERNEL_SOFTMAX_CROSS_ENTROPY NULL
#endif
#if GM_WITH_SOFTMAX_CROSS_ENTROPY_GRAD
#define GM_KERNEL_SOFTMAX_CROSS_ENTROPY_GRAD gm_kernel_softmax_cross_entropy_grad
#else
#define GM_KERNEL_SOFTMAX_CROSS_ENTROPY_GRAD NULL
#endif
#if GM_WITH_MSE_LOSS
#define GM_KERNEL_MSE_LOSS gm_kernel_mse_loss
#else
#define GM_KERNEL_MSE_LOSS NULL
#endif
#if GM_WITH_MSE_LOSS_GRAD
#define GM_KERNEL_MSE_LOSS_GRAD gm_kernel_mse_loss_grad
#else
#define GM_KERNEL_MSE_LOSS_GRAD NULL
#endif
#if GM_WITH_L1_LOSS
#define GM_KERNEL_L1_LOSS gm_kernel_l1_loss
#else
#define GM_KERNEL_L1_LOSS NULL
#endif
#if GM_WITH_L1_LOSS_GRAD
#define GM_KERNEL_L1_LOSS_GRAD gm_kernel_l1_loss_grad
#else
#define GM_KERNEL_L1_LOSS_GRAD NULL
#endif
#if GM_WITH_BCE_WITH_LOGITS_LOSS
#define GM_KERNEL_BCE_WITH_LOGITS_LOSS gm_kernel_bce_with_logits_loss
#else
#define GM_KERNEL_BCE_WITH_LOGITS_LOSS NULL
#endif
#if GM_WITH_BCE_WITH_LOGITS_LOSS_GRAD
#define GM_KERNEL_BCE_WITH_LOGITS_LOSS_GRAD gm_kernel_bce_with_logits_loss_grad
#else
#define GM_KERNEL_BCE_WITH_LOGITS_LOSS_GRAD NULL
#endif
#if GM_WITH_ABS
#define GM_KERNEL_ABS gm_kernel_abs
#else
#define GM_KERNEL_ABS NULL
#endif
#if GM_WITH_ABS_GRAD
#define GM_KERNEL_ABS_GRAD gm_kernel_abs_grad
#else
#define GM_KERNEL_ABS_GRAD NULL
#endif
#if GM_WITH_EXP
#define GM_KERNEL_EXP gm_kernel_exp
#else
#define GM_KERNEL_EXP NULL
#endif
#if GM_WITH_LOG
#define GM_KERNEL_LOG gm_kernel_log
#else
#define GM_KERNEL_LOG NULL
#endif
#if GM_WITH_SQRT
#define GM_KERNEL_SQRT gm_kernel_sqrt
#else
#define GM_KERNEL_SQRT NULL
#endif
#if GM_WITH_CLAMP
#define GM_KERNEL_CLAMP gm_kernel_clamp
#else
#define GM_KERNEL_CLAMP NULL
#endif
#if GM_WITH_CLAMP_GRAD
#define GM_KERNEL_CLAMP_GRAD gm_kernel_clamp_grad
#else
#define GM_KERNEL_CLAMP_GRAD NULL
#endif
#if GM_WITH_ELU
#define GM_KERNEL_ELU gm_kernel_elu
#else
#define GM_KERNEL_ELU NULL
#endif
#if GM_WITH_ELU_GRAD
#define GM_KERNEL_ELU_GRAD gm_kernel_elu_grad
#else
#define GM_KERNEL_ELU_GRAD NULL
#endif
#if GM_WITH_HARD_SIGMOID
#define GM_KERNEL_HARD_SIGMOID gm_kernel_hard_sigmoid
#else
#define GM_KERNEL_HARD_SIGMOID NULL
#endif
#if GM_WITH_HARD_SIGMOID_GRAD
#define GM_KERNEL_HARD_SIGMOID_GRAD gm_kernel_hard_sigmoid_grad
#else
#define GM_KERNEL_HARD_SIGMOID_GRAD NULL
#endif
#if GM_WITH_HARD_SWISH
#define GM_KERNEL_HARD_SWISH gm_kernel_hard_swish
#else
#define GM_KERNEL_HARD_SWISH NULL
#endif
#if GM_WITH_HARD_SWISH_GRAD
#define GM_KERNEL_HARD_SWISH_GRAD gm_kernel_hard_swish_grad
#else
#define GM_KERNEL_HARD_SWISH_GRAD NULL
#endif
#if GM_WITH_SOFTPLUS
#define GM_KERNEL_SOFTPLUS gm_kernel_softplus
#else
#define GM_KERNEL_SOFTPLUS NULL
#endif
#if GM_WITH_SOFTPLUS_GRAD
#define GM_KERNEL_SOFTPLUS_GRAD gm_kernel_softplus_grad
#else
#define GM_KERNEL_SOFTPLUS_GRAD NULL
#endif
#if GM_WITH_SOFTSIGN
#define GM_KERNEL_SOFTSIGN gm_kernel_softsign
#else
#define GM_KERNEL_SOFTSIGN NULL
#endif
#if GM_WITH_SOFTSIGN_GRAD
#define GM_KERNEL_SOFTSIGN_GRAD gm_kernel_softsign_grad
#else
#define GM_KERNEL_SOFTSIGN_GRAD NULL
#endif
#if GM_WITH_MISH
#define GM_KERNEL_MISH gm_kernel_mish
#else
#define GM_KERNEL_MISH NULL
#endif
#if GM_WITH_MISH_GRAD
#define GM_KERNEL_MISH_GRAD gm_kernel_mish_grad
#else
#define GM_KERNEL_MISH_GRAD NULL
#endif
#if GM_WITH_SWISH
#define GM_KERNEL_SWISH gm_kernel_swish
#else
#define GM_KERNEL_SWISH NULL
#endif
#if GM_WITH_SWISH_GRAD
#define GM_KERNEL_SWISH_GRAD gm_kernel_swish_grad
#else
#define GM_KERNEL_SWISH_GRAD NULL
#endif
#if GM_WITH_GATHER
#define GM_KERNEL_GATHER gm_kernel_gather
#else
#define GM_KERNEL_GATHER NULL
#endif
#if GM_WITH_SCATTER_ADD
#define GM_KERNEL_SCATTER_ADD gm_kernel_scatter_add
#else
#define GM_KERNEL_SCATTER_ADD NULL
#endif
#if GM_WITH_WEIGHTED_GATHER
#define GM_KERNEL_WEIGHTED_GATHER gm_kernel_weighted_gather
#else
#define GM_KERNEL_WEIGHTED_GATHER NULL
#endif
#if GM_WITH_WEIGHTED_SCATTER_ADD
#define GM_KERNEL_WEIGHTED_SCATTER_ADD gm_kernel_weighted_scatter_add
#else
#define GM_KERNEL_WEIGHTED_SCATTER_ADD NULL
#endif
#if GM_WITH_CUMSUM
#define GM_KERNEL_CUMSUM gm_kernel_cumsum
#else
#define GM_KERNEL_CUMSUM NULL
#endif
#if GM_WITH_REDUCE_MAX
#define GM_KERNEL_REDUCE_MAX gm_kernel_reduce_max
#else
#define GM_KERNEL_REDUCE_MAX NULL
#endif
#if GM_WITH_REDUCE_MIN
#define GM_KERNEL_REDUCE_MIN gm_kernel_reduce_min
#else
#define GM_KERNEL_REDUCE_MIN NULL
#endif
#if GM_WITH_REDUCE_EXTREMUM_GRAD
#define GM_KERNEL_REDUCE_EXTREMUM_GRAD gm_kernel_reduce_extremum_grad
#else
#define GM_KERNEL_REDUCE_EXTREMUM_GRAD NULL
#endif
#if GM_WITH_CONV
#define GM_KERNEL_CONV gm_kernel_conv
#else
#define GM_KERNEL_CONV NULL
#endif
#if GM_WITH_CONV_TRANSPOSE
#define GM_KERNEL_CONV_TRANSPOSE gm_kernel_conv_transpose
#else
#define GM_KERNEL_CONV_TRANSPOSE NULL
#endif
#if GM_WITH_CONV_GRAD_W
#define GM_KERNEL_CONV_GRAD_W gm_kernel_conv_grad_w
#else
#define GM_KERNEL_CONV_GRAD_W NULL
#endif
#if GM_WITH_CONV_UPDATE
#define GM_KERNEL_CONV_UPDATE gm_kernel_conv_update
#else
#define GM_KERNEL_CONV_UPDATE NULL
#endif
#if GM_WITH_MAX_POOL
#define GM_KERNEL_MAX_POOL gm_kernel_max_pool
#else
#define GM_KERNEL_MAX_POOL NULL
#endif
#if GM_WITH_MAX_POOL_GRAD
#define GM_KERNEL_MAX_POOL_GRAD gm_kernel_max_pool_grad
#else
#define GM_KERNEL_MAX_POOL_GRAD NULL
#endif
#if GM_WITH_AVERAGE_POOL
#define GM_KERNEL_AVERAGE_POOL gm_kernel_average_pool
#else
#define GM_KERNEL_AVERAGE_POOL NULL
#endif
#if GM_WITH_AVERAGE_POOL_GRAD
#define GM_KERNEL_AVERAGE_POOL_GRAD gm_kernel_average_pool_grad
#else
#define GM_KERNEL_AVERAGE_POOL_GRAD NULL
#endif

const gm_opcode_info gm_opcodes[GM_OP_LIMIT] = {
    [GM_OP_GEMM] = { GM_KERNEL_GEMM, 4, 12, 4, 0, 0, 16 },
    [GM_OP_GEMM_UPDATE] = { GM_KERNEL_GEMM_UPDATE, 9, 7, 3, 4, 12, 38 },
    [GM_OP_UPDATE] = { GM_KERNEL_UPDATE, 8, 1, 1, 13, 19, 49 },
    [GM_OP_BIAS_CORRECTION] = { GM_KERNEL_BIAS_CORRECTION, 1, 4, 1, 21, 20, 51 },
    [GM_OP_SUM_SQUARES] = { GM_KERNEL_SUM_SQUARES, 2, 2, 1, 22, 24, 54 },
    [GM_OP_CLIP_SCALE] = { GM_KERNEL_CLIP_SCALE, 3, 1, 1, 24, 26, 58 },
    [GM_OP_CHECK_FINITE] = { GM_KERNEL_CHECK_FINITE, 1, 1, 1, 27, 27, 60 },
    [GM_OP_COPY] = { GM_KERNEL_COPY, 2, 18, 6, 28, 28, 85 },
    [GM_OP_REDUCE_SUM] = { GM_KERNEL_REDUCE_SUM, 2, 18, 8, 30, 46, 111 },
    [GM_OP_ADD] = { GM_KERNEL_ADD, 3, 12, 4, 32, 64, 139 },
    [GM_OP_SUB] = { GM_KERNEL_SUB, 3, 12, 4, 35, 76, 163 },
    [GM_OP_MUL] = { GM_KERNEL_MUL, 3, 12, 4, 38, 88, 187 },
    [GM_OP_DIV] = { GM_KERNEL_DIV, 3, 12, 4, 41, 100, 211 },
    [GM_OP_RELU] = { GM_KERNEL_RELU, 2, 1, 1, 44, 112, 217 },
    [GM_OP_RELU_GRAD] = { GM_KERNEL_RELU_GRAD, 3, 1, 1, 46, 113, 221 },
    [GM_OP_LEAKY_RELU] = { GM_KERNEL_LEAKY_RELU, 2, 2, 1, 49, 114, 224 },
    [GM_OP_LEAKY_RELU_GRAD] = { GM_KERNEL_LEAKY_RELU_GRAD, 3, 2, 1, 51, 116, 228 },
    [GM_OP_SIGMOID] = { GM_KERNEL_SIGMOID, 2, 1, 1, 54, 118, 231 },
    [GM_OP_SIGMOID_GRAD] = { GM_KERNEL_SIGMOID_GRAD, 3, 1, 1, 56, 119, 235 },
    [GM_OP_TANH] = { GM_KERNEL_TANH, 2, 1, 1, 59, 120, 238 },
    [GM_OP_TANH_GRAD] = { GM_KERNEL_TANH_GRAD, 3, 1, 1, 61, 121, 242 },
    [GM_OP_SOFTMAX] = { GM_KERNEL_SOFTMAX, 2, 3, 3, 64, 122, 249 },
    [GM_OP_SOFTMAX_GRAD] = { GM_KERNEL_SOFTMAX_GRAD, 3, 3, 3, 66, 125, 261 },
    [GM_OP_LOG_SOFTMAX] = { GM_KERNEL_LOG_SOFTMAX, 2, 3, 3, 69, 128, 270 },
    [GM_OP_LOG_SOFTMAX_GRAD] = { GM_KERNEL_LOG_SOFTMAX_GRAD, 3, 3, 3, 71, 131, 282 },
    [GM_OP_DROPOUT] = { GM_KERNEL_DROPOUT, 3, 4, 1, 74, 134, 288 },
    [GM_OP_SOFTMAX_CROSS_ENTROPY] = { GM_KERNEL_SOFTMAX_CROSS_ENTROPY, 5, 7, 3, 77, 138, 302 },
    [GM_OP_SOFTMAX_CROSS_ENTROPY_GRAD] = { GM_KERNEL_SOFTMAX_CROSS_ENTROPY_GRAD, 5, 7, 3, 82, 145, 318 },
    [GM_OP_MSE_LOSS] = { GM_KERNEL_MSE_LOSS, 3, 3, 1, 87, 152, 325 },
    [GM_OP_MSE_LOSS_GRAD] = { GM_KERNEL_MSE_LOSS_GRAD, 4, 3, 1, 90, 155, 331 },
    [GM_OP_L1_LOSS] = { GM_KERNEL_L1_LOSS, 3, 3, 1, 94, 158, 336 },
    [GM_OP_L1_LOSS_GRAD] = { GM_KERNEL_L1_LOSS_GRAD, 4, 3, 1, 97, 161, 342 },
    [GM_OP_BCE_WITH_LOGITS_LOSS] = { GM_KERNEL_BCE_WITH_LOGITS_LOSS, 4, 6, 2, 101, 164, 353 },
    [GM_OP_BCE_WITH_LOGITS_LOSS_GRAD] = { GM_KERNEL_BCE_WITH_LOGITS_LOSS_GRAD, 5, 6, 2, 105, 170, 367 },
    [GM_OP_ABS] = { GM_KERNEL_ABS, 2, 1, 1, 110, 176, 371 },
    [GM_OP_ABS_GRAD] = { GM_KERNEL_ABS_GRAD, 3, 1, 1, 112, 177, 375 },
    [GM_OP_EXP] = { GM_KERNEL_EXP, 2, 1, 1, 115, 178, 378 },
    [GM_OP_LOG] = { GM_KERNEL_LOG, 2, 1, 1, 117, 179, 381 },
    [GM_OP_SQRT] = { GM_KERNEL_SQRT, 2, 1, 1, 119, 180, 384 },
    [GM_OP_CLAMP] = { GM_KERNEL_CLAMP, 2, 3, 1, 121, 181, 387 },
    [GM_OP_CLAMP_GRAD] = { GM_KERNEL_CLAMP_GRAD, 3, 3, 1, 123, 184, 391 },
    [GM_OP_ELU] = { GM_KERNEL_ELU, 2, 4, 1, 126, 187, 394 },
    [GM_OP_ELU_GRAD] = { GM_KERNEL_ELU_GRAD, 3, 4, 1, 128, 191, 398 },
    [GM_OP_HARD_SIGMOID] = { GM_KERNEL_HARD_SIGMOID, 2, 3, 1, 131, 195, 401 },
    [GM_OP_HARD_SIGMOID_GRAD] = { GM_KERNEL_HARD_SIGMOID_GRAD, 3, 2, 1, 133, 198, 405 },
    [GM_OP_HARD_SWISH] = { GM_KERNEL_HARD_SWISH, 2, 1, 1, 136, 200, 408 },
    [GM_OP_HARD_SWISH_GRAD] = { GM_KERNEL_HARD_SWISH_GRAD, 3, 1, 1, 138, 201, 412 },
    [GM_OP_SOFTPLUS] = { GM_KERNEL_SOFTPLUS, 2, 1, 1, 141, 202, 415 },
    [GM_OP_SOFTPLUS_GRAD] = { GM_KERNEL_SOFTPLUS_GRAD, 3, 1, 1, 143, 203, 419 },
    [GM_OP_SOFTSIGN] = { GM_KERNEL_SOFTSIGN, 2, 1, 1, 146, 204, 422 },
    [GM_OP_SOFTSIGN_GRAD] = { GM_KERNEL_SOFTSIGN_GRAD, 3, 1, 1, 148, 205, 426 },
    [GM_OP_MISH] = { GM_KERNEL_MISH, 2, 1, 1, 151, 206, 429 },
    [GM_OP_MISH_GRAD] = { GM_KERNEL_MISH_GRAD, 3, 1, 1, 153, 207, 433 },
    [GM_OP_SWISH] = { GM_KERNEL_SWISH, 2, 2, 1, 156, 208, 436 },
    [GM_OP_SWISH_GRAD] = { GM_KERNEL_SWISH_GRAD, 3, 2, 1, 158, 210, 440 },
    [GM_OP_GATHER] = { GM_KERNEL_GATHER, 3, 4, 3, 161, 212, 448 },
    [GM_OP_SCATTER_ADD] = { GM_KERNEL_SCATTER_ADD, 3, 4, 3, 164, 216, 458 },
    [GM_OP_WEIGHTED_GATHER] = { GM_KERNEL_WEIGHTED_GATHER, 4, 5, 4, 167, 220, 471 },
    [GM_OP_WEIGHTED_SCATTER_ADD] = { GM_KERNEL_WEIGHTED_SCATTER_ADD, 4, 5, 4, 171, 225, 485 },
    [GM_OP_CUMSUM] = { GM_KERNEL_CUMSUM, 2, 5, 3, 175, 230, 495 },
    [GM_OP_REDUCE_MAX] = { GM_KERNEL_REDUCE_MAX, 2, 16, 8, 177, 235, 518 },
    [GM_OP_REDUCE_MIN] = { GM_KERNEL_REDUCE_MIN, 2, 16, 8, 179, 251, 546 },
    [GM_OP_REDUCE_EXTREMUM_GRAD] = { GM_KERNEL_REDUCE_EXTREMUM_GRAD, 4, 16, 8, 181, 267, 594 },
    [GM_OP_CONV] = { GM_KERNEL_CONV, 4, 32, 8, 185, 283, 634 },
    [GM_OP_CONV_TRANSPOSE] = { GM_KERNEL_CONV_TRANSPOSE, 4, 31, 8, 189, 315, 674 },
    [GM_OP_CONV_GRAD_W] = { GM_KERNEL_CONV_GRAD_W, 3, 27, 8, 193, 346, 707 },
    [GM_OP_CONV_UPDATE] = { GM_KERNEL_CONV_UPDATE, 9, 26, 8, 196, 373, 756 },
    [GM_OP_MAX_POOL] = { GM_KERNEL_MAX_POOL, 2, 22, 6, 205, 399, 780 },
    [GM_OP_MAX_POOL_GRAD] = { GM_KERNEL_MAX_POOL_GRAD, 3, 22, 8, 207, 421, 810 },
    [GM_OP_AVERAGE_POOL] = { GM_KERNEL_AVERAGE_POOL, 2, 25, 6, 210, 443, 834 },
    [GM_OP_AVERAGE_POOL_GRAD] = { GM_KERNEL_AVERAGE_POOL_GRAD, 2, 25, 8, 212, 468, 856 },
};

const gm_operand_info gm_operands[] = {
    { GM_READ | GM_STRIDED, 6, 0 }, /* GEMM a */
    { GM_READ | GM_STRIDED, 6, 6 }, /* GEMM b */
    { GM_READ | GM_OPTIONAL, 1, 12 }, /* GEMM bias */
    { GM_READ | GM_WRITE, 3, 13 }, /* GEMM y */
    { GM_READ | GM_STRIDED, 4, 20 }, /* GEMM_UPDATE a */
    { GM_READ | GM_STRIDED, 4, 24 }, /* GEMM_UPDATE b */
    { GM_WRITE, 1, 28 }, /* GEMM_UPDATE row */
    { GM_READ | GM_WRITE, 2, 29 }, /* GEMM_UPDATE p */
    { GM_READ | GM_WRITE | GM_OPTIONAL, 2, 31 }, /* GEMM_UPDATE slot1 */
    { GM_READ | GM_WRITE | GM_OPTIONAL, 2, 33 }, /* GEMM_UPDATE slot2 */
    { GM_READ | GM_OPTIONAL, 1, 35 }, /* GEMM_UPDATE aux */
    { GM_READ, 1, 36 }, /* GEMM_UPDATE lr */
    { GM_READ | GM_RULE, 1, 37 }, /* GEMM_UPDATE rule */
    { GM_READ, 1, 41 }, /* UPDATE g */
    { GM_READ | GM_WRITE, 1, 42 }, /* UPDATE p */
    { GM_READ | GM_WRITE | GM_OPTIONAL, 1, 43 }, /* UPDATE slot1 */
    { GM_READ | GM_WRITE | GM_OPTIONAL, 1, 44 }, /* UPDATE slot2 */
    { GM_READ | GM_OPTIONAL, 1, 45 }, /* UPDATE aux */
    { GM_READ, 1, 46 }, /* UPDATE lr */
    { GM_READ | GM_OPTIONAL, 1, 47 }, /* UPDATE scale */
    { GM_READ | GM_RULE, 1, 48 }, /* UPDATE rule */
    { GM_READ | GM_WRITE, 1, 50 }, /* BIAS_CORRECTION c */
    { GM_READ, 1, 52 }, /* SUM_SQUARES x */
    { GM_READ | GM_WRITE, 1, 53 }, /* SUM_SQUARES y */
    { GM_READ, 1, 55 }, /* CLIP_SCALE sum_squares */
    { GM_READ | GM_OPTIONAL, 1, 56 }, /* CLIP_SCALE scale */
    { GM_WRITE, 1, 57 }, /* CLIP_SCALE y */
    { GM_READ, 1, 59 }, /* CHECK_FINITE x */
    { GM_READ | GM_STRIDED, 12, 61 }, /* COPY x */
    { GM_WRITE | GM_STRIDED, 12, 73 }, /* COPY y */
    { GM_READ | GM_STRIDED, 16, 91 }, /* REDUCE_SUM x */
    { GM_READ | GM_WRITE, 4, 107 }, /* REDUCE_SUM y */
    { GM_READ | GM_STRIDED, 8, 119 }, /* ADD a */
    { GM_READ | GM_STRIDED, 8, 127 }, /* ADD b */
    { GM_WRITE, 4, 135 }, /* ADD y */
    { GM_READ | GM_STRIDED, 8, 143 }, /* SUB a */
    { GM_READ | GM_STRIDED, 8, 151 }, /* SUB b */
    { GM_WRITE, 4, 159 }, /* SUB y */
    { GM_READ | GM_STRIDED, 8, 167 }, /* MUL a */
    { GM_READ | GM_STRIDED, 8, 175 }, /* MUL b */
    { GM_WRITE, 4, 183 }, /* MUL y */
    { GM_READ | GM_STRIDED, 8, 191 }, /* DIV a */
    { GM_READ | GM_STRIDED, 8, 199 }, /* DIV b */
    { GM_WRITE, 4, 207 }, /* DIV y */
    { GM_READ, 1, 215 }, /* RELU x */
    { GM_WRITE, 1, 216 }, /* RELU y */
    { GM_READ, 1, 218 }, /* RELU_GRAD dy */
    { GM_READ, 1, 219 }, /* RELU_GRAD y */
    { GM_WRITE, 1, 220 }, /* RELU_GRAD dx */
    { GM_READ, 1, 222 }, /* LEAKY_RELU x */
    { GM_WRITE, 1, 223 }, /* LEAKY_RELU y */
    { GM_READ, 1, 225 }, /* LEAKY_RELU_GRAD dy */
    { GM_READ, 1, 226 }, /* LEAKY_RELU_GRAD x */
    { GM_WRITE, 1, 227 }, /* LEAKY_RELU_GRAD dx */
    { GM_READ, 1, 229 }, /* SIGMOID x */
    { GM_WRITE, 1, 230 }, /* SIGMOID y */
    { GM_READ, 1, 232 }, /* SIGMOID_GRAD dy */
    { GM_READ, 1, 233 }, /* SIGMOID_GRAD y */
    { GM_WRITE, 1, 234 }, /* SIGMOID_GRAD dx */
    { GM_READ, 1, 236 }, /* TANH x */
    { GM_WRITE, 1, 237 }, /* TANH y */
    { GM_READ, 1, 239 }, /* TANH_GRAD dy */
    { GM_READ, 1, 240 }, /* TANH_GRAD y */
    { GM_WRITE, 1, 241 }, /* TANH_GRAD dx */
    { GM_READ, 3, 243 }, /* SOFTMAX x */
    { GM_WRITE, 3, 246 }, /* SOFTMAX y */
    { GM_READ, 3, 252 }, /* SOFTMAX_GRAD dy */
    { GM_READ, 3, 255 }, /* SOFTMAX_GRAD y */
    { GM_WRITE, 3, 258 }, /* SOFTMAX_GRAD dx */
    { GM_READ, 3, 264 }, /* LOG_SOFTMAX x */
    { GM_WRITE, 3, 267 }, /* LOG_SOFTMAX y */
    { GM_READ, 3, 273 }, /* LOG_SOFTMAX_GRAD dy */
    { GM_READ, 3, 276 }, /* LOG_SOFTMAX_GRAD y */
    { GM_WRITE, 3, 279 }, /* LOG_SOFTMAX_GRAD dx */
    { GM_READ, 1, 285 }, /* DROPOUT x */
    { GM_READ, 1, 286 }, /* DROPOUT counter */
    { GM_WRITE, 1, 287 }, /* DROPOUT y */
    { GM_READ, 3, 289 }, /* SOFTMAX_CROSS_ENTROPY x */
    { GM_READ | GM_INDEX, 2, 292 }, /* SOFTMAX_CROSS_ENTROPY labels */
    { GM_READ | GM_OPTIONAL, 1, 294 }, /* SOFTMAX_CROSS_ENTROPY weight */
    { GM_WRITE, 3, 295 }, /* SOFTMAX_CROSS_ENTROPY log_prob */
    { GM_WRITE | GM_STRIDED, 4, 298 }, /* SOFTMAX_CROSS_ENTROPY loss */
    { GM_READ | GM_STRIDED, 4, 305 }, /* SOFTMAX_CROSS_ENTROPY_GRAD dloss */
    { GM_READ, 3, 309 }, /* SOFTMAX_CROSS_ENTROPY_GRAD log_prob */
    { GM_READ | GM_INDEX, 2, 312 }, /* SOFTMAX_CROSS_ENTROPY_GRAD labels */
    { GM_READ | GM_OPTIONAL, 1, 314 }, /* SOFTMAX_CROSS_ENTROPY_GRAD weight */
    { GM_WRITE, 3, 315 }, /* SOFTMAX_CROSS_ENTROPY_GRAD dx */
    { GM_READ, 1, 321 }, /* MSE_LOSS x */
    { GM_READ, 1, 322 }, /* MSE_LOSS target */
    { GM_WRITE | GM_STRIDED, 2, 323 }, /* MSE_LOSS loss */
    { GM_READ | GM_STRIDED, 2, 326 }, /* MSE_LOSS_GRAD dloss */
    { GM_READ, 1, 328 }, /* MSE_LOSS_GRAD x */
    { GM_READ, 1, 329 }, /* MSE_LOSS_GRAD target */
    { GM_WRITE, 1, 330 }, /* MSE_LOSS_GRAD dx */
    { GM_READ, 1, 332 }, /* L1_LOSS x */
    { GM_READ, 1, 333 }, /* L1_LOSS target */
    { GM_WRITE | GM_STRIDED, 2, 334 }, /* L1_LOSS loss */
    { GM_READ | GM_STRIDED, 2, 337 }, /* L1_LOSS_GRAD dloss */
    { GM_READ, 1, 339 }, /* L1_LOSS_GRAD x */
    { GM_READ, 1, 340 }, /* L1_LOSS_GRAD target */
    { GM_WRITE, 1, 341 }, /* L1_LOSS_GRAD dx */
    { GM_READ, 2, 343 }, /* BCE_WITH_LOGITS_LOSS x */
    { GM_READ, 2, 345 }, /* BCE_WITH_LOGITS_LOSS target */
    { GM_READ | GM_OPTIONAL | GM_STRIDED, 2, 347 }, /* BCE_WITH_LOGITS_LOSS pos_weight */
    { GM_WRITE | GM_STRIDED, 4, 349 }, /* BCE_WITH_LOGITS_LOSS loss */
    { GM_READ | GM_STRIDED, 4, 355 }, /* BCE_WITH_LOGITS_LOSS_GRAD dloss */
    { GM_READ, 2, 359 }, /* BCE_WITH_LOGITS_LOSS_GRAD x */
    { GM_READ, 2, 361 }, /* BCE_WITH_LOGITS_LOSS_GRAD target */
    { GM_READ | GM_OPTIONAL | GM_STRIDED, 2, 363 }, /* BCE_WITH_LOGITS_LOSS_GRAD pos_weight */
    { GM_WRITE, 2, 365 }, /* BCE_WITH_LOGITS_LOSS_GRAD dx */
    { GM_READ, 1, 369 }, /* ABS x */
    { GM_WRITE, 1, 370 }, /* ABS y */
    { GM_READ, 1, 372 }, /* ABS_GRAD dy */
    { GM_READ, 1, 373 }, /* ABS_GRAD x */
    { GM_WRITE, 1, 374 }, /* ABS_GRAD dx */
    { GM_READ, 1, 376 }, /* EXP x */
    { GM_WRITE, 1, 377 }, /* EXP y */
    { GM_READ, 1, 379 }, /* LOG x */
    { GM_WRITE, 1, 380 }, /* LOG y */
    { GM_READ, 1, 382 }, /* SQRT x */
    { GM_WRITE, 1, 383 }, /* SQRT y */
    { GM_READ, 1, 385 }, /* CLAMP x */
    { GM_WRITE, 1, 386 }, /* CLAMP y */
    { GM_READ, 1, 388 }, /* CLAMP_GRAD dy */
    { GM_READ, 1, 389 }, /* CLAMP_GRAD x */
    { GM_WRITE, 1, 390 }, /* CLAMP_GRAD dx */
    { GM_READ, 1, 392 }, /* ELU x */
    { GM_WRITE, 1, 393 }, /* ELU y */
    { GM_READ, 1, 395 }, /* ELU_GRAD dy */
    { GM_READ, 1, 396 }, /* ELU_GRAD y */
    { GM_WRITE, 1, 397 }, /* ELU_GRAD dx */
    { GM_READ, 1, 399 }, /* HARD_SIGMOID x */
    { GM_WRITE, 1, 400 }, /* HARD_SIGMOID y */
    { GM_READ, 1, 402 }, /* HARD_SIGMOID_GRAD dy */
    { GM_READ, 1, 403 }, /* HARD_SIGMOID_GRAD y */
    { GM_WRITE, 1, 404 }, /* HARD_SIGMOID_GRAD dx */
    { GM_READ, 1, 406 }, /* HARD_SWISH x */
    { GM_WRITE, 1, 407 }, /* HARD_SWISH y */
    { GM_READ, 1, 409 }, /* HARD_SWISH_GRAD dy */
    { GM_READ, 1, 410 }, /* HARD_SWISH_GRAD x */
    { GM_WRITE, 1, 411 }, /* HARD_SWISH_GRAD dx */
    { GM_READ, 1, 413 }, /* SOFTPLUS x */
    { GM_WRITE, 1, 414 }, /* SOFTPLUS y */
    { GM_READ, 1, 416 }, /* SOFTPLUS_GRAD dy */
    { GM_READ, 1, 417 }, /* SOFTPLUS_GRAD x */
    { GM_WRITE, 1, 418 }, /* SOFTPLUS_GRAD dx */
    { GM_READ, 1, 420 }, /* SOFTSIGN x */
    { GM_WRITE, 1, 421 }, /* SOFTSIGN y */
    { GM_READ, 1, 423 }, /* SOFTSIGN_GRAD dy */
    { GM_READ, 1, 424 }, /* SOFTSIGN_GRAD x */
    { GM_WRITE, 1, 425 }, /* SOFTSIGN_GRAD dx */
    { GM_READ, 1, 427 }, /* MISH x */
    { GM_WRITE, 1, 428 }, /* MISH y */
    { GM_READ, 1, 430 }, /* MISH_GRAD dy */
    { GM_READ, 1, 431 }, /* MISH_GRAD x */
    { GM_WRITE, 1, 432 }, /* MISH_GRAD dx */
    { GM_READ, 1, 434 }, /* SWISH x */
    { GM_WRITE, 1, 435 }, /* SWISH y */
    { GM_READ, 1, 437 }, /* SWISH_GRAD dy */
    { GM_READ, 1, 438 }, /* SWISH_GRAD x */
    { GM_WRITE, 1, 439 }, /* SWISH_GRAD dx */
    { GM_READ, 3, 441 }, /* GATHER x */
    { GM_READ | GM_INDEX, 1, 444 }, /* GATHER indices */
    { GM_WRITE, 3, 445 }, /* GATHER y */
    { GM_READ, 3, 451 }, /* SCATTER_ADD dy */
    { GM_READ | GM_INDEX, 1, 454 }, /* SCATTER_ADD indices */
    { GM_READ | GM_WRITE, 3, 455 }, /* SCATTER_ADD dx */
    { GM_READ, 3, 461 }, /* WEIGHTED_GATHER x */
    { GM_READ | GM_INDEX, 2, 464 }, /* WEIGHTED_GATHER indices */
    { GM_READ, 2, 466 }, /* WEIGHTED_GATHER weights */
    { GM_WRITE, 3, 468 }, /* WEIGHTED_GATHER y */
    { GM_READ, 3, 475 }, /* WEIGHTED_SCATTER_ADD dy */
    { GM_READ | GM_INDEX, 2, 478 }, /* WEIGHTED_SCATTER_ADD indices */
    { GM_READ, 2, 480 }, /* WEIGHTED_SCATTER_ADD weights */
    { GM_READ | GM_WRITE, 3, 482 }, /* WEIGHTED_SCATTER_ADD dx */
    { GM_READ, 3, 489 }, /* CUMSUM x */
    { GM_WRITE, 3, 492 }, /* CUMSUM y */
    { GM_READ | GM_STRIDED, 16, 498 }, /* REDUCE_MAX x */
    { GM_WRITE, 4, 514 }, /* REDUCE_MAX y */
    { GM_READ | GM_STRIDED, 16, 526 }, /* REDUCE_MIN x */
    { GM_WRITE, 4, 542 }, /* REDUCE_MIN y */
    { GM_READ, 4, 554 }, /* REDUCE_EXTREMUM_GRAD dy */
    { GM_READ, 4, 558 }, /* REDUCE_EXTREMUM_GRAD y */
    { GM_READ | GM_STRIDED, 16, 562 }, /* REDUCE_EXTREMUM_GRAD x */
    { GM_WRITE | GM_STRIDED, 16, 578 }, /* REDUCE_EXTREMUM_GRAD dx */
    { GM_READ | GM_STRIDED, 10, 602 }, /* CONV x */
    { GM_READ | GM_STRIDED, 10, 612 }, /* CONV w */
    { GM_READ | GM_OPTIONAL, 2, 622 }, /* CONV bias */
    { GM_WRITE | GM_STRIDED, 10, 624 }, /* CONV y */
    { GM_READ | GM_STRIDED, 10, 642 }, /* CONV_TRANSPOSE y */
    { GM_READ | GM_STRIDED, 10, 652 }, /* CONV_TRANSPOSE w */
    { GM_READ | GM_OPTIONAL, 2, 662 }, /* CONV_TRANSPOSE bias */
    { GM_WRITE | GM_STRIDED, 10, 664 }, /* CONV_TRANSPOSE x */
    { GM_READ | GM_STRIDED, 10, 682 }, /* CONV_GRAD_W x */
    { GM_READ | GM_STRIDED, 10, 692 }, /* CONV_GRAD_W dy */
    { GM_READ | GM_WRITE, 5, 702 }, /* CONV_GRAD_W y */
    { GM_READ | GM_STRIDED, 10, 715 }, /* CONV_UPDATE x */
    { GM_READ | GM_STRIDED, 10, 725 }, /* CONV_UPDATE dy */
    { GM_WRITE, 3, 735 }, /* CONV_UPDATE row */
    { GM_READ | GM_WRITE, 5, 738 }, /* CONV_UPDATE p */
    { GM_READ | GM_WRITE | GM_OPTIONAL, 5, 743 }, /* CONV_UPDATE slot1 */
    { GM_READ | GM_WRITE | GM_OPTIONAL, 5, 748 }, /* CONV_UPDATE slot2 */
    { GM_READ | GM_OPTIONAL, 1, 753 }, /* CONV_UPDATE aux */
    { GM_READ, 1, 754 }, /* CONV_UPDATE lr */
    { GM_READ | GM_RULE, 1, 755 }, /* CONV_UPDATE rule */
    { GM_READ | GM_STRIDED, 8, 764 }, /* MAX_POOL x */
    { GM_WRITE | GM_STRIDED, 8, 772 }, /* MAX_POOL y */
    { GM_READ | GM_STRIDED, 8, 786 }, /* MAX_POOL_GRAD x */
    { GM_READ | GM_STRIDED, 8, 794 }, /* MAX_POOL_GRAD dy */
    { GM_WRITE | GM_STRIDED, 8, 802 }, /* MAX_POOL_GRAD dx */
    { GM_READ | GM_STRIDED, 8, 818 }, /* AVERAGE_POOL x */
    { GM_WRITE | GM_STRIDED, 8, 826 }, /* AVERAGE_POOL y */
    { GM_READ | GM_STRIDED, 8, 840 }, /* AVERAGE_POOL_GRAD dy */
    { GM_WRITE | GM_STRIDED, 8, 848 }, /* AVERAGE_POOL_GRAD dx */
};

const uint8_t gm_param_kinds[] = {
    GM_PARAM_DIM, /* GEMM batch */
    GM_PARAM_DIM, /* GEMM m */
    GM_PARAM_DIM, /* GEMM n */
    GM_PARAM_DIM, /* GEMM k */
    GM_PARAM_STRIDE, /* GEMM a_batch */
    GM_PARAM_STRIDE, /* GEMM a_row */
    GM_PARAM_STRIDE, /* GEMM a_col */
    GM_PARAM_STRIDE, /* GEMM b_batch */
    GM_PARAM_STRIDE, /* GEMM b_row */
    GM_PARAM_STRIDE, /* GEMM b_col */
    GM_PARAM_FLAG, /* GEMM accumulate */
    GM_PARAM_ENUM + 2, /* GEMM activation */
    GM_PARAM_DIM, /* GEMM_UPDATE m */
    GM_PARAM_DIM, /* GEMM_UPDATE n */
    GM_PARAM_DIM, /* GEMM_UPDATE k */
    GM_PARAM_STRIDE, /* GEMM_UPDATE a_row */
    GM_PARAM_STRIDE, /* GEMM_UPDATE a_col */
    GM_PARAM_STRIDE, /* GEMM_UPDATE b_row */
    GM_PARAM_STRIDE, /* GEMM_UPDATE b_col */
    GM_PARAM_DIM, /* UPDATE n */
    GM_PARAM_F32, /* BIAS_CORRECTION beta1 */
    GM_PARAM_F32, /* BIAS_CORRECTION one_minus_beta1 */
    GM_PARAM_F32, /* BIAS_CORRECTION beta2 */
    GM_PARAM_F32, /* BIAS_CORRECTION one_minus_beta2 */
    GM_PARAM_DIM, /* SUM_SQUARES n */
    GM_PARAM_FLAG, /* SUM_SQUARES accumulate */
    GM_PARAM_F32, /* CLIP_SCALE max_norm */
    GM_PARAM_DIM, /* CHECK_FINITE n */
    GM_PARAM_DIM, /* COPY d0 */
    GM_PARAM_DIM, /* COPY d1 */
    GM_PARAM_DIM, /* COPY d2 */
    GM_PARAM_DIM, /* COPY d3 */
    GM_PARAM_DIM, /* COPY d4 */
    GM_PARAM_DIM, /* COPY d5 */
    GM_PARAM_STRIDE, /* COPY s0 */
    GM_PARAM_STRIDE, /* COPY s1 */
    GM_PARAM_STRIDE, /* COPY s2 */
    GM_PARAM_STRIDE, /* COPY s3 */
    GM_PARAM_STRIDE, /* COPY s4 */
    GM_PARAM_STRIDE, /* COPY s5 */
    GM_PARAM_STRIDE, /* COPY t0 */
    GM_PARAM_STRIDE, /* COPY t1 */
    GM_PARAM_STRIDE, /* COPY t2 */
    GM_PARAM_STRIDE, /* COPY t3 */
    GM_PARAM_STRIDE, /* COPY t4 */
    GM_PARAM_STRIDE, /* COPY t5 */
    GM_PARAM_DIM, /* REDUCE_SUM k0 */
    GM_PARAM_DIM, /* REDUCE_SUM k1 */
    GM_PARAM_DIM, /* REDUCE_SUM k2 */
    GM_PARAM_DIM, /* REDUCE_SUM k3 */
    GM_PARAM_STRIDE, /* REDUCE_SUM ks0 */
    GM_PARAM_STRIDE, /* REDUCE_SUM ks1 */
    GM_PARAM_STRIDE, /* REDUCE_SUM ks2 */
    GM_PARAM_STRIDE, /* REDUCE_SUM ks3 */
    GM_PARAM_DIM, /* REDUCE_SUM r0 */
    GM_PARAM_DIM, /* REDUCE_SUM r1 */
    GM_PARAM_DIM, /* REDUCE_SUM r2 */
    GM_PARAM_DIM, /* REDUCE_SUM r3 */
    GM_PARAM_STRIDE, /* REDUCE_SUM rs0 */
    GM_PARAM_STRIDE, /* REDUCE_SUM rs1 */
    GM_PARAM_STRIDE, /* REDUCE_SUM rs2 */
    GM_PARAM_STRIDE, /* REDUCE_SUM rs3 */
    GM_PARAM_F32, /* REDUCE_SUM scale */
    GM_PARAM_FLAG, /* REDUCE_SUM accumulate */
    GM_PARAM_DIM, /* ADD d0 */
    GM_PARAM_DIM, /* ADD d1 */
    GM_PARAM_DIM, /* ADD d2 */
    GM_PARAM_DIM, /* ADD d3 */
    GM_PARAM_STRIDE, /* ADD a0 */
    GM_PARAM_STRIDE, /* ADD a1 */
    GM_PARAM_STRIDE, /* ADD a2 */
    GM_PARAM_STRIDE, /* ADD a3 */
    GM_PARAM_STRIDE, /* ADD b0 */
    GM_PARAM_STRIDE, /* ADD b1 */
    GM_PARAM_STRIDE, /* ADD b2 */
    GM_PARAM_STRIDE, /* ADD b3 */
    GM_PARAM_DIM, /* SUB d0 */
    GM_PARAM_DIM, /* SUB d1 */
    GM_PARAM_DIM, /* SUB d2 */
    GM_PARAM_DIM, /* SUB d3 */
    GM_PARAM_STRIDE, /* SUB a0 */
    GM_PARAM_STRIDE, /* SUB a1 */
    GM_PARAM_STRIDE, /* SUB a2 */
    GM_PARAM_STRIDE, /* SUB a3 */
    GM_PARAM_STRIDE, /* SUB b0 */
    GM_PARAM_STRIDE, /* SUB b1 */
    GM_PARAM_STRIDE, /* SUB b2 */
    GM_PARAM_STRIDE, /* SUB b3 */
    GM_PARAM_DIM, /* MUL d0 */
    GM_PARAM_DIM, /* MUL d1 */
    GM_PARAM_DIM, /* MUL d2 */
    GM_PARAM_DIM, /* MUL d3 */
    GM_PARAM_STRIDE, /* MUL a0 */
    GM_PARAM_STRIDE, /* MUL a1 */
    GM_PARAM_STRIDE, /* MUL a2 */
    GM_PARAM_STRIDE, /* MUL a3 */
    GM_PARAM_STRIDE, /* MUL b0 */
    GM_PARAM_STRIDE, /* MUL b1 */
    GM_PARAM_STRIDE, /* MUL b2 */
    GM_PARAM_STRIDE, /* MUL b3 */
    GM_PARAM_DIM, /* DIV d0 */
    GM_PARAM_DIM, /* DIV d1 */
    GM_PARAM_DIM, /* DIV d2 */
    GM_PARAM_DIM, /* DIV d3 */
    GM_PARAM_STRIDE, /* DIV a0 */
    GM_PARAM_STRIDE, /* DIV a1 */
    GM_PARAM_STRIDE, /* DIV a2 */
    GM_PARAM_STRIDE, /* DIV a3 */
    GM_PARAM_STRIDE, /* DIV b0 */
    GM_PARAM_STRIDE, /* DIV b1 */
    GM_PARAM_STRIDE, /* DIV b2 */
    GM_PARAM_STRIDE, /* DIV b3 */
    GM_PARAM_DIM, /* RELU n */
    GM_PARAM_DIM, /* RELU_GRAD n */
    GM_PARAM_DIM, /* LEAKY_RELU n */
    GM_PARAM_F32, /* LEAKY_RELU alpha */
    GM_PARAM_DIM, /* LEAKY_RELU_GRAD n */
    GM_PARAM_F32, /* LEAKY_RELU_GRAD alpha */
    GM_PARAM_DIM, /* SIGMOID n */
    GM_PARAM_DIM, /* SIGMOID_GRAD n */
    GM_PARAM_DIM, /* TANH n */
    GM_PARAM_DIM, /* TANH_GRAD n */
    GM_PARAM_DIM, /* SOFTMAX outer */
    GM_PARAM_DIM, /* SOFTMAX classes */
    GM_PARAM_DIM, /* SOFTMAX inner */
    GM_PARAM_DIM, /* SOFTMAX_GRAD outer */
    GM_PARAM_DIM, /* SOFTMAX_GRAD classes */
    GM_PARAM_DIM, /* SOFTMAX_GRAD inner */
    GM_PARAM_DIM, /* LOG_SOFTMAX outer */
    GM_PARAM_DIM, /* LOG_SOFTMAX classes */
    GM_PARAM_DIM, /* LOG_SOFTMAX inner */
    GM_PARAM_DIM, /* LOG_SOFTMAX_GRAD outer */
    GM_PARAM_DIM, /* LOG_SOFTMAX_GRAD classes */
    GM_PARAM_DIM, /* LOG_SOFTMAX_GRAD inner */
    GM_PARAM_DIM, /* DROPOUT n */
    GM_PARAM_U32, /* DROPOUT stream */
    GM_PARAM_U32, /* DROPOUT threshold */
    GM_PARAM_F32, /* DROPOUT scale */
    GM_PARAM_DIM, /* SOFTMAX_CROSS_ENTROPY outer */
    GM_PARAM_DIM, /* SOFTMAX_CROSS_ENTROPY classes */
    GM_PARAM_DIM, /* SOFTMAX_CROSS_ENTROPY inner */
    GM_PARAM_STRIDE, /* SOFTMAX_CROSS_ENTROPY loss_outer */
    GM_PARAM_STRIDE, /* SOFTMAX_CROSS_ENTROPY loss_inner */
    GM_PARAM_ENUM + 3, /* SOFTMAX_CROSS_ENTROPY reduction */
    GM_PARAM_I32, /* SOFTMAX_CROSS_ENTROPY ignore_index */
    GM_PARAM_DIM, /* SOFTMAX_CROSS_ENTROPY_GRAD outer */
    GM_PARAM_DIM, /* SOFTMAX_CROSS_ENTROPY_GRAD classes */
    GM_PARAM_DIM, /* SOFTMAX_CROSS_ENTROPY_GRAD inner */
    GM_PARAM_STRIDE, /* SOFTMAX_CROSS_ENTROPY_GRAD loss_outer */
    GM_PARAM_STRIDE, /* SOFTMAX_CROSS_ENTROPY_GRAD loss_inner */
    GM_PARAM_ENUM + 3, /* SOFTMAX_CROSS_ENTROPY_GRAD reduction */
    GM_PARAM_I32, /* SOFTMAX_CROSS_ENTROPY_GRAD ignore_index */
    GM_PARAM_DIM, /* MSE_LOSS n */
    GM_PARAM_FLAG, /* MSE_LOSS loss_stride */
    GM_PARAM_F32, /* MSE_LOSS scale */
    GM_PARAM_DIM, /* MSE_LOSS_GRAD n */
    GM_PARAM_FLAG, /* MSE_LOSS_GRAD loss_stride */
    GM_PARAM_F32, /* MSE_LOSS_GRAD scale */
    GM_PARAM_DIM, /* L1_LOSS n */
    GM_PARAM_FLAG, /* L1_LOSS loss_stride */
    GM_PARAM_F32, /* L1_LOSS scale */
    GM_PARAM_DIM, /* L1_LOSS_GRAD n */
    GM_PARAM_FLAG, /* L1_LOSS_GRAD loss_stride */
    GM_PARAM_F32, /* L1_LOSS_GRAD scale */
    GM_PARAM_DIM, /* BCE_WITH_LOGITS_LOSS outer */
    GM_PARAM_DIM, /* BCE_WITH_LOGITS_LOSS inner */
    GM_PARAM_FLAG, /* BCE_WITH_LOGITS_LOSS pos_stride */
    GM_PARAM_STRIDE, /* BCE_WITH_LOGITS_LOSS loss_outer */
    GM_PARAM_STRIDE, /* BCE_WITH_LOGITS_LOSS loss_inner */
    GM_PARAM_F32, /* BCE_WITH_LOGITS_LOSS scale */
    GM_PARAM_DIM, /* BCE_WITH_LOGITS_LOSS_GRAD outer */
    GM_PARAM_DIM, /* BCE_WITH_LOGITS_LOSS_GRAD inner */
    GM_PARAM_FLAG, /* BCE_WITH_LOGITS_LOSS_GRAD pos_stride */
    GM_PARAM_STRIDE, /* BCE_WITH_LOGITS_LOSS_GRAD loss_outer */
    GM_PARAM_STRIDE, /* BCE_WITH_LOGITS_LOSS_GRAD loss_inner */
    GM_PARAM_F32, /* BCE_WITH_LOGITS_LOSS_GRAD scale */
    GM_PARAM_DIM, /* ABS n */
    GM_PARAM_DIM, /* ABS_GRAD n */
    GM_PARAM_DIM, /* EXP n */
    GM_PARAM_DIM, /* LOG n */
    GM_PARAM_DIM, /* SQRT n */
    GM_PARAM_DIM, /* CLAMP n */
    GM_PARAM_F32, /* CLAMP low */
    GM_PARAM_F32, /* CLAMP high */
    GM_PARAM_DIM, /* CLAMP_GRAD n */
    GM_PARAM_F32, /* CLAMP_GRAD low */
    GM_PARAM_F32, /* CLAMP_GRAD high */
    GM_PARAM_DIM, /* ELU n */
    GM_PARAM_F32, /* ELU scale */
    GM_PARAM_F32, /* ELU alpha */
    GM_PARAM_F32, /* ELU rate */
    GM_PARAM_DIM, /* ELU_GRAD n */
    GM_PARAM_F32, /* ELU_GRAD scale */
    GM_PARAM_F32, /* ELU_GRAD alpha */
    GM_PARAM_F32, /* ELU_GRAD rate */
    GM_PARAM_DIM, /* HARD_SIGMOID n */
    GM_PARAM_F32, /* HARD_SIGMOID alpha */
    GM_PARAM_F32, /* HARD_SIGMOID beta */
    GM_PARAM_DIM, /* HARD_SIGMOID_GRAD n */
    GM_PARAM_F32, /* HARD_SIGMOID_GRAD alpha */
    GM_PARAM_DIM, /* HARD_SWISH n */
    GM_PARAM_DIM, /* HARD_SWISH_GRAD n */
    GM_PARAM_DIM, /* SOFTPLUS n */
    GM_PARAM_DIM, /* SOFTPLUS_GRAD n */
    GM_PARAM_DIM, /* SOFTSIGN n */
    GM_PARAM_DIM, /* SOFTSIGN_GRAD n */
    GM_PARAM_DIM, /* MISH n */
    GM_PARAM_DIM, /* MISH_GRAD n */
    GM_PARAM_DIM, /* SWISH n */
    GM_PARAM_F32, /* SWISH alpha */
    GM_PARAM_DIM, /* SWISH_GRAD n */
    GM_PARAM_F32, /* SWISH_GRAD alpha */
    GM_PARAM_DIM, /* GATHER outer */
    GM_PARAM_DIM, /* GATHER size */
    GM_PARAM_DIM, /* GATHER count */
    GM_PARAM_DIM, /* GATHER inner */
    GM_PARAM_DIM, /* SCATTER_ADD outer */
    GM_PARAM_DIM, /* SCATTER_ADD size */
    GM_PARAM_DIM, /* SCATTER_ADD count */
    GM_PARAM_DIM, /* SCATTER_ADD inner */
    GM_PARAM_DIM, /* WEIGHTED_GATHER outer */
    GM_PARAM_DIM, /* WEIGHTED_GATHER size */
    GM_PARAM_DIM, /* WEIGHTED_GATHER count */
    GM_PARAM_DIM, /* WEIGHTED_GATHER taps */
    GM_PARAM_DIM, /* WEIGHTED_GATHER inner */
    GM_PARAM_DIM, /* WEIGHTED_SCATTER_ADD outer */
    GM_PARAM_DIM, /* WEIGHTED_SCATTER_ADD size */
    GM_PARAM_DIM, /* WEIGHTED_SCATTER_ADD count */
    GM_PARAM_DIM, /* WEIGHTED_SCATTER_ADD taps */
    GM_PARAM_DIM, /* WEIGHTED_SCATTER_ADD inner */
    GM_PARAM_DIM, /* CUMSUM outer */
    GM_PARAM_DIM, /* CUMSUM size */
    GM_PARAM_DIM, /* CUMSUM inner */
    GM_PARAM_FLAG, /* CUMSUM exclusive */
    GM_PARAM_FLAG, /* CUMSUM reverse */
    GM_PARAM_DIM, /* REDUCE_MAX k0 */
    GM_PARAM_DIM, /* REDUCE_MAX k1 */
    GM_PARAM_DIM, /* REDUCE_MAX k2 */
    GM_PARAM_DIM, /* REDUCE_MAX k3 */
    GM_PARAM_STRIDE, /* REDUCE_MAX ks0 */
    GM_PARAM_STRIDE, /* REDUCE_MAX ks1 */
    GM_PARAM_STRIDE, /* REDUCE_MAX ks2 */
    GM_PARAM_STRIDE, /* REDUCE_MAX ks3 */
    GM_PARAM_DIM, /* REDUCE_MAX r0 */
    GM_PARAM_DIM, /* REDUCE_MAX r1 */
    GM_PARAM_DIM, /* REDUCE_MAX r2 */
    GM_PARAM_DIM, /* REDUCE_MAX r3 */
    GM_PARAM_STRIDE, /* REDUCE_MAX rs0 */
    GM_PARAM_STRIDE, /* REDUCE_MAX rs1 */
    GM_PARAM_STRIDE, /* REDUCE_MAX rs2 */
    GM_PARAM_STRIDE, /* REDUCE_MAX rs3 */
    GM_PARAM_DIM, /* REDUCE_MIN k0 */
    GM_PARAM_DIM, /* REDUCE_MIN k1 */
    GM_PARAM_DIM, /* REDUCE_MIN k2 */
    GM_PARAM_DIM, /* REDUCE_MIN k3 */
    GM_PARAM_STRIDE, /* REDUCE_MIN ks0 */
    GM_PARAM_STRIDE, /* REDUCE_MIN ks1 */
    GM_PARAM_STRIDE, /* REDUCE_MIN ks2 */
    GM_PARAM_STRIDE, /* REDUCE_MIN ks3 */
    GM_PARAM_DIM, /* REDUCE_MIN r0 */
    GM_PARAM_DIM, /* REDUCE_MIN r1 */
    GM_PARAM_DIM, /* REDUCE_MIN r2 */
    GM_PARAM_DIM, /* REDUCE_MIN r3 */
    GM_PARAM_STRIDE, /* REDUCE_MIN rs0 */
    GM_PARAM_STRIDE, /* REDUCE_MIN rs1 */
    GM_PARAM_STRIDE, /* REDUCE_MIN rs2 */
    GM_PARAM_STRIDE, /* REDUCE_MIN rs3 */
    GM_PARAM_DIM, /* REDUCE_EXTREMUM_GRAD k0 */
    GM_PARAM_DIM, /* REDUCE_EXTREMUM_GRAD k1 */
    GM_PARAM_DIM, /* REDUCE_EXTREMUM_GRAD k2 */
    GM_PARAM_DIM, /* REDUCE_EXTREMUM_GRAD k3 */
    GM_PARAM_STRIDE, /* REDUCE_EXTREMUM_GRAD ks0 */
    GM_PARAM_STRIDE, /* REDUCE_EXTREMUM_GRAD ks1 */
    GM_PARAM_STRIDE, /* REDUCE_EXTREMUM_GRAD ks2 */
    GM_PARAM_STRIDE, /* REDUCE_EXTREMUM_GRAD ks3 */
    GM_PARAM_DIM, /* REDUCE_EXTREMUM_GRAD r0 */
    GM_PARAM_DIM, /* REDUCE_EXTREMUM_GRAD r1 */
    GM_PARAM_DIM, /* REDUCE_EXTREMUM_GRAD r2 */
    GM_PARAM_DIM, /* REDUCE_EXTREMUM_GRAD r3 */
    GM_PARAM_STRIDE, /* REDUCE_EXTREMUM_GRAD rs0 */
    GM_PARAM_STRIDE, /* REDUCE_EXTREMUM_GRAD rs1 */
    GM_PARAM_STRIDE, /* REDUCE_EXTREMUM_GRAD rs2 */
    GM_PARAM_STRIDE, /* REDUCE_EXTREMUM_GRAD rs3 */
    GM_PARAM_DIM, /* CONV batch */
    GM_PARAM_DIM, /* CONV groups */
    GM_PARAM_DIM, /* CONV channels */
    GM_PARAM_DIM, /* CONV maps */
    GM_PARAM_DIM, /* CONV in_h */
    GM_PARAM_DIM, /* CONV in_w */
    GM_PARAM_DIM, /* CONV out_h */
    GM_PARAM_DIM, /* CONV out_w */
    GM_PARAM_DIM, /* CONV kernel_h */
    GM_PARAM_DIM, /* CONV kernel_w */
    GM_PARAM_DIM, /* CONV stride_h */
    GM_PARAM_DIM, /* CONV stride_w */
    GM_PARAM_DIM, /* CONV dilation_h */
    GM_PARAM_DIM, /* CONV dilation_w */
    GM_PARAM_STRIDE, /* CONV pad_h */
    GM_PARAM_STRIDE, /* CONV pad_w */
    GM_PARAM_STRIDE, /* CONV x_batch */
    GM_PARAM_STRIDE, /* CONV x_h */
    GM_PARAM_STRIDE, /* CONV x_w */
    GM_PARAM_STRIDE, /* CONV x_group */
    GM_PARAM_STRIDE, /* CONV x_channel */
    GM_PARAM_STRIDE, /* CONV w_group */
    GM_PARAM_STRIDE, /* CONV w_map */
    GM_PARAM_STRIDE, /* CONV w_channel */
    GM_PARAM_STRIDE, /* CONV w_h */
    GM_PARAM_STRIDE, /* CONV w_w */
    GM_PARAM_STRIDE, /* CONV y_batch */
    GM_PARAM_STRIDE, /* CONV y_h */
    GM_PARAM_STRIDE, /* CONV y_w */
    GM_PARAM_STRIDE, /* CONV y_group */
    GM_PARAM_STRIDE, /* CONV y_map */
    GM_PARAM_ENUM + 2, /* CONV activation */
    GM_PARAM_DIM, /* CONV_TRANSPOSE batch */
    GM_PARAM_DIM, /* CONV_TRANSPOSE groups */
    GM_PARAM_DIM, /* CONV_TRANSPOSE channels */
    GM_PARAM_DIM, /* CONV_TRANSPOSE maps */
    GM_PARAM_DIM, /* CONV_TRANSPOSE in_h */
    GM_PARAM_DIM, /* CONV_TRANSPOSE in_w */
    GM_PARAM_DIM, /* CONV_TRANSPOSE out_h */
    GM_PARAM_DIM, /* CONV_TRANSPOSE out_w */
    GM_PARAM_DIM, /* CONV_TRANSPOSE kernel_h */
    GM_PARAM_DIM, /* CONV_TRANSPOSE kernel_w */
    GM_PARAM_DIM, /* CONV_TRANSPOSE stride_h */
    GM_PARAM_DIM, /* CONV_TRANSPOSE stride_w */
    GM_PARAM_DIM, /* CONV_TRANSPOSE dilation_h */
    GM_PARAM_DIM, /* CONV_TRANSPOSE dilation_w */
    GM_PARAM_STRIDE, /* CONV_TRANSPOSE pad_h */
    GM_PARAM_STRIDE, /* CONV_TRANSPOSE pad_w */
    GM_PARAM_STRIDE, /* CONV_TRANSPOSE x_batch */
    GM_PARAM_STRIDE, /* CONV_TRANSPOSE x_h */
    GM_PARAM_STRIDE, /* CONV_TRANSPOSE x_w */
    GM_PARAM_STRIDE, /* CONV_TRANSPOSE x_group */
    GM_PARAM_STRIDE, /* CONV_TRANSPOSE x_channel */
    GM_PARAM_STRIDE, /* CONV_TRANSPOSE w_group */
    GM_PARAM_STRIDE, /* CONV_TRANSPOSE w_map */
    GM_PARAM_STRIDE, /* CONV_TRANSPOSE w_channel */
    GM_PARAM_STRIDE, /* CONV_TRANSPOSE w_h */
    GM_PARAM_STRIDE, /* CONV_TRANSPOSE w_w */
    GM_PARAM_STRIDE, /* CONV_TRANSPOSE y_batch */
    GM_PARAM_STRIDE, /* CONV_TRANSPOSE y_h */
    GM_PARAM_STRIDE, /* CONV_TRANSPOSE y_w */
    GM_PARAM_STRIDE, /* CONV_TRANSPOSE y_group */
    GM_PARAM_STRIDE, /* CONV_TRANSPOSE y_map */
    GM_PARAM_DIM, /* CONV_GRAD_W batch */
    GM_PARAM_DIM, /* CONV_GRAD_W groups */
    GM_PARAM_DIM, /* CONV_GRAD_W channels */
    GM_PARAM_DIM, /* CONV_GRAD_W maps */
    GM_PARAM_DIM, /* CONV_GRAD_W in_h */
    GM_PARAM_DIM, /* CONV_GRAD_W in_w */
    GM_PARAM_DIM, /* CONV_GRAD_W out_h */
    GM_PARAM_DIM, /* CONV_GRAD_W out_w */
    GM_PARAM_DIM, /* CONV_GRAD_W kernel_h */
    GM_PARAM_DIM, /* CONV_GRAD_W kernel_w */
    GM_PARAM_DIM, /* CONV_GRAD_W stride_h */
    GM_PARAM_DIM, /* CONV_GRAD_W stride_w */
    GM_PARAM_DIM, /* CONV_GRAD_W dilation_h */
    GM_PARAM_DIM, /* CONV_GRAD_W dilation_w */
    GM_PARAM_STRIDE, /* CONV_GRAD_W pad_h */
    GM_PARAM_STRIDE, /* CONV_GRAD_W pad_w */
    GM_PARAM_STRIDE, /* CONV_GRAD_W x_batch */
    GM_PARAM_STRIDE, /* CONV_GRAD_W x_h */
    GM_PARAM_STRIDE, /* CONV_GRAD_W x_w */
    GM_PARAM_STRIDE, /* CONV_GRAD_W x_group */
    GM_PARAM_STRIDE, /* CONV_GRAD_W x_channel */
    GM_PARAM_STRIDE, /* CONV_GRAD_W y_batch */
    GM_PARAM_STRIDE, /* CONV_GRAD_W y_h */
    GM_PARAM_STRIDE, /* CONV_GRAD_W y_w */
    GM_PARAM_STRIDE, /* CONV_GRAD_W y_group */
    GM_PARAM_STRIDE, /* CONV_GRAD_W y_map */
    GM_PARAM_FLAG, /* CONV_GRAD_W accumulate */
    GM_PARAM_DIM, /* CONV_UPDATE batch */
    GM_PARAM_DIM, /* CONV_UPDATE groups */
    GM_PARAM_DIM, /* CONV_UPDATE channels */
    GM_PARAM_DIM, /* CONV_UPDATE maps */
    GM_PARAM_DIM, /* CONV_UPDATE in_h */
    GM_PARAM_DIM, /* CONV_UPDATE in_w */
    GM_PARAM_DIM, /* CONV_UPDATE out_h */
    GM_PARAM_DIM, /* CONV_UPDATE out_w */
    GM_PARAM_DIM, /* CONV_UPDATE kernel_h */
    GM_PARAM_DIM, /* CONV_UPDATE kernel_w */
    GM_PARAM_DIM, /* CONV_UPDATE stride_h */
    GM_PARAM_DIM, /* CONV_UPDATE stride_w */
    GM_PARAM_DIM, /* CONV_UPDATE dilation_h */
    GM_PARAM_DIM, /* CONV_UPDATE dilation_w */
    GM_PARAM_STRIDE, /* CONV_UPDATE pad_h */
    GM_PARAM_STRIDE, /* CONV_UPDATE pad_w */
    GM_PARAM_STRIDE, /* CONV_UPDATE x_batch */
    GM_PARAM_STRIDE, /* CONV_UPDATE x_h */
    GM_PARAM_STRIDE, /* CONV_UPDATE x_w */
    GM_PARAM_STRIDE, /* CONV_UPDATE x_group */
    GM_PARAM_STRIDE, /* CONV_UPDATE x_channel */
    GM_PARAM_STRIDE, /* CONV_UPDATE y_batch */
    GM_PARAM_STRIDE, /* CONV_UPDATE y_h */
    GM_PARAM_STRIDE, /* CONV_UPDATE y_w */
    GM_PARAM_STRIDE, /* CONV_UPDATE y_group */
    GM_PARAM_STRIDE, /* CONV_UPDATE y_map */
    GM_PARAM_DIM, /* MAX_POOL batch */
    GM_PARAM_DIM, /* MAX_POOL channels */
    GM_PARAM_DIM, /* MAX_POOL in_h */
    GM_PARAM_DIM, /* MAX_POOL in_w */
    GM_PARAM_DIM, /* MAX_POOL out_h */
    GM_PARAM_DIM, /* MAX_POOL out_w */
    GM_PARAM_DIM, /* MAX_POOL kernel_h */
    GM_PARAM_DIM, /* MAX_POOL kernel_w */
    GM_PARAM_DIM, /* MAX_POOL stride_h */
    GM_PARAM_DIM, /* MAX_POOL stride_w */
    GM_PARAM_DIM, /* MAX_POOL dilation_h */
    GM_PARAM_DIM, /* MAX_POOL dilation_w */
    GM_PARAM_STRIDE, /* MAX_POOL pad_h */
    GM_PARAM_STRIDE, /* MAX_POOL pad_w */
    GM_PARAM_STRIDE, /* MAX_POOL x_batch */
    GM_PARAM_STRIDE, /* MAX_POOL x_h */
    GM_PARAM_STRIDE, /* MAX_POOL x_w */
    GM_PARAM_STRIDE, /* MAX_POOL x_channel */
    GM_PARAM_STRIDE, /* MAX_POOL y_batch */
    GM_PARAM_STRIDE, /* MAX_POOL y_h */
    GM_PARAM_STRIDE, /* MAX_POOL y_w */
    GM_PARAM_STRIDE, /* MAX_POOL y_channel */
    GM_PARAM_DIM, /* MAX_POOL_GRAD batch */
    GM_PARAM_DIM, /* MAX_POOL_GRAD channels */
    GM_PARAM_DIM, /* MAX_POOL_GRAD in_h */
    GM_PARAM_DIM, /* MAX_POOL_GRAD in_w */
    GM_PARAM_DIM, /* MAX_POOL_GRAD out_h */
    GM_PARAM_DIM, /* MAX_POOL_GRAD out_w */
    GM_PARAM_DIM, /* MAX_POOL_GRAD kernel_h */
    GM_PARAM_DIM, /* MAX_POOL_GRAD kernel_w */
    GM_PARAM_DIM, /* MAX_POOL_GRAD stride_h */
    GM_PARAM_DIM, /* MAX_POOL_GRAD stride_w */
    GM_PARAM_DIM, /* MAX_POOL_GRAD dilation_h */
    GM_PARAM_DIM, /* MAX_POOL_GRAD dilation_w */
    GM_PARAM_STRIDE, /* MAX_POOL_GRAD pad_h */
    GM_PARAM_STRIDE, /* MAX_POOL_GRAD pad_w */
    GM_PARAM_STRIDE, /* MAX_POOL_GRAD x_batch */
    GM_PARAM_STRIDE, /* MAX_POOL_GRAD x_h */
    GM_PARAM_STRIDE, /* MAX_POOL_GRAD x_w */
    GM_PARAM_STRIDE, /* MAX_POOL_GRAD x_channel */
    GM_PARAM_STRIDE, /* MAX_POOL_GRAD y_batch */
    GM_PARAM_STRIDE, /* MAX_POOL_GRAD y_h */
    GM_PARAM_STRIDE, /* MAX_POOL_GRAD y_w */
    GM_PARAM_STRIDE, /* MAX_POOL_GRAD y_channel */
    GM_PARAM_DIM, /* AVERAGE_POOL batch */
    GM_PARAM_DIM, /* AVERAGE_POOL channels */
    GM_PARAM_DIM, /* AVERAGE_POOL in_h */
    GM_PARAM_DIM, /* AVERAGE_POOL in_w */
    GM_PARAM_DIM, /* AVERAGE_POOL out_h */
    GM_PARAM_DIM, /* AVERAGE_POOL out_w */
    GM_PARAM_DIM, /* AVERAGE_POOL kernel_h */
    GM_PARAM_DIM, /* AVERAGE_POOL kernel_w */
    GM_PARAM_DIM, /* AVERAGE_POOL stride_h */
    GM_PARAM_DIM, /* AVERAGE_POOL stride_w */
    GM_PARAM_DIM, /* AVERAGE_POOL dilation_h */
    GM_PARAM_DIM, /* AVERAGE_POOL dilation_w */
    GM_PARAM_STRIDE, /* AVERAGE_POOL pad_h */
    GM_PARAM_STRIDE, /* AVERAGE_POOL pad_w */
    GM_PARAM_STRIDE, /* AVERAGE_POOL x_batch */
    GM_PARAM_STRIDE, /* AVERAGE_POOL x_h */
    GM_PARAM_STRIDE, /* AVERAGE_POOL x_w */
    GM_PARAM_STRIDE, /* AVERAGE_POOL x_channel */
    GM_PARAM_STRIDE, /* AVERAGE_POOL y_batch */
    GM_PARAM_STRIDE, /* AVERAGE_POOL y_h */
    GM_PARAM_STRIDE, /* AVERAGE_POOL y_w */
    GM_PARAM_STRIDE, /* AVERAGE_POOL y_channel */
    GM_PARAM_FLAG, /* AVERAGE_POOL count_pad */
    GM_PARAM_DIM, /* AVERAGE_POOL padded_h */
    GM_PARAM_DIM, /* AVERAGE_POOL padded_w */
    GM_PARAM_DIM, /* AVERAGE_POOL_GRAD batch */
    GM_PARAM_DIM, /* AVERAGE_POOL_GRAD channels */
    GM_PARAM_DIM, /* AVERAGE_POOL_GRAD in_h */
    GM_PARAM_DIM, /* AVERAGE_POOL_GRAD in_w */
    GM_PARAM_DIM, /* AVERAGE_POOL_GRAD out_h */
    GM_PARAM_DIM, /* AVERAGE_POOL_GRAD out_w */
    GM_PARAM_DIM, /* AVERAGE_POOL_GRAD kernel_h */
    GM_PARAM_DIM, /* AVERAGE_POOL_GRAD kernel_w */
    GM_PARAM_DIM, /* AVERAGE_POOL_GRAD stride_h */
    GM_PARAM_DIM, /* AVERAGE_POOL_GRAD stride_w */
    GM_PARAM_DIM, /* AVERAGE_POOL_GRAD dilation_h */
    GM_PARAM_DIM, /* AVERAGE_POOL_GRAD dilation_w */
    GM_PARAM_STRIDE, /* AVERAGE_POOL_GRAD pad_h */
    GM_PARAM_STRIDE, /* AVERAGE_POOL_GRAD pad_w */
    GM_PARAM_STRIDE, /* AVERAGE_POOL_GRAD x_batch */
    GM_PARAM_STRIDE, /* AVERAGE_POOL_GRAD x_h */
    GM_PARAM_STRIDE, /* AVERAGE_POOL_GRAD x_w */
    GM_PARAM_STRIDE, /* AVERAGE_POOL_GRAD x_channel */
    GM_PARAM_STRIDE, /* AVERAGE_POOL_GRAD y_batch */
    GM_PARAM_STRIDE, /* AVERAGE_POOL_GRAD y_h */
    GM_PARAM_STRIDE, /* AVERAGE_POOL_GRAD y_w */
    GM_PARAM_STRIDE, /* AVERAGE_POOL_GRAD y_channel */
    GM_PARAM_FLAG, /* AVERAGE_POOL_GRAD count_pad */
    GM_PARAM_DIM, /* AVERAGE_POOL_GRAD padded_h */
    GM_PARAM_DIM, /* AVERAGE_POOL_GRAD padded_w */
};

const uint8_t gm_terms[] = {
    5, 9, 6, 10, 8, 11, 5, 12, 8, 13, 7, 14, 7, 5, 6, 7,
    5, 6, 7, 8, 10, 13, 12, 14, 12, 15, 11, 16, 11, 10, 11, 10,
    11, 10, 11, 130, 129, 129, 10, 11, 12, 9, 9, 9, 9, 130, 129, 129,
    129, 9, 130, 129, 3, 129, 3, 129, 129, 129, 129, 2, 2, 3, 9, 4,
    10, 5, 11, 6, 12, 7, 13, 8, 14, 3, 15, 4, 16, 5, 17, 6,
    18, 7, 19, 8, 20, 3, 4, 5, 6, 7, 8, 3, 7, 4, 8, 5,
    9, 6, 10, 11, 15, 12, 16, 13, 17, 14, 18, 3, 4, 5, 6, 3,
    4, 5, 6, 11, 12, 13, 14, 4, 8, 5, 9, 6, 10, 7, 11, 4,
    12, 5, 13, 6, 14, 7, 15, 4, 5, 6, 7, 4, 5, 6, 7, 4,
    8, 5, 9, 6, 10, 7, 11, 4, 12, 5, 13, 6, 14, 7, 15, 4,
    5, 6, 7, 4, 5, 6, 7, 4, 8, 5, 9, 6, 10, 7, 11, 4,
    12, 5, 13, 6, 14, 7, 15, 4, 5, 6, 7, 4, 5, 6, 7, 4,
    8, 5, 9, 6, 10, 7, 11, 4, 12, 5, 13, 6, 14, 7, 15, 4,
    5, 6, 7, 4, 5, 6, 7, 3, 3, 3, 4, 4, 4, 4, 3, 3,
    3, 4, 4, 4, 4, 3, 3, 3, 4, 4, 4, 4, 3, 3, 3, 4,
    4, 4, 4, 3, 4, 5, 3, 4, 5, 3, 4, 5, 4, 5, 6, 4,
    5, 6, 4, 5, 6, 4, 5, 6, 3, 4, 5, 3, 4, 5, 3, 4,
    5, 4, 5, 6, 4, 5, 6, 4, 5, 6, 4, 5, 6, 4, 130, 4,
    4, 6, 7, 8, 6, 8, 7, 6, 7, 8, 6, 9, 8, 10, 6, 7,
    8, 6, 9, 8, 10, 6, 7, 8, 6, 8, 7, 6, 7, 8, 6, 7,
    8, 4, 4, 4, 5, 4, 5, 6, 5, 5, 5, 5, 4, 4, 4, 5,
    4, 5, 6, 5, 5, 5, 5, 5, 6, 5, 6, 6, 7, 5, 8, 6,
    9, 5, 6, 6, 9, 7, 10, 6, 7, 6, 7, 7, 8, 6, 7, 6,
    7, 3, 3, 3, 4, 4, 4, 4, 3, 3, 3, 3, 3, 3, 3, 3,
    3, 3, 3, 3, 4, 4, 4, 4, 3, 3, 3, 4, 4, 4, 4, 3,
    3, 3, 4, 4, 4, 4, 3, 3, 3, 4, 4, 4, 4, 3, 3, 3,
    4, 4, 4, 4, 3, 3, 3, 4, 4, 4, 4, 3, 3, 3, 4, 4,
    4, 4, 3, 3, 3, 4, 4, 4, 4, 4, 5, 7, 6, 4, 6, 7,
    4, 6, 7, 4, 6, 7, 6, 4, 5, 7, 4, 6, 7, 5, 6, 9,
    7, 8, 7, 8, 5, 7, 9, 5, 7, 8, 9, 5, 7, 9, 7, 8,
    7, 8, 5, 6, 9, 5, 7, 8, 9, 3, 4, 5, 3, 4, 5, 3,
    4, 5, 3, 7, 4, 8, 5, 9, 6, 10, 11, 15, 12, 16, 13, 17,
    14, 18, 3, 4, 5, 6, 3, 4, 5, 6, 11, 12, 13, 14, 3, 7,
    4, 8, 5, 9, 6, 10, 11, 15, 12, 16, 13, 17, 14, 18, 3, 4,
    5, 6, 3, 4, 5, 6, 11, 12, 13, 14, 5, 6, 7, 8, 5, 6,
    7, 8, 5, 9, 6, 10, 7, 11, 8, 12, 13, 17, 14, 18, 15, 19,
    16, 20, 5, 9, 6, 10, 7, 11, 8, 12, 13, 17, 14, 18, 15, 19,
    16, 20, 5, 6, 7, 8, 13, 14, 15, 16, 5, 21, 9, 22, 10, 23,
    6, 24, 7, 25, 6, 26, 8, 27, 7, 28, 13, 29, 14, 30, 6, 8,
    5, 31, 11, 32, 12, 33, 6, 34, 8, 35, 5, 6, 7, 8, 11, 12,
    13, 14, 5, 31, 11, 32, 12, 33, 6, 34, 8, 35, 6, 26, 8, 27,
    7, 28, 13, 29, 14, 30, 6, 7, 5, 21, 9, 22, 10, 23, 6, 24,
    7, 25, 5, 6, 7, 8, 9, 10, 13, 14, 4, 20, 8, 21, 9, 22,
    5, 23, 6, 24, 4, 25, 10, 26, 11, 27, 5, 28, 7, 29, 5, 7,
    6, 12, 13, 4, 5, 6, 7, 10, 11, 12, 13, 10, 26, 14, 27, 15,
    28, 11, 29, 12, 30, 10, 31, 16, 32, 17, 33, 11, 34, 13, 35, 12,
    18, 19, 11, 13, 12, 18, 19, 11, 13, 12, 18, 19, 11, 13, 12, 18,
    19, 130, 129, 129, 10, 11, 12, 13, 16, 17, 18, 19, 3, 17, 5, 18,
    6, 19, 4, 20, 3, 21, 7, 22, 8, 23, 4, 24, 3, 4, 7, 8,
    9, 10, 4, 18, 6, 19, 7, 20, 5, 21, 4, 22, 8, 23, 9, 24,
    5, 25, 4, 18, 6, 19, 7, 20, 5, 21, 4, 5, 6, 7, 10, 11,
    10, 11, 3, 17, 5, 18, 6, 19, 4, 20, 3, 21, 7, 22, 8, 23,
    4, 24, 3, 4, 7, 8, 9, 10, 3, 21, 7, 22, 8, 23, 4, 24,
    3, 17, 5, 18, 6, 19, 4, 20, 3, 4, 5, 6, 9, 10, 9, 10,
};
