/* INFO, MEM and DESCRIBE: what the board is, where its memory goes, what its model's tensors are. */
#include "board.h"
#include "console/handlers.h"
#include "console/reply.h"
#include "device/identity.h"
#include "device/memory.h"
#include "storage/signature.h"
#include "storage/slots.h"

static void add_firmware(reply *r)
{
    reply_u16(r, CONSOLE_PROTOCOL);
    reply_u16(r, FRAME_LIMIT);
    reply_u8(r, GM_VERSION_MAJOR);
    reply_u8(r, GM_VERSION_MINOR);
    reply_u8(r, GM_VERSION_PATCH);
    reply_u8(r, GM_FUSED);
    reply_u32(r, GM_FORMAT_VERSION);
    reply_u32(r, BOARD_TICKS_PER_SECOND);
}

static void add_key(reply *r)
{
    static const uint8_t no_key[SIGNATURE_KEY_ID_SIZE];
    const uint8_t *id = signature_key_id();
    reply_bytes(r, id != NULL ? id : no_key, SIGNATURE_KEY_ID_SIZE);
}

static void add_model(reply *r, const model *m)
{
    static const uint8_t no_id[16];
    reply_u32(r, (uint32_t)m->status);
    reply_u32(r, model_image_size(m));
    reply_u32(r, m->needs.programs);
    reply_u32(r, m->needs.batch);
    reply_u32(r, m->needs.arena_size);
    reply_u32(r, m->needs.state_size);
    reply_u32(r, m->needs.parameters_size);
    reply_u32(r, m->needs.gradients_size);
    reply_bytes(r, m->status == 0 ? (const void *)m->session.header->model_id : no_id, sizeof no_id);
}

int handle_info(device *d, const uint8_t *payload, uint32_t length)
{
    (void)payload;
    (void)length;
    add_firmware(&d->reply);
    add_model(&d->reply, &d->model);
    reply_u32(&d->reply, memory_arena_size());
    reply_u32(&d->reply, board_flash_area(BOARD_AREA_IMAGE).size);
    reply_u32(&d->reply, slots_capacity());
    reply_u32(&d->reply, model_kept_size(&d->model));
    reply_u32(&d->reply, d->receiver.line_errors);
    reply_u64(&d->reply, board_unique_id());
    add_key(&d->reply);
    reply_bytes(&d->reply, IDENTITY_NAME, sizeof GM_BOARD_NAME - 1);
    return 0;
}

int handle_mem(device *d, const uint8_t *payload, uint32_t length)
{
    (void)payload;
    (void)length;
    reply_u32(&d->reply, memory_ram_size());
    reply_u32(&d->reply, memory_static_size());
    reply_u32(&d->reply, memory_stack_size());
    reply_u32(&d->reply, memory_stack_used());
    reply_u32(&d->reply, memory_arena_size());
    reply_u32(&d->reply, d->model.needs.arena_size);
    reply_u32(&d->reply, memory_code_size());
    reply_u32(&d->reply, model_image_size(&d->model));
    return 0;
}

static void add_tensor(reply *r, const gm_view *view)
{
    uint32_t room = FRAME_LIMIT - CONSOLE_DESCRIBE_REPLY_SIZE;
    const char *name = view->name != NULL ? view->name : "";
    uint32_t name_length = (uint32_t)strlen(name);
    reply_u8(r, view->dtype);
    reply_u8(r, view->rank);
    reply_u8(r, (uint8_t)view->lasts);
    reply_u32(r, view->size);
    for (uint32_t i = 0; i < GM_MAX_RANK; ++i) {
        reply_u32(r, i < view->rank ? view->dims[i] : 1);
    }
    reply_bytes(r, name, name_length < room ? name_length : room);
}

int handle_describe(device *d, const uint8_t *payload, uint32_t length)
{
    gm_view view;
    (void)length;
    if (d->model.status) {
        return d->model.status;
    }
    int error = gm_tensor_view(&d->model.session, payload[CONSOLE_DESCRIBE_AT_PROGRAM],
                               payload[CONSOLE_DESCRIBE_AT_ROLE], load_u16(payload + CONSOLE_DESCRIBE_AT_INDEX), &view);
    if (error == 0) {
        add_tensor(&d->reply, &view);
    }
    return error;
}
