/*
 * Flash is plain memory here. An image goes to its file only when it is complete, according to its
 * header. So an interrupted upload leaves the previous image in the file.
 */
#include "flash.h"

#include <stdint.h>
#include <string.h>

#include "../files.h"
#include "board.h"
#include "gradmote.h"
#include "storage.h"

#define CRC_START 16u /* an image's checksum covers the bytes from here on */

static uint8_t *image;     /* STORAGE_AREA bytes */
static uint32_t used;      /* bytes of it that may differ from the erased state */

void flash_open(void)
{
    if (image == NULL) {
        image = memory_map(STORAGE_AREA);
    }
    memset(image, 0xFF, used);
    used = storage_read(STORAGE_IMAGE, image);
}

/* slots.c keeps checkpoints in files instead. */
board_area board_flash_area(enum board_area_kind kind)
{
    board_area area = {image, kind == BOARD_AREA_IMAGE ? STORAGE_AREA : 0, BOARD_ERASE_UNIT};
    return area;
}

/* Unused memory reads as 0, which is not an image either. */
int board_flash_erase(const uint8_t *at, uint32_t size)
{
    uint32_t offset = (uint32_t)(at - image);
    if (offset < used) {
        memset(image + offset, 0xFF, size < used - offset ? size : used - offset);
    }
    return 0;
}

/* Returns whether the area holds a whole image that ends at `end`. */
static int is_complete(uint32_t end)
{
    gm_header header;
    memcpy(&header, image, sizeof header);
    if (header.magic != GM_IMAGE_MAGIC || header.size < sizeof header || header.size > end || end - header.size >= 4) {
        return 0;
    }
    return header.crc == gm_crc32(0, image + CRC_START, header.size - CRC_START);
}

int board_flash_program(const uint8_t *at, const void *data, uint32_t size)
{
    memcpy((void *)(uintptr_t)at, data, size);
    if (at < image || at >= image + STORAGE_AREA) {
        return 0; /* a checkpoint, which slots.c handles */
    }
    uint32_t end = (uint32_t)(at - image) + size;
    used = end > used ? end : used;
    return is_complete(end) ? storage_keep(STORAGE_IMAGE, image, ((const gm_header *)(const void *)image)->size) : 0;
}
