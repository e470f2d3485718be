/* Inputs of fuzz targets that are an image and what a target does with its session: bytes after the image. */
#ifndef IMAGE_AND_MORE_H
#define IMAGE_AND_MORE_H

#include <string.h>

#include "aligned.h"
#include "gradmote.h"
#include "use_store.h"

#define SIZE_LIMIT (1u << 20)

/* Whether all of the state has these bytes. */
static inline int has_state(const gm_session *session, const uint8_t *state)
{
    return memcmp(session->arena, state, session->header->state_size) == 0;
}

static inline void run_everything(gm_session *session)
{
    for (uint32_t program = 0; program < GM_PROGRAM_COUNT; ++program) {
        if (gm_begin(session, program) == GM_OK) {
            finish_program(session);
        }
    }
    use_store(session);
}

/* Returns the size that the image of an input claims, or 0 if it has none. */
static inline uint32_t image_size_of(const uint8_t *data, size_t size)
{
    uint32_t claimed = 0;
    if (size > sizeof(gm_header) && size <= SIZE_LIMIT) {
        memcpy(&claimed, data + 8, sizeof claimed);
    }
    return claimed >= sizeof(gm_header) && claimed <= size ? claimed : 0;
}

/*
 * Opens the image, runs its programs, so that its parameters are not the initial ones, and calls `use` with the bytes
 * after it. Returns 0, or -1 if the input is not worth keeping: libFuzzer's values.
 */
static inline int open_and_use(const uint8_t *data, size_t size, void (*use)(gm_session *, const uint8_t *, uint32_t))
{
    gm_requirements needs;
    gm_session session;
    int result = -1;
    uint32_t image_size = image_size_of(data, size);
    uint8_t *image = copy_of(data, image_size), *arena = NULL;
    if (gm_required(image, image_size, &needs) == GM_OK && needs.arena_size <= SIZE_LIMIT) {
        arena = aligned(needs.arena_size);
        memset(arena, 0, needs.arena_size);
        if (gm_open(&session, image, image_size, arena, needs.arena_size) == GM_OK) {
            run_everything(&session);
            use(&session, data + image_size, (uint32_t)size - image_size);
            result = 0;
        }
    }
    free(arena);
    free(image);
    return result;
}

#endif
