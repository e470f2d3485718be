/* The methods of weight_gradient.h; weight_gradient.c chooses one. */
#ifndef GM_SIMD_WEIGHT_GRADIENT_METHODS_H
#define GM_SIMD_WEIGHT_GRADIENT_METHODS_H

#include "weight_gradient.h"

#if GM_ARCH_TILES

/* A vector holds input channels. Registers hold a tile of output channels by
 * vectors, for one tap. */
gm_gradient_method gm_gradient_tiles;

/* A vector holds input channels. Registers hold GM_TAP_ROW_OUT_CHANNELS output channels by adjacent
 * taps of a kernel row, so that each input is loaded once for several outputs. For groups they hold
 * as many vectors; not in builds that must be small. */
gm_gradient_method gm_gradient_tap_rows;
#define GM_TAP_ROW_OUT_CHANNELS 4u
#if defined(__wasm__)
#define GM_TAP_ROWS_OF_GROUPS 0
#else
#define GM_TAP_ROWS_OF_GROUPS 1
#endif

/* A vector holds output channels or groups. Registers hold many of these vectors, for one tap. */
gm_gradient_method gm_gradient_out_channels;

/* A vector holds output channels or groups. Registers hold one such vector for
 * each of several taps. */
gm_gradient_method gm_gradient_taps;

#endif
#endif
