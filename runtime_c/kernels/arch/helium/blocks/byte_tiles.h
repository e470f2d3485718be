/* Products of int8 matrices with Helium, of which one machine instruction takes 16, that become int8 at once. */
#ifndef GM_HELIUM_BYTE_TILES_H
#define GM_HELIUM_BYTE_TILES_H

#include "../../../../generated/instructions/conv_s8.h"
#include "../../arm_m/conv_s8.h"

#if GM_WITH_CONV_S8 && GM_ARCH_PAIRS && GM_ARCH_HELIUM

#define GM_BYTE_ROWS 2u
#define GM_BYTE_COLUMNS 4u

/* What becomes of the sums of a tile's columns. In a panel the numbers of the columns follow it: 16 of each column by
 * turns, zeros behind the last ones. */
typedef struct gm_byte_columns {
    uint32_t starts[GM_BYTE_COLUMNS]; /* what sums start from */
    float multipliers[GM_BYTE_COLUMNS], offsets[GM_BYTE_COLUMNS];
} gm_byte_columns;

/* Returns how many bytes a tile takes in a panel, whose columns have n numbers. */
static inline uint64_t gm_byte_tile_size(uint32_t n)
{
    return sizeof(gm_byte_columns) + GM_BYTE_COLUMNS * (((uint64_t)n + 15) / 16 * 16);
}

/* Tiles of 2 rows by 4 columns of outputs, one beside the other. */
typedef struct gm_byte_tiles {
    const int8_t *a[GM_BYTE_ROWS]; /* the numbers of each row are neighbours */
    const int8_t *sixteens_end;    /* of the first row: behind its last whole 16 numbers */
    uint32_t rest;                 /* of numbers behind these */
    const void *b;                 /* the panel; moves on */
    uint32_t tiles;                /* at least 1 */
    int8_t *y[GM_BYTE_ROWS];       /* the outputs of each row are neighbours; moves on */
    int32_t zero, low, high;
} gm_byte_tiles;

/* y = min(max(round((starts + sum of a b) multipliers + offsets) + zero, low), high), of all tiles. */
void gm_make_byte_tiles(gm_byte_tiles *tiles);

/* Writes n numbers, at least 1, to one column of a tile, and returns their sum. */
int32_t gm_byte_column(int8_t *to, const int8_t *from, uint32_t n);

#endif
#endif
