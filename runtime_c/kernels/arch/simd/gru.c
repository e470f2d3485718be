/* GRU_CELLS_GRAD with vectors: a lane holds one hidden value of a row. */
#include "../../../generated/instructions/gru_cells_grad.h"
#include "../../gru.h"
#include "blocks/functions.h"
#include "simd.h"

#if GM_ARCH_FUNCTIONS && GM_WITH_GRU_CELLS_GRAD

GM_SIMD_INLINE void update_lanes(const gm_gru_row *row, uint32_t j, uint32_t count)
{
    const uint32_t n = row->n;
    gm_lanes_f32 z = gm_lanes_load_part(row->gates + j, count),
                 candidate = gm_lanes_load_part(row->gates + 2 * n + j, count);
    gm_lanes_f32 d = gm_lanes_load_part(row->dh + j, count);
    d = row->dy ? d + gm_lanes_load_part(row->dy + j, count) : d;
    gm_lanes_f32 d_update = (d * (gm_lanes_load_part(row->before + j, count) - candidate)) * gm_lanes_sigmoid_slope(z);
    gm_lanes_f32 d_candidate = (d * (GM_LANES_OF(1.0f) - z)) * gm_lanes_tanh_slope(candidate);
    gm_lanes_store_part(row->dz + j, d_update, count);
    gm_lanes_store_part(row->dz + 2 * n + j, d_candidate, count);
    gm_lanes_store_part(row->dh + j, d * z, count);
}

GM_SIMD_INLINE void reset_before_lanes(const gm_gru_row *row, uint32_t j, uint32_t count)
{
    gm_lanes_f32 r = gm_lanes_load_part(row->gates + row->n + j, count), d = gm_lanes_load_part(row->dpart + j, count);
    gm_lanes_f32 d_reset = (d * gm_lanes_load_part(row->before + j, count)) * gm_lanes_sigmoid_slope(r);
    gm_lanes_store_part(row->dz + row->n + j, d_reset, count);
    gm_lanes_store_part(row->dh + j, gm_lanes_mac(gm_lanes_load_part(row->dh + j, count), d, r), count);
}

GM_SIMD_INLINE void reset_after_lanes(const gm_gru_row *row, uint32_t j, uint32_t count)
{
    gm_lanes_f32 r = gm_lanes_load_part(row->gates + row->n + j, count),
                 d = gm_lanes_load_part(row->dz + 2 * row->n + j, count);
    gm_lanes_f32 d_reset = (d * gm_lanes_load_part(row->part + j, count)) * gm_lanes_sigmoid_slope(r);
    gm_lanes_store_part(row->dpart + j, d * r, count);
    gm_lanes_store_part(row->dz + row->n + j, d_reset, count);
}

static GM_SIMD_TARGET void gru_row_of_lanes(const gm_gru_row *row, int part)
{
    for (uint32_t j = 0; j < row->n; j += GM_LANES) {
        uint32_t left = row->n - j, count = left < GM_LANES ? left : GM_LANES;
        switch (part) {
        case GM_GRU_UPDATE: update_lanes(row, j, count); break;
        case GM_GRU_RESET_BEFORE: reset_before_lanes(row, j, count); break;
        default: reset_after_lanes(row, j, count); break;
        }
    }
}

int gm_simd_gru_row_grad(const gm_gru_row *row, int part)
{
    if (!gm_simd_runs()) {
        return 0;
    }
    gru_row_of_lanes(row, part);
    return 1;
}

#endif
