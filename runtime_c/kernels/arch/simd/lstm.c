/* LSTM_CELLS and its gradient with vectors: a lane holds one hidden value of a row. */
#include "../../../generated/instructions/lstm_cells.h"
#include "../../../generated/instructions/lstm_cells_grad.h"
#include "../../lstm.h"
#include "blocks/functions.h"
#include "simd.h"

#if GM_ARCH_FUNCTIONS && (GM_WITH_LSTM_CELLS || GM_WITH_LSTM_CELLS_GRAD)

/* a + p c if there are peepholes, else a. */
GM_SIMD_INLINE gm_lanes_f32 peep_lanes(gm_lanes_f32 a, const float *p, gm_lanes_f32 c, uint32_t count)
{
    return p ? gm_lanes_mac(a, gm_lanes_load_part(p, count), c) : a;
}

#endif

#if GM_ARCH_FUNCTIONS && GM_WITH_LSTM_CELLS

/* The hidden values from j on: `count` of them, at most GM_LANES. */
GM_SIMD_INLINE void lstm_lanes(const gm_insn_lstm_cells *insn, const float *p, float *gates, const float *before,
                               float *c, float *h, uint32_t j, uint32_t count)
{
    const uint32_t n = insn->hidden;
    const float *p_in = p ? p + j : NULL, *p_out = p ? p + n + j : NULL, *p_forget = p ? p + 2 * n + j : NULL;
    gm_lanes_f32 past = gm_lanes_load_part(before + j, count);
    gm_lanes_f32 i = gm_lanes_sigmoid(peep_lanes(gm_lanes_load_part(gates + j, count), p_in, past, count));
    gm_lanes_f32 f = GM_LANES_OF(1.0f) - i, g = gm_lanes_tanh(gm_lanes_load_part(gates + 3 * n + j, count));
    if (!insn->coupled) {
        f = gm_lanes_sigmoid(peep_lanes(gm_lanes_load_part(gates + 2 * n + j, count), p_forget, past, count));
    }
    gm_lanes_f32 now = gm_lanes_mac(i * g, f, past);
    gm_lanes_f32 o = gm_lanes_sigmoid(peep_lanes(gm_lanes_load_part(gates + n + j, count), p_out, now, count));
    gm_lanes_store_part(gates + j, i, count);
    gm_lanes_store_part(gates + n + j, o, count);
    gm_lanes_store_part(gates + 2 * n + j, f, count);
    gm_lanes_store_part(gates + 3 * n + j, g, count);
    gm_lanes_store_part(c + j, now, count);
    gm_lanes_store_part(h + j, o * gm_lanes_tanh(now), count);
}

static GM_SIMD_TARGET void lstm_row_of_lanes(const gm_insn_lstm_cells *insn, const float *p, float *gates,
                                             const float *before, float *c, float *h)
{
    for (uint32_t j = 0; j < insn->hidden; j += GM_LANES) {
        uint32_t left = insn->hidden - j;
        lstm_lanes(insn, p, gates, before, c, h, j, left < GM_LANES ? left : GM_LANES);
    }
}

int gm_simd_lstm_row(const gm_insn_lstm_cells *insn, const float *p, float *gates, const float *before, float *c,
                     float *h)
{
    if (!gm_simd_runs()) {
        return 0;
    }
    lstm_row_of_lanes(insn, p, gates, before, c, h);
    return 1;
}

#endif

#if GM_ARCH_FUNCTIONS && GM_WITH_LSTM_CELLS_GRAD

/* The hidden values from j on: `count` of them, at most GM_LANES. */
GM_SIMD_INLINE void lstm_lanes_grad(const gm_insn_lstm_cells_grad *insn, const gm_lstm_row *row, float *dh, float *dc,
                                    float *dz, uint32_t j, uint32_t count)
{
    const uint32_t n = insn->hidden;
    const float *p = row->p, *p_in = p ? p + j : NULL, *p_out = p ? p + n + j : NULL,
                *p_forget = p ? p + 2 * n + j : NULL;
    gm_lanes_f32 i = gm_lanes_load_part(row->gates + j, count), o = gm_lanes_load_part(row->gates + n + j, count);
    gm_lanes_f32 f = gm_lanes_load_part(row->gates + 2 * n + j, count);
    gm_lanes_f32 g = gm_lanes_load_part(row->gates + 3 * n + j, count);
    gm_lanes_f32 past = gm_lanes_load_part(row->before + j, count), d = gm_lanes_load_part(dh + j, count);
    gm_lanes_f32 squashed = gm_lanes_tanh(gm_lanes_load_part(row->after + j, count));
    d = row->dy ? d + gm_lanes_load_part(row->dy + j, count) : d;
    gm_lanes_f32 d_o = (d * squashed) * gm_lanes_sigmoid_slope(o);
    gm_lanes_f32 d_c = gm_lanes_mac(gm_lanes_load_part(dc + j, count), d * o, gm_lanes_tanh_slope(squashed));
    d_c = peep_lanes(d_c, p_out, d_o, count);
    gm_lanes_f32 d_i = (d_c * (insn->coupled ? g - past : g)) * gm_lanes_sigmoid_slope(i);
    gm_lanes_f32 d_f = insn->coupled ? GM_LANES_OF(0.0f) : (d_c * past) * gm_lanes_sigmoid_slope(f);
    gm_lanes_store_part(dz + j, d_i, count);
    gm_lanes_store_part(dz + n + j, d_o, count);
    gm_lanes_store_part(dz + 2 * n + j, d_f, count);
    gm_lanes_store_part(dz + 3 * n + j, (d_c * i) * gm_lanes_tanh_slope(g), count);
    gm_lanes_store_part(dc + j, peep_lanes(peep_lanes(d_c * f, p_in, d_i, count), p_forget, d_f, count), count);
    gm_lanes_store_part(dh + j, GM_LANES_OF(GM_EMPTY_SUM), count);
}

static GM_SIMD_TARGET void lstm_row_of_lanes_grad(const gm_insn_lstm_cells_grad *insn, const gm_lstm_row *row,
                                                  float *dh, float *dc, float *dz)
{
    for (uint32_t j = 0; j < insn->hidden; j += GM_LANES) {
        uint32_t left = insn->hidden - j;
        lstm_lanes_grad(insn, row, dh, dc, dz, j, left < GM_LANES ? left : GM_LANES);
    }
}

int gm_simd_lstm_row_grad(const gm_insn_lstm_cells_grad *insn, const gm_lstm_row *row, float *dh, float *dc, float *dz)
{
    if (!gm_simd_runs()) {
        return 0;
    }
    lstm_row_of_lanes_grad(insn, row, dh, dc, dz);
    return 1;
}

#endif
