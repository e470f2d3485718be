/* What fuzz targets do to an image so that mutations reach past the first checks, and what they require. */
#ifndef REPAIR_H
#define REPAIR_H

#include <stdint.h>
#include <stdlib.h>

/* Puts size, checksum, counts of instructions and their work right. image: 16-byte aligned, of at least a header. */
void repair(uint8_t *image, uint32_t size);

static inline void require(int holds)
{
    if (!holds) {
        abort();
    }
}

#endif
