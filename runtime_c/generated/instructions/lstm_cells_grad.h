/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_LSTM_CELLS_GRAD_H
#define GM_INSTRUCTIONS_LSTM_CELLS_GRAD_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* dz, the gradient of the gates before their activations, and those of the initial states */
typedef struct gm_insn_lstm_cells_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t dyh;
    uint32_t dyc;
    uint32_t r;
    uint32_t p;
    uint32_t c;
    uint32_t gates;
    uint32_t dh0;
    uint32_t dc0;
    uint32_t dz;
    uint32_t steps;
    uint32_t batch;
    uint32_t hidden;
    uint32_t dy_step;
    uint32_t dy_row;
    uint32_t c_step;
    uint32_t reverse;
    uint32_t coupled;
} gm_insn_lstm_cells_grad;
typedef char gm_assert_insn_lstm_cells_grad[sizeof(gm_insn_lstm_cells_grad) == 76 ? 1 : -1];

int gm_kernel_lstm_cells_grad(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_LSTM_CELLS_GRAD
#define GM_WITH_LSTM_CELLS_GRAD (!GM_ONLY_SELECTED)
#endif

#endif
