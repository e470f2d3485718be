#include "simd.h"
#include "vector.h"

#if GM_ARCH_SIMD && GM_WITH_CHECK_FINITE

#define SUMS 4u

/* 0 x is 0 where x is finite, else NaN, which stays in a sum. */
static GM_SIMD_TARGET uint32_t count_finite(const float *x, uint32_t n)
{
    gm_vec zero = gm_vec_splat(0.0f), sums[SUMS] = { zero, zero, zero, zero };
    float lanes[GM_LANES], sum = 0.0f;
    uint32_t done = 0;
    for (; n - done >= SUMS * GM_LANES; done += SUMS * GM_LANES) {
        GM_UNROLL
        for (uint32_t i = 0; i < SUMS; i++) {
            sums[i] = gm_vec_mac(sums[i], gm_vec_load(x + done + i * GM_LANES), zero);
        }
    }
    gm_vec_store(lanes, gm_vec_add(gm_vec_add(sums[0], sums[1]), gm_vec_add(sums[2], sums[3])));
    for (uint32_t i = 0; i < GM_LANES; i++) {
        sum += lanes[i];
    }
    return sum == 0.0f ? done : 0;
}

uint32_t gm_simd_count_finite(const float *x, uint32_t n)
{
    return gm_simd_runs() ? count_finite(x, n) : 0;
}

#endif
