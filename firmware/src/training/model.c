#include "training/model.h"

#include <string.h>

#include "application.h"
#include "board.h"
#include "console_spec.h"
#include "device/memory.h"
#include "storage/images.h"
#include "storage/signature.h"
#include "storage/slots.h"

/* With rollback protection, refuses a received image whose version is lower than that of the
 * program's own. */
static int check_age(const uint8_t *image)
{
    const gm_header *sent = (const void *)image, *own = (const void *)the_application.image;
    return ROLLBACK_PROTECT && own != NULL && sent->image_version < own->image_version ? CONSOLE_ERR_OLDER_IMAGE : 0;
}

/* Returns the export table at `start` in the file of an image. */
static flash_span table_at(flash_span file, uint32_t start)
{
    gm_export_header header;
    flash_span none = {NULL, 0};
    if (!BOARD_EXPORT || start > file.size || file.size - start < sizeof header) {
        return none;
    }
    memcpy(&header, file.base + start, sizeof header);
    flash_span table = {file.base + start, header.size};
    return header.magic == GM_EXPORT_MAGIC && header.size <= file.size - start ? table : none;
}

/* Opens the received image, after a check of its signature if this firmware has a key. Without a
 * received image, opens the program's own, which is as trusted as the key in the same program. */
static int open_any(model *m)
{
    flash_span image = images_in_force();
    int was_sent = image.base != NULL;
    if (!was_sent) {
        image.base = the_application.image;
        image.size = the_application.image_size;
    }
    if (image.base == NULL) {
        return CONSOLE_ERR_NO_IMAGE;
    }
    int error = was_sent ? signature_check(image.base, image.size) : 0;
    if (error == 0 && was_sent) {
        error = check_age(image.base);
    }
    if (error == 0) {
        error = gm_required(image.base, image.size, &m->needs);
    }
    if (error == 0) {
        error = gm_open(&m->session, image.base, image.size, memory_arena(), memory_arena_size());
    }
    if (error == 0) {
        m->export_table = table_at(image, m->session.header->size + (was_sent ? signature_size() : 0));
    }
    return error;
}

int model_open(model *m)
{
    m->status = open_any(m);
    if (m->status) {
        memset(&m->needs, 0, sizeof m->needs);
    }
    return m->status;
}

int model_restore(model *m, uint32_t *carried)
{
    flash_span old = images_carried();
    void *file = (void *)(uintptr_t)old.base;
    *carried = 0;
    int error = slots_load(&m->session);
    if (error == 0 || !BOARD_UPDATES || old.base == NULL) {
        return error;
    }
    error = gm_checkpoint_load(&m->session, slots_read, file, old.size);
    if (error == GM_ERR_WRONG_MODEL) {
        error = gm_checkpoint_carry_over(&m->session, slots_read, file, old.size, carried);
    }
    return error ? error : slots_save(&m->session);
}

int model_is_pinned(const model *m)
{
    return ROLLBACK_PROTECT && m->status == 0 && m->session.image != the_application.image;
}

void model_close(model *m)
{
    if (m->status == 0) {
        gm_close(&m->session);
    }
    memset(&m->needs, 0, sizeof m->needs);
    memset(&m->export_table, 0, sizeof m->export_table);
    memset(&m->samples, 0, sizeof m->samples);
    memset(&m->reading, 0, sizeof m->reading);
    m->delta_size = 0;
    m->status = CONSOLE_ERR_NO_IMAGE;
}

uint32_t model_image_size(const model *m)
{
    return m->status == 0 ? m->session.header->size : 0;
}

uint32_t model_flash_size(const model *m)
{
    const uint8_t *image = m->session.image;
    return m->export_table.base != NULL ? (uint32_t)(m->export_table.base - image) + m->export_table.size
                                        : m->session.header->size + signature_size();
}

uint32_t model_kept_size(const model *m)
{
    return m->status == 0 ? slots_newest(&m->session).size : 0;
}

int model_has(const model *m, uint32_t program)
{
    return (int)(m->needs.programs >> program & 1u);
}

int model_save(model *m)
{
    if (m->status) {
        return m->status;
    }
    upload_abandon(&m->upload);
    return slots_save(&m->session);
}

uint32_t model_training_program(const model *m)
{
    return model_has(m, GM_PROGRAM_STEP) ? GM_PROGRAM_STEP : GM_PROGRAM_TRAIN;
}
