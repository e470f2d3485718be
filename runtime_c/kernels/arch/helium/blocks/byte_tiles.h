/* Products of int8 matrices with Helium, 16 per machine instruction, that become int8 at once. */
#ifndef GM_HELIUM_BYTE_TILES_H
#define GM_HELIUM_BYTE_TILES_H

#include "../../../../generated/instructions/conv_s8.h"
#include "../../arm_m/conv_s8.h"

#if GM_WITH_CONV_S8 && GM_ARCH_PAIRS && GM_ARCH_HELIUM

#define GM_BYTE_ROWS 2u
#define GM_BYTE_COLUMNS 4u

/* How the sums of a tile's columns become outputs. In a panel the values of the columns follow this
 * struct: 16 of each column in turn, padded with zeros. */
typedef struct gm_byte_columns {
    uint32_t starts[GM_BYTE_COLUMNS]; /* starting values of the sums */
    float multipliers[GM_BYTE_COLUMNS], offsets[GM_BYTE_COLUMNS];
} gm_byte_columns;

/* Returns the size in bytes of a tile in a panel; its columns have n values. */
static inline uint64_t gm_byte_tile_size(uint32_t n)
{
    return sizeof(gm_byte_columns) + GM_BYTE_COLUMNS * (((uint64_t)n + 15) / 16 * 16);
}

/* Adjacent tiles of 2 rows by 4 columns of outputs. */
typedef struct gm_byte_tiles {
    const int8_t *a[GM_BYTE_ROWS]; /* the values of each row are contiguous */
    const int8_t *sixteens_end;    /* of the first row: after its last whole group of 16 values */
    uint32_t rest;                 /* number of values after these */
    const void *b;                 /* the panel; advances */
    uint32_t tiles;                /* at least 1 */
    int8_t *y[GM_BYTE_ROWS];       /* the outputs of each row are contiguous; advances */
    int32_t zero, low, high;
} gm_byte_tiles;

/* y = min(max(round((starts + sum of a b) multipliers + offsets) + zero, low),
 * high), for all tiles. */
void gm_make_byte_tiles(gm_byte_tiles *tiles);

/* Writes n values, at least 1, to one column of a tile, and returns their sum. */
int32_t gm_byte_column(int8_t *to, const int8_t *from, uint32_t n);

#endif
#endif
