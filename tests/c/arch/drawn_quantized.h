/* Kernels of int8 and int16 in the form of this processor's own against plain C, to the bit. */
#ifndef DRAWN_QUANTIZED_H
#define DRAWN_QUANTIZED_H

#include <stdint.h>

extern const uint32_t quantized_kernel_count;

const char *quantized_kernel_name(uint32_t kernel);

/* Draws so many instructions of a kernel, over shapes, strides, layouts, addresses, zero points and sizes of the panel.
 * Returns how many gave other bits than plain C, or touched what they must not. */
uint32_t draw_quantized_kernel(uint32_t kernel, uint32_t turns, uint32_t seed);

#endif
