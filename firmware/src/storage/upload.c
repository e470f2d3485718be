#include "storage/upload.h"

#include <string.h>

#include "board.h"
#include "console_spec.h"
#include "gradmote.h"
#include "storage/flash_writer.h"

int upload_begin(upload *file, const uint8_t *base, uint32_t capacity, uint32_t size)
{
    file->base = NULL;
    if (size > capacity) {
        return CONSOLE_ERR_TOO_LARGE;
    }
    file->base = base;
    file->size = size;
    file->received = 0;
    file->crc = 0;
    writer_begin();
    return 0;
}

/* Returns the number of bytes before the part that reads as erased, in whole erase units. */
static uint32_t surely_programmed(const uint8_t *base, uint32_t size)
{
    uint32_t unit = board_flash_area(BOARD_AREA_IMAGE).erase_unit, end = size;
    while (end > 0 && base[end - 1] == 0xFF) {
        --end;
    }
    return end / unit * unit;
}

/* Returns the size in bytes of the image whose header is at `base`, or 0 if there is none. */
static uint32_t size_by_header(const uint8_t *base, uint32_t room)
{
    gm_header header;
    if (room < sizeof header) {
        return 0;
    }
    memcpy(&header, base, sizeof header);
    return header.magic == GM_IMAGE_MAGIC && header.size <= room ? header.size : 0;
}

int upload_recover(upload *file, const uint8_t *base, uint32_t room, uint32_t capacity)
{
    uint32_t size = size_by_header(base, room), known = surely_programmed(base, size);
    if (known == 0 || board_flash_erase(base + known, capacity - known)) {
        return 0;
    }
    file->base = base;
    file->size = size;
    file->received = known;
    file->crc = gm_crc32(0, base, known);
    writer_begin();
    return 1;
}

static int append(upload *file, const uint8_t *data, uint32_t count)
{
    int error = writer_put(file->base + file->received, data, count);
    if (error == 0) {
        file->received += count;
        file->crc = gm_crc32(file->crc, data, count);
    }
    return error;
}

int upload_chunk(upload *file, uint32_t offset, const uint8_t *data, uint32_t count)
{
    if (file->base == NULL || offset > file->received || count > file->size - offset) {
        return CONSOLE_ERR_OUT_OF_ORDER;
    }
    if (offset % 4 || (count % 4 && offset + count != file->size)) {
        return CONSOLE_ERR_BAD_PAYLOAD;
    }
    uint32_t known = file->received - offset;
    return count > known ? append(file, data + known, count - known) : 0;
}

void upload_abandon(upload *file)
{
    file->base = NULL;
}

int upload_end(upload *file)
{
    int complete = file->base != NULL && file->received == file->size;
    file->base = NULL;
    return complete ? writer_end() : CONSOLE_ERR_OUT_OF_ORDER;
}
