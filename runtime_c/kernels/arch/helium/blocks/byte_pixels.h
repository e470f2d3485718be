/* Outputs of depthwise convolutions of int8 with Helium, four neighbouring channels of a row of outputs. */
#ifndef GM_HELIUM_BYTE_PIXELS_H
#define GM_HELIUM_BYTE_PIXELS_H

#include "../../../../generated/instructions/conv_s8.h"
#include "byte_tiles.h"

#if GM_WITH_CONV_S8 && GM_ARCH_PAIRS && GM_ARCH_HELIUM

/*
 * Rows of inputs lie in a panel by columns: of each column all rows under the kernel, of each of these four channels. So
 * the taps of a window are one run, of which loads that part four interleaved vectors take 16 for each channel. Rows take
 * turns (tap_turns.h).
 */
typedef struct gm_byte_pixels {
    const int8_t *x;                         /* the first window; moves on */
    uint32_t x_step;                         /* bytes to the next */
    const int8_t *w, *w_end;                 /* 16 taps of each channel by turns, zeros behind the last */
    int8_t *y;                               /* moves on */
    uint32_t y_step;
    uint32_t left;                           /* outputs, at least 1 */
    int32_t zero;
    gm_byte_columns channels;
    int32_t low[GM_BYTE_COLUMNS], high[GM_BYTE_COLUMNS]; /* each the same number */
} gm_byte_pixels;

/* Computes the outputs that are left, two at a time. Loads read the next window behind the last one too, and 16 taps where
 * a window has fewer. */
void gm_make_byte_pixels(gm_byte_pixels *pixels);

#endif
#endif
