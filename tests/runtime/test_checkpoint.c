/*
 * Checkpoints of the tiny image in a file of memory: round trip, order of writes, every flipped bit, foreign models,
 * failing storage.
 */
#include <stdlib.h>
#include <string.h>

#include "builder.h"
#include "checks.h"

static block image, arena, other_arena;
static uint32_t image_size;

/* A file that can fail at its n-th call. */
typedef struct file {
    uint8_t bytes[4096];
    uint32_t next;               /* where the next write must start */
    int header_written;
    int calls_until_failure;     /* negative: never */
    int corrupt_after;           /* from this call on, reads deliver flipped bytes; negative: never */
} file;

static void file_init(file *f)
{
    memset(f, 0, sizeof *f);
    f->next = sizeof(gm_checkpoint);
    f->calls_until_failure = f->corrupt_after = -1;
}

static int file_write(void *user, uint32_t offset, const void *data, uint32_t size)
{
    file *f = user;
    if (f->calls_until_failure >= 0 && f->calls_until_failure-- == 0) {
        return -1;
    }
    CHECK(!f->header_written && offset + size <= sizeof f->bytes);
    CHECK(offset == 0 ? size == sizeof(gm_checkpoint) : offset == f->next);
    f->header_written = offset == 0;
    f->next = offset + size;
    memcpy(f->bytes + offset, data, size);
    return 0;
}

static int file_read(void *user, uint32_t offset, void *data, uint32_t size)
{
    file *f = user;
    if (f->calls_until_failure >= 0 && f->calls_until_failure-- == 0) {
        return -1;
    }
    CHECK(offset + size <= sizeof f->bytes);
    memcpy(data, f->bytes + offset, size);
    if (f->corrupt_after >= 0 && f->corrupt_after-- == 0) {
        *(uint8_t *)data ^= 1;
    }
    return 0;
}

/* A session with a few steps behind it, so that every part of its state is in use. */
static void train_tiny(gm_session *session, block *memory, uint32_t steps)
{
    static const float x[12] = { 1, 2, 3, -1, 0.5f, 0, 0.25f, -2, 1, 0, 1, -1 };
    static const float target[8] = { 1, 0, 0, 1, -1, 1, 2, -1 };
    CHECK_STATUS(GM_OK, gm_open(session, image.bytes, image_size, memory->bytes, TINY_ARENA));
    CHECK_STATUS(GM_OK, gm_write(session, GM_ROLE_INPUT, 0, x, sizeof x));
    CHECK_STATUS(GM_OK, gm_write(session, GM_ROLE_LABEL, 0, target, sizeof target));
    CHECK_STATUS(GM_OK, gm_set_linear_schedule(session, 0.1f, 2, 10));
    CHECK_STATUS(GM_OK, gm_property_set_i32(session, "epoch", 3));
    for (uint32_t i = 0; i < steps; ++i) {
        CHECK_STATUS(GM_OK, gm_step(session, NULL));
    }
}

static void save(const gm_session *session, file *f)
{
    file_init(f);
    CHECK_STATUS(GM_OK, gm_checkpoint_save(session, file_write, f));
    CHECK(f->header_written);
}

static void test_round_trip(void)
{
    gm_session first, second;
    gm_property epoch;
    file f;
    train_tiny(&first, &arena, 4);
    train_tiny(&second, &other_arena, 1);
    save(&first, &f);
    CHECK_STATUS(GM_OK, gm_train_step(&second, NULL));
    CHECK_STATUS(GM_OK, gm_checkpoint_load(&second, file_read, &f, gm_checkpoint_size(&first)));
    CHECK(memcmp(arena.bytes, other_arena.bytes, TINY_STATE_SIZE) == 0);
    CHECK(gm_control_view(&second)->accumulated == 0 && gm_control_view(&second)->optimizer_steps == 4);
    CHECK_STATUS(GM_OK, gm_property_get(&second, "epoch", &epoch));
    CHECK_STATUS(GM_OK, gm_step(&first, NULL));
    CHECK_STATUS(GM_OK, gm_step(&second, NULL));
    CHECK(memcmp(arena.bytes, other_arena.bytes, TINY_STATE_SIZE) == 0);
}

