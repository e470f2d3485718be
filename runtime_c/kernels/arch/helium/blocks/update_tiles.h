/*
 * Tiles of a weight's gradient that SGD takes from registers: 6 or 4 output channels by 4 input
 * channels at the one tap of a 1x1 convolution. No gradient is stored.
 */
#ifndef GM_HELIUM_UPDATE_TILES_H
#define GM_HELIUM_UPDATE_TILES_H

#include <stdint.h>

/* Steps are in bytes. */
typedef struct gm_update_tiles {
    const float *dy; /* k pixels of 6 or 4 output channels, which are neighbours */
    uint32_t dy_k;
    const float *x; /* k pixels of 4 input channels for each tile */
    uint32_t x_k;
    float *p; /* 6 or 4 rows of 4 parameters for each tile */
    uint32_t p_row;
    uint32_t minus_lr; /* the bits of a float */
    uint32_t k;        /* pixels, at least 1 */
    uint32_t fours, rest; /* k - 1: whole fours, and what is left */
    uint32_t left;     /* how many tiles are left */
} gm_update_tiles;

/* p[i,j] += minus_lr sum over k of dy[k,i] x[k,j], of tiles next to each other. Ends before a tile
 * with subnormal numbers, where x and p are then; `left` says how many tiles are not done. */
void gm_update_tiles_of_6(gm_update_tiles *tiles);
void gm_update_tiles_of_4(gm_update_tiles *tiles);

#endif
