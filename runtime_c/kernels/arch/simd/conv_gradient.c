/* CONV_GRAD_W with vectors: dw[m,c,k,l] (+)= sum over outputs of dy[output,m] x[input under
 * (k,l),c]; and CONV_UPDATE, whose rule consumes each part of these gradients at once. */
#include "../../../generated/instructions/conv_grad_w.h"
#include "../../../generated/instructions/conv_update.h"
#include "blocks/weight_gradient.h"

#if GM_ARCH_TILES && (GM_WITH_CONV_GRAD_W || GM_WITH_CONV_UPDATE)

int gm_conv_gradient_of_neighbours(const gm_conv_gradient *g, const float *x, const float *dy,
                                   const gm_gradient_target *target)
{
    gm_weight_gradient w;
    gm_gradient_destination to = {target->w, target->accumulate != 0, target->update};
    gm_rule_args args;
    w.g = *g;
    if (!gm_weight_gradient_start(&w, target->groups, target->out_channels)) {
        return 0;
    }
    uint32_t size = target->out_channels * g->in_channels * w.taps;
    if (to.update) {
        args = *to.update;
        args.n = size;
        to.update = &args;
    }
    for (uint32_t group = 0; group < (w.grouped ? 1 : target->groups); group++) {
        gm_weight_gradient_of_group(&w, x + (size_t)group * g->x.group, dy + (size_t)group * g->dy.group, &to);
        if (to.update) {
            gm_rule_advance(&args);
        } else {
            to.y += size;
        }
    }
    return 1;
}

#endif
