/* Whether all of many values are small, with vectors: a quick answer for
 * CHECK_FINITE and CHECK_BOUND. */
#include "../../../generated/instructions/check_bound.h"
#include "../../../generated/instructions/check_finite.h"
#include "simd.h"
#include "vector.h"

#if GM_ARCH_SIMD && (GM_WITH_CHECK_FINITE || GM_WITH_CHECK_BOUND || GM_TRAINING)

#define SQUARE_SUMS 4u

/* How many leading values are known to have a square below `square`, because the sum of all these
 * squares is below it. A NaN among them makes the sum NaN. */
static GM_SIMD_TARGET uint32_t count_below(const float *x, uint32_t n, float square)
{
    gm_vec zero = gm_vec_splat(0.0f), sums[SQUARE_SUMS] = {zero, zero, zero, zero};
    float lanes[GM_LANES], sum = 0.0f;
    uint32_t done = 0;
    for (; n - done >= SQUARE_SUMS * GM_LANES; done += SQUARE_SUMS * GM_LANES) {
        GM_UNROLL
        for (uint32_t i = 0; i < SQUARE_SUMS; i++) {
            gm_vec v = gm_vec_load(x + done + i * GM_LANES);
            sums[i] = gm_vec_mac(sums[i], v, v);
        }
    }
    gm_vec_store(lanes, gm_vec_add(gm_vec_add(sums[0], sums[1]), gm_vec_add(sums[2], sums[3])));
    for (uint32_t i = 0; i < GM_LANES; i++) {
        sum += lanes[i];
    }
    return sum < square ? done : 0;
}

uint32_t gm_simd_count_below(const float *x, uint32_t n, float square)
{
    return gm_simd_runs() ? count_below(x, n, square) : 0;
}

#endif
