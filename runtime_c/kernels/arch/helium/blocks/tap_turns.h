/*
 * Weights of depthwise convolutions with Helium, of which rows under the kernel lie in a panel by columns: of each column all
 * rows, of each of four channels. So the taps of a window are one run, of which loads that part four interleaved vectors
 * take some for each channel. Rows take turns: number r is always r modulo their number, and there are weights for each
 * turn.
 */
#ifndef GM_HELIUM_TAP_TURNS_H
#define GM_HELIUM_TAP_TURNS_H

#include <stdint.h>

#include "../../arch.h"

#if GM_ARCH_PAIRS && GM_ARCH_HELIUM

#define GM_MOST_TAPS 64u
#define GM_TAP_CHANNELS 4u

typedef struct gm_tap_turns {
    uint32_t rows, columns;      /* of the kernel, of no more than GM_MOST_TAPS taps */
    uint32_t w_row, w_column;    /* from a weight to the next one */
    uint32_t lanes;              /* taps of a channel that are taken at once: 16 or 8 */
    int is_turned_around;        /* the last tap is the first */
    uint32_t bytes;              /* of the weights of a turn */
    uint8_t order[GM_MOST_TAPS]; /* of the taps of a window, in weights by rows */
} gm_tap_turns;

/* Whether a kernel is so small. */
static inline int gm_are_few_taps(uint32_t rows, uint32_t columns)
{
    return rows <= GM_MOST_TAPS && columns <= GM_MOST_TAPS && rows * columns <= GM_MOST_TAPS;
}

/* Sets bytes and order; all else is set. */
void gm_order_taps(gm_tap_turns *turns);

/* Writes the weights of one of four channels for all turns, some of each channel by turns, zeros behind the last ones.
 * Returns their sum. */
int32_t gm_pack_turns(const gm_tap_turns *turns, const int8_t *w, uint32_t channel, int8_t *to);

#endif
#endif
