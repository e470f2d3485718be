/* RANDOM_UNIFORM: y[i] = low + range u, u = random(seed, step, stream, i) / 2^32 cut to 24 bits. */
#include "../generated/instructions/random_uniform.h"
#include "../src/numerics.h"
#include "../src/gm_internal.h"
#include "../src/random.h"

#if GM_WITH_RANDOM_UNIFORM

int gm_kernel_random_uniform(const struct gm_session *session, const void *instruction)
{
    const gm_insn_random_uniform *insn = instruction;
    const uint32_t *counter = gm_u32(session, insn->counter); /* step, seed */
    float *y = gm_f32_out(session, insn->y);
    gm_random random = gm_random_of(counter[1], counter[0], insn->stream);
    for (uint32_t i = 0; i < insn->n; i++) {
        float unit = (float)(gm_random_at(random, i) >> 8) * 0x1p-24f;
        y[i] = GM_MAC(insn->low, insn->range, unit);
    }
    return GM_OK;
}

#endif
