/*
 * Weights of depthwise convolutions with Helium, with the rows under the kernel in a panel by
 * columns: for each column all rows, of each of four channels. So the taps of a window are one run,
 * and loads that de-interleave four vectors get several taps for each channel. Rows take turns: row
 * r is always in slot r modulo their number, and each turn has weights of its own.
 */
#ifndef GM_HELIUM_TAP_TURNS_H
#define GM_HELIUM_TAP_TURNS_H

#include <stdint.h>

#include "../../arch.h"

#if GM_ARCH_PAIRS && GM_ARCH_HELIUM

#define GM_MOST_TAPS 64u
#define GM_TAP_CHANNELS 4u

typedef struct gm_tap_turns {
    uint32_t rows, columns;      /* of the kernel, with at most GM_MOST_TAPS taps */
    uint32_t w_row, w_column;    /* from one weight to the next */
    uint32_t lanes;              /* taps of a channel done at once: 16 or 8 */
    int is_turned_around;        /* the last tap comes first */
    uint32_t bytes;              /* of the weights of one turn */
    uint8_t order[GM_MOST_TAPS]; /* indices of a window's taps in weights by rows */
} gm_tap_turns;

/* Whether a kernel is that small. */
static inline int gm_are_few_taps(uint32_t rows, uint32_t columns)
{
    return rows <= GM_MOST_TAPS && columns <= GM_MOST_TAPS && rows * columns <= GM_MOST_TAPS;
}

/* Sets bytes and order; the other fields are set. */
void gm_order_taps(gm_tap_turns *turns);

/* Writes the weights of one of four channels for all turns, `lanes` of each channel in turn, padded
 * with zeros. Returns their sum. */
int32_t gm_pack_turns(const gm_tap_turns *turns, const int8_t *w, uint32_t channel, int8_t *to);

#endif
#endif