/* A checkpoint saved between micro-batches has no gradients to go on with. */
static void test_accumulated_is_dropped(void)
{
    gm_session session;
    file f;
    train_tiny(&session, &arena, 1);
    CHECK_STATUS(GM_OK, gm_train_step(&session, NULL));
    save(&session, &f);
    CHECK_STATUS(GM_OK, gm_checkpoint_load(&session, file_read, &f, sizeof f.bytes));
    CHECK(gm_control_view(&session)->accumulated == 0);
    CHECK_STATUS(GM_ERR_NO_GRADIENTS, gm_optimizer_step(&session));
}

static void test_layout(void)
{
    gm_session session;
    gm_checkpoint header;
    file f;
    train_tiny(&session, &arena, 2);
    save(&session, &f);
    memcpy(&header, f.bytes, sizeof header);
    CHECK(header.magic == GM_CHECKPOINT_MAGIC && header.version == GM_FORMAT_VERSION);
    CHECK(header.size == gm_checkpoint_size(&session) && header.state_size == TINY_STATE_SIZE);
    CHECK(header.entries == 6 && memcmp(header.model_id, session.header->model_id, 16) == 0);
    CHECK(header.size == sizeof header + 6 * sizeof(gm_state_entry) + header.names_size + TINY_STATE_SIZE);
    CHECK(header.crc == gm_crc32(0, f.bytes + 16, header.size - 16));
    CHECK(memcmp(f.bytes + header.size - TINY_STATE_SIZE, arena.bytes, TINY_STATE_SIZE) == 0);
}

/* Loading must fail, with `expected` unless that is GM_OK, and leave the state as it is. */
static void check_refused(gm_session *session, file *f, size_t size, int expected)
{
    uint8_t before[TINY_STATE_SIZE];
    memcpy(before, session->arena, sizeof before);
    int status = gm_checkpoint_load(session, file_read, f, size);
    CHECK(status < 0 && (expected == GM_OK || status == expected));
    CHECK(memcmp(before, session->arena, sizeof before) == 0);
}

