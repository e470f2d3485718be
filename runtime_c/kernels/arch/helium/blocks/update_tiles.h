/*
 * Tiles of weight gradients that SGD consumes from registers: 6 or 4 output channels by 4 input
 * channels at the single tap of a 1x1 convolution. No gradient is stored.
 */
#ifndef GM_HELIUM_UPDATE_TILES_H
#define GM_HELIUM_UPDATE_TILES_H

#include <stdint.h>

/* Steps are in bytes. */
typedef struct gm_update_tiles {
    const float *dy; /* k pixels of 6 or 4 output channels, which are adjacent */
    uint32_t dy_k;
    const float *x; /* k pixels of 4 input channels for each tile */
    uint32_t x_k;
    float *p; /* 6 or 4 rows of 4 parameters for each tile */
    uint32_t p_row;
    uint32_t minus_lr; /* the bits of a float */
    uint32_t k;        /* pixels, at least 1 */
    uint32_t fours, rest; /* k - 1: whole groups of four, and the rest */
    uint32_t left;     /* number of remaining tiles */
} gm_update_tiles;

/* p[i,j] += minus_lr sum over k of dy[k,i] x[k,j], for adjacent tiles. Stops before a tile with
 * subnormals; then x and p point there, and `left` is the number of tiles not done. */
void gm_update_tiles_of_6(gm_update_tiles *tiles);
void gm_update_tiles_of_4(gm_update_tiles *tiles);

#endif
