/* READ: tensors, parameters, gradients, state and stored files, piece by piece. */
#include "board.h"
#include "console/handlers.h"
#include "console/reply.h"
#include "storage/kept_file.h"
#include "storage/slots.h"

typedef struct span {
    const void *data;  /* NULL: the checkpoint of `packed`, packed while it is read */
    uint32_t size;
    gm_session packed;
} span;

/* The kept checkpoint. It is checked as a whole when its header is read, as that would take too long for each piece; what
 * follows comes from the same place, as long as a file of that size is there. */
static int find_kept(model *m, uint32_t offset)
{
    flash_span *file = &m->reading;
    if (offset < sizeof(gm_checkpoint) || file->base == NULL || !kept_file_fits(&m->session, file->base, file->size)) {
        *file = slots_newest(&m->session);
    }
    return file->base != NULL ? 0 : CONSOLE_ERR_NO_CHECKPOINT;
}

/* As it is, or packed, as that of a session whose state lies in flash. */
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

static int find_view(gm_session *session, const uint8_t *payload, gm_view *view)
{
    uint32_t index = load_u16(payload + CONSOLE_READ_AT_INDEX);
    switch (payload[CONSOLE_READ_AT_SOURCE]) {
    case CONSOLE_SOURCE_TENSOR:
        return gm_tensor_view(session, payload[CONSOLE_READ_AT_PROGRAM], payload[CONSOLE_READ_AT_ROLE], index, view);
    case CONSOLE_SOURCE_PARAMETERS:
        return gm_parameters(session, view);
    case CONSOLE_SOURCE_PARAMETER:
        return gm_parameter(session, index, view);
    case CONSOLE_SOURCE_GRADIENT:
        return gm_gradient(session, index, view);
    case CONSOLE_SOURCE_STATE:
        return gm_state(session, view);
    default:
        return CONSOLE_ERR_BAD_PAYLOAD;
    }
}

static int find(model *m, const uint8_t *payload, span *out)
{
    uint32_t source = payload[CONSOLE_READ_AT_SOURCE], offset = load_u32(payload + CONSOLE_READ_AT_OFFSET);
    gm_view view = { 0 };
    if (m->status) {
        return m->status;
    }
    if (source == CONSOLE_SOURCE_CHECKPOINT || source == CONSOLE_SOURCE_CHECKPOINT_HALF) {
        return find_checkpoint(m, offset, source == CONSOLE_SOURCE_CHECKPOINT_HALF, out);
    }
    if (source == CONSOLE_SOURCE_IMAGE) {
        out->data = m->session.image;
        out->size = model_image_size(m);
        return 0;
    }
    int error = find_view(&m->session, payload, &view);
    out->data = view.data;
    out->size = view.size;
    return error;
}

static int append_part(reply *r, const span *whole, uint32_t offset, uint32_t size)
{
    if (whole->data != NULL) {
        reply_bytes(r, (const uint8_t *)whole->data + offset, size);
        return 0;
    }
    int error = gm_checkpoint_part_half(&whole->packed, offset, r->payload + r->length, size);
    r->length += size;
    return error;
}

int handle_read(device *d, const uint8_t *payload, uint32_t length)
{
    uint32_t offset = load_u32(payload + CONSOLE_READ_AT_OFFSET);
    uint32_t wanted = load_u16(payload + CONSOLE_READ_AT_LENGTH);
    span whole;
    (void)length;
    int error = find(&d->model, payload, &whole);
    if (error) {
        return error;
    }
    if (offset > whole.size || wanted > FRAME_LIMIT - CONSOLE_READ_REPLY_SIZE) {
        return CONSOLE_ERR_BAD_PAYLOAD;
    }
    uint32_t left = whole.size - offset;
    reply_u32(&d->reply, whole.size);
    return append_part(&d->reply, &whole, offset, wanted < left ? wanted : left);
}
