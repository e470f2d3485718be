#include "../src/gm_internal.h"
#include "../src/numerics.h"
#include "arch/arch.h"
#include "arch/simd/simd.h"

#if GM_WITH_CHECK_FINITE

#if GM_ARCH_ROWS

uint32_t gm_any_not_finite(const float *x, uint32_t n);

#else

/* The exponent is the largest; the sign is shifted out. Looking at all of x lets compilers use vectors. */
static uint32_t gm_any_not_finite(const float *x, uint32_t n)
{
    uint32_t found = 0, i = 0;
#if GM_ARCH_SIMD
    i = gm_simd_count_finite(x, n);
#endif
    for (; i < n; i++) {
        found |= gm_bits_of(x[i]) << 1 >= 0xff000000u;
    }
    return found;
}

#endif

int gm_kernel_check_finite(const struct gm_session *session, const void *instruction)
{
    const gm_insn_check_finite *insn = instruction;
    return gm_any_not_finite(gm_f32(session, insn->x), insn->n) ? GM_ERR_NOT_FINITE : GM_OK;
}

#endif
