/* The inner loop of every kernel here: a tile of accumulators. Each takes its products
 * one after another. */
#ifndef GM_SIMD_TILE_H
#define GM_SIMD_TILE_H

#include "../vector.h"

#if GM_ARCH_TILES

/* The rows of the next tile if `left` are left: GM_TILE_PIXELS or GM_TILE_ROWS, so that
 * few are left over. */
static inline uint32_t gm_next_rows(uint32_t left)
{
    uint32_t rest = left % GM_TILE_PIXELS;
    return left <= GM_TILE_ROWS || (rest > 0 && rest <= 2 * GM_TILE_ROWS - GM_TILE_PIXELS) ? GM_TILE_ROWS
                                                                                           : GM_TILE_PIXELS;
}

/* The most rows of gm_tile_mac_even(). */
#define GM_MOST_EVEN_ROWS 12u

/* sums[r][v] += a[r][at + i a_step] b[i b_step + v] for i in 0..count; v is a vector of columns.
 * rows and vectors: constants. */
GM_SIMD_INLINE void gm_tile_mac_at(gm_vec *sums, const float *const *a, size_t at, size_t a_step, const float *b,
                                   size_t b_step, size_t count, uint32_t rows, uint32_t vectors)
{
    at *= sizeof(float), a_step *= sizeof(float); /* bytes: then an address is one addition */
    for (; count > 0; count--) {
        gm_vec column[GM_ROW_VECTORS];
        GM_UNROLL
        for (uint32_t v = 0; v < vectors; v++) {
            column[v] = gm_vec_load(b + v * GM_LANES);
        }
        GM_UNROLL
        for (uint32_t r = 0; r < rows; r++) {
            gm_vec value = gm_vec_splat(*(const float *)(const void *)((const char *)a[r] + at));
            GM_UNROLL
            for (uint32_t v = 0; v < vectors; v++) {
                sums[r * vectors + v] = gm_vec_mac(sums[r * vectors + v], value, column[v]);
            }
        }
        at += a_step;
        b += b_step;
    }
}

GM_SIMD_INLINE void gm_tile_mac(gm_vec *sums, const float *const *a, size_t a_step, const float *b, size_t b_step,
                                size_t count, uint32_t rows, uint32_t vectors)
{
    gm_tile_mac_at(sums, a, 0, a_step, b, b_step, count, rows, vectors);
}

/* gm_tile_mac() for rows that are row_step apart, from `a` on: two numbers replace the addresses of
 * four rows, which would need too many registers. */
GM_SIMD_INLINE void gm_tile_mac_even(gm_vec *sums, const float *a, size_t row_step, size_t a_step, const float *b,
                                     size_t b_step, size_t count, uint32_t rows, uint32_t vectors)
{
    const char *four[(GM_MOST_EVEN_ROWS + 3) / 4];
    size_t step = row_step * sizeof(float), thrice = 3 * step;
    GM_UNROLL
    for (uint32_t q = 0; q < (rows + 3) / 4; q++) {
        four[q] = (const char *)(a + 4 * q * row_step);
    }
    __asm__("" : "+r"(thrice)); /* else the compiler computes it each time */
    for (; count > 0; count--) {
        gm_vec column[GM_TILE_VECTORS];
        GM_UNROLL
        for (uint32_t v = 0; v < vectors; v++) {
            column[v] = gm_vec_load(b + v * GM_LANES);
        }
        GM_UNROLL
        for (uint32_t r = 0; r < rows; r++) {
            size_t at = r % 4 == 3 ? thrice : r % 4 * step;
            gm_vec value = gm_vec_splat(*(const float *)(const void *)(four[r / 4] + at));
            GM_UNROLL
            for (uint32_t v = 0; v < vectors; v++) {
                sums[r * vectors + v] = gm_vec_mac(sums[r * vectors + v], value, column[v]);
            }
        }
        GM_UNROLL
        for (uint32_t q = 0; q < (rows + 3) / 4; q++) {
            four[q] += a_step * sizeof(float);
            __asm__("" : "+r"(four[q])); /* else each row has an address of its own again */
        }
        b += b_step;
    }
}

/* `columns` floats of p as vectors; the lanes after them are 0. */
GM_SIMD_INLINE void gm_tile_load(gm_vec *v, const float *p, uint32_t columns, uint32_t vectors)
{
    GM_UNROLL
    for (uint32_t i = 0; i < vectors; i++) {
        uint32_t first = i * GM_LANES;
        if (columns >= first + GM_LANES) {
            v[i] = gm_vec_load(p + first);
        } else {
            v[i] = columns > first ? gm_vec_load_part(p + first, columns - first) : gm_vec_splat(0.0f);
        }
    }
}

GM_SIMD_INLINE void gm_tile_store(float *p, const gm_vec *v, uint32_t columns, uint32_t vectors)
{
    GM_UNROLL
    for (uint32_t i = 0; i < vectors; i++) {
        uint32_t first = i * GM_LANES;
        if (columns >= first + GM_LANES) {
            gm_vec_store(p + first, v[i]);
        } else if (columns > first) {
            gm_vec_store_part(p + first, v[i], columns - first);
        }
    }
}

#endif
#endif
