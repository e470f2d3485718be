/*
 * Checkpoints of the tiny image in a file of memory, plain and packed: round trip, order of writes, every flipped bit,
 * foreign models, other versions, failing storage.
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
    uint32_t next;               /* the offset at which the next write must start */
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

/* Trains a session for a few steps, so that every part of its state is in use. */
static void train_tiny(gm_session *session, block *memory, uint32_t steps)
{
    static const float x[12] = {1, 2, 3, -1, 0.5f, 0, 0.25f, -2, 1, 0, 1, -1};
    static const float target[8] = {1, 0, 0, 1, -1, 1, 2, -1};
    CHECK_STATUS(GM_OK, gm_open(session, image.bytes, image_size, memory->bytes, TINY_ARENA));
    CHECK_STATUS(GM_OK, gm_write(session, GM_ROLE_INPUT, 0, x, sizeof x));
    CHECK_STATUS(GM_OK, gm_write(session, GM_ROLE_LABEL, 0, target, sizeof target));
    CHECK_STATUS(GM_OK, gm_set_linear_schedule(session, 0.1f, 2, 10));
    CHECK_STATUS(GM_OK, gm_property_set_i32(session, "epoch", 3));
    for (uint32_t i = 0; i < steps; ++i) {
        CHECK_STATUS(GM_OK, gm_step(session, NULL));
    }
}

static const struct encoding {
    uint32_t (*size)(const gm_session *session);
    int (*save)(const gm_session *session, gm_write_fn write, void *user);
    uint32_t state_in_file; /* bytes; packed, w and its moment have a scale and 6 halves each instead of 6 words */
} encodings[GM_ENCODING_COUNT] = {
    {gm_checkpoint_size, gm_checkpoint_save, TINY_STATE_SIZE},
    {gm_checkpoint_half_size, gm_checkpoint_save_half, TINY_STATE_SIZE - 2 * (24 - 16)},
};

static void save_as(uint32_t encoding, const gm_session *session, file *f)
{
    file_init(f);
    CHECK_STATUS(GM_OK, encodings[encoding].save(session, file_write, f));
    CHECK(f->header_written);
}

static void save(const gm_session *session, file *f)
{
    save_as(GM_ENCODING_PLAIN, session, f);
}

