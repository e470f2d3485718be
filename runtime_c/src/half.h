/*
 * Binary16 under a scale: how a checkpoint keeps float32 in half the bytes (docs/SPEC.md, "Packed
 * entries"). A half stands for half 2^(scale - 125), with scale 0 to 255. So the smallest half is a
 * float32 under any scale.
 */
#ifndef GM_HALF_H
#define GM_HALF_H

#include <stdint.h>

/* Returns the scale, 0 to 237, under which the largest finite one of n float32 becomes as large as
 * binary16 allows. bits: those of the n numbers. */
uint32_t gm_half_scale(const uint32_t *bits, uint32_t n);

/* Returns the half nearest to the float32 of these bits, the even one of two. But a finite number
 * stays finite, and a number other than 0 does not become 0. Every NaN becomes 0x7E00 with its
 * sign. */
uint32_t gm_half_of(uint32_t bits, uint32_t scale);

/* Returns the bits of the float32 that a half stands for. It is exact, or infinity where the number
 * is too large. */
uint32_t gm_half_value(uint32_t half, uint32_t scale);

#endif
