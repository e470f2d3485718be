#include "upload.h"

#include <stddef.h>
#include <string.h>

#include "board.h"
#include "../generated/console_spec.h"

int upload_begin(upload *file, const uint8_t *base, uint32_t capacity, uint32_t size)
{
    file->base = NULL;
    if (size > capacity) {
        return CONSOLE_ERR_TOO_LARGE;
    }
    file->base = base;
    file->size = size;
    file->received = 0;
    return 0;
}

int upload_program(const uint8_t *at, const void *data, uint32_t count)
{
    uint32_t whole = count & ~3u;
    uint8_t last[4] = { 0xFF, 0xFF, 0xFF, 0xFF };
    if (board_flash_program(at, data, whole)) {
        return CONSOLE_ERR_FLASH;
    }
    if (whole == count) {
        return 0;
    }
    memcpy(last, (const uint8_t *)data + whole, count - whole);
    return board_flash_program(at + whole, last, sizeof last) ? CONSOLE_ERR_FLASH : 0;
}

int upload_piece(upload *file, uint32_t offset, const uint8_t *data, uint32_t count)
{
    int last = count == file->size - file->received;
    if (file->base == NULL || offset != file->received || count > file->size - file->received) {
        return CONSOLE_ERR_OUT_OF_ORDER;
    }
    if (count % 4 && !last) {
        return CONSOLE_ERR_BAD_PAYLOAD;
    }
    int error = upload_program(file->base + offset, data, count);
    if (error == 0) {
        file->received += count;
    }
    return error;
}

int upload_end(upload *file)
{
    int complete = file->base != NULL && file->received == file->size;
    file->base = NULL;
    return complete ? 0 : CONSOLE_ERR_OUT_OF_ORDER;
}
