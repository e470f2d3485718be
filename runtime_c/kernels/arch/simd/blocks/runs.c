/* Whether this x86-64 processor supports the vector kernels. Only builds with GM_ASK_CPU have this
 * file's code, and with it the runtime's two variables. */
#include "../simd.h"
#include "../width.h"

#if GM_ARCH_SIMD && defined(__x86_64__) && defined(GM_ASK_CPU)

#include "../../../../src/x86.h"

static gm_simd_width width_of_processor(void)
{
    if (!gm_x86_has_avx2() || (GM_FUSED && !gm_x86_has_fma())) {
        return GM_SIMD_NONE;
    }
    return GM_ARCH_AVX512 && gm_x86_has_fma() && gm_x86_has_avx512() ? GM_SIMD_512 : GM_SIMD_256;
}

/* Asks the processor once, since virtual machines take microseconds to answer. Threads that ask at
 * the same time write the same answer. limit: if not NULL, sets the limit. */
static gm_simd_width width(const gm_simd_width *limit)
{
    static uint8_t known, most = GM_SIMD_512; /* known: 0 until the processor was asked, then 1 + its width */
    uint8_t answer = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (answer == 0) {
        answer = (uint8_t)(1 + width_of_processor());
        __atomic_store_n(&known, answer, __ATOMIC_RELAXED);
    }
    if (limit != NULL) {
        __atomic_store_n(&most, (uint8_t)*limit, __ATOMIC_RELAXED);
    }
    uint8_t allowed = __atomic_load_n(&most, __ATOMIC_RELAXED), own = (uint8_t)(answer - 1);
    return (gm_simd_width)(own < allowed ? own : allowed);
}

int gm_simd_runs(void)
{
    return width(NULL) >= GM_SIMD_256;
}

int gm_simd_runs_512(void)
{
    return width(NULL) >= GM_SIMD_512;
}

gm_simd_width gm_simd_limit(gm_simd_width widest)
{
    return width(&widest);
}

#endif
