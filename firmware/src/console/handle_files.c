/* Images and checkpoints, from the host and in flash. */
#include "board.h"
#include "console_handlers.h"
#include "storage/slots.h"
#include "training/update.h"

static void close_model(device *d)
{
    model_close(&d->model);
    run_reset(&d->run);
    d->teach.idle = 0;
    memset(&d->autosave, 0, sizeof d->autosave);
}

int handle_image_begin(device *d, const image_begin_request *request)
{
    board_area area = board_flash_area(BOARD_AREA_IMAGE);
    if (model_is_pinned(&d->model)) {
        return CONSOLE_ERR_ONLY_BY_UPDATE;
    }
    int error = upload_begin(&d->model.upload, area.base, area.size, request->size);
    if (error) {
        return error;
    }
    close_model(d);
    return images_erase();
}

/* While the model is closed, only a first image can be in transfer. While it is open, an image is
 * an update. */
int handle_image_resume(device *d, image_resume_reply *reply)
{
    board_area area = board_flash_area(BOARD_AREA_IMAGE);
    upload *file = &d->model.upload;
    if (d->model.status && file->base == NULL) {
        (void)upload_recover(file, area.base, area.size, area.size);
    }
    int is_under_way = d->model.status ? file->base != NULL : BOARD_UPDATES && update_resume(&d->model);
    reply->size = is_under_way ? file->size : 0;
    reply->received = is_under_way ? file->received : 0;
    reply->crc = is_under_way ? file->crc : 0;
    return 0;
}

int handle_image_data(device *d, const image_data_request *request, uint32_t size)
{
    return upload_chunk(&d->model.upload, request->offset, request->data, size);
}

int handle_image_end(device *d, image_end_reply *reply)
{
    if (d->model.status == 0) {
        return CONSOLE_ERR_OUT_OF_ORDER;
    }
    int error = upload_end(&d->model.upload);
    if (error == 0) {
        error = model_open(&d->model);
    }
    if (error == 0) {
        reply->checkpoint = slots_load(&d->model.session) == 0;
    }
    return error;
}

int handle_update_begin(device *d, const update_begin_request *request)
{
    return update_begin(&d->model, request->size);
}

int handle_update_end(device *d, const update_end_request *request, update_end_reply *reply)
{
    uint32_t carried;
    int error = update_switch(&d->model, request->carry);
    if (error) {
        return error;
    }
    close_model(d);
    error = model_open(&d->model);
    if (error == 0) {
        reply->checkpoint = model_restore(&d->model, &carried) == 0;
        reply->carried = carried;
    }
    return error;
}

int handle_save(device *d, save_reply *reply)
{
    if (d->model.status) {
        return d->model.status;
    }
    reply->size = gm_checkpoint_size(&d->model.session);
    return model_save(&d->model);
}

int handle_save_every(device *d, const save_every_request *request)
{
    return autosave_set(&d->model, request->updates);
}

int handle_saves(device *d, saves_reply *reply)
{
    if (d->model.status) {
        return d->model.status;
    }
    reply->every = autosave_every(&d->model);
    reply->slots = slots_count(&d->model.session);
    reply->saves = d->autosave.saves;
    reply->error = d->autosave.error;
    return 0;
}

int handle_load(device *d)
{
    return d->model.status ? d->model.status : slots_load(&d->model.session);
}

int handle_checkpoint_begin(device *d, const checkpoint_begin_request *request)
{
    const uint8_t *base;
    uint32_t size = request->size;
    if (d->model.status) {
        return d->model.status;
    }
    int error = slots_prepare(&d->model.session, size, &base);
    return error ? error : upload_begin(&d->model.upload, base, size, size);
}

int handle_checkpoint_data(device *d, const checkpoint_data_request *request, uint32_t size)
{
    return upload_chunk(&d->model.upload, request->offset, request->data, size);
}

int handle_checkpoint_end(device *d)
{
    const uint8_t *base = d->model.upload.base;
    uint32_t size = d->model.upload.size;
    if (d->model.status) {
        return d->model.status;
    }
    int error = upload_end(&d->model.upload);
    return error ? error : slots_adopt(&d->model.session, base, size);
}
