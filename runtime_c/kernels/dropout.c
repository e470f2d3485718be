#include "../src/gm_internal.h"

#if GM_WITH_DROPOUT

/* A bijection of 32-bit words in which each input bit flips each output bit with a probability of almost 1/2:
 * "lowbias32" of C. Wellons' hash-prospector, exact bias 0.174. */
static uint32_t mix(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return x;
}

/* Keeps element i where random(i) = mix(mix(step_key + i) ^ stream_key) >= threshold. It depends on seed, step,
 * stream and i alone, so the backward pass draws the same mask again. */
int gm_kernel_dropout(const struct gm_session *session, const void *instruction)
{
    const gm_insn_dropout *insn = instruction;
    const float *x = gm_f32(session, insn->x);
    const uint32_t *counter = gm_u32(session, insn->counter);
    float *y = gm_f32_out(session, insn->y);
    uint32_t step = counter[0], seed = counter[1];
    uint32_t step_key = mix(mix(seed) + step);
    uint32_t stream_key = mix(step_key ^ mix(insn->stream + 1u));
    for (uint32_t i = 0; i < insn->n; i++) {
        uint32_t random = mix(mix(step_key + i) ^ stream_key);
        y[i] = random < insn->threshold ? 0.0f : insn->scale * x[i];
    }
    return GM_OK;
}

#endif
