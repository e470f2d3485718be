/*
 * LSTM_CELLS: gates in order i, o, f, c'; c[t] = f c[t-1] + i c'; h[t] = o tanh(c[t]); with
 *   coupled, f = 1 - i.
 * LSTM_CELLS_GRAD: dz, the gradient of the gates before their activations, and the gradients of
 *   the initial states.
 */
#include "../generated/instructions/lstm_cells.h"
#include "../generated/instructions/lstm_cells_grad.h"
#include "lstm.h"
#include "arch/simd/simd.h"
#include "recurrent.h"

/* Rows of the gates: input, output, forget, cell; `hidden` values each. */

#if GM_WITH_LSTM_CELLS

/* a + p[j] c if there are peepholes, else a. */
static float peep(float a, const float *p, uint32_t j, float c)
{
    return p ? GM_MAC(a, p[j], c) : a;
}

/* Computes the cells and outputs of one row from the previous cells and from the sums in `gates`,
 * which become the gates. */
static void lstm_cell_row(const gm_insn_lstm_cells *insn, const float *p, float *gates, const float *before, float *c,
                          float *h)
{
    const uint32_t n = insn->hidden;
#if GM_ARCH_FUNCTIONS
    if (gm_simd_lstm_row(insn, p, gates, before, c, h)) {
        return;
    }
#endif
    for (uint32_t j = 0; j < n; j++) {
        float past = before[j];
        float i = gm_sigmoid(peep(gates[j], p, j, past));
        float f = insn->coupled ? 1.0f - i : gm_sigmoid(peep(gates[2 * n + j], p, 2 * n + j, past));
        float g = gm_tanh(gates[3 * n + j]);
        float now = GM_MAC(i * g, f, past);
        float o = gm_sigmoid(peep(gates[n + j], p, n + j, now));
        gates[j] = i, gates[n + j] = o, gates[2 * n + j] = f, gates[3 * n + j] = g;
        c[j] = now;
        h[j] = o * gm_tanh(now);
    }
}

static int lstm_steps(const gm_session *session, const void *instruction, gm_forward_weights weights)
{
    const gm_insn_lstm_cells *insn = instruction;
    const float *z = gm_f32(session, insn->z), *p = gm_f32_optional(session, insn->p);
    const float *h0 = gm_f32_optional(session, insn->h0), *c0 = gm_f32_optional(session, insn->c0);
    float *h = gm_f32_out(session, insn->h), *c = gm_f32_out(session, insn->c);
    float *gates = gm_f32_out(session, insn->gates);
    const gm_samples samples = gm_samples_of(session, insn->batch, insn->hidden);
    const uint32_t row = insn->hidden, initial = insn->reverse * insn->steps;
    const gm_recurrence recurrence = {samples.count, 4 * row, row, 4 * row};
    h += samples.first, c += samples.first;
    gm_copy_or_zero(gm_optional_at(h0, samples.first), h + initial * insn->h_step, samples.size);
    gm_copy_or_zero(gm_optional_at(c0, samples.first), c + initial * insn->c_step, samples.size);
    for (uint32_t n = 0; n < insn->steps; n++) {
        gm_time_step step = gm_nth_step(n, insn->steps, insn->reverse);
        uint32_t first_gate = 4 * (step.time * samples.slot + samples.first);
        const float *past = c + step.before * insn->c_step;
        float *own = gates + first_gate;
        gm_copy_or_zero(z + first_gate, own, 4 * samples.size);
        gm_add_recurrence(h + step.before * insn->h_step, &weights, 0, own, &recurrence);
        for (uint32_t at = 0; at < samples.size; at += row) {
            lstm_cell_row(insn, p, own + 4 * at, past + at, c + step.after * insn->c_step + at,
                          h + step.after * insn->h_step + at);
        }
    }
    return GM_OK;
}

int gm_kernel_lstm_cells(const struct gm_session *session, const void *instruction)
{
    const gm_insn_lstm_cells *insn = instruction;
    const gm_recurrent_weights r = {gm_f32(session, insn->r), 4 * insn->hidden, insn->hidden, insn->steps};
    return gm_run_forward_steps(lstm_steps, session, insn, &r);
}

#endif

