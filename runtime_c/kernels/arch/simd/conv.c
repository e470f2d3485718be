/* CONV with vectors: y[b,i,j,m] = activation(bias[m] + sum over taps and c of x[under the tap,c]
 * w[m,c,tap]). */
#include "../../../generated/instructions/conv.h"
#include "blocks/window_sum.h"

#if GM_ARCH_TILES && GM_WITH_CONV

int gm_simd_conv(const struct gm_session *session, const gm_insn_conv *insn)
{
    gm_window_sum sum = {
        GM_CONV_OPERANDS(session, insn),
    };
    if (!gm_simd_runs() || !gm_window_fits(insn->kernel_h, insn->kernel_w) || insn->in_channels == 0) {
        return 0;
    }
    GM_CONV_AXES(&sum.rows, &sum.columns, insn);
    return gm_simd_window_sum(&sum);
}

#endif
