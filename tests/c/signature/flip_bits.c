/*
 * flip_bits FILE STRIDE: the code that signature_check() gives for a file; then how often it gives each code if one bit
 * is flipped: every STRIDE-th of the image, with its checksum and with one made right again, and every one after it.
 * The file is in a block of its own size, so that a sanitizer sees a byte too many.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../firmware/src/storage/signature.h"
#include "gradmote.h"

static long counts[256]; /* by the code's negative */

static uint32_t checksum(const uint8_t *image, uint32_t size)
{
    return gm_crc32(0, image + 16, size - 16);
}

static void check(const uint8_t *image, uint32_t size)
{
    ++counts[-signature_check(image, size)];
}

static void flip(uint8_t *image, uint32_t size, uint32_t bit)
{
    gm_header header;
    memcpy(&header, image, sizeof header);
    image[bit / 8] ^= (uint8_t)(1u << bit % 8);
    check(image, size);
    if (bit / 8 >= 16 && bit / 8 < header.size) {
        uint32_t crc = checksum(image, header.size);
        memcpy(image + 12, &crc, sizeof crc);
        check(image, size);
        memcpy(image + 12, &header.crc, sizeof crc);
    }
    image[bit / 8] ^= (uint8_t)(1u << bit % 8);
}

int main(int argc, char **argv)
{
    FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        return 2;
    }
    uint32_t size = (uint32_t)ftell(file);
    uint32_t stride = (uint32_t)strtoul(argv[2], NULL, 10);
    uint8_t *image = malloc(size); /* at a multiple of 16 */
    rewind(file);
    if (image == NULL || fread(image, 1, size, file) != size) {
        return 2;
    }
    fclose(file);
    printf("%d\n", signature_check(image, size));
    gm_header header;
    memcpy(&header, image, sizeof header);
    for (uint32_t bit = 0; bit < 96; ++bit) { /* magic, version and size */
        flip(image, size, bit);
    }
    for (uint32_t bit = 96; bit < 8 * header.size; bit += stride) {
        flip(image, size, bit);
    }
    for (uint32_t bit = 8 * header.size; bit < 8 * size; ++bit) {
        flip(image, size, bit);
    }
    for (int code = 0; code < 256; ++code) {
        if (counts[code] != 0) {
            printf("%d %ld\n", -code, counts[code]);
        }
    }
    free(image);
    return 0;
}
