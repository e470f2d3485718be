/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_LSTM_CELLS_H
#define GM_INSTRUCTIONS_LSTM_CELLS_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* gates in order i, o, f, c'; c[t] = f c[t-1] + i c'; h[t] = o tanh(c[t]); with coupled, f = 1 - i */
typedef struct gm_insn_lstm_cells {
    uint32_t head;
    uint32_t z;
    uint32_t r;
    uint32_t p;
    uint32_t h0;
    uint32_t c0;
    uint32_t h;
    uint32_t c;
    uint32_t gates;
    uint32_t steps;
    uint32_t batch;
    uint32_t hidden;
    uint32_t h_step;
    uint32_t c_step;
    uint32_t reverse;
    uint32_t coupled;
} gm_insn_lstm_cells;
typedef char gm_assert_insn_lstm_cells[sizeof(gm_insn_lstm_cells) == 64 ? 1 : -1];

int gm_kernel_lstm_cells(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_LSTM_CELLS
#define GM_WITH_LSTM_CELLS (!GM_ONLY_SELECTED)
#endif

#endif
