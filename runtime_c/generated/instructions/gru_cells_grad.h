/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_GRU_CELLS_GRAD_H
#define GM_INSTRUCTIONS_GRU_CELLS_GRAD_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* dz, the gradient of the gates before their activations, dpart, and that of the initial state */
typedef struct gm_insn_gru_cells_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t dyh;
    uint32_t r;
    uint32_t h;
    uint32_t part;
    uint32_t gates;
    uint32_t dh0;
    uint32_t dpart;
    uint32_t dz;
    uint32_t steps;
    uint32_t batch;
    uint32_t hidden;
    uint32_t dy_step;
    uint32_t dy_row;
    uint32_t h_step;
    uint32_t part_step;
    uint32_t dpart_step;
    uint32_t reverse;
    uint32_t reset_after;
} gm_insn_gru_cells_grad;
typedef char gm_assert_insn_gru_cells_grad[sizeof(gm_insn_gru_cells_grad) == 80 ? 1 : -1];

int gm_kernel_gru_cells_grad(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_GRU_CELLS_GRAD
#define GM_WITH_GRU_CELLS_GRAD (!GM_ONLY_SELECTED)
#endif

#endif
