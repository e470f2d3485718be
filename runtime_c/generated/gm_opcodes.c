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
    7,
};
