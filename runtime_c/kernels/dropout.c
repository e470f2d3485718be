/*
 * DROPOUT: y[i] = random(seed, step, stream, i) < threshold ? 0 : scale x[i]; forward and backward
 *   alike.
 */
#include "../generated/instructions/dropout.h"
#include "../src/gm_internal.h"
#include "../src/random.h"

#if GM_WITH_DROPOUT

/* Keeps element i if random(i) >= threshold. The mask depends on seed, step, stream and i alone, so
 * the backward pass draws the same one. */
int gm_kernel_dropout(const struct gm_session *session, const void *instruction)
{
    const gm_insn_dropout *insn = instruction;
    const float *x = gm_f32(session, insn->x);
    const uint32_t *counter = gm_u32(session, insn->counter); /* step, seed */
    float *y = gm_f32_out(session, insn->y);
    gm_random random = gm_random_of(counter[1], counter[0], insn->stream);
    gm_part range = gm_part_of(session, insn->n);
    for (uint32_t i = range.start; i < range.start + range.length; i++) {
        y[i] = gm_random_at(random, i) < insn->threshold ? 0.0f : insn->scale * x[i];
    }
    return GM_OK;
}

#endif
