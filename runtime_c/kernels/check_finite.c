#include "../src/gm_internal.h"
#include "../src/numerics.h"

#if GM_WITH_CHECK_FINITE
int gm_kernel_check_finite(const struct gm_session *session, const void *instruction)
{
    const gm_insn_check_finite *insn = instruction;
    const float *x = gm_f32(session, insn->x);
    uint32_t found = 0; /* looking at all of x lets compilers use vectors */
    for (uint32_t i = 0; i < insn->n; i++) {
        found |= (uint32_t)((gm_bits_of(x[i]) & 0x7f800000u) == 0x7f800000u);
    }
    return found ? GM_ERR_NOT_FINITE : GM_OK;
}
#endif
