/* READ: sends tensors, parameters, gradients, state and stored files in parts. */
#include <string.h>

#include "board.h"
#include "console_handlers.h"
#include "storage/kept_file.h"
#include "storage/slots.h"

/* What READ reads: bytes, or what is made of the state of `kept` as it is read. */
typedef struct span {
    const void *data; /* the bytes; of `kept`: the export table for an .onnx file, or NULL for a packed checkpoint */
    uint32_t size;
    gm_session kept;  /* image NULL: none */
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

/* Makes a session whose state is in flash: in the kept checkpoint, which is plain. */
static void open_kept(const model *m, span *out)
{
    out->kept = m->session;
    out->kept.arena = (uint8_t *)(uintptr_t)m->reading.base + m->reading.size - m->session.header->state_size;
}

/* Finds the kept checkpoint, plain or packed. */
static int find_checkpoint(model *m, uint32_t offset, int packed, span *out)
{
    int error = find_kept(m, offset);
    if (error) {
        return error;
    }
    out->data = m->reading.base;
    out->size = m->reading.size;
    if (packed && kept_file_is_plain(m->reading.base)) {
        open_kept(m, out);
        out->data = NULL;
        out->size = gm_checkpoint_half_size(&out->kept);
    }
    return 0;
}

/* Finds the .onnx file of the model in the kept checkpoint. With its first part, the whole table is
 * checked; the parts after it are within bounds anyway. */
static int find_onnx(model *m, uint32_t offset, span *out)
{
    gm_export_header header;
    flash_span table = m->export_table;
    int error = BOARD_EXPORT && table.base != NULL ? find_kept(m, offset) : CONSOLE_ERR_NO_EXPORT_TABLE;
    if (error == 0 && !kept_file_is_plain(m->reading.base)) {
        error = CONSOLE_ERR_NO_CHECKPOINT;
    }
    if (error) {
        return error;
    }
    open_kept(m, out);
    out->data = table.base;
    memcpy(&header, table.base, sizeof header);
    out->size = header.model_size;
    void *file = (void *)(uintptr_t)table.base;
    return offset == 0 ? gm_export_check(&out->kept, slots_read, file, table.size, NULL) : 0;
}

static int find_table(const model *m, span *out)
{
    out->data = m->export_table.base;
    out->size = m->export_table.size;
    return out->data != NULL ? 0 : CONSOLE_ERR_NO_EXPORT_TABLE;
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

static int find_tensor(gm_session *session, const read_request *request, span *out)
{
    gm_view view = {0};
    int error = find_view(session, request, &view);
    out->data = view.data;
    out->size = view.size;
    return error;
}

static int find(model *m, const read_request *request, span *out)
{
    if (m->status) {
        return m->status;
    }
    switch (request->source) {
    case CONSOLE_SOURCE_CHECKPOINT: return find_checkpoint(m, request->offset, 0, out);
    case CONSOLE_SOURCE_CHECKPOINT_HALF: return find_checkpoint(m, request->offset, 1, out);
    case CONSOLE_SOURCE_ONNX: return find_onnx(m, request->offset, out);
    case CONSOLE_SOURCE_EXPORT_TABLE: return find_table(m, out);
    case CONSOLE_SOURCE_IMAGE:
        out->data = m->session.image;
        out->size = model_image_size(m);
        return 0;
    default: return find_tensor(&m->session, request, out);
    }
}

static int copy_part(const span *whole, uint32_t offset, uint8_t *out, uint32_t size)
{
    if (whole->kept.image == NULL) {
        memcpy(out, (const uint8_t *)whole->data + offset, size);
        return 0;
    }
    if (BOARD_EXPORT && whole->data != NULL) {
        return gm_export_part(&whole->kept, slots_read, (void *)(uintptr_t)whole->data, offset, out, size);
    }
    return gm_checkpoint_part_half(&whole->kept, offset, out, size);
}

int handle_read(device *d, const read_request *request, read_reply *reply)
{
    uint32_t offset = request->offset, wanted = request->length;
    span whole;
    whole.kept.image = NULL;
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
