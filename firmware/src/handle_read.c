/* READ: tensors, parameters, gradients, state and stored files, piece by piece. */
#include "board.h"
#include "handlers.h"
#include "reply.h"
#include "slots.h"

typedef struct span {
    const void *data;
    uint32_t size;
} span;

static int find_file(const model *m, uint32_t source, span *out)
{
    if (source == CONSOLE_SOURCE_CHECKPOINT) {
        out->data = slots_newest(&m->session, &out->size);
        return out->data != NULL ? 0 : CONSOLE_ERR_NO_CHECKPOINT;
    }
    out->data = m->session.image;
    out->size = model_image_size(m);
    return 0;
}

static int find_view(const gm_session *session, const uint8_t *payload, gm_view *view)
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

static int find(const model *m, const uint8_t *payload, span *out)
{
    uint32_t source = payload[CONSOLE_READ_AT_SOURCE];
    gm_view view = { 0 };
    if (m->status) {
        return m->status;
    }
    if (source == CONSOLE_SOURCE_CHECKPOINT || source == CONSOLE_SOURCE_IMAGE) {
        return find_file(m, source, out);
    }
    int error = find_view(&m->session, payload, &view);
    out->data = view.data;
    out->size = view.size;
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
    reply_bytes(&d->reply, (const uint8_t *)whole.data + offset, wanted < left ? wanted : left);
    return 0;
}
