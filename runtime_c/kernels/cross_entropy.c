/* The first step of all cross-entropy kernels: checks that the labels are classes, and
 * sums their weights. */
#include "../generated/instructions/softmax_cross_entropy.h"
#include "../generated/instructions/softmax_cross_entropy_grad.h"
#include "../generated/instructions/softmax_cross_entropy_plain.h"
#include "../generated/instructions/softmax_cross_entropy_with_grad.h"
#include "cross_entropy.h"

#if GM_WITH_SOFTMAX_CROSS_ENTROPY || GM_WITH_SOFTMAX_CROSS_ENTROPY_GRAD || GM_WITH_SOFTMAX_CROSS_ENTROPY_WITH_GRAD || \
    GM_WITH_SOFTMAX_CROSS_ENTROPY_PLAIN

int gm_open_labels(const gm_session *session, const uint32_t *operands, const void *params, gm_labels *out)
{
    const gm_cross_entropy_params *p = params;
    *out = (gm_labels){p, gm_i32(session, operands[0]), gm_f32_optional(session, operands[1]),
                       gm_f32_optional(session, operands[2]), 0.0f};
    for (uint32_t i = 0; i < p->outer * p->inner; i++) {
        int32_t label = out->label[i];
        if (label != p->ignore_index && (label < 0 || (uint32_t)label >= p->classes)) {
            return GM_ERR_LABEL_OUT_OF_RANGE;
        }
        out->total_weight += gm_at_or_one(out->mask, i) * gm_label_weight(out, label);
    }
    return GM_OK;
}

#endif
