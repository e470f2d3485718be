/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_GRU_CELLS_H
#define GM_INSTRUCTIONS_GRU_CELLS_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* gates in order z, r, h'; h[t] = (1 - z) h' + z h[t-1]; part is r h[t-1], with reset_after r_h h[t-1] + bias */
typedef struct gm_insn_gru_cells {
    uint32_t head;
    uint32_t z;
    uint32_t r;
    uint32_t bias;
    uint32_t h0;
    uint32_t h;
    uint32_t part;
    uint32_t gates;
    uint32_t steps;
    uint32_t batch;
    uint32_t hidden;
    uint32_t h_step;
    uint32_t part_step;
    uint32_t reverse;
    uint32_t reset_after;
} gm_insn_gru_cells;
typedef char gm_assert_insn_gru_cells[sizeof(gm_insn_gru_cells) == 60 ? 1 : -1];

int gm_kernel_gru_cells(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_GRU_CELLS
#define GM_WITH_GRU_CELLS (!GM_ONLY_SELECTED)
#endif

#endif
