/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_RNN_CELLS_H
#define GM_INSTRUCTIONS_RNN_CELLS_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* sums = z[t] + r h[t-1]; h[t] = relu or tanh of it */
typedef struct gm_insn_rnn_cells {
    uint32_t head;
    uint32_t z;
    uint32_t r;
    uint32_t h0;
    uint32_t h;
    uint32_t sums;
    uint32_t steps;
    uint32_t batch;
    uint32_t hidden;
    uint32_t h_step;
    uint32_t reverse;
    uint32_t relu;
} gm_insn_rnn_cells;
typedef char gm_assert_insn_rnn_cells[sizeof(gm_insn_rnn_cells) == 48 ? 1 : -1];

int gm_kernel_rnn_cells(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_RNN_CELLS
#define GM_WITH_RNN_CELLS (!GM_ONLY_SELECTED)
#endif

#endif
