/* The gradient of a convolution's weights, some maps at a time. */
#ifndef GM_SIMD_WEIGHT_GRADIENT_H
#define GM_SIMD_WEIGHT_GRADIENT_H

#include "../../conv_gradient.h"
#include "simd.h"

/* What the vectors lie along: maps, or the channels of a map, or groups of one channel and one map. */
typedef enum gm_gradient_form { GM_ALONG_NOTHING, GM_ALONG_MAPS, GM_ALONG_CHANNELS, GM_ALONG_GROUPS } gm_gradient_form;

typedef struct gm_weight_gradient {
    gm_conv_gradient g;
    gm_gradient_form form;
    uint32_t groups, maps, size; /* of a map: channels kernel_h kernel_w */
    int accumulate;
} gm_weight_gradient;

#if GM_ARCH_SIMD

/* Finds the form, GM_ALONG_NOTHING where plain C should do it. */
void gm_weight_gradient_start(gm_weight_gradient *w);

/* rows[j,c,k,l], j counting `count` neighbouring maps, or groups with GM_ALONG_GROUPS; x and dy: of the first. */
void gm_weight_gradient_rows(const gm_weight_gradient *w, const float *x, const float *dy, uint32_t count, float *rows);

#endif
#endif