static void seal(file *f)
{
    gm_checkpoint *header = (gm_checkpoint *)(void *)f->bytes;
    header->crc = gm_crc32(0, f->bytes + 16, header->size - 16);
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

/* Returns the state that a file of this session's state table has. */
static const uint8_t *state_in(const file *f, const gm_session *session)
{
    return f->bytes + gm_checkpoint_size(session) - TINY_STATE_SIZE;
}

/* What is not the optimizer's stays; the optimizer's is as in the image, also if the state's rest begins as zeros. */
static void test_without_optimizer(void)
{
    gm_session trained, fresh;
    file f, first;
    train_tiny(&trained, &arena, 4);
    file_init(&f);
    CHECK_STATUS(GM_OK, gm_checkpoint_save_without_optimizer(&trained, file_write, &f));
    CHECK(f.header_written && f.next == sizeof(gm_checkpoint));
    CHECK_STATUS(GM_OK, gm_open(&fresh, image.bytes, image_size, other_arena.bytes, TINY_ARENA));
    save(&fresh, &first);
    const uint8_t *saved = state_in(&f, &trained), *initial = state_in(&first, &fresh);
    CHECK(memcmp(saved, arena.bytes, TINY_W_MOMENT) == 0 && memcmp(saved, initial, TINY_W_MOMENT) != 0);
    CHECK(memcmp(saved + TINY_W_MOMENT, arena.bytes + TINY_W_MOMENT, TINY_CONTROL - TINY_W_MOMENT) != 0);
    CHECK(memcmp(saved + TINY_W_MOMENT, initial + TINY_W_MOMENT, TINY_PROPERTIES - TINY_W_MOMENT) == 0);
    CHECK(memcmp(saved + TINY_PROPERTIES, arena.bytes + TINY_PROPERTIES, TINY_STATE_SIZE - TINY_PROPERTIES) == 0);
    CHECK_STATUS(GM_OK, gm_checkpoint_load(&fresh, file_read, &f, gm_checkpoint_size(&trained)));
    CHECK(memcmp(other_arena.bytes, saved, TINY_STATE_SIZE) == 0 && gm_control_view(&fresh)->optimizer_steps == 0);
    for (int call = 0; f.calls_until_failure < 0; ++call) {
        file_init(&f);
        f.calls_until_failure = call;
        int status = gm_checkpoint_save_without_optimizer(&trained, file_write, &f);
        CHECK(status == (f.header_written ? GM_OK : GM_ERR_IO));
    }
}

/* A packed one keeps what it does not pack, and 11 bits of each number; saved again, it is the same. */
static void test_packed_round_trip(void)
{
    gm_session first, second;
    file f, again;
    train_tiny(&first, &arena, 4);
    train_tiny(&second, &other_arena, 1);
    save_as(GM_ENCODING_HALF, &first, &f);
    CHECK_STATUS(GM_OK, gm_checkpoint_load(&second, file_read, &f, gm_checkpoint_half_size(&first)));
    for (uint32_t at = 0; at < TINY_STATE_SIZE; at += 4) {
        float before, after;
        memcpy(&before, arena.bytes + at, sizeof before);
        memcpy(&after, other_arena.bytes + at, sizeof after);
        int packed = at < TINY_B || (at >= TINY_W_MOMENT && at < TINY_B_MOMENT);
        float error = after > before ? after - before : before - after;
        CHECK(packed ? error <= (before < 0 ? -before : before) / 2048 : memcmp(&before, &after, sizeof before) == 0);
    }
    CHECK(memcmp(arena.bytes, other_arena.bytes, TINY_B) != 0);
    save_as(GM_ENCODING_HALF, &second, &again);
    CHECK(memcmp(f.bytes, again.bytes, sizeof f.bytes) == 0);
    CHECK_STATUS(GM_OK, gm_step(&second, NULL));
}

/* Any part of a packed file equals that of the whole, and nothing else is written. */
static void test_parts(void)
{
    gm_session session;
    file f;
    uint8_t part[sizeof f.bytes + 1];
    train_tiny(&session, &arena, 4);
    save_as(GM_ENCODING_HALF, &session, &f);
    uint32_t size = gm_checkpoint_half_size(&session);
    for (uint32_t offset = 0; offset <= size; ++offset) {
        for (uint32_t count = 0; count <= size - offset; count += 1 + offset % 5) {
            part[count] = 0xA5;
            CHECK_STATUS(GM_OK, gm_checkpoint_part_half(&session, offset, part, count));
            CHECK(memcmp(part, f.bytes + offset, count) == 0 && part[count] == 0xA5);
        }
        CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_checkpoint_part_half(&session, offset, part, size - offset + 1));
    }
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_checkpoint_part_half(&session, size + 1, part, 0));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_checkpoint_part_half(&session, 0, NULL, 0));
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
    CHECK(header.magic == GM_CHECKPOINT_MAGIC && header.version == GM_CHECKPOINT_VERSION && header.encoding == 0);
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

