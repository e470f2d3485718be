/*
 * Opening a session on an image and an arena, resetting and closing it.
 */
#include <string.h>

#include "arithmetic.h"
#include "image.h"
#include "program.h"
#include "verify.h"

static int is_aligned(const void *pointer)
{
    return pointer != NULL && ((uintptr_t)pointer & (GM_SECTION_ALIGN - 1)) == 0;
}

static int are_disjoint(const void *a, size_t a_size, const void *b, size_t b_size)
{
    return (uintptr_t)a + a_size <= (uintptr_t)b || (uintptr_t)b + b_size <= (uintptr_t)a;
}

/* Checks size, magic and version. */
static GM_COLD int check_container(const gm_header *header, size_t image_size)
{
    if (image_size < sizeof *header) {
        return GM_ERR_TRUNCATED;
    }
    if (header->magic != GM_IMAGE_MAGIC) {
        return GM_ERR_BAD_MAGIC;
    }
    if (header->version != GM_FORMAT_VERSION) {
        return GM_ERR_BAD_VERSION;
    }
    return header->size < sizeof *header || header->size > image_size ? GM_ERR_TRUNCATED : GM_OK;
}

/* Returns the kinds of programs in the image: bit p for kind p. Returns 0 if the programs section
 * is not inside the file. */
static uint32_t programs_present(const gm_header *header)
{
    gm_section section = header->sections[GM_SECTION_PROGRAMS];
    uint32_t present = 0;
    if (section.offset % GM_SECTION_ALIGN != 0 || section.offset > header->size ||
        section.size > header->size - section.offset) {
        return 0;
    }
    const gm_program *program = gm_section_data(header, GM_SECTION_PROGRAMS);
    for (uint32_t i = 0; i < section.size / sizeof *program; ++i) {
        present |= program[i].kind < GM_PROGRAM_COUNT ? UINT32_C(1) << program[i].kind : 0;
    }
    return present;
}

GM_COLD int gm_required(const void *image, size_t image_size, gm_requirements *out)
{
    const gm_header *header = image;
    if (!is_aligned(image) || out == NULL) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    int status = check_container(header, image_size);
    if (status != GM_OK) {
        return status;
    }
    out->arena_size = header->arena_size;
    out->state_size = header->state_size;
    out->parameters_size = header->parameters_size;
    out->gradients_size = header->gradients_size;
    out->batch = header->batch;
    out->programs = programs_present(header);
    return GM_OK;
}

GM_COLD int gm_verify_image(const void *image, size_t image_size, size_t arena_size)
{
    const gm_header *header = image;
    if (!is_aligned(image)) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    int status = check_container(header, image_size);
    if (status == GM_OK) {
        status = gm_verify(header);
    }
    if (status != GM_OK) {
        return status;
    }
    return arena_size < header->arena_size ? GM_ERR_ARENA_TOO_SMALL : GM_OK;
}

GM_COLD int gm_open(gm_session *session, const void *image, size_t image_size, void *arena, size_t arena_size)
{
    if (session == NULL) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    memset(session, 0, sizeof *session);
    if (!is_aligned(arena)) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    const gm_header *header = image;
    int status = gm_arithmetic_differs() ? GM_ERR_WRONG_ARITHMETIC : gm_verify_image(image, image_size, arena_size);
    if (status != GM_OK) {
        return status;
    }
    if (!are_disjoint(header, header->size, arena, header->arena_size)) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    session->image = image;
    session->header = header;
    session->arena = arena;
    session->constants = gm_section_data(header, GM_SECTION_CONSTANTS);
    return gm_reset(session);
}

GM_COLD int gm_reset(gm_session *session)
{
    int status = gm_idle(session);
    if (status != GM_OK) {
        return status;
    }
    const gm_header *header = session->header;
    uint32_t initial_size = header->sections[GM_SECTION_INITIAL].size;
    memcpy(session->arena, gm_section_data(header, GM_SECTION_INITIAL), initial_size);
    memset(session->arena + initial_size, 0, header->state_size - initial_size);
    gm_control_of(session)->accumulated = 0;
    session->proven = 0;
    return GM_OK;
}

void gm_close(gm_session *session)
{
    if (session != NULL) {
        memset(session, 0, sizeof *session);
    }
}
