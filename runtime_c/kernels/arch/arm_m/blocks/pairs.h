/*
 * Products of int8 and int16 matrices on Cortex-M, by pairs of int16: with the DSP extension, one
 * instruction (SMLAD) does two products.
 *
 * Operands are first widened into packed panels. A word of a panel holds two adjacent k of one row
 * or column, the first in the lower half. The words of a tile's 2 rows, or 4 columns, are
 * interleaved by k, so that a tile reads both of its panels from start to end. Sums are modulo
 * 2^32, so their order does not matter.
 */
#ifndef GM_ARM_M_PAIRS_H
#define GM_ARM_M_PAIRS_H

#include <stddef.h>
#include <stdint.h>

#include "../../arch.h"

#if GM_ARCH_PAIRS

#define GM_PAIR_ROWS 2u
#define GM_PAIR_COLUMNS 4u

/* A tile of 2 rows by 4 columns of sums. */
typedef struct gm_pair_tile {
    uint32_t sums[GM_PAIR_ROWS * GM_PAIR_COLUMNS]; /* by row, then column; in and out */
    const uint32_t *a, *b;                         /* the panels */
    const uint32_t *fours_end, *end;               /* of b: after the last whole group of four words of a column, and
                                                    * after all */
} gm_pair_tile;

/* Sets where the products end; a panel has so many words per row. */
static inline void gm_pair_words(gm_pair_tile *tile, const uint32_t *b, uint32_t words)
{
    tile->b = b;
    tile->fours_end = b + words / 4 * 4 * GM_PAIR_COLUMNS;
    tile->end = b + words * GM_PAIR_COLUMNS;
}

/* Sets the sums to 0. */
static inline void gm_pair_empty(gm_pair_tile *tile)
{
    uint32_t *sums = tile->sums;
    sums[0] = 0, sums[1] = 0, sums[2] = 0, sums[3] = 0;
    sums[4] = 0, sums[5] = 0, sums[6] = 0, sums[7] = 0;
}

/* sums[r][c] += sum over k of a[r][k] b[c][k], over at least one word. */
void gm_pair_product(gm_pair_tile *tile);

/* The number of words that a run of n values takes in a panel row, an even number. */
static inline uint32_t gm_pair_words_of(uint32_t n)
{
    return (n + 3) / 4 * 2;
}

/* Writes `words` zero words to one row of a panel, whose words are `across` words apart, and
 * returns the place of the next ones. */
uint32_t *gm_pair_zeros(uint32_t *to, uint32_t across, uint32_t words);

/* The longest run whose values may have any stride in the operand. */
#define GM_PAIR_BUFFER 64u

/*
 * Writes a run of n values to one row of a panel, whose words are `across` words apart, and returns
 * the place of the next ones. Of each four values, the first and the third make a pair, then the
 * second and the fourth, as SXTB16 extracts them from a word. Zeros follow the n-th value.
 * step: from one value to the next. zero: -128 .. 127, subtracted from each.
 */
uint32_t *gm_pair_run(uint32_t *to, uint32_t across, const int8_t *from, uint32_t n, uint32_t step, int32_t zero);

#if !GM_ARCH_HELIUM
/* The same for four runs of contiguous values, run_step apart, which go to all
 * columns of a tile. */
void gm_pair_four_runs(uint32_t *to, const int8_t *from, uint32_t run_step, uint32_t n, int32_t zero);
#endif

/* The same for contiguous values of two runs, which go to both rows. */
uint32_t *gm_pair_two_runs(uint32_t *to, const int8_t *first, const int8_t *second, uint32_t n, int32_t zero);

/*
 * The same for gradients and their multiplicands, with two adjacent k as a pair; the last k may be
 * alone. Gradients go to one row, 8-bit values to all columns of a tile, or to fewer: their k are
 * rows, row_step apart.
 */
uint32_t *gm_pair_gradients(uint32_t *to, const int16_t *from, uint32_t n, uint32_t step);
/* The same for two adjacent values at each k, which go to both rows. */
uint32_t *gm_pair_two_gradients(uint32_t *to, const int16_t *from, uint32_t n, uint32_t step);
uint32_t *gm_pair_columns(uint32_t *to, const int8_t *from, uint32_t rows, uint32_t row_step, uint32_t columns,
                          uint32_t column_step, int32_t zero);

#endif
#endif
