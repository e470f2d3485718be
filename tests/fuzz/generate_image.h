/* Whole images from a number and the tables of opcodes alone: the same bytes on every processor. */
#ifndef GENERATE_IMAGE_H
#define GENERATE_IMAGE_H

#include <stdint.h>

#define GENERATED_SIZE_LIMIT 8192u   /* of an image, in bytes */
#define GENERATED_ARENA_LIMIT 16384u /* of the arena that it asks for, unless its size is hostile */

/* Writes an image and returns its size. image: GENERATED_SIZE_LIMIT bytes, 16-byte aligned. gm_open() accepts most of
 * them, with small tensors and, for free parameters, values near 2^31 or its fractions; one in three has a sample
 * store. counts: of GM_OP_LIMIT opcodes; adds how many instructions of each the image has. */
uint32_t generate_image(uint32_t seed, uint8_t *image, uint32_t *counts);

#endif
