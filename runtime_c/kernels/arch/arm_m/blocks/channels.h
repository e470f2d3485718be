/* Batch normalization of 8 adjacent channels: what the Cortex-M kernels have in common. */
#ifndef GM_ARM_M_CHANNELS_H
#define GM_ARM_M_CHANNELS_H

/* The values that normalize the channels. */
typedef struct gm_channel_vectors {
    const float *mean, *inv_std, *scale, *bias;
} gm_channel_vectors;

/* The inputs of the gradient sums, and the gradients that receive them. */
typedef struct gm_channel_sums {
    const float *mean, *inv_std;
    float *dscale, *dbias;
} gm_channel_sums;

#endif
