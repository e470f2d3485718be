/*
 * CONV_UPDATE_S16: for each output channel in turn: row = the gradient that CONV_GRAD_W_S16
 *   computes for w[g,m]; then rule updates p[g,m] with it as UPDATE_S8 does, or with p_bytes 2
 *   as UPDATE_S16 does.
 */
#include "../generated/instructions/conv_update_s16.h"
#include "arch/arm_m/conv_grad_s16.h"
#include "arch/simd/s8.h"
#include "conv_gradient_s16.h"
#include "optimizers/stored_update.h"

#if GM_WITH_CONV_UPDATE_S16

int gm_kernel_conv_update_s16(const struct gm_session *session, const void *instruction)
{
    const gm_insn_conv_update_s16 *insn = instruction;
    const gm_stored_update update = GM_STORED_UPDATE(session, insn, insn->p_bytes == 2 ? 2u : 1u);
#if GM_ARCH_CONV_UPDATE_S16
    if (gm_arm_conv_update_s16(session, insn, &update)) {
        return GM_OK;
    }
#endif
    const gm_conv_gradient_s8 g = GM_CONV_GRADIENT_S8(insn);
    const int8_t *x = gm_i8(session, insn->x);
    const int16_t *dy = gm_i16(session, insn->dy);
    const float *factor = gm_f32(session, insn->factor), *unit = gm_f32(session, insn->units);
    float dy_unit = gm_power_of_two(gm_exponent_of(session, insn->dy_exponent).exponent);
    float *row = gm_f32_out(session, insn->row);
#if GM_ARCH_SIMD_S8
    gm_simd_gradient all = GM_SIMD_GRADIENT(session, insn);
    all.update = &update, all.units = unit;
    if (gm_simd_conv_gradient_s16(&all)) {
        return GM_OK;
    }
#endif
    uint32_t size = insn->in_channels * insn->kernel_h * insn->kernel_w, first = 0;
    for (uint32_t group = 0; group < insn->groups; group++) {
        for (uint32_t m = 0; m < insn->out_channels; m++, first += size) {
            const int16_t *dy_at = dy + group * insn->y_group + m * insn->y_channel;
            gm_conv_gradient_row_s16(&g, x + group * insn->x_group, dy_at, dy_unit, *factor++, 0, row);
            gm_update_stored(&update, row, 1.0f, *unit++, first, size);
        }
    }
    return GM_OK;
}

#endif
