/* CONV_GRAD_W with vectors: dw[m,c,k,l] (+)= sum over outputs of dy[output,m] x[input under
 * (k,l),c]. */
#include "blocks/weight_gradient.h"

#if GM_ARCH_SIMD && GM_WITH_CONV_GRAD_W

int gm_simd_conv_grad_w(const struct gm_session *session, const gm_insn_conv_grad_w *insn)
{
    gm_weight_gradient w = {.g = GM_CONV_GRADIENT(insn)};
    const float *x = gm_f32(session, insn->x), *dy = gm_f32(session, insn->dy);
    gm_gradient_destination to = {.y = gm_f32_out(session, insn->y), .accumulate = insn->accumulate != 0};
    if (!gm_weight_gradient_start(&w, insn->groups, insn->out_channels)) {
        return 0;
    }
    for (uint32_t group = 0; group < (w.grouped ? 1 : insn->groups); group++) {
        gm_weight_gradient_of_group(&w, x + (size_t)group * insn->x_group, dy + (size_t)group * insn->y_group, &to);
        to.y += (size_t)insn->out_channels * w.g.in_channels * w.taps;
    }
    return 1;
}

#endif
