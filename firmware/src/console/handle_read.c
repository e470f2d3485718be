/* READ: sends tensors, parameters, gradients, state and stored files in parts. */
#include <string.h>

#include "board.h"
#include "console_handlers.h"
#include "storage/kept_file.h"
#include "storage/slots.h"

typedef struct span {
    const void *data;  /* NULL: the checkpoint of `packed`, packed as it is read */
    uint32_t size;
    gm_session packed;
} span;

/* Finds the kept checkpoint. Reading its header checks the whole file, which would take too long
 * for each part. The other parts come from the same address, as long as a file of that size is
 * there. */
static int find_kept(model *m, uint32_t offset)
{
    flash_span *file = &m->reading;
    if (offset < sizeof(gm_checkpoint) || file->base == NULL || !kept_file_fits(&m->session, file->base, file->size)) {
        *file = slots_newest(&m->session);
    }
    return file->base != NULL ? 0 : CONSOLE_ERR_NO_CHECKPOINT;
}

/* Finds the kept checkpoint, plain or packed. If packed, as the checkpoint of a session whose state
 * is in flash. */
static int find_checkpoint(model *m, uint32_t offset, int packed, span *out)
{
    int error = find_kept(m, offset);
    if (error) {
        return error;
    }
    out->data = m->reading.base;
    out->size = m->reading.size;
    if (packed && kept_file_is_plain(m->reading.base)) {
        out->packed = m->session;
        out->packed.arena = (uint8_t *)(uintptr_t)m->reading.base + m->reading.size - m->session.header->state_size;
        out->data = NULL;
        out->size = gm_checkpoint_half_size(&out->packed);
    }
    return 0;
}

static int find_view(gm_session *session, const read_request *request, gm_view *view)
{
    switch (request->source) {
    case CONSOLE_SOURCE_TENSOR: return gm_tensor_view(session, request->program, request->role, request->index, view);
    case CONSOLE_SOURCE_PARAMETERS: return gm_parameters(session, view);
    case CONSOLE_SOURCE_PARAMETER: return gm_parameter(session, request->index, view);
    case CONSOLE_SOURCE_GRADIENT: return gm_gradient(session, request->index, view);
    case CONSOLE_SOURCE_STATE: return gm_state(session, view);
    default: return CONSOLE_ERR_BAD_PAYLOAD;
    }
}

static int find(model *m, const read_request *request, span *out)
{
    uint32_t source = request->source;
    gm_view view = {0};
    if (m->status) {
        return m->status;
    }
    if (source == CONSOLE_SOURCE_CHECKPOINT || source == CONSOLE_SOURCE_CHECKPOINT_HALF) {
        return find_checkpoint(m, request->offset, source == CONSOLE_SOURCE_CHECKPOINT_HALF, out);
    }
    if (source == CONSOLE_SOURCE_IMAGE) {
        out->data = m->session.image;
        out->size = model_image_size(m);
        return 0;
    }
    int error = find_view(&m->session, request, &view);
    out->data = view.data;
    out->size = view.size;
    return error;
}

static int copy_part(const span *whole, uint32_t offset, uint8_t *out, uint32_t size)
{
    if (whole->data == NULL) {
        return gm_checkpoint_part_half(&whole->packed, offset, out, size);
    }
    memcpy(out, (const uint8_t *)whole->data + offset, size);
    return 0;
}

int handle_read(device *d, const read_request *request, read_reply *reply)
{
    uint32_t offset = request->offset, wanted = request->length;
    span whole;
    int error = find(&d->model, request, &whole);
    if (error) {
        return error;
    }
    if (offset > whole.size || wanted > FRAME_LIMIT - sizeof *reply) {
        return CONSOLE_ERR_BAD_PAYLOAD;
    }
    uint32_t left = whole.size - offset;
    uint32_t size = wanted < left ? wanted : left;
    reply->total = whole.size;
    d->reply.length += size;
    return copy_part(&whole, offset, reply->data, size);
}
