/* Tiles of CONV_GRAD_W_S16 sums that become weight gradients at once, with Helium. */
#ifndef GM_HELIUM_WEIGHT_TILES_H
#define GM_HELIUM_WEIGHT_TILES_H

#include "../../arm_m/blocks/pairs.h"

#if GM_ARCH_PAIRS && GM_ARCH_HELIUM

/* Tiles of 2 output channels by 4 columns. */
typedef struct gm_weight_tiles {
    const uint32_t *a, *b;       /* panels; b advances to the next tile */
    uint32_t fours_bytes, bytes; /* of a tile's panel: the whole groups of four words of a column, and all */
    float factors[GM_PAIR_ROWS]; /* normal numbers, so that no product with a sum is subnormal */
    float *y[GM_PAIR_ROWS];      /* advances */
    uint32_t column_bytes;       /* from one column to the next */
    uint32_t tile_bytes;         /* from a tile's first column to that of the next */
    uint32_t tiles;              /* at least 1 */
} gm_weight_tiles;

/* y = sum factor, for all tiles. */
void gm_make_weight_tiles(gm_weight_tiles *tiles);

#endif
#endif
