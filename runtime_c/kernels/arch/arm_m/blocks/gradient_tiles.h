/* Tiles of CONV_GRAD_X_S16 sums that become 16-bit gradients at once. */
#ifndef GM_ARM_M_GRADIENT_TILES_H
#define GM_ARM_M_GRADIENT_TILES_H

#include "../../../../generated/instructions/conv_grad_x_s16.h"
#include "finish_s16.h"
#include "pairs.h"

#if GM_ARCH_CONV_GRAD_X_S16 && GM_ARCH_DSP

/* Adjacent tiles of 2 inputs by 4 channels, with contiguous dx and q. */
typedef struct gm_gradient_tiles {
    const uint32_t *a, *b;         /* panels; b advances to the next tile */
    uint32_t fours_bytes, bytes;   /* of a tile's panel: the whole groups of four words of a column, and all */
    const int8_t *q[GM_PAIR_ROWS]; /* of the first column */
    const uint8_t *bits;           /* of the mask; NULL: the mask is q, or there is none */
    uint32_t bit[GM_PAIR_ROWS];    /* of the first column, a multiple of 4 */
    uint32_t least, most;          /* bounds of the q that pass the mask, four times */
    const float *scale;            /* of the first column */
    uint32_t scale_step, q_step;   /* bytes to that of the next tile, or 0 */
    float factor;
    uint32_t limits, minus_limits; /* twice */
    int16_t *dx[GM_PAIR_ROWS];
    uint32_t largest, bound;       /* twice: upper halves of the bits of the largest value, and of a bound below
                                    * which no clamping is needed */
    uint32_t tiles;                /* at least 1 */
    uint32_t dx_step;              /* of columns: bytes from one to the next; so are q_step and bit_step then */
    uint32_t bit_step;
} gm_gradient_tiles;

/* Whether tiles are bitwise equal to gm_finish_channels(): unit times scale can be applied as one
 * factor without loss, and a tile's mask bits are in one byte. */
int gm_suits_gradient_tiles(const gm_finish_s16 *finish, const gm_insn_conv_grad_x_s16 *insn);

/* Returns what all tiles of an instruction share; its panels have so many words per column. */
gm_gradient_tiles gm_gradient_tiles_of(const gm_finish_s16 *finish, uint32_t words);

#if GM_ARCH_HELIUM
/* gm_make_gradients() for tiles whose pointers are all set. Advances them. */
void gm_make_gradient_tiles(gm_gradient_tiles *tiles);
#endif

/* dx = sum scale factor if the mask passes, else 0, rounded and clamped to the limits,
 * for two inputs at the given offsets in dx, from index `channel` on. Panels and the
 * number of tiles are set. */
void gm_make_gradients(gm_gradient_tiles *tiles, const gm_finish_s16 *finish, const uint32_t at[GM_PAIR_ROWS],
                       uint32_t channel);

/* The same for ready-made sums of four channels per column: a row of twice as many columns as there
 * are tiles, a step apart; the first one has the offset `at`. */
void gm_make_gradients_of_row(gm_gradient_tiles *tiles, const gm_finish_s16 *finish, const uint32_t *sums, uint32_t at,
                              uint32_t step, uint32_t channel);

/* Takes the largest of all values made into account. */
void gm_see_gradients(const gm_gradient_tiles *tiles, gm_finish_s16 *finish);

#endif
#endif
