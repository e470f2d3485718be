/* vector.h's partial loads and stores for 128-bit vectors without masked ones. */
#ifndef GM_SIMD_PART_BY_LANES_H
#define GM_SIMD_PART_BY_LANES_H

#if defined(__aarch64__) || defined(__wasm_simd128__)

GM_SIMD_LONG gm_vec gm_vec_load_part(const float *p, uint32_t n)
{
    float lanes[GM_LANES] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (uint32_t i = 0; i < n && i < GM_LANES; i++) {
        lanes[i] = p[i];
    }
    return gm_vec_load(lanes);
}

GM_SIMD_LONG void gm_vec_store_part(float *p, gm_vec v, uint32_t n)
{
    float lanes[GM_LANES];
    gm_vec_store(lanes, v);
    for (uint32_t i = 0; i < n && i < GM_LANES; i++) {
        p[i] = lanes[i];
    }
}

#endif
#endif
