/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_ATTENTION_GRAD_H
#define GM_INSTRUCTIONS_ATTENTION_GRAD_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* the gradients of ATTENTION: dv = p^T dy, ds = scale (p (dp - sum over n of dp p)) with dp = dy v^T, dq = ds k, dk = ds^T q, also by columns; with fill, fill[1] replaces ds if attn_mask is not 0, before scale; p is computed again */
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

int gm_kernel_attention_grad(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_ATTENTION_GRAD
#define GM_WITH_ATTENTION_GRAD (!GM_ONLY_SELECTED && GM_WITH_FUSED_ATTENTION)
#endif

#endif
