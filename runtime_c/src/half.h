/*
 * Scaled binary16: how a checkpoint stores float32 in half the bytes (docs/SPEC.md, "Packed
 * entries"). A half represents half 2^(scale - 125), with scale 0 to 255. So with any scale the
 * smallest half is a float32.
 */
#ifndef GM_HALF_H
#define GM_HALF_H

#include <stdint.h>

/* Returns the scale, 0 to 237, with which the largest finite one of n float32 becomes as large as
 * binary16 allows. bits: of the n numbers. */
uint32_t gm_half_scale(const uint32_t *bits, uint32_t n);

/* Returns the half nearest to the float32 with these bits, ties to even. But a finite number stays
 * finite, and a nonzero number does not become 0. Every NaN becomes 0x7E00 with its sign. */
uint32_t gm_half_of(uint32_t bits, uint32_t scale);

/* Returns the bits of the float32 that a half represents, exactly, or infinity if the number is too
 * large. */
uint32_t gm_half_value(uint32_t half, uint32_t scale);

#endif
