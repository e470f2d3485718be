/*
 * GRU_CELLS: gates in order z, r, h'; h[t] = (1 - z) h' + z h[t-1]; part is r h[t-1], with
 *   reset_after r_h h[t-1] + bias.
 * GRU_CELLS_GRAD: dz, the gradient of the gates before their activations, dpart, and the gradient
 *   of the initial state.
 */
#include "../generated/instructions/gru_cells.h"
#include "../generated/instructions/gru_cells_grad.h"
#include "gru.h"
#include "function_rows.h"
#include "recurrent.h"
#include "rows.h"

/* Rows of the gates: update z, reset r, candidate h'; `hidden` values each. The recurrence weights
 * have the same layout. */

#if GM_WITH_GRU_CELLS

/* The arrays of one step for some samples; `before` is the state before the step. */
typedef struct gru_step {
    const float *before;
    float *gates, *part;
    uint32_t samples;
} gru_step;

/* part = r h, then the candidate's sum += w part. */
static void reset_before(const gm_insn_gru_cells *insn, const gm_forward_weights *weights, const gru_step *step)
{
    const uint32_t n = insn->hidden;
    const gm_recurrence candidate = {step->samples, n, n, 3 * n};
    for (uint32_t b = 0; b < step->samples; b++) {
        for (uint32_t j = 0; j < n; j++) {
            step->part[b * n + j] = step->gates[3 * b * n + n + j] * step->before[b * n + j];
        }
    }
    gm_add_recurrence(step->part, weights, 2 * n, step->gates + 2 * n, &candidate);
}

/* part = bias + w h, then the candidate's sum += r part. */
static void reset_after(const gm_insn_gru_cells *insn, const gm_forward_weights *weights, const float *bias,
                        const gru_step *step)
{
    const uint32_t n = insn->hidden;
    const gm_recurrence product = {step->samples, n, n, n};
    for (uint32_t b = 0; b < step->samples; b++) {
        gm_start_row(step->part + b * n, bias, n);
    }
    gm_add_recurrence(step->before, weights, 2 * n, step->part, &product);
    for (uint32_t b = 0; b < step->samples; b++) {
        float *reset = step->gates + 3 * b * n + n, *candidate = reset + n;
        for (uint32_t j = 0; j < n; j++) {
            candidate[j] = GM_MAC(candidate[j], reset[j], step->part[b * n + j]);
        }
    }
}

/* h from the gates and the candidate's sum, which becomes the candidate; one row. */
static void gru_output_row(float *gates, const float *before, float *h, uint32_t n)
{
    float *candidate = gates + 2 * n;
    gm_tanh_row(candidate, candidate, n);
    for (uint32_t j = 0; j < n; j++) {
        h[j] = GM_MAC(candidate[j], gates[j], before[j] - candidate[j]);
    }
}

/* Computes the outputs from the previous state and from the inputs' share of the gates,
 * which become the gates. */
static void gru_cells_of_step(const gm_insn_gru_cells *insn, const gm_forward_weights *weights, const float *bias,
                              const gru_step *step, float *h)
{
    const uint32_t n = insn->hidden;
    const gm_recurrence update_and_reset = {step->samples, 2 * n, n, 3 * n};
    gm_add_recurrence(step->before, weights, 0, step->gates, &update_and_reset);
    for (uint32_t b = 0; b < step->samples; b++) {
        gm_sigmoid_row(step->gates + 3 * b * n, step->gates + 3 * b * n, 2 * n);
    }
    if (insn->reset_after) {
        reset_after(insn, weights, bias, step);
    } else {
        reset_before(insn, weights, step);
    }
    for (uint32_t b = 0; b < step->samples; b++) {
        gru_output_row(step->gates + 3 * b * n, step->before + b * n, h + b * n, n);
    }
}

