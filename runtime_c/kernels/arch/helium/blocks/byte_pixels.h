/* Outputs of int8 depthwise convolutions with Helium, four adjacent channels of an output row. */
#ifndef GM_HELIUM_BYTE_PIXELS_H
#define GM_HELIUM_BYTE_PIXELS_H

#include "../../../../generated/instructions/conv_s8.h"
#include "byte_tiles.h"

#if GM_WITH_CONV_S8 && GM_ARCH_PAIRS && GM_ARCH_HELIUM

/*
 * Input rows are in a panel by columns: for each column all rows under the kernel, of each of these
 * four channels. So the taps of a window are one run, and loads that de-interleave four vectors get
 * 16 taps for each channel. Rows take turns (tap_turns.h).
 */
typedef struct gm_byte_pixels {
    const int8_t *x;                         /* the first window; advances */
    uint32_t x_step;                         /* bytes to the next */
    const int8_t *w, *w_end;                 /* 16 taps of each channel in turn, padded with zeros */
    int8_t *y;                               /* advances */
    uint32_t y_step;
    uint32_t left;                           /* outputs, at least 1 */
    int32_t zero;
    gm_byte_columns channels;
    int32_t low[GM_BYTE_COLUMNS], high[GM_BYTE_COLUMNS]; /* each the same value, replicated */
} gm_byte_pixels;

/* Computes the remaining outputs, two at a time. Loads also read the window after the last one, and
 * 16 taps even if a window has fewer. */
void gm_make_byte_pixels(gm_byte_pixels *pixels);

#endif
#endif
