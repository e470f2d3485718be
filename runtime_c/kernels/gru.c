/*
 * GRU_CELLS: gates in order z, r, h'; h[t] = (1 - z) h' + z h[t-1]; part is r h[t-1], with
 *   reset_after r_h h[t-1] + bias.
 * GRU_CELLS_GRAD: dz, the gradient of the gates before their activations, dpart, and that of the
 *   initial state.
 */
#include "function_rows.h"
#include "recurrent.h"

/* Rows of the gates: update z, reset r, candidate h'; `hidden` numbers each. The recurrence weights
 * lie alike. */

#if GM_WITH_GRU_CELLS

/* part = r h, then the candidate's sum += w part. */
static void reset_before(const float *w, const float *before, float *gates, float *part, uint32_t n)
{
    for (uint32_t j = 0; j < n; j++) {
        part[j] = gates[n + j] * before[j];
    }
    gm_add_recurrence(part, w, gates + 2 * n, n, n);
}

/* part = bias + w h, then the candidate's sum += r part. */
static void reset_after(const float *w, const float *bias, const float *before, float *gates, float *part, uint32_t n)
{
    for (uint32_t j = 0; j < n; j++) {
        part[j] = bias ? bias[j] : GM_EMPTY_SUM;
    }
    gm_add_recurrence(before, w, part, n, n);
    for (uint32_t j = 0; j < n; j++) {
        gates[2 * n + j] = GM_MAC(gates[2 * n + j], gates[n + j], part[j]);
    }
}

/* From the inputs' part in `gates`, which become the gates, and the state before: the output of one
 * row. */
static void gru_cell_row(const gm_insn_gru_cells *insn, const float *weights, const float *bias, const float *before,
                         float *gates, float *part, float *h)
{
    const uint32_t n = insn->hidden;
    const float *candidate_weights = weights + 2 * n * n;
    gm_add_recurrence(before, weights, gates, 2 * n, n);
    gm_sigmoid_row(gates, gates, 2 * n);
    if (insn->reset_after) {
        reset_after(candidate_weights, bias, before, gates, part, n);
    } else {
        reset_before(candidate_weights, before, gates, part, n);
    }
#if GM_ARCH_FUNCTIONS
    gm_tanh_row(gates + 2 * n, gates + 2 * n, n);
#endif
    for (uint32_t j = 0; j < n; j++) {
        float candidate = GM_ARCH_FUNCTIONS ? gates[2 * n + j] : gm_tanh(gates[2 * n + j]);
        gates[2 * n + j] = candidate;
        h[j] = GM_MAC(candidate, gates[j], before[j] - candidate);
    }
}

int gm_kernel_gru_cells(const struct gm_session *session, const void *instruction)
{
    const gm_insn_gru_cells *insn = instruction;
    const float *z = gm_f32(session, insn->z), *r = gm_f32(session, insn->r);
    const float *bias = gm_f32_optional(session, insn->bias);
    float *h = gm_f32_out(session, insn->h), *part = gm_f32_out(session, insn->part);
    float *gates = gm_f32_out(session, insn->gates);
    const uint32_t row = insn->hidden, slot = insn->batch * row;
    gm_copy_or_zero(gm_f32_optional(session, insn->h0), h + insn->reverse * insn->steps * insn->h_step, slot);
    for (uint32_t n = 0; n < insn->steps; n++) {
        gm_time_step step = gm_nth_step(n, insn->steps, insn->reverse);
        for (uint32_t b = 0; b < insn->batch; b++) {
            uint32_t at = 3 * (step.time * slot + b * row), state = b * row;
            gm_copy_or_zero(z + at, gates + at, 3 * row);
            gru_cell_row(insn, r, bias, h + step.before * insn->h_step + state, gates + at,
                         part + step.time * insn->part_step + state, h + step.after * insn->h_step + state);
        }
    }
    return GM_OK;
}

#endif

#if GM_WITH_GRU_CELLS_GRAD

