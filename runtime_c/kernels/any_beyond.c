/* Checks whether all values are finite, or below a limit in magnitude. */
#include "../generated/instructions/check_bound.h"
#include "../generated/instructions/check_finite.h"
#include "../src/gm_internal.h"
#include "../src/numerics.h"
#include "arch/arch.h"
#include "arch/arm_m/any_beyond.h"
#include "arch/helium/any_beyond.h"
#include "arch/riscv/any_beyond.h"
#include "arch/riscv/zve32f/any_beyond.h"
#include "arch/simd/simd.h"

#if GM_WITH_CHECK_FINITE || GM_WITH_CHECK_BOUND || GM_TRAINING

#define SIZE_OF(x) (gm_bits_of(x) & 0x7fffffffu)

/* Without their signs, floats compare as their bits do, and NaN is above all. The top bit of a
 * difference shows which operand is larger, and survives when the differences are ORed together. */
static int any_of(const float *x, uint32_t n, float limit)
{
    uint32_t found = 0, largest = SIZE_OF(limit) - 1;
#if !GM_ARCH_ELEMENTS /* there, a sum of squares comes first, and few calls get here */
    for (; n >= 4; x += 4, n -= 4) {
        found |= (largest - SIZE_OF(x[0])) | (largest - SIZE_OF(x[1])) | (largest - SIZE_OF(x[2])) |
                 (largest - SIZE_OF(x[3]));
    }
#endif
    for (; n > 0; x++, n--) {
        found |= largest - SIZE_OF(x[0]);
    }
    return found >> 31 != 0;
}

/* A sum of squares, in whatever order, is not below any of its terms, and is NaN if any term is. So
 * a sum below the square of the limit proves that all elements are in range, without a look at
 * each; any other sum proves nothing. */
int gm_any_beyond(const float *x, uint32_t n, float limit)
{
#if GM_ARCH_ELEMENTS
    if (gm_are_squares_below(x, n, limit)) {
        return 0;
    }
#elif GM_ARCH_SIMD
    uint32_t done = gm_simd_count_below(x, n, limit * limit);
    x += done, n -= done;
#endif
    return any_of(x, n, limit);
}

#endif
