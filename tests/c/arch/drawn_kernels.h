/* Kernels in the form of this processor's own against plain C, to the bit, over drawn shapes, strides and numbers. */
#ifndef DRAWN_KERNELS_H
#define DRAWN_KERNELS_H

#include <stdint.h>

/* The number of kernels. */
extern const uint32_t drawn_kernel_count;

const char *drawn_kernel_name(uint32_t kernel);

/* Draws so many instructions of a kernel. Returns how many gave other bits than plain C, or touched what they must not.
 * Any two NaN count as equal: which one comes out is not specified. */
uint32_t draw_kernel(uint32_t kernel, uint32_t turns, uint32_t seed);

#endif
