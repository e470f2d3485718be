/* Mutates the checkpoint after an image, leaves the image alone, and mostly puts size and checksum right. */
#include <string.h>

#include "gradmote.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

#define HEADER_SIZE sizeof(gm_checkpoint)

/* checkpoint: `size` bytes at any address. */
static void seal(uint8_t *checkpoint, size_t size, int fix_size)
{
    gm_checkpoint header;
    memcpy(&header, checkpoint, HEADER_SIZE);
    header.size = fix_size || header.size < HEADER_SIZE || header.size > size ? (uint32_t)size : header.size;
    memcpy(checkpoint, &header, HEADER_SIZE);
    header.crc = gm_crc32(0, checkpoint + 16, header.size - 16);
    memcpy(checkpoint, &header, HEADER_SIZE);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    uint32_t image_size = 0;
    if (size > sizeof(gm_header)) {
        memcpy(&image_size, data + 8, sizeof image_size);
    }
    if (image_size < sizeof(gm_header) || image_size >= size) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    uint8_t *checkpoint = data + image_size;
    size_t left = size - image_size;
    if (seed % 2 == 0) {
        left = LLVMFuzzerMutate(checkpoint, left, max_size - image_size);
    } else {
        size_t header = left < HEADER_SIZE ? left : HEADER_SIZE;
        (void)LLVMFuzzerMutate(checkpoint, header, header);
    }
    if (seed / 2 % 8 != 0 && left > HEADER_SIZE) {
        seal(checkpoint, left - 1, seed / 16 % 2 == 0);
    }
    return image_size + left;
}
