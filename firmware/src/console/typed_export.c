#include "console/typed_export.h"

#include "board.h"
#include "console/text.h"
#include "console_spec.h"
#include "storage/slots.h"

#define LINE_BYTES 45u /* 60 characters */

static void *table_of(const model *m)
{
    return (void *)(uintptr_t)m->export_table.base;
}

static uint32_t state_crc(const model *m)
{
    return gm_crc32(0, m->session.arena, m->session.header->state_size);
}

int typed_export_begin(device *d)
{
    console *c = &d->console;
    const model *m = &d->model;
    int error = d->run.active ? GM_ERR_BUSY : m->status;
    if (error == 0 && m->export_table.base == NULL) {
        error = CONSOLE_ERR_NO_EXPORT_TABLE;
    }
    if (error == 0) {
        error = gm_export_check(&m->session, slots_read, table_of(m), m->export_table.size, &c->model_size);
    }
    if (error == 0) {
        c->exported = c->crc = 0;
        c->state_crc = state_crc(m);
        text_line("begin-base64 644 trained.onnx");
    }
    return error;
}

/* A frame between two lines may train, load or reset. */
static int conclude_export(const device *d)
{
    if (state_crc(&d->model) != d->console.state_crc) {
        return CONSOLE_ERR_OUT_OF_ORDER;
    }
    text_line("====");
    text_u32(d->console.model_size);
    text_put(" bytes, crc32 ");
    text_hex(d->console.crc);
    text_line("");
    return 0;
}

int typed_export_go_on(device *d)
{
    console *c = &d->console;
    const model *m = &d->model;
    uint8_t line[LINE_BYTES];
    uint32_t left = c->model_size - c->exported, size = left < LINE_BYTES ? left : LINE_BYTES;
    if (m->status || m->export_table.base == NULL) {
        return CONSOLE_ERR_OUT_OF_ORDER;
    }
    if (left == 0) {
        return conclude_export(d);
    }
    int error = gm_export_part(&m->session, slots_read, table_of(m), c->exported, line, size);
    if (error) {
        return error;
    }
    text_base64(line, size);
    text_line("");
    c->crc = gm_crc32(c->crc, line, size);
    c->exported += size;
    return 1;
}
