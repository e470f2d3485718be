/* The vector width of x86-64, in builds that ask the processor themselves (GM_ASK_CPU). */
#ifndef GM_SIMD_WIDTH_H
#define GM_SIMD_WIDTH_H

#include "../arch.h"

#if GM_ARCH_SIMD && defined(__x86_64__) && defined(GM_ASK_CPU)
#define GM_SIMD_HAS_LIMIT 1

typedef enum gm_simd_width { GM_SIMD_NONE, GM_SIMD_256, GM_SIMD_512 } gm_simd_width;

/* From now on the whole program uses no wider vectors than these. Returns the widest that it uses,
 * which the processor supports. Tests compare the bits of all widths. */
gm_simd_width gm_simd_limit(gm_simd_width widest);

#else
#define GM_SIMD_HAS_LIMIT 0
#endif
#endif
