/* CONV_TRANSPOSE with vectors: x[pixel,c] (+)= sum over the taps and m of y[output over the
 * pixel,m] w[m,c,tap]. */
#include "../../../generated/instructions/conv_transpose.h"
#include "blocks/window_sum.h"

#if GM_ARCH_TILES && GM_WITH_CONV_TRANSPOSE

int gm_simd_conv_transpose(const struct gm_session *session, const gm_insn_conv_transpose *insn)
{
    gm_window_sum sum = {
        GM_TRANSPOSED_OPERANDS(session, insn),
    };
    if (!gm_simd_runs() || !gm_window_fits(insn->kernel_h, insn->kernel_w) || insn->out_channels == 0) {
        return 0;
    }
    GM_TRANSPOSED_AXES(&sum.rows, &sum.columns, insn);
    return gm_simd_window_sum(&sum);
}

#endif
