/* SHIFT: x[i] = x[by + i] for ascending i below n - by. */
#include "../generated/instructions/shift.h"
#include "../src/gm_internal.h"

#include <string.h>

#if GM_WITH_SHIFT

int gm_kernel_shift(const struct gm_session *session, const void *instruction)
{
    const gm_insn_shift *insn = instruction;
    uint8_t *x = gm_u8_out(session, insn->x);
    uint32_t left = insn->n > insn->by ? insn->n - insn->by : 0;
    while (left != 0) {
        uint32_t count = left < insn->by ? left : insn->by;
        memcpy(x, x + insn->by, count);
        x += count;
        left -= count;
    }
    return GM_OK;
}

#endif
