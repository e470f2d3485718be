/* Tiles of sums of CONV_GRAD_X_S16 that become gradients of 16 bits at once. */
#ifndef GM_ARM_M_GRADIENT_TILES_H
#define GM_ARM_M_GRADIENT_TILES_H

#include "../../../../generated/instructions/conv_grad_x_s16.h"
#include "finish_s16.h"
#include "pairs.h"

#if GM_ARCH_CONV_GRAD_X_S16 && GM_ARCH_DSP

/* Tiles of 2 inputs by 4 channels, one beside the other, of which dx and q are neighbours. */
typedef struct gm_gradient_tiles {
    const uint32_t *a, *b;         /* panels; b moves on to the next tile */
    uint32_t fours_bytes, bytes;   /* of the panel of a tile: whole fours of words of a column, and all */
    const int8_t *q[GM_PAIR_ROWS]; /* of the first column */
    const uint8_t *bits;           /* of the mask; NULL: q is, or nothing */
    uint32_t bit[GM_PAIR_ROWS];    /* of the first column, a multiple of 4 */
    uint32_t least, most;          /* of q that passes the mask, four times */
    const float *scale;            /* of the first column */
    uint32_t scale_step, q_step;   /* bytes to those of the next tile, or 0 */
    float factor;
    uint32_t limits, minus_limits; /* twice */
    int16_t *dx[GM_PAIR_ROWS];
    uint32_t largest, bound;       /* twice: upper halves of bits, of the largest number, and above all that need no limit */
    uint32_t tiles;                /* at least 1 */
    uint32_t dx_step;              /* of columns: bytes from one to the next, as q_step and bit_step are then */
    uint32_t bit_step;
} gm_gradient_tiles;

/* Whether tiles give the bits of gm_finish_channels(): unit and scale can be multiplied with a sum in one, as exactly, and
 * a tile's bits of the mask lie in one byte. */
int gm_suits_gradient_tiles(const gm_finish_s16 *finish, const gm_insn_conv_grad_x_s16 *insn);

/* Returns what all tiles of an instruction share, whose panels have so many words a column. */
gm_gradient_tiles gm_gradient_tiles_of(const gm_finish_s16 *finish, uint32_t words);

#if GM_ARCH_HELIUM
/* gm_make_gradients() of tiles whose pointers are all set. They move on. */
void gm_make_gradient_tiles(gm_gradient_tiles *tiles);
#endif

/* dx = sum scale factor where the mask is passed, else 0, rounded and within the limits, of two inputs whose offsets in dx
 * are given, from number `channel` on. Panels and the number of tiles are set. */
void gm_make_gradients(gm_gradient_tiles *tiles, const gm_finish_s16 *finish, const uint32_t at[GM_PAIR_ROWS],
                       uint32_t channel);

/* The same of sums that there are already, of four channels of each column: a row of twice as many columns as there are
 * tiles, a step apart, whose first one has the offset `at`. */
void gm_make_gradients_of_row(gm_gradient_tiles *tiles, const gm_finish_s16 *finish, const uint32_t *sums, uint32_t at,
                              uint32_t step, uint32_t channel);

/* Sees the largest of all numbers that were made. */
void gm_see_gradients(const gm_gradient_tiles *tiles, gm_finish_s16 *finish);

#endif
#endif