static void test_every_bit_and_length(void)
{
    gm_session session;
    file f;
    train_tiny(&session, &arena, 4);
    save(&session, &f);
    uint32_t size = gm_checkpoint_size(&session);
    CHECK_STATUS(GM_OK, gm_step(&session, NULL));
    for (uint32_t bit = 0; bit < 8 * size; ++bit) {
        f.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        check_refused(&session, &f, size, bit / 8 >= 16 ? GM_ERR_BAD_CRC : GM_OK);
        f.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (uint32_t length = 0; length < size; ++length) {
        check_refused(&session, &f, length, GM_ERR_TRUNCATED);
    }
    CHECK_STATUS(GM_OK, gm_checkpoint_load(&session, file_read, &f, size));
}

static void test_foreign(void)
{
    gm_session session;
    gm_checkpoint *header;
    file f;
    train_tiny(&session, &arena, 4);
    save(&session, &f);
    header = (gm_checkpoint *)(void *)f.bytes;
    header->model_id[3] ^= 1;
    header->crc = gm_crc32(0, f.bytes + 16, header->size - 16);
    check_refused(&session, &f, sizeof f.bytes, GM_ERR_WRONG_MODEL);
    header->model_id[3] ^= 1;
    header->state_size -= 4;
    header->crc = gm_crc32(0, f.bytes + 16, header->size - 16);
    check_refused(&session, &f, sizeof f.bytes, GM_ERR_WRONG_MODEL);
    header->magic = GM_IMAGE_MAGIC;
    check_refused(&session, &f, sizeof f.bytes, GM_ERR_BAD_MAGIC);
}

/* The same model compiled with other names: the state is the same. */
static void test_other_names(void)
{
    gm_session first, second;
    file f;
    train_tiny(&first, &arena, 4);
    train_tiny(&second, &other_arena, 1);
    save(&first, &f);
    gm_checkpoint *header = (gm_checkpoint *)(void *)f.bytes;
    uint32_t state_at = header->size - TINY_STATE_SIZE;
    memmove(f.bytes + state_at + 8, f.bytes + state_at, TINY_STATE_SIZE);
    header->names_size += 8;
    header->size += 8;
    header->crc = gm_crc32(0, f.bytes + 16, header->size - 16);
    CHECK_STATUS(GM_OK, gm_checkpoint_load(&second, file_read, &f, sizeof f.bytes));
    CHECK(memcmp(arena.bytes, other_arena.bytes, TINY_STATE_SIZE) == 0);
    header->entries += 1;
    header->crc = gm_crc32(0, f.bytes + 16, header->size - 16);
    check_refused(&second, &f, sizeof f.bytes, GM_ERR_WRONG_MODEL);
}

static void test_failing_storage(void)
{
    gm_session session;
    file f;
    int calls;
    train_tiny(&session, &arena, 4);
    for (calls = 0; calls < 4; ++calls) {
        file_init(&f);
        f.calls_until_failure = calls;
        CHECK_STATUS(GM_ERR_IO, gm_checkpoint_save(&session, file_write, &f));
        CHECK(!f.header_written);
        check_refused(&session, &f, sizeof f.bytes, GM_OK);
    }
    save(&session, &f);
    uint32_t body = gm_checkpoint_size(&session) - (uint32_t)sizeof(gm_checkpoint);
    int first_pass = 1 + (int)((body - TINY_STATE_SIZE + 63) / 64 + (TINY_STATE_SIZE + 63) / 64);
    for (calls = 0; calls < first_pass; ++calls) {
        f.calls_until_failure = calls;
        check_refused(&session, &f, sizeof f.bytes, GM_ERR_IO);
    }
    f.calls_until_failure = first_pass + 1;
    CHECK_STATUS(GM_OK, gm_checkpoint_load(&session, file_read, &f, sizeof f.bytes));
}

/* Storage that goes bad between the two readings leaves the initial state. */
static void test_storage_changes(void)
{
    gm_session session, fresh;
    file f;
    CHECK_STATUS(GM_OK, gm_open(&fresh, image.bytes, image_size, other_arena.bytes, TINY_ARENA));
    train_tiny(&session, &arena, 4);
    save(&session, &f);
    uint32_t body = gm_checkpoint_size(&session) - (uint32_t)sizeof(gm_checkpoint);
    int first_pass = 1 + (int)((body - TINY_STATE_SIZE + 63) / 64 + (TINY_STATE_SIZE + 63) / 64);
    f.corrupt_after = first_pass;
    CHECK_STATUS(GM_ERR_BAD_CRC, gm_checkpoint_load(&session, file_read, &f, sizeof f.bytes));
    CHECK(memcmp(arena.bytes, other_arena.bytes, TINY_STATE_SIZE) == 0);
    f.calls_until_failure = first_pass;
    CHECK_STATUS(GM_ERR_IO, gm_checkpoint_load(&session, file_read, &f, sizeof f.bytes));
    CHECK(memcmp(arena.bytes, other_arena.bytes, TINY_STATE_SIZE) == 0);
}

static void test_arguments(void)
{
    gm_session session;
    file f;
    train_tiny(&session, &arena, 0);
    file_init(&f);
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_checkpoint_save(&session, NULL, &f));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_checkpoint_load(&session, NULL, &f, sizeof f.bytes));
    CHECK_STATUS(GM_OK, gm_begin(&session, GM_PROGRAM_STEP));
    CHECK_STATUS(GM_ERR_BUSY, gm_checkpoint_save(&session, file_write, &f));
    CHECK_STATUS(GM_ERR_BUSY, gm_checkpoint_load(&session, file_read, &f, sizeof f.bytes));
    gm_close(&session);
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_checkpoint_save(&session, file_write, &f));
    CHECK(gm_checkpoint_size(&session) == 0);
}

int main(void)
{
    image_size = build_tiny(image.bytes);
    test_round_trip();
    test_accumulated_is_dropped();
    test_layout();
    test_every_bit_and_length();
    test_foreign();
    test_other_names();
    test_failing_storage();
    test_storage_changes();
    test_arguments();
    return checks_summary();
}
