/* INFO, BUILD, MEM and DESCRIBE: the board, the contents of its runtime, its memory use, and its
 * model's tensors. */
#include <string.h>

#include "board.h"
#include "console_handlers.h"
#include "device/identity.h"
#include "device/memory.h"
#include "storage/signature.h"
#include "storage/slots.h"

static void add_firmware(info_reply *reply)
{
    reply->protocol = CONSOLE_PROTOCOL;
    reply->frame_limit = FRAME_LIMIT;
    reply->version[0] = GM_VERSION_MAJOR;
    reply->version[1] = GM_VERSION_MINOR;
    reply->version[2] = GM_VERSION_PATCH;
    reply->profile = GM_FUSED;
    reply->format = GM_FORMAT_VERSION;
    reply->ticks_per_second = BOARD_TICKS_PER_SECOND;
}

static void add_key(info_reply *reply)
{
    const uint8_t *id = signature_key_id();
    memset(reply->key_id, 0, sizeof reply->key_id);
    if (id != NULL) {
        memcpy(reply->key_id, id, sizeof reply->key_id);
    }
}

static void add_model(info_reply *reply, const model *m)
{
    reply->image_status = m->status;
    reply->image_size = model_image_size(m);
    reply->programs = m->needs.programs;
    reply->batch = m->needs.batch;
    reply->arena_required = m->needs.arena_size;
    reply->state_size = m->needs.state_size;
    reply->parameters_size = m->needs.parameters_size;
    reply->gradients_size = m->needs.gradients_size;
    memset(reply->model_id, 0, sizeof reply->model_id);
    if (m->status == 0) {
        memcpy(reply->model_id, m->session.header->model_id, sizeof reply->model_id);
    }
}

static void add_storage(info_reply *reply, const device *d)
{
    reply->arena_available = memory_arena_size();
    reply->image_area = board_flash_area(BOARD_AREA_IMAGE).size;
    reply->checkpoint_area = slots_capacity();
    reply->checkpoint_size = model_kept_size(&d->model);
}

int handle_info(device *d, info_reply *reply)
{
    const uint32_t name_length = sizeof GM_BOARD_NAME - 1;
    add_firmware(reply);
    add_model(reply, &d->model);
    add_storage(reply, d);
    reply->line_errors = d->receiver.line_errors;
    reply->unique_id = board_unique_id();
    add_key(reply);
    memcpy(reply->board, IDENTITY_NAME, name_length);
    d->reply.length += name_length;
    return 0;
}

/* The reply's parts: append-only bits. */
#define HAS_PARTS \
    ((GM_TRAINING ? 1u : 0u) | (GM_WITH_STORE ? 2u : 0u) | (GM_WITH_INT8 ? 4u : 0u) | (GM_WITH_SHORT_MOMENTS ? 8u : 0u))

int handle_build(device *d, build_reply *reply)
{
    (void)d;
    reply->parts = HAS_PARTS;
    reply->rules = 0;
    for (uint32_t rule = 0; rule < 32; ++rule) {
        reply->rules |= (uint32_t)gm_has_rule(rule) << rule;
    }
    memset(reply->opcodes, 0, sizeof reply->opcodes);
    for (uint32_t opcode = 0; opcode < 8 * sizeof reply->opcodes; ++opcode) {
        reply->opcodes[opcode / 8] |= (uint8_t)(gm_has_opcode(opcode) << opcode % 8);
    }
    return 0;
}

int handle_mem(device *d, mem_reply *reply)
{
    reply->ram = memory_ram_size();
    reply->static_ram = memory_static_size();
    reply->stack_size = memory_stack_size();
    reply->stack_used = memory_stack_used();
    reply->arena_available = memory_arena_size();
    reply->arena_required = d->model.needs.arena_size;
    reply->code = memory_code_size();
    reply->image = model_image_size(&d->model);
    return 0;
}

/* Returns the size of the name in bytes. */
static uint32_t add_tensor(describe_reply *reply, const gm_view *view)
{
    const uint32_t room = FRAME_LIMIT - sizeof *reply;
    const char *name = view->name != NULL ? view->name : "";
    uint32_t name_length = (uint32_t)strlen(name);
    uint32_t shown = name_length < room ? name_length : room;
    reply->dtype = (uint8_t)view->dtype;
    reply->rank = (uint8_t)view->rank;
    reply->lasts = (uint8_t)view->lasts;
    reply->size = view->size;
    for (uint32_t i = 0; i < GM_MAX_RANK; ++i) {
        reply->dims[i] = i < view->rank ? view->dims[i] : 1;
    }
    memcpy(reply->name, name, shown);
    return shown;
}

int handle_describe(device *d, const describe_request *request, describe_reply *reply)
{
    gm_view view;
    if (d->model.status) {
        return d->model.status;
    }
    int error = gm_tensor_view(&d->model.session, request->program, request->role, request->index, &view);
    if (error == 0) {
        d->reply.length += add_tensor(reply, &view);
    }
    return error;
}