static void test_every_bit_and_length(uint32_t encoding)
{
    gm_session session;
    file f;
    train_tiny(&session, &arena, 4);
    save_as(encoding, &session, &f);
    uint32_t size = encodings[encoding].size(&session);
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

/* Versions 1 and 2 are read; the first had a reserved word instead of the encoding. */
static void test_versions(void)
{
    gm_session first, second;
    file f;
    gm_checkpoint *header = (gm_checkpoint *)(void *)f.bytes;
    train_tiny(&first, &arena, 4);
    train_tiny(&second, &other_arena, 1);
    save(&first, &f);
    for (header->encoding = 0; header->encoding <= GM_ENCODING_COUNT; ++header->encoding) {
        header->version = 1;
        seal(&f);
        CHECK_STATUS(GM_OK, gm_reset(&second));
        CHECK_STATUS(GM_OK, gm_checkpoint_load(&second, file_read, &f, sizeof f.bytes));
        CHECK(memcmp(arena.bytes, other_arena.bytes, TINY_STATE_SIZE) == 0);
    }
    header->version = GM_CHECKPOINT_VERSION;
    header->encoding = GM_ENCODING_COUNT;
    seal(&f);
    check_refused(&second, &f, sizeof f.bytes, GM_ERR_BAD_VERSION);
    header->encoding = GM_ENCODING_HALF; /* its state is too long for that */
    seal(&f);
    check_refused(&second, &f, sizeof f.bytes, GM_ERR_WRONG_MODEL);
    header->encoding = GM_ENCODING_PLAIN;
    for (uint32_t i = 0; i < 3; ++i) {
        header->version = i == 0 ? 0 : GM_CHECKPOINT_VERSION + i;
        seal(&f);
        check_refused(&second, &f, sizeof f.bytes, GM_ERR_BAD_VERSION);
    }
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

/* Reads of gm_checkpoint_load() before it touches the state: the header, and twice what comes in chunks. */
static int first_pass(const gm_session *session, uint32_t encoding)
{
    uint32_t state = encodings[encoding].state_in_file;
    uint32_t before_state = encodings[encoding].size(session) - (uint32_t)sizeof(gm_checkpoint) - state;
    return 1 + (int)((before_state + 63) / 64 + (state + 63) / 64);
}

static void test_failing_storage(uint32_t encoding)
{
    gm_session session;
    file f;
    int calls, writes = encoding == GM_ENCODING_PLAIN ? 4 : 9;
    train_tiny(&session, &arena, 4);
    for (calls = 0; calls < writes; ++calls) {
        file_init(&f);
        f.calls_until_failure = calls;
        CHECK_STATUS(GM_ERR_IO, encodings[encoding].save(&session, file_write, &f));
        CHECK(!f.header_written);
        check_refused(&session, &f, sizeof f.bytes, GM_OK);
    }
    save_as(encoding, &session, &f);
    for (calls = 0; calls < first_pass(&session, encoding); ++calls) {
        f.calls_until_failure = calls;
        check_refused(&session, &f, sizeof f.bytes, GM_ERR_IO);
    }
    f.calls_until_failure = first_pass(&session, encoding) + (encoding == GM_ENCODING_PLAIN ? 1 : 6);
    CHECK_STATUS(GM_OK, gm_checkpoint_load(&session, file_read, &f, sizeof f.bytes));
}

/* Storage that goes bad between the two readings, at any read of the second, leaves the initial state. */
static void test_storage_changes(uint32_t encoding)
{
    gm_session session, fresh;
    file f;
    CHECK_STATUS(GM_OK, gm_open(&fresh, image.bytes, image_size, other_arena.bytes, TINY_ARENA));
    train_tiny(&session, &arena, 4);
    save_as(encoding, &session, &f);
    int first = first_pass(&session, encoding), reads = encoding == GM_ENCODING_PLAIN ? 1 : 6;
    for (int call = first; call < first + reads; ++call) {
        f.corrupt_after = call;
        CHECK_STATUS(GM_ERR_BAD_CRC, gm_checkpoint_load(&session, file_read, &f, sizeof f.bytes));
        CHECK(memcmp(arena.bytes, other_arena.bytes, TINY_STATE_SIZE) == 0);
        f.corrupt_after = -1;
        CHECK_STATUS(GM_OK, gm_checkpoint_load(&session, file_read, &f, sizeof f.bytes));
        CHECK(memcmp(arena.bytes, other_arena.bytes, TINY_STATE_SIZE) != 0);
        f.calls_until_failure = call;
        CHECK_STATUS(GM_ERR_IO, gm_checkpoint_load(&session, file_read, &f, sizeof f.bytes));
        CHECK(memcmp(arena.bytes, other_arena.bytes, TINY_STATE_SIZE) == 0);
        f.calls_until_failure = -1;
    }
}

static void test_arguments(void)
{
    gm_session session;
    file f;
    train_tiny(&session, &arena, 0);
    file_init(&f);
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_checkpoint_save(&session, NULL, &f));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_checkpoint_save_without_optimizer(&session, NULL, &f));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_checkpoint_load(&session, NULL, &f, sizeof f.bytes));
    CHECK_STATUS(GM_OK, gm_begin(&session, GM_PROGRAM_STEP));
    CHECK_STATUS(GM_ERR_BUSY, gm_checkpoint_save(&session, file_write, &f));
    CHECK_STATUS(GM_ERR_BUSY, gm_checkpoint_save_half(&session, file_write, &f));
    CHECK_STATUS(GM_ERR_BUSY, gm_checkpoint_save_without_optimizer(&session, file_write, &f));
    CHECK_STATUS(GM_ERR_BUSY, gm_checkpoint_part_half(&session, 0, f.bytes, 1));
    CHECK_STATUS(GM_ERR_BUSY, gm_checkpoint_load(&session, file_read, &f, sizeof f.bytes));
    gm_close(&session);
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_checkpoint_save(&session, file_write, &f));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_checkpoint_part_half(&session, 0, f.bytes, 1));
    CHECK(gm_checkpoint_size(&session) == 0 && gm_checkpoint_half_size(&session) == 0);
}

int main(void)
{
    image_size = build_tiny(image.bytes);
    test_round_trip();
    test_accumulated_is_dropped();
    test_layout();
    test_without_optimizer();
    test_packed_round_trip();
    test_parts();
    test_foreign();
    test_other_names();
    test_versions();
    for (uint32_t encoding = 0; encoding < GM_ENCODING_COUNT; ++encoding) {
        test_every_bit_and_length(encoding);
        test_failing_storage(encoding);
        test_storage_changes(encoding);
    }
    test_arguments();
    return checks_summary();
}
