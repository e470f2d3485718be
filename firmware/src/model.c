#include "model.h"

#include <string.h>

#include "board.h"
#include "../generated/console_spec.h"
#include "memory.h"

#define ERASED 0xFFFFFFFFu

static int no_image(const board_area *area)
{
    uint32_t first;
    memcpy(&first, area->base, sizeof first);
    return first == ERASED || first == 0; /* erased flash, or memory as it is after power-on */
}

static int open_session(model *m, const board_area *area)
{
    if (no_image(area)) {
        return CONSOLE_ERR_NO_IMAGE;
    }
    int error = gm_required(area->base, area->size, &m->needs);
    if (error) {
        return error;
    }
    return gm_open(&m->session, area->base, area->size, memory_arena(), memory_arena_size());
}

int model_open(model *m)
{
    board_area area = board_flash_area(BOARD_AREA_IMAGE);
    m->status = open_session(m, &area);
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

int model_has(const model *m, uint32_t program)
{
    return (int)(m->needs.programs >> program & 1u);
}
