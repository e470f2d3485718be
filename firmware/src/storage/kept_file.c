#include "storage/kept_file.h"

#include <string.h>

static gm_checkpoint header_of(const uint8_t *file)
{
    gm_checkpoint header;
    memcpy(&header, file, sizeof header);
    return header;
}

/* In version 1 the encoding's word is reserved, and all files are plain. */
static int is_plain(const gm_checkpoint *header)
{
    return header->version == 1 || header->encoding == GM_ENCODING_PLAIN;
}

int kept_file_is_plain(const uint8_t *file)
{
    gm_checkpoint header = header_of(file);
    return is_plain(&header);
}

int kept_file_fits(const gm_session *session, const uint8_t *file, uint32_t size)
{
    const gm_header *model = session->header;
    if (size < sizeof(gm_checkpoint) || size % 4 != 0) {
        return 0;
    }
    gm_checkpoint header = header_of(file);
    return header.magic == GM_CHECKPOINT_MAGIC && header.size == size &&
           memcmp(header.model_id, model->model_id, sizeof header.model_id) == 0 &&
           header.state_size == model->state_size && (!is_plain(&header) || size - sizeof header >= header.state_size);
}
