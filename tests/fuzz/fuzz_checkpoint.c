/*
 * libFuzzer target: any bytes as the checkpoint of an open session, on storage that may fail.
 *
 * The input is an image, a checkpoint, and one byte. The byte says what the storage does: 0, nothing; else the n-th
 * read fails (odd) or delivers a wrong byte (even). gm_checkpoint_load() must read inside the file alone, take the file's
 * state or leave the one that was there, and with storage that changes its mind fall back to the initial one; and so must
 * gm_checkpoint_carry_over(), of the pieces that fit. Whatever they took must save, load and run.
 */
#define _POSIX_C_SOURCE 200112L /* posix_memalign */

#include <string.h>

#include "image_and_more.h"

typedef struct file {
    uint8_t *bytes;
    uint32_t size;
    uint32_t read_calls;
    uint8_t plan;
} file;

static int file_read(void *user, uint32_t offset, void *data, uint32_t size)
{
    file *f = user;
    require(offset <= f->size && size <= f->size - offset);
    memcpy(data, f->bytes + offset, size);
    int strikes = f->plan != 0 && ++f->read_calls == (f->plan + 1u) / 2;
    if (strikes && size != 0) {
        *(uint8_t *)data ^= 0x40;
    }
    return strikes && f->plan % 2 == 1 ? -1 : 0;
}

static int file_write(void *user, uint32_t offset, const void *data, uint32_t size)
{
    file *f = user;
    require(offset <= f->size && size <= f->size - offset);
    memcpy(f->bytes + offset, data, size);
    return 0;
}

/* ---- What loading may do ---------------------------------------------------------------------------------------- */

static gm_checkpoint header_of(const file *f)
{
    gm_checkpoint header;
    memcpy(&header, f->bytes, sizeof header);
    return header;
}

static int is_packed(const file *f)
{
    gm_checkpoint header = header_of(f);
    return header.version != 1 && header.encoding == GM_ENCODING_HALF;
}

/* The state that a plain file claims to hold, without the count of gradients, which are not in it. */
static uint8_t *state_in(const gm_session *session, const file *f)
{
    uint32_t size = session->header->state_size;
    gm_checkpoint header = header_of(f);
    uint8_t *state = copy_of(f->bytes + header.size - size, size);
    ((gm_control *)(void *)(state + session->header->control_offset))->accumulated = 0;
    return state;
}

/* What a packed file holds is judged by packing it again: save_packed(). */
static void require_loaded(const gm_session *session, const file *f)
{
    if (is_packed(f)) {
        return;
    }
    uint8_t *state = state_in(session, f);
    require(has_state(session, state));
    free(state);
}

static int is_initial(const gm_session *session)
{
    gm_session fresh = *session;
    fresh.arena = aligned(session->header->arena_size);
    require(gm_reset(&fresh) == GM_OK);
    int same = has_state(session, fresh.arena);
    free(fresh.arena);
    return same;
}

static void load(gm_session *session, file *f)
{
    uint8_t *before = copy_of(session->arena, session->header->state_size);
    int expected = gm_checkpoint_check(session, file_read, f, f->size);
    require(has_state(session, before));
    f->read_calls = 0;
    int status = gm_checkpoint_load(session, file_read, f, f->size);
    if (status == GM_OK) {
        require_loaded(session, f);
    } else {
        require(has_state(session, before) || (f->plan != 0 && is_initial(session)));
    }
    require(f->plan != 0 || status == expected);
    free(before);
}

/* The file as another model's: what fits is taken over, or nothing is. */
static void carry_over(gm_session *session, file *f)
{
    uint8_t *before = copy_of(session->arena, session->header->state_size);
    uint32_t carried, again;
    f->read_calls = 0;
    int status = gm_checkpoint_carry_over(session, file_read, f, f->size, &carried);
    uint8_t *after = copy_of(session->arena, session->header->state_size);
    if (status != GM_OK) {
        require(has_state(session, before) || is_initial(session));
    } else if (f->plan == 0) {
        require(gm_checkpoint_carry_over(session, file_read, f, f->size, &again) == GM_OK);
        require(again == carried && has_state(session, after));
    }
    free(after);
    free(before);
}

/* ---- What follows ------------------------------------------------------------------------------------------------ */

static void save_and_load(gm_session *session)
{
    file f = {NULL, gm_checkpoint_size(session), 0, 0};
    f.bytes = aligned(f.size);
    gm_lazy_reset_grad(session);
    require(gm_checkpoint_save(session, file_write, &f) == GM_OK);
    load(session, &f);
    require_loaded(session, &f);
    free(f.bytes);
}

static file packed(const gm_session *session)
{
    file f = {NULL, gm_checkpoint_half_size(session), 0, 0};
    f.bytes = aligned(f.size);
    require(gm_checkpoint_save_half(session, file_write, &f) == GM_OK);
    return f;
}

/* A packed state is loaded, and packs to the same bytes again; so does each part. */
static void save_packed(gm_session *session)
{
    file first = packed(session);
    load(session, &first);
    file second = packed(session);
    require(first.size == second.size && memcmp(first.bytes, second.bytes, first.size) == 0);
    for (uint32_t from = 0, size = 1; from + size <= first.size; from += size, size = size * 3 + 1) {
        require(gm_checkpoint_part_half(session, from, second.bytes, size) == GM_OK);
        require(memcmp(first.bytes + from, second.bytes, size) == 0);
    }
    free(first.bytes);
    free(second.bytes);
}

/* Carries over the bytes after the image: a checkpoint, and what the storage does with it. */
static void use(gm_session *session, const uint8_t *behind, uint32_t size)
{
    if (size == 0) {
        return;
    }
    file f = {copy_of(behind, size - 1), size - 1, 0, behind[size - 1]};
    carry_over(session, &f);
    run_everything(session);
    load(session, &f);
    save_and_load(session);
    save_packed(session);
    run_everything(session);
    free(f.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return open_and_use(data, size, use);
}
