/* Images and checkpoints, from the host and in flash. */
#include "board.h"
#include "console/handlers.h"
#include "console/reply.h"
#include "storage/slots.h"
#include "storage/update.h"

static void close_model(device *d)
{
    model_close(&d->model);
    run_reset(&d->run);
    d->teach.idle = 0;
    memset(&d->autosave, 0, sizeof d->autosave);
}

int handle_image_begin(device *d, const uint8_t *payload, uint32_t length)
{
    board_area area = board_flash_area(BOARD_AREA_IMAGE);
    (void)length;
    if (model_is_pinned(&d->model)) {
        return CONSOLE_ERR_ONLY_BY_UPDATE;
    }
    int error = upload_begin(&d->model.upload, area.base, area.size, load_u32(payload));
    if (error) {
        return error;
    }
    close_model(d);
    return images_erase();
}

/* While the model is closed, no other file than an image is on its way; while it is open, an image is an update. */
int handle_image_resume(device *d, const uint8_t *payload, uint32_t length)
{
    board_area area = board_flash_area(BOARD_AREA_IMAGE);
    upload *file = &d->model.upload;
    (void)payload;
    (void)length;
    if (d->model.status && file->base == NULL) {
        (void)upload_recover(file, area.base, area.size, area.size);
    }
    int is_under_way = d->model.status ? file->base != NULL : BOARD_UPDATES && update_resume(&d->model);
    reply_u32(&d->reply, is_under_way ? file->size : 0);
    reply_u32(&d->reply, is_under_way ? file->received : 0);
    reply_u32(&d->reply, is_under_way ? file->crc : 0);
    return 0;
}

int handle_image_data(device *d, const uint8_t *payload, uint32_t length)
{
    return upload_piece(&d->model.upload, load_u32(payload), payload + CONSOLE_IMAGE_DATA_AT_DATA,
                        length - CONSOLE_IMAGE_DATA_AT_DATA);
}

int handle_image_end(device *d, const uint8_t *payload, uint32_t length)
{
    (void)payload;
    (void)length;
    if (d->model.status == 0) {
        return CONSOLE_ERR_OUT_OF_ORDER;
    }
    int error = upload_end(&d->model.upload);
    if (error == 0) {
        error = model_open(&d->model);
    }
    if (error == 0) {
        reply_u8(&d->reply, slots_load(&d->model.session) == 0);
    }
    return error;
}

int handle_update_begin(device *d, const uint8_t *payload, uint32_t length)
{
    (void)length;
    return update_begin(&d->model, load_u32(payload));
}

int handle_update_end(device *d, const uint8_t *payload, uint32_t length)
{
    uint32_t carried;
    (void)length;
    int error = update_switch(&d->model, payload[CONSOLE_UPDATE_END_AT_CARRY]);
    if (error) {
        return error;
    }
    close_model(d);
    error = model_open(&d->model);
    if (error == 0) {
        reply_u8(&d->reply, model_restore(&d->model, &carried) == 0);
        reply_u32(&d->reply, carried);
    }
    return error;
}

int handle_save(device *d, const uint8_t *payload, uint32_t length)
{
    (void)payload;
    (void)length;
    if (d->model.status) {
        return d->model.status;
    }
    reply_u32(&d->reply, gm_checkpoint_size(&d->model.session));
    return model_save(&d->model);
}

int handle_save_every(device *d, const uint8_t *payload, uint32_t length)
{
    (void)length;
    return autosave_set(&d->model, load_u32(payload));
}

int handle_saves(device *d, const uint8_t *payload, uint32_t length)
{
    (void)payload;
    (void)length;
    if (d->model.status) {
        return d->model.status;
    }
    reply_u32(&d->reply, autosave_every(&d->model));
    reply_u32(&d->reply, slots_count(&d->model.session));
    reply_u32(&d->reply, d->autosave.saves);
    reply_u32(&d->reply, (uint32_t)d->autosave.error);
    return 0;
}

int handle_load(device *d, const uint8_t *payload, uint32_t length)
{
    (void)payload;
    (void)length;
    return d->model.status ? d->model.status : slots_load(&d->model.session);
}

int handle_checkpoint_begin(device *d, const uint8_t *payload, uint32_t length)
{
    const uint8_t *base;
    uint32_t size = load_u32(payload);
    (void)length;
    if (d->model.status) {
        return d->model.status;
    }
    int error = slots_prepare(&d->model.session, size, &base);
    return error ? error : upload_begin(&d->model.upload, base, size, size);
}

int handle_checkpoint_data(device *d, const uint8_t *payload, uint32_t length)
{
    return upload_piece(&d->model.upload, load_u32(payload), payload + CONSOLE_CHECKPOINT_DATA_AT_DATA,
                        length - CONSOLE_CHECKPOINT_DATA_AT_DATA);
}

int handle_checkpoint_end(device *d, const uint8_t *payload, uint32_t length)
{
    const uint8_t *base = d->model.upload.base;
    uint32_t size = d->model.upload.size;
    (void)payload;
    (void)length;
    if (d->model.status) {
        return d->model.status;
    }
    int error = upload_end(&d->model.upload);
    return error ? error : slots_adopt(&d->model.session, base, size);
}
