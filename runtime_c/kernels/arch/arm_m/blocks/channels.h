/* Batch normalization of 8 channels that are neighbours: what the kernels for Cortex-M have in
 * common. */
#ifndef GM_ARM_M_CHANNELS_H
#define GM_ARM_M_CHANNELS_H

/* The values that the channels are normalized with. */
typedef struct gm_channel_vectors {
    const float *mean, *inv_std, *scale, *bias;
} gm_channel_vectors;

/* The values that the sums of gradients are made with, and the gradients that the sums become. */
typedef struct gm_channel_sums {
    const float *mean, *inv_std;
    float *dscale, *dbias;
} gm_channel_sums;

#endif
