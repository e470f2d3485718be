/* Tiles and panels of s16.h. */
#include "s16.h"
#include "../simd.h"

#if GM_ARCH_SIMD_S8

/* ---- Tiles ----------------------------------------------------------------------------------- */

/* rows: a constant. */
GM_SIMD_INLINE void multiply_rows(const gm_s16_tile *t, uint32_t rows)
{
    static const uint32_t zeros[GM_S16_ROWS * GM_S16_COLUMNS];
    const uint32_t *start = t->continues ? t->sums : zeros;
    gm_words sums[GM_S16_ROWS][GM_TILE_VECTORS];
    GM_UNROLL
    for (uint32_t i = 0; i < rows * GM_TILE_VECTORS; i++) {
        sums[i / GM_TILE_VECTORS][i % GM_TILE_VECTORS] = gm_words_load(start + i * GM_LANES);
    }
    const int16_t *row[GM_S16_ROWS], *panel = t->panel;
    memcpy(row, t->row, sizeof row);
    size_t step = t->step, at = 0;
    for (uint32_t k = t->pairs; k > 0; k--, at += step, panel += 2 * GM_S16_COLUMNS) {
        gm_pairs columns[GM_TILE_VECTORS];
        GM_UNROLL
        for (uint32_t v = 0; v < GM_TILE_VECTORS; v++) {
            columns[v] = gm_pairs_load(panel + 2 * GM_LANES * v);
        }
        GM_UNROLL
        for (uint32_t r = 0; r < rows; r++) {
            gm_pairs pair = gm_pairs_splat(row[r] + at);
            GM_UNROLL
            for (uint32_t v = 0; v < GM_TILE_VECTORS; v++) {
                sums[r][v] = gm_pairs_mac(sums[r][v], pair, columns[v]);
            }
        }
    }
    GM_UNROLL
    for (uint32_t i = 0; i < rows * GM_TILE_VECTORS; i++) {
        gm_words_store(t->sums + i * GM_LANES, sums[i / GM_TILE_VECTORS][i % GM_TILE_VECTORS]);
    }
}

GM_SIMD_TARGET void gm_s16_multiply(const gm_s16_tile *tile)
{
    if (tile->rows == 1) {
        multiply_rows(tile, 1);
    } else if (tile->rows <= GM_S16_ROWS / 2) {
        multiply_rows(tile, GM_S16_ROWS / 2);
    } else {
        multiply_rows(tile, GM_S16_ROWS);
    }
}

/* ---- Panels ---------------------------------------------------------------------------------- */

/* One column with any stride in bytes. Other values may precede its first value, and follow its
 * last, in the same pair. */
static void pack_column_s16(int16_t *panel, uint32_t first, const gm_s16_matrix *m, const int8_t *from)
{
    int16_t *to = panel + first / 2 * 2 * GM_S16_COLUMNS, zero = (int16_t)m->zero;
    uint32_t left = m->numbers, step = m->number_step;
    if (first % 2 != 0 && left > 0) {
        to[1] = (int16_t)(*from - zero);
        to += 2 * GM_S16_COLUMNS, from += step, left--;
    }
    for (; left >= 2; left -= 2, to += 2 * GM_S16_COLUMNS, from += 2 * (size_t)step) {
        to[0] = (int16_t)(from[0] - zero);
        to[1] = (int16_t)(from[step] - zero);
    }
    if (left > 0) {
        to[0] = (int16_t)(*from - zero);
        to[1] = 0;
    }
}

/* Values and columns with gaps. Columns past the end are zeros. */
static void pack_scattered_s16(int16_t *panel, uint32_t first, const gm_s16_matrix *m)
{
    static const int8_t none[1];
    const gm_s16_matrix zeros = {.numbers = m->numbers, .number_step = 0};
    for (uint32_t c = 0; c < GM_S16_COLUMNS; c++) {
        if (c < m->columns) {
            pack_column_s16(panel + 2 * c, first, m, m->at + (size_t)c * m->column_step);
        } else {
            pack_column_s16(panel + 2 * c, first, &zeros, none);
        }
    }
}

/* Values with contiguous columns. */
static GM_SIMD_TARGET void pack_columns_s16(int16_t *panel, const gm_s16_matrix *m)
{
    int8_t zeros[GM_S16_COLUMNS];
    memset(zeros, m->zero, sizeof zeros);
    for (uint32_t k = 0; k < m->numbers; k += 2, panel += 2 * GM_S16_COLUMNS) {
        const int8_t *first = m->at + (size_t)k * m->number_step;
        const int8_t *second = k + 1 < m->numbers ? first + m->number_step : zeros;
        GM_UNROLL
        for (uint32_t v = 0; v < GM_TILE_VECTORS; v++) {
            uint32_t at = v * GM_LANES;
            gm_pairs_store(panel + 2 * at, gm_pairs_of_bytes(first + at, second + at, m->zero));
        }
    }
}

/* GM_LANES columns of 2 GM_LANES contiguous values each, from rows of int16. */
GM_SIMD_INLINE void transpose_pairs(int16_t *panel, int16_t (*rows)[2 * GM_LANES])
{
    gm_vec block[GM_LANES];
    GM_UNROLL
    for (uint32_t c = 0; c < GM_LANES; c++) {
        memcpy(&block[c], rows[c], sizeof block[c]);
    }
    gm_vec_transpose(block);
    GM_UNROLL
    for (uint32_t k = 0; k < GM_LANES; k++) {
        memcpy(panel + k * 2 * GM_S16_COLUMNS, &block[k], sizeof block[k]);
    }
}

/* Columns of contiguous values. */
static GM_SIMD_TARGET void pack_rows_s16(int16_t *panel, const gm_s16_matrix *m)
{
    for (uint32_t k = 0; k < m->numbers; k += 2 * GM_LANES, panel += 2 * GM_LANES * GM_S16_COLUMNS) {
        uint32_t n = m->numbers - k < 2 * GM_LANES ? m->numbers - k : 2 * GM_LANES;
        for (uint32_t v = 0; v < GM_S16_COLUMNS; v += GM_LANES) {
            int16_t rows[GM_LANES][2 * GM_LANES] = {{0}};
            for (uint32_t c = 0; c < GM_LANES && v + c < m->columns; c++) {
                gm_s16_widen(rows[c], m->at + (size_t)(v + c) * m->column_step + k, n, 1, m->zero);
            }
            transpose_pairs(panel + 2 * v, rows);
        }
    }
}

void gm_s16_pack(int16_t *panel, uint32_t first, const gm_s16_matrix *matrix)
{
    int16_t *to = panel + first / 2 * 2 * GM_S16_COLUMNS;
    if (first % 2 == 0 && matrix->number_step == 1) {
        pack_rows_s16(to, matrix);
    } else if (first % 2 == 0 && matrix->column_step == 1 && matrix->columns >= GM_S16_COLUMNS) {
        pack_columns_s16(to, matrix);
    } else {
        pack_scattered_s16(panel, first, matrix);
    }
}

#endif
