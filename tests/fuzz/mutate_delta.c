/* Mutates what follows an image, a delta or an export table, and leaves the image alone. */
#include <string.h>

#include "gradmote.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    uint32_t image_size = 0;
    (void)seed;
    if (size > sizeof(gm_header)) {
        memcpy(&image_size, data + 8, sizeof image_size);
    }
    if (image_size < sizeof(gm_header) || image_size > size || image_size >= max_size) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    return image_size + LLVMFuzzerMutate(data + image_size, size - image_size, max_size - image_size);
}
