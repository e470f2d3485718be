#include "upload.h"

#include <stddef.h>

#include "../generated/console_spec.h"
#include "flash_writer.h"

int upload_begin(upload *file, const uint8_t *base, uint32_t capacity, uint32_t size)
{
    file->base = NULL;
    if (size > capacity) {
        return CONSOLE_ERR_TOO_LARGE;
    }
    file->base = base;
    file->size = size;
    file->received = 0;
    writer_begin();
    return 0;
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
    int error = writer_put(file->base + offset, data, count);
    if (error == 0) {
        file->received += count;
    }
    return error;
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
