/* The counter-based random generator of docs/NUMERICS.md. */
#ifndef GM_RANDOM_H
#define GM_RANDOM_H

#include <stdint.h>

#define GM_MIX_1 0x7feb352du
#define GM_MIX_2 0x846ca68bu

/* Mixes x, a 32-bit word or a vector of them, by a bijection in which each input bit flips each
 * output bit with a probability of almost 1/2: "lowbias32" of C. Wellons' hash-prospector, exact
 * bias 0.174. */
#define GM_MIX(x) ((x) ^= (x) >> 16, (x) *= GM_MIX_1, (x) ^= (x) >> 15, (x) *= GM_MIX_2, (x) ^= (x) >> 16)

static inline uint32_t gm_mix(uint32_t x)
{
    GM_MIX(x);
    return x;
}

/* The random numbers of one seed, step and stream. */
typedef struct gm_random {
    uint32_t step_key;
    uint32_t stream_key;
} gm_random;

static inline gm_random gm_random_of(uint32_t seed, uint32_t step, uint32_t stream)
{
    uint32_t step_key = gm_mix(gm_mix(seed) + step);
    return (gm_random){step_key, gm_mix(step_key ^ gm_mix(stream + 1u))};
}

/* Returns random number i, uniform over 32-bit words. */
static inline uint32_t gm_random_at(gm_random random, uint32_t i)
{
    return gm_mix(gm_mix(random.step_key + i) ^ random.stream_key);
}

/* Returns two 16-bit numbers, number 2 i in the low half and number 2 i + 1 in the high one, for
 * stochastic rounding. One mix is enough, because no two streams share a key. */
static inline uint32_t gm_random_pair(gm_random random, uint32_t i)
{
    return gm_mix(random.stream_key + i);
}

#endif
