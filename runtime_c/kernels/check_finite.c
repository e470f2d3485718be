#include "../src/gm_internal.h"
#include "../src/numerics.h"
#include "arch/arch.h"

#if GM_WITH_CHECK_FINITE

/* The exponent is the largest; the sign is shifted out. */
static uint32_t is_not_finite(float x)
{
    return gm_bits_of(x) << 1 >= 0xff000000u;
}

#if GM_ARCH_ARM_M

static uint32_t any_not_finite(const float *x, uint32_t n)
{
    for (; n >= 4; n -= 4, x += 4) {
        if (is_not_finite(x[0]) || is_not_finite(x[1]) || is_not_finite(x[2]) || is_not_finite(x[3])) {
            return 1;
        }
    }
    for (; n > 0 && !is_not_finite(*x); n--, x++) {
    }
    return n > 0;
}

#else

/* Looking at all of x lets compilers use vectors. */
static uint32_t any_not_finite(const float *x, uint32_t n)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < n; i++) {
        found |= is_not_finite(x[i]);
    }
    return found;
}

#endif

int gm_kernel_check_finite(const struct gm_session *session, const void *instruction)
{
    const gm_insn_check_finite *insn = instruction;
    return any_not_finite(gm_f32(session, insn->x), insn->n) ? GM_ERR_NOT_FINITE : GM_OK;
}

#endif
