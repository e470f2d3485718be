/* The forward steps of LSTM, GRU and RNN, with weights transposed once for all steps. */
#include "../../../recurrent.h"

#if GM_ARCH_FUNCTIONS

/* Floats of the transposed weights. */
#define PANEL 16384u

int gm_run_forward_steps(gm_forward_steps *run, const gm_session *session, const void *instruction,
                         const gm_recurrent_weights *r)
{
    float panel[PANEL];
    uint32_t unit = r->steps > 1 ? gm_simd_transpose(panel, PANEL, r->w, r->n, r->hidden) : 0;
    return run(session, instruction, unit > 0 ? (gm_forward_weights){panel, unit, 1} : gm_weights_as_they_lie(r));
}

#endif
