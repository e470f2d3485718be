/*
 * RNN_CELLS: sums = z[t] + r h[t-1]; h[t] = relu or tanh of it.
 * RNN_CELLS_GRAD: dz, the gradient of the sums before the activation, and that of the initial
 *   state.
 */
#include "recurrent.h"

#if GM_WITH_RNN_CELLS

/* h = activation(sums), sums = z + r before; one row each. sums may be z, h may be before. */
static void rnn_cell_row(const gm_insn_rnn_cells *insn, const float *z, const float *r, const float *before,
                         float *sums, float *h)
{
    gm_copy_or_zero(z, sums, insn->hidden);
    gm_add_recurrence(before, r, sums, insn->hidden, insn->hidden);
    for (uint32_t j = 0; j < insn->hidden; j++) {
        h[j] = insn->relu ? (sums[j] < 0.0f ? 0.0f : sums[j]) : gm_tanh(sums[j]);
    }
}

int gm_kernel_rnn_cells(const struct gm_session *session, const void *instruction)
{
    const gm_insn_rnn_cells *insn = instruction;
    const float *z = gm_f32(session, insn->z), *r = gm_f32(session, insn->r);
    float *h = gm_f32_out(session, insn->h), *sums = gm_f32_out(session, insn->sums);
    const uint32_t row = insn->hidden, slot = insn->batch * row;
    gm_copy_or_zero(gm_f32_optional(session, insn->h0), h + insn->reverse * insn->steps * insn->h_step, slot);
    for (uint32_t n = 0; n < insn->steps; n++) {
        gm_time_step step = gm_nth_step(n, insn->steps, insn->reverse);
        for (uint32_t b = 0; b < insn->batch; b++) {
            uint32_t at = step.time * slot + b * row, states = b * row;
            rnn_cell_row(insn, z + at, r, h + step.before * insn->h_step + states, sums + at,
                         h + step.after * insn->h_step + states);
        }
    }
    return GM_OK;
}

#endif

#if GM_WITH_RNN_CELLS_GRAD

/* dz = (dy + dh) activation'(h); then dh = dz r. One row each; dy may be absent. */
static void rnn_cell_row_grad(const gm_insn_rnn_cells_grad *insn, const float *dy, const float *r, const float *h,
                              float *dh, float *dz)
{
    for (uint32_t j = 0; j < insn->hidden; j++) {
        float d = dy ? dh[j] + dy[j] : dh[j];
        dz[j] = insn->relu ? (h[j] > 0.0f ? d : 0.0f) : d * GM_MAC(1.0f, -h[j], h[j]);
        dh[j] = GM_EMPTY_SUM;
    }
    gm_add_recurrence_grad(dz, r, dh, insn->hidden, insn->hidden);
}

int gm_kernel_rnn_cells_grad(const struct gm_session *session, const void *instruction)
{
    const gm_insn_rnn_cells_grad *insn = instruction;
    const float *dy = gm_f32_optional(session, insn->dy), *r = gm_f32(session, insn->r), *h = gm_f32(session, insn->h);
    float *dh = gm_f32_out(session, insn->dh0), *dz = gm_f32_out(session, insn->dz);
    const uint32_t row = insn->hidden, slot = insn->batch * row;
    gm_copy_or_zero(gm_f32_optional(session, insn->dyh), dh, slot);
    for (uint32_t n = insn->steps; n-- > 0;) {
        gm_time_step step = gm_nth_step(n, insn->steps, insn->reverse);
        for (uint32_t b = 0; b < insn->batch; b++) {
            rnn_cell_row_grad(insn, dy ? dy + step.time * insn->dy_step + b * insn->dy_row : NULL, r,
                              h + step.after * insn->h_step + b * row, dh + b * row, dz + step.time * slot + b * row);
        }
    }
    return GM_OK;
}

#endif
