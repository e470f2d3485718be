/*
 * CONV_UPDATE_S8: for each output channel in turn: row = the gradient that CONV_GRAD_W_S8
 *   computes for w[g,m]; then rule updates p[g,m] with it as UPDATE_S8 does, or with p_bytes 2
 *   as UPDATE_S16 does.
 */
#include "../generated/instructions/conv_update_s8.h"
#include "conv_gradient_s8.h"
#include "optimizers/stored_update.h"

#if GM_WITH_CONV_UPDATE_S8

int gm_kernel_conv_update_s8(const struct gm_session *session, const void *instruction)
{
    const gm_insn_conv_update_s8 *insn = instruction;
    const gm_conv_gradient_s8 g = GM_CONV_GRADIENT_S8(insn);
    const int8_t *x = gm_i8(session, insn->x);
    const float *dy = gm_f32(session, insn->dy);
    const float *factor = gm_f32(session, insn->factor), *unit = gm_f32(session, insn->units);
    float *row = gm_f32_out(session, insn->row);
    const gm_stored_update update = GM_STORED_UPDATE(session, insn, insn->p_bytes == 2 ? 2u : 1u);
    uint32_t size = insn->in_channels * insn->kernel_h * insn->kernel_w, first = 0;
    for (uint32_t group = 0; group < insn->groups; group++) {
        for (uint32_t m = 0; m < insn->out_channels; m++, first += size) {
            const float *dy_at = dy + group * insn->y_group + m * insn->y_channel;
            gm_conv_gradient_row_s8(&g, x + group * insn->x_group, dy_at, *factor++, 0, row);
            gm_update_stored(&update, row, 1.0f, *unit++, first, size);
        }
    }
    return GM_OK;
}

#endif