static int gru_steps(const gm_session *session, const void *instruction, gm_forward_weights weights)
{
    const gm_insn_gru_cells *insn = instruction;
    const float *z = gm_f32(session, insn->z);
    const float *bias = gm_f32_optional(session, insn->bias);
    float *h = gm_f32_out(session, insn->h), *part = gm_f32_out(session, insn->part);
    float *gates = gm_f32_out(session, insn->gates);
    const gm_samples samples = gm_samples_of(session, insn->batch, insn->hidden);
    h += samples.first, part += samples.first;
    gm_copy_or_zero(gm_optional_at(gm_f32_optional(session, insn->h0), samples.first),
                    h + insn->reverse * insn->steps * insn->h_step, samples.size);
    for (uint32_t n = 0; n < insn->steps; n++) {
        gm_time_step at = gm_nth_step(n, insn->steps, insn->reverse);
        uint32_t first_gate = 3 * (at.time * samples.slot + samples.first);
        const gru_step step = {
            .before = h + at.before * insn->h_step,
            .gates = gates + first_gate,
            .part = part + at.time * insn->part_step,
            .samples = samples.count,
        };
        gm_copy_or_zero(z + first_gate, step.gates, 3 * samples.size);
        gru_cells_of_step(insn, &weights, bias, &step, h + at.after * insn->h_step);
    }
    return GM_OK;
}

int gm_kernel_gru_cells(const struct gm_session *session, const void *instruction)
{
    const gm_insn_gru_cells *insn = instruction;
    const gm_recurrent_weights r = {gm_f32(session, insn->r), 3 * insn->hidden, insn->hidden, insn->steps};
    return gm_run_forward_steps(gru_steps, session, insn, &r);
}

#endif

#if GM_WITH_GRU_CELLS_GRAD

/* The arrays of one step for some samples; `before` is the state before the step. */
typedef struct gru_step_grad {
    const float *dy, *gates, *before, *part; /* dy: perhaps NULL */
    float *dh, *dpart, *dz;
    uint32_t samples;
} gru_step_grad;

/* The arrays of one of its samples. */
static gm_gru_row gru_row_of(const gm_insn_gru_cells_grad *insn, const gru_step_grad *step, uint32_t sample)
{
    const uint32_t at = sample * insn->hidden;
    const gm_gru_row row = {
        .dy = gm_optional_at(step->dy, sample * insn->dy_row),
        .gates = step->gates + 3 * at,
        .before = step->before + at,
        .part = step->part + at,
        .dh = step->dh + at,
        .dpart = step->dpart + at,
        .dz = step->dz + 3 * at,
        .n = insn->hidden,
    };
    return row;
}

/* dz of update and candidate; dh becomes the gradient that bypasses the gates. Reset gates stay in
 * place: dz may be gates. */
static void update_and_candidate(const gm_gru_row *row)
{
    const uint32_t n = row->n;
    for (uint32_t j = 0; j < n; j++) {
        float z = row->gates[j], candidate = row->gates[2 * n + j];
        float d = row->dy ? row->dh[j] + row->dy[j] : row->dh[j];
        row->dz[j] = (d * (row->before[j] - candidate)) * (z * (1.0f - z));
        row->dz[2 * n + j] = (d * (1.0f - z)) * GM_MAC(1.0f, -candidate, candidate);
        row->dh[j] = d * z;
    }
}

/* Through part = r h: dr, and dh += dpart r. */
static void reset_before_grad(const gm_gru_row *row)
{
    const uint32_t n = row->n;
    for (uint32_t j = 0; j < n; j++) {
        float r = row->gates[n + j];
        row->dz[n + j] = (row->dpart[j] * row->before[j]) * (r * (1.0f - r));
        row->dh[j] = GM_MAC(row->dh[j], row->dpart[j], r);
    }
}

/* Through r part: dr and dpart. */
static void reset_after_grad(const gm_gru_row *row)
{
    const uint32_t n = row->n;
    for (uint32_t j = 0; j < n; j++) {
        float r = row->gates[n + j], d = row->dz[2 * n + j];
        row->dpart[j] = d * r;
        row->dz[n + j] = (d * row->part[j]) * (r * (1.0f - r));
    }
}

