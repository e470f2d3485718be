/*
 * UPDATE_S8: rule updates p, whose element i represents (p - zero) units of its channel, with
 *   the gradient scale g; the step is rounded up or down at random, by its fraction, and p
 *   stays in low to high.
 * UPDATE_S16: the same with 16 bits: a master copy whose high byte is the weight, so its zero is
 *   256 times the weight's, plus 128.
 * UPDATE_S32: the same with 32 bits, for biases.
 */
#include "../generated/instructions/update_s16.h"
#include "../generated/instructions/update_s32.h"
#include "../generated/instructions/update_s8.h"
#include "optimizers/stored_update.h"

#if GM_WITH_UPDATE_S8 || GM_WITH_UPDATE_S16 || GM_WITH_UPDATE_S32

/* The three instructions share their layout of words. */
static int update_stored(const struct gm_session *session, const void *instruction, uint32_t bytes)
{
    const gm_insn_update_s8 *insn = instruction;
    const float *g = gm_f32(session, insn->g), *units = gm_f32(session, insn->units);
    const float *scale = gm_f32_optional(session, insn->scale);
    const gm_stored_update update = GM_STORED_UPDATE(session, insn, bytes);
    float factor = scale ? scale[0] : 1.0f;
    uint32_t first = 0;
    for (uint32_t o = 0; o < insn->outer; o++) {
        for (uint32_t c = 0; c < insn->channels; c++, first += insn->inner) {
            gm_update_stored(&update, g + first, factor, units[c], first, insn->inner);
        }
    }
    return GM_OK;
}

#endif

#if GM_WITH_UPDATE_S8
int gm_kernel_update_s8(const struct gm_session *session, const void *instruction)
{
    return update_stored(session, instruction, 1);
}
#endif

#if GM_WITH_UPDATE_S16
int gm_kernel_update_s16(const struct gm_session *session, const void *instruction)
{
    return update_stored(session, instruction, 2);
}
#endif

#if GM_WITH_UPDATE_S32
int gm_kernel_update_s32(const struct gm_session *session, const void *instruction)
{
    return update_stored(session, instruction, 4);
}
#endif
