#include "training/update.h"

#include <stddef.h>

#include "board.h"
#include "console_spec.h"
#include "device/memory.h"
#include "storage/images.h"
#include "storage/signature.h"
#include "storage/slots.h"

/* Finds the range for an update of the open model. */
static int find_room(const model *m, flash_span *room)
{
    flash_span running = {m->session.image, model_flash_size(m)};
    return images_find_room(running, room);
}

int update_begin(model *m, uint32_t size)
{
    flash_span room;
    if (m->status) {
        return m->status;
    }
    int error = find_room(m, &room);
    if (error || size > room.size) {
        return CONSOLE_ERR_NO_ROOM_TO_UPDATE;
    }
    error = upload_begin(&m->upload, room.base, room.size, size);
    if (error) {
        return error;
    }
    return board_flash_erase(room.base, images_half(room)) ? CONSOLE_ERR_FLASH : 0;
}

int update_resume(model *m)
{
    flash_span room;
    if (m->status || find_room(m, &room)) {
        return 0;
    }
    if (m->upload.base == NULL) {
        (void)upload_recover(&m->upload, room.base, room.size, images_half(room));
    }
    return m->upload.base == room.base;
}

/* Saves the old state in a slot that the first checkpoint of the new model does not overwrite. It
 * saves at most once for each slot, until the state is in such a slot. */
static int keep_state(const model *m, const gm_header *next, flash_span *state)
{
    for (uint32_t left = slots_count(&m->session); left > 0; --left) {
        int error = slots_save(&m->session);
        if (error) {
            return error;
        }
        *state = slots_newest(&m->session);
        if (slots_has_room_beside(next, *state)) {
            return slots_forget(next, *state);
        }
    }
    return CONSOLE_ERR_NO_ROOM_TO_CARRY;
}

/* With rollback protection, refuses an image whose version is lower than that of the open one. */
static int check_age(const model *m, const uint8_t *image)
{
    const gm_header *next = (const void *)image;
    return ROLLBACK_PROTECT && next->image_version < m->session.header->image_version ? CONSOLE_ERR_OLDER_IMAGE : 0;
}

int update_switch(model *m, uint32_t carry)
{
    const uint8_t *base = m->upload.base;
    uint32_t size = m->upload.size;
    flash_span room, state = {NULL, 0};
    if (m->status) {
        return m->status;
    }
    if (find_room(m, &room) || base != room.base) {
        return CONSOLE_ERR_OUT_OF_ORDER;
    }
    int error = upload_end(&m->upload);
    if (error == 0) {
        error = signature_check(base, size);
    }
    if (error == 0) {
        error = check_age(m, base);
    }
    if (error == 0) {
        error = gm_verify_image(base, size, memory_arena_size());
    }
    if (error == 0 && carry) {
        error = keep_state(m, (const gm_header *)(const void *)base, &state);
    }
    return error ? error : images_switch(room, size, state);
}