/* The arrays that the gradients of one row are computed from. */
typedef struct gru_row {
    const float *dy, *gates, *before, *part; /* dy: perhaps NULL; the state before the step */
} gru_row;

/* dz of update and candidate; dh becomes what goes past the gates. Reset gates stay where they are:
 * dz may be gates. */
static void update_and_candidate(const gru_row *row, float *dh, float *dz, uint32_t n)
{
    for (uint32_t j = 0; j < n; j++) {
        float z = row->gates[j], candidate = row->gates[2 * n + j], d = row->dy ? dh[j] + row->dy[j] : dh[j];
        dz[j] = (d * (row->before[j] - candidate)) * (z * (1.0f - z));
        dz[2 * n + j] = (d * (1.0f - z)) * GM_MAC(1.0f, -candidate, candidate);
        dh[j] = d * z;
    }
}

/* dpart = dh' w; through part = r h: dr, and dh += dpart r. */
static void reset_before_grad(const gru_row *row, const float *w, float *dh, float *dpart, float *dz, uint32_t n)
{
    for (uint32_t j = 0; j < n; j++) {
        dpart[j] = GM_EMPTY_SUM;
    }
    gm_add_recurrence_grad(dz + 2 * n, w, dpart, n, n);
    for (uint32_t j = 0; j < n; j++) {
        float r = row->gates[n + j];
        dz[n + j] = (dpart[j] * row->before[j]) * (r * (1.0f - r));
        dh[j] = GM_MAC(dh[j], dpart[j], r);
    }
}

/* Through r part, part = bias + w h: dr and dpart, and dh += dpart w. */
static void reset_after_grad(const gru_row *row, const float *w, float *dh, float *dpart, float *dz, uint32_t n)
{
    for (uint32_t j = 0; j < n; j++) {
        float r = row->gates[n + j], d = dz[2 * n + j];
        dpart[j] = d * r;
        dz[n + j] = (d * row->part[j]) * (r * (1.0f - r));
    }
    gm_add_recurrence_grad(dpart, w, dh, n, n);
}

/* dz and dpart from dh, which becomes that of the step before. */
static void gru_cell_row_grad(const gm_insn_gru_cells_grad *insn, const gru_row *row, const float *weights, float *dh,
                              float *dpart, float *dz)
{
    const uint32_t n = insn->hidden;
    update_and_candidate(row, dh, dz, n);
    (insn->reset_after ? reset_after_grad : reset_before_grad)(row, weights + 2 * n * n, dh, dpart, dz, n);
    gm_add_recurrence_grad(dz, weights, dh, 2 * n, n);
}

int gm_kernel_gru_cells_grad(const struct gm_session *session, const void *instruction)
{
    const gm_insn_gru_cells_grad *insn = instruction;
    const float *dy = gm_f32_optional(session, insn->dy), *r = gm_f32(session, insn->r), *h = gm_f32(session, insn->h);
    const float *part = gm_f32(session, insn->part), *gates = gm_f32(session, insn->gates);
    float *dh = gm_f32_out(session, insn->dh0), *dpart = gm_f32_out(session, insn->dpart);
    float *dz = gm_f32_out(session, insn->dz);
    const uint32_t n_row = insn->hidden, slot = insn->batch * n_row;
    gm_copy_or_zero(gm_f32_optional(session, insn->dyh), dh, slot);
    for (uint32_t n = insn->steps; n-- > 0;) {
        gm_time_step step = gm_nth_step(n, insn->steps, insn->reverse);
        for (uint32_t b = 0; b < insn->batch; b++) {
            uint32_t at = 3 * (step.time * slot + b * n_row), state = b * n_row;
            const gru_row row = {
                .dy = dy ? dy + step.time * insn->dy_step + b * insn->dy_row : NULL,
                .gates = gates + at,
                .before = h + step.before * insn->h_step + state,
                .part = part + step.time * insn->part_step + state,
            };
            gru_cell_row_grad(insn, &row, r, dh + state, dpart + step.time * insn->dpart_step + state, dz + at);
        }
    }
    return GM_OK;
}

#endif
