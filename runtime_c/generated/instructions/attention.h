/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_ATTENTION_H
#define GM_INSTRUCTIONS_ATTENTION_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y[i,j,m,c] = sum over n of p[i,j,m,n] v[i,j,n,c], with p = softmax over n of scale (sum over c of q[i,j,m,c] k[i,j,n,c]) + attn_mask[i,j,m,n]; with divides, the sum is divided by scale; with fill, a score is fill[0] if attn_mask is not 0, and nothing is added; `rows` queries at a time */
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

int gm_kernel_attention(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_ATTENTION
#define GM_WITH_ATTENTION (!GM_ONLY_SELECTED && GM_WITH_FUSED_ATTENTION)
#endif

#endif
