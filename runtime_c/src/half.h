/* Binary16 under a scale: how a checkpoint keeps float32 in half the bytes (docs/SPEC.md, "Packed entries"). */
#ifndef GM_HALF_H
#define GM_HALF_H

#include <stdint.h>

/* A half stands for half 2^(scale - 125), scale 0 to 255: so the smallest half, of any scale, is a float32. */

/* The scale under which the largest finite of n float32 is as high as binary16 allows; 0 to 237. bits: theirs. */
uint32_t gm_half_scale(const uint32_t *bits, uint32_t n);

/* The half nearest to the float32 of these bits, of two the even one; but a finite number stays finite, and one that is
 * not 0 becomes no 0. Every NaN becomes 0x7E00, with its sign. */
uint32_t gm_half_of(uint32_t bits, uint32_t scale);

/* The bits of the float32 that a half stands for: exactly, or infinity where it is too large. */
uint32_t gm_half_value(uint32_t half, uint32_t scale);

#endif