/* Computes one part of a row's gradients, in vectors if the processor has them. */
static void gru_row_grad(const gm_gru_row *row, gm_gru_part part)
{
#if GM_ARCH_FUNCTIONS
    if (gm_simd_gru_row_grad(row, (int)part)) {
        return;
    }
#endif
    switch (part) {
    case GM_GRU_UPDATE: update_and_candidate(row); break;
    case GM_GRU_RESET_BEFORE: reset_before_grad(row); break;
    default: reset_after_grad(row); break;
    }
}

static void gru_rows_grad(const gm_insn_gru_cells_grad *insn, const gru_step_grad *step, gm_gru_part part)
{
    for (uint32_t b = 0; b < step->samples; b++) {
        const gm_gru_row row = gru_row_of(insn, step, b);
        gru_row_grad(&row, part);
    }
}

/* dz and dpart from dh, which becomes the gradient of the previous step's state. */
static void gru_cells_of_step_grad(const gm_insn_gru_cells_grad *insn, const float *weights, const gru_step_grad *step)
{
    const uint32_t n = insn->hidden;
    const gm_recurrence candidate = {step->samples, n, n, 3 * n}, product = {step->samples, n, n, n};
    const gm_recurrence update_and_reset = {step->samples, 2 * n, n, 3 * n};
    gru_rows_grad(insn, step, GM_GRU_UPDATE);
    if (insn->reset_after) {
        gru_rows_grad(insn, step, GM_GRU_RESET_AFTER);
        gm_add_recurrence_grad(step->dpart, weights + 2 * n * n, step->dh, &product);
    } else {
        gm_start_row(step->dpart, NULL, step->samples * n);
        gm_add_recurrence_grad(step->dz + 2 * n, weights + 2 * n * n, step->dpart, &candidate);
        gru_rows_grad(insn, step, GM_GRU_RESET_BEFORE);
    }
    gm_add_recurrence_grad(step->dz, weights, step->dh, &update_and_reset);
}

/* Returns the arrays of a step for the samples of this part of the instruction. */
static gru_step_grad gru_step_grad_at(const struct gm_session *session, const gm_insn_gru_cells_grad *insn,
                                      gm_time_step at)
{
    const gm_samples samples = gm_samples_of(session, insn->batch, insn->hidden);
    const uint32_t first = samples.first, gate = 3 * (at.time * samples.slot + first);
    const uint32_t dy_first = at.time * insn->dy_step + first / insn->hidden * insn->dy_row;
    const gru_step_grad step = {
        .dy = gm_optional_at(gm_f32_optional(session, insn->dy), dy_first),
        .gates = gm_f32(session, insn->gates) + gate,
        .before = gm_f32(session, insn->h) + at.before * insn->h_step + first,
        .part = gm_f32(session, insn->part) + at.time * insn->part_step + first,
        .dh = gm_f32_out(session, insn->dh0) + first,
        .dpart = gm_f32_out(session, insn->dpart) + at.time * insn->dpart_step + first,
        .dz = gm_f32_out(session, insn->dz) + gate,
        .samples = samples.count,
    };
    return step;
}

int gm_kernel_gru_cells_grad(const struct gm_session *session, const void *instruction)
{
    const gm_insn_gru_cells_grad *insn = instruction;
    const gm_samples samples = gm_samples_of(session, insn->batch, insn->hidden);
    const float *dyh = gm_f32_optional(session, insn->dyh);
    gm_copy_or_zero(gm_optional_at(dyh, samples.first), gm_f32_out(session, insn->dh0) + samples.first, samples.size);
    for (uint32_t n = insn->steps; n-- > 0;) {
        const gru_step_grad step = gru_step_grad_at(session, insn, gm_nth_step(n, insn->steps, insn->reverse));
        gru_cells_of_step_grad(insn, gm_f32(session, insn->r), &step);
    }
    return GM_OK;
}

#endif
