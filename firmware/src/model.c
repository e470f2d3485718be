#include "model.h"

#include <string.h>

#include "application.h"
#include "board.h"
#include "../generated/console_spec.h"
#include "memory.h"
#include "signature.h"
#include "slots.h"

#define ERASED 0xFFFFFFFFu

static int no_image(const board_area *area)
{
    uint32_t first;
    memcpy(&first, area->base, sizeof first);
    return first == ERASED || first == 0; /* erased flash, or memory as it is after power-on */
}

static int open_session(model *m, const uint8_t *image, uint32_t size)
{
    int error = gm_required(image, size, &m->needs);
    return error ? error : gm_open(&m->session, image, size, memory_arena(), memory_arena_size());
}

/* Whoever sent it: signed, where this firmware demands that. */
static int open_sent(model *m, const board_area *area)
{
    int error = gm_required(area->base, area->size, &m->needs);
    if (error == 0) {
        error = signature_check(area->base, area->size);
    }
    return error ? error : open_session(m, area->base, area->size);
}

/* The image that was sent; without one, the program's own, which is as trusted as the key that lies beside it. */
static int open_any(model *m)
{
    board_area area = board_flash_area(BOARD_AREA_IMAGE);
    if (!no_image(&area)) {
        return open_sent(m, &area);
    }
    if (the_application.image != NULL) {
        return open_session(m, the_application.image, the_application.image_size);
    }
    return CONSOLE_ERR_NO_IMAGE;
}

int model_open(model *m)
{
    m->status = open_any(m);
    if (m->status) {
        memset(&m->needs, 0, sizeof m->needs);
    }
    return m->status;
}

void model_close(model *m)
{
    if (m->status == 0) {
        gm_close(&m->session);
    }
    memset(&m->needs, 0, sizeof m->needs);
    memset(&m->samples, 0, sizeof m->samples);
    m->status = CONSOLE_ERR_NO_IMAGE;
}

uint32_t model_image_size(const model *m)
{
    return m->status == 0 ? m->session.header->size : 0;
}

uint32_t model_kept_size(const model *m)
{
    uint32_t size = 0;
    if (m->status == 0) {
        slots_newest(&m->session, &size);
    }
    return size;
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