#if GM_WITH_LSTM_CELLS_GRAD

/* dz from dh and dc, which become those of the previous step, except for what comes through the
 * gates. dz may be gates. */
static void lstm_cell_row_grad(const gm_insn_lstm_cells_grad *insn, const gm_lstm_row *row, float *dh, float *dc,
                               float *dz)
{
    const uint32_t n = insn->hidden;
    const float *p = row->p;
#if GM_ARCH_FUNCTIONS
    if (gm_simd_lstm_row_grad(insn, row, dh, dc, dz)) {
        return;
    }
#endif
    for (uint32_t j = 0; j < n; j++) {
        float i = row->gates[j], o = row->gates[n + j], f = row->gates[2 * n + j], g = row->gates[3 * n + j];
        float past = row->before[j], squashed = gm_tanh(row->after[j]);
        float d = row->dy ? dh[j] + row->dy[j] : dh[j];
        float d_o = (d * squashed) * (o * (1.0f - o));
        float d_c = GM_MAC(dc[j], d * o, GM_MAC(1.0f, -squashed, squashed));
        d_c = p ? GM_MAC(d_c, p[n + j], d_o) : d_c;
        float d_i = (d_c * (insn->coupled ? g - past : g)) * (i * (1.0f - i));
        float d_f = insn->coupled ? 0.0f : (d_c * past) * (f * (1.0f - f));
        float d_past = d_c * f;
        dz[j] = d_i, dz[n + j] = d_o, dz[2 * n + j] = d_f;
        dz[3 * n + j] = (d_c * i) * GM_MAC(1.0f, -g, g);
        dc[j] = p ? GM_MAC(GM_MAC(d_past, p[j], d_i), p[2 * n + j], d_f) : d_past;
        dh[j] = GM_EMPTY_SUM;
    }
}

/* The gradients of one step. dh and dc: all samples. */
static void lstm_cells_of_step_grad(const struct gm_session *session, const gm_insn_lstm_cells_grad *insn,
                                    gm_time_step step, float *dh, float *dc)
{
    const gm_samples samples = gm_samples_of(session, insn->batch, insn->hidden);
    const uint32_t n = insn->hidden, before = step.before * insn->c_step, after = step.after * insn->c_step;
    const gm_recurrence recurrence = {samples.count, 4 * n, n, 4 * n};
    const float *dy = gm_optional_at(gm_f32_optional(session, insn->dy), step.time * insn->dy_step);
    const float *gates = gm_f32(session, insn->gates) + 4 * step.time * samples.slot;
    const float *c = gm_f32(session, insn->c);
    float *dz = gm_f32_out(session, insn->dz) + 4 * step.time * samples.slot;
    for (uint32_t at = samples.first; at < samples.first + samples.size; at += n) {
        const gm_lstm_row row = {
            .dy = gm_optional_at(dy, at / n * insn->dy_row),
            .p = gm_f32_optional(session, insn->p),
            .gates = gates + 4 * at,
            .before = c + before + at,
            .after = c + after + at,
        };
        lstm_cell_row_grad(insn, &row, dh + at, dc + at, dz + 4 * at);
    }
    gm_add_recurrence_grad(dz + 4 * samples.first, gm_f32(session, insn->r), dh + samples.first, &recurrence);
}

int gm_kernel_lstm_cells_grad(const struct gm_session *session, const void *instruction)
{
    const gm_insn_lstm_cells_grad *insn = instruction;
    const gm_samples samples = gm_samples_of(session, insn->batch, insn->hidden);
    const float *dyh = gm_f32_optional(session, insn->dyh), *dyc = gm_f32_optional(session, insn->dyc);
    float *dh = gm_f32_out(session, insn->dh0), *dc = gm_f32_out(session, insn->dc0);
    gm_copy_or_zero(gm_optional_at(dyh, samples.first), dh + samples.first, samples.size);
    gm_copy_or_zero(gm_optional_at(dyc, samples.first), dc + samples.first, samples.size);
    for (uint32_t n = insn->steps; n-- > 0;) {
        lstm_cells_of_step_grad(session, insn, gm_nth_step(n, insn->steps, insn->reverse), dh, dc);
    }
    return GM_OK;
}

#endif
