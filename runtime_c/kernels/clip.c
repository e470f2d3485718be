/*
 * SUM_SQUARES: y = sum of x[i]^2 over ascending i; with accumulate, the sum starts from y.
 * CLIP_SCALE: y = scale min(1, max_norm / (scale sqrt(sum_squares) + 1e-6)).
 */
#include "../generated/instructions/clip_scale.h"
#include "../generated/instructions/sum_squares.h"
#include "../src/gm_internal.h"
#include "../src/numerics.h"

/* Clips gradients by their global norm, as torch.nn.utils.clip_grad_norm_ does. The operator Clip
 * is CLAMP, in clamp.c. */

/* Runs once for each gradient. */
#if GM_WITH_SUM_SQUARES
int gm_kernel_sum_squares(const struct gm_session *session, const void *instruction)
{
    const gm_insn_sum_squares *insn = instruction;
    const float *x = gm_f32(session, insn->x);
    float *y = gm_f32_out(session, insn->y);
    float sum = insn->accumulate ? y[0] : 0.0f;
    for (uint32_t i = 0; i < insn->n; i++) {
        sum = GM_MAC(sum, x[i], x[i]);
    }
    y[0] = sum;
    return GM_OK;
}
#endif

/* Updates multiply every gradient by the result. */
#if GM_WITH_CLIP_SCALE
int gm_kernel_clip_scale(const struct gm_session *session, const void *instruction)
{
    const gm_insn_clip_scale *insn = instruction;
    const float *scale = gm_f32_optional(session, insn->scale);
    float s = scale ? scale[0] : 1.0f;
    float norm = s * gm_sqrt(gm_f32(session, insn->sum_squares)[0]);
    float ratio = insn->max_norm / (norm + 1e-6f);
    gm_f32_out(session, insn->y)[0] = s * (ratio > 1.0f ? 1.0f : ratio);
    return GM_OK;
}
#endif
