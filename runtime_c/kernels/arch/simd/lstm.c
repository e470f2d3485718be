/* LSTM_CELLS with vectors: a lane holds one of the hidden numbers of a row. */
#include "blocks/functions.h"
#include "simd.h"

#if GM_ARCH_FUNCTIONS && GM_WITH_LSTM_CELLS

GM_SIMD_INLINE gm_lanes_f32 load_lanes(const float *from, uint32_t count)
{
    gm_vec v;
    gm_tile_load(&v, from, count, 1);
    return (gm_lanes_f32)v;
}

GM_SIMD_INLINE void store_lanes(float *to, gm_lanes_f32 x, uint32_t count)
{
    gm_vec v = (gm_vec)x;
    gm_tile_store(to, &v, count, 1);
}

/* a + p c where there are peepholes. */
GM_SIMD_INLINE gm_lanes_f32 peep_lanes(gm_lanes_f32 a, const float *p, gm_lanes_f32 c, uint32_t count)
{
    return p ? gm_lanes_mac(a, load_lanes(p, count), c) : a;
}

/* The hidden numbers from j on: `count` of them, GM_LANES at most. */
GM_SIMD_INLINE void lstm_lanes(const gm_insn_lstm_cells *insn, const float *p, float *gates, const float *before,
                               float *c, float *h, uint32_t j, uint32_t count)
{
    const uint32_t n = insn->hidden;
    const float *p_in = p ? p + j : NULL, *p_out = p ? p + n + j : NULL, *p_forget = p ? p + 2 * n + j : NULL;
    gm_lanes_f32 past = load_lanes(before + j, count);
    gm_lanes_f32 i = gm_lanes_sigmoid(peep_lanes(load_lanes(gates + j, count), p_in, past, count));
    gm_lanes_f32 f = GM_LANES_OF(1.0f) - i, g = gm_lanes_tanh(load_lanes(gates + 3 * n + j, count));
    if (!insn->coupled) {
        f = gm_lanes_sigmoid(peep_lanes(load_lanes(gates + 2 * n + j, count), p_forget, past, count));
    }
    gm_lanes_f32 now = gm_lanes_mac(i * g, f, past);
    gm_lanes_f32 o = gm_lanes_sigmoid(peep_lanes(load_lanes(gates + n + j, count), p_out, now, count));
    store_lanes(gates + j, i, count);
    store_lanes(gates + n + j, o, count);
    store_lanes(gates + 2 * n + j, f, count);
    store_lanes(gates + 3 * n + j, g, count);
    store_lanes(c + j, now, count);
    store_lanes(h + j, o * gm_lanes_tanh(now), count);
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
