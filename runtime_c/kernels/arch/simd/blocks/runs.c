/* Whether this x86-64 processor has the instructions of the kernels beside. Only builds with
 * GM_ASK_CPU have this file's code, and with it the runtime's one variable. */
#include "../simd.h"

#if GM_ARCH_SIMD && defined(__x86_64__) && defined(GM_ASK_CPU)

#include "../../../../src/x86.h"

enum { UNKNOWN, NO, YES };

/* Asks the processor once, since virtual machines take microseconds to answer. Threads that ask at
 * the same time write the same answer. */
int gm_simd_runs(void)
{
    static uint8_t known = UNKNOWN;
    uint8_t answer = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (answer == UNKNOWN) {
        answer = gm_x86_has_avx2() && (!GM_FUSED || gm_x86_has_fma()) ? YES : NO;
        __atomic_store_n(&known, answer, __ATOMIC_RELAXED);
    }
    return answer == YES;
}

#endif
