/*
 * RNN_CELLS: sums = z[t] + r h[t-1]; h[t] = relu or tanh of it.
 * RNN_CELLS_GRAD: dz, the gradient of the sums before the activation, and the gradient of
 *   the initial state.
 */
#include "../generated/instructions/rnn_cells.h"
#include "../generated/instructions/rnn_cells_grad.h"
#include "function_rows.h"
#include "recurrent.h"

#if GM_WITH_RNN_CELLS

/* h = activation(sums), n of each. */
static void rnn_activations(const gm_insn_rnn_cells *insn, const float *sums, float *h, uint32_t n)
{
    if (!insn->relu) {
        gm_tanh_row(sums, h, n);
        return;
    }
    for (uint32_t j = 0; j < n; j++) {
        h[j] = sums[j] < 0.0f ? 0.0f : sums[j];
    }
}

static int rnn_steps(const gm_session *session, const void *instruction, gm_forward_weights weights)
{
    const gm_insn_rnn_cells *insn = instruction;
    const float *z = gm_f32(session, insn->z);
    float *h = gm_f32_out(session, insn->h), *sums = gm_f32_out(session, insn->sums);
    const gm_samples samples = gm_samples_of(session, insn->batch, insn->hidden);
    const gm_recurrence recurrence = {samples.count, insn->hidden, insn->hidden, insn->hidden};
    h += samples.first;
    gm_copy_or_zero(gm_optional_at(gm_f32_optional(session, insn->h0), samples.first),
                    h + insn->reverse * insn->steps * insn->h_step, samples.size);
    for (uint32_t n = 0; n < insn->steps; n++) {
        gm_time_step step = gm_nth_step(n, insn->steps, insn->reverse);
        uint32_t first = step.time * samples.slot + samples.first;
        gm_copy_or_zero(z + first, sums + first, samples.size);
        gm_add_recurrence(h + step.before * insn->h_step, &weights, 0, sums + first, &recurrence);
        rnn_activations(insn, sums + first, h + step.after * insn->h_step, samples.size);
    }
    return GM_OK;
}

int gm_kernel_rnn_cells(const struct gm_session *session, const void *instruction)
{
    const gm_insn_rnn_cells *insn = instruction;
    const gm_recurrent_weights r = {gm_f32(session, insn->r), insn->hidden, insn->hidden, insn->steps};
    return gm_run_forward_steps(rnn_steps, session, insn, &r);
}

#endif

#if GM_WITH_RNN_CELLS_GRAD

/* dz = (dy + dh) activation'(h), and resets dh. One row each; dy may be absent. */
static void rnn_cell_row_grad(const gm_insn_rnn_cells_grad *insn, const float *dy, const float *h, float *dh, float *dz)
{
    for (uint32_t j = 0; j < insn->hidden; j++) {
        float d = dy ? dh[j] + dy[j] : dh[j];
        dz[j] = insn->relu ? (h[j] > 0.0f ? d : 0.0f) : d * GM_MAC(1.0f, -h[j], h[j]);
        dh[j] = GM_EMPTY_SUM;
    }
}

int gm_kernel_rnn_cells_grad(const struct gm_session *session, const void *instruction)
{
    const gm_insn_rnn_cells_grad *insn = instruction;
    const float *dy = gm_f32_optional(session, insn->dy), *r = gm_f32(session, insn->r), *h = gm_f32(session, insn->h);
    float *dh = gm_f32_out(session, insn->dh0), *dz = gm_f32_out(session, insn->dz);
    const gm_samples samples = gm_samples_of(session, insn->batch, insn->hidden);
    const gm_recurrence recurrence = {samples.count, insn->hidden, insn->hidden, insn->hidden};
    const uint32_t row = insn->hidden, end = samples.first + samples.size;
    gm_copy_or_zero(gm_optional_at(gm_f32_optional(session, insn->dyh), samples.first), dh + samples.first,
                    samples.size);
    for (uint32_t n = insn->steps; n-- > 0;) {
        gm_time_step step = gm_nth_step(n, insn->steps, insn->reverse);
        float *own = dz + step.time * samples.slot;
        for (uint32_t at = samples.first; at < end; at += row) {
            rnn_cell_row_grad(insn, gm_optional_at(dy, step.time * insn->dy_step + at / row * insn->dy_row),
                              h + step.after * insn->h_step + at, dh + at, own + at);
        }
        gm_add_recurrence_grad(own + samples.first, r, dh + samples.first, &recurrence);
    }
    return GM_OK;
}

#endif
