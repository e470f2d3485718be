/*
 * Export tables of the tiny image: what is written, in one piece and in parts; each field that is out of range; tables
 * with random changes and a right checksum, which are refused or stay within the file and the state.
 */
#include <stdlib.h>
#include <string.h>

#include "builder.h"
#include "checks.h"

#define TEMPLATE_SIZE 100u
#define RANGES 4u

/* Where the ranges lie: W transposed, the integers of B's bytes, and a part of B. */
enum { AT_W = 3, AT_I8 = 40, AT_U8 = 44, AT_B = 60 };

typedef struct table {
    gm_export_header header;
    gm_export_range ranges[RANGES];
} table;

static block image, arena;
static gm_session session;
static uint8_t model[TEMPLATE_SIZE], trained[TEMPLATE_SIZE];

/* Both files, as read() and write() see them. Each call may fail. */
typedef struct files {
    uint32_t next;
    int reads_left, writes_left; /* below 0: never fail */
} files;

static int read_model(void *user, uint32_t offset, void *data, uint32_t size)
{
    files *f = user;
    if (offset > TEMPLATE_SIZE || size > TEMPLATE_SIZE - offset || (f->reads_left >= 0 && f->reads_left-- == 0)) {
        return -1;
    }
    memcpy(data, model + offset, size);
    return 0;
}

static int write_trained(void *user, uint32_t offset, const void *data, uint32_t size)
{
    files *f = user;
    if (f->writes_left >= 0 && f->writes_left-- == 0) {
        return -1;
    }
    CHECK(offset == f->next && size <= TEMPLATE_SIZE - offset);
    memcpy(trained + offset, data, size);
    f->next += size;
    return 0;
}

static void seal(table *t)
{
    t->header.crc = gm_crc32(0, t->header.model_id, t->header.size - 16);
}

static table sound_table(void)
{
    table t = {{GM_EXPORT_MAGIC, GM_EXPORT_VERSION, sizeof t, 0, {0}, TEMPLATE_SIZE, 0},
               {
                   {AT_W, TINY_W, GM_EXPORT_KIND_WORD, 0, 2, 3, 12, 4},
                   {AT_I8, TINY_B, GM_EXPORT_KIND_I8, 0, 4, 1, 1, 0},
                   {AT_U8, TINY_B, GM_EXPORT_KIND_U8, 128, 2, 2, 1, 4},
                   {AT_B, TINY_B + 4, GM_EXPORT_KIND_WORD, 0, 2, 1, -4, 0},
               }};
    memcpy(t.header.model_id, session.header->model_id, sizeof t.header.model_id);
    t.header.template_crc = gm_crc32(0, model, sizeof model);
    seal(&t);
    return t;
}

static int export_with(const table *t, size_t size, int reads_left, int writes_left)
{
    files f = {0, reads_left, writes_left};
    memset(trained, 0, sizeof trained);
    return gm_export(&session, t, size, read_model, write_trained, &f);
}

static void open_session(void)
{
    uint32_t size = build_tiny(image.bytes);
    CHECK_STATUS(GM_OK, gm_open(&session, image.bytes, size, arena.bytes, TINY_ARENA));
    for (uint32_t i = 0; i < TEMPLATE_SIZE; ++i) {
        model[i] = (uint8_t)(200 + i);
    }
    for (uint32_t i = 0; i < TINY_STATE_SIZE; ++i) {
        arena.bytes[i] = i < TINY_W_MOMENT ? (uint8_t)(100 + i) : arena.bytes[i];
    }
}

/* ---- What is written ------------------------------------------------------------------------- */

static void expected_file(uint8_t *out)
{
    const uint8_t *w = arena.bytes + TINY_W, *b = arena.bytes + TINY_B;
    memcpy(out, model, TEMPLATE_SIZE);
    for (uint32_t i = 0; i < 6; ++i) {
        memcpy(out + AT_W + 4 * i, w + 4 * (i % 2 * 3 + i / 2), 4);
    }
    memcpy(out + AT_I8, b, 4);
    for (uint32_t i = 0; i < 4; ++i) {
        out[AT_U8 + i] = (uint8_t)(b[i / 2 * 4 + i % 2] + 128);
    }
    memcpy(out + AT_B, b + 4, 4);
    memcpy(out + AT_B + 4, b, 4);
}

static void test_whole_and_parts(void)
{
    uint8_t expected[TEMPLATE_SIZE], part[TEMPLATE_SIZE];
    table t = sound_table();
    expected_file(expected);
    CHECK_STATUS(GM_OK, export_with(&t, sizeof t, -1, -1));
    CHECK(memcmp(trained, expected, sizeof expected) == 0);
    CHECK_STATUS(GM_OK, gm_export_check(&session, &t, sizeof t));
    for (uint32_t begin = 0; begin <= TEMPLATE_SIZE; ++begin) {
        for (uint32_t end = begin; end <= TEMPLATE_SIZE; ++end) {
            memcpy(part, model, sizeof part);
            CHECK_STATUS(GM_OK, gm_export_part(&session, &t, begin, part + begin, end - begin));
            CHECK(memcmp(part + begin, expected + begin, end - begin) == 0);
            CHECK(memcmp(part, model, begin) == 0 && memcmp(part + end, model + end, TEMPLATE_SIZE - end) == 0);
        }
    }
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_export_part(&session, &t, TEMPLATE_SIZE, part, 1));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_export_part(&session, &t, 0xFFFFFFFFu, part, 2));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_export_part(&session, NULL, 0, part, 1));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_export_part(&session, &t, 0, NULL, 1));
}

/* ---- What is refused ------------------------------------------------------------------------- */

static void test_other_files(void)
{
    table t = sound_table(), other = t;
    CHECK_STATUS(GM_ERR_TRUNCATED, export_with(&t, sizeof t - 1, -1, -1));
    CHECK_STATUS(GM_ERR_TRUNCATED, export_with(&t, sizeof(gm_export_header) - 1, -1, -1));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, export_with(NULL, sizeof t, -1, -1));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_export(&session, &t, sizeof t, NULL, write_trained, NULL));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_export(&session, &t, sizeof t, read_model, NULL, NULL));
    other.header.magic ^= 1;
    CHECK_STATUS(GM_ERR_BAD_MAGIC, export_with(&other, sizeof t, -1, -1));
    other = t;
    other.header.version ^= 1;
    CHECK_STATUS(GM_ERR_BAD_VERSION, export_with(&other, sizeof t, -1, -1));
    other = t;
    other.ranges[0].at ^= 1;
    CHECK_STATUS(GM_ERR_BAD_CRC, export_with(&other, sizeof t, -1, -1));
    other = t;
    other.header.model_id[3] ^= 1;
    seal(&other);
    CHECK_STATUS(GM_ERR_WRONG_MODEL, export_with(&other, sizeof t, -1, -1));
    model[7] ^= 1;
    CHECK_STATUS(GM_ERR_BAD_CRC, export_with(&t, sizeof t, -1, -1));
    CHECK(trained[0] == 0); /* nothing was written */
    model[7] ^= 1;
    CHECK_STATUS(GM_OK, gm_begin(&session, GM_PROGRAM_INFER));
    CHECK_STATUS(GM_ERR_BUSY, export_with(&t, sizeof t, -1, -1));
    CHECK_STATUS(GM_ERR_BUSY, gm_export_part(&session, &t, 0, trained, 1));
    gm_abort(&session);
}

static void refused_range(uint32_t range, uint32_t word, uint32_t value)
{
    table t = sound_table();
    memcpy((uint8_t *)&t.ranges[range] + 4 * word, &value, sizeof value);
    seal(&t);
    CHECK_STATUS(GM_ERR_BAD_SECTION, export_with(&t, sizeof t, -1, -1));
    CHECK(trained[0] == 0);
}

static void test_ranges(void)
{
    refused_range(1, 0, AT_W + 23);             /* overlaps the range before it */
    refused_range(3, 0, TEMPLATE_SIZE - 7);     /* leaves the file */
    refused_range(3, 0, 0xFFFFFFFCu);
    refused_range(0, 1, TINY_STATE_SIZE - 8);   /* leaves the state */
    refused_range(3, 1, TINY_W);                /* before its beginning */
    refused_range(0, 2, GM_EXPORT_KIND_COUNT);
    refused_range(0, 3, 1);                     /* words are not added to */
    refused_range(1, 3, 256);
    refused_range(0, 4, 0);
    refused_range(0, 5, 0);
    refused_range(0, 4, 0x40000000u);
    refused_range(0, 5, 0xFFFFFFFFu);
    refused_range(0, 6, 0x7FFFFFFFu);
    refused_range(0, 7, 0x80000000u);
}

/* An integer that its type in the file cannot hold is refused before anything is written. */
static void test_integers_that_do_not_fit(void)
{
    table t = sound_table();
    t.ranges[1].add = 100;
    seal(&t);
    arena.bytes[TINY_B] = 28;
    CHECK_STATUS(GM_ERR_DOES_NOT_FIT, export_with(&t, sizeof t, -1, -1));
    CHECK(trained[0] == 0);
    for (uint32_t i = 0; i < 4; ++i) {
        arena.bytes[TINY_B + i] = 27;
    }
    CHECK_STATUS(GM_OK, export_with(&t, sizeof t, -1, -1));
    CHECK(trained[AT_I8] == 127);
}

static void test_storage_that_fails(void)
{
    table t = sound_table();
    for (int calls = 0; calls < 4; ++calls) { /* 2 to check the file, 2 to copy it */
        CHECK_STATUS(GM_ERR_IO, export_with(&t, sizeof t, calls, -1));
    }
    for (int calls = 0; calls < 2; ++calls) {
        CHECK_STATUS(GM_ERR_IO, export_with(&t, sizeof t, -1, calls));
    }
    CHECK_STATUS(GM_OK, export_with(&t, sizeof t, 4, 2));
}

/* ---- Random changes -------------------------------------------------------------------------- */

static uint32_t drawn(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* The sanitizers see each access outside of a file or the arena. */
static void test_mutations(uint32_t count)
{
    uint32_t state = 1, accepted = 0;
    for (uint32_t i = 0; i < count; ++i) {
        table t = sound_table();
        for (uint32_t changes = 1 + drawn(&state) % 3; changes > 0; --changes) {
            uint32_t word = 8 + drawn(&state) % (uint32_t)((sizeof t - 32) / 4), value = drawn(&state) % 256;
            static const uint32_t far[] = {0xFFFFFFFFu, 0x80000000u, 0x7FFFFFFFu, 0x40000000u, 0x10000u};
            value = drawn(&state) % 3 == 0 ? far[value % 5] : drawn(&state) % 2 ? value : 0u - value;
            memcpy((uint8_t *)&t + 4 * word, &value, sizeof value);
        }
        seal(&t);
        accepted += export_with(&t, sizeof t, -1, -1) == GM_OK;
    }
    printf("%u tables, %u of them accepted\n", (unsigned)count, (unsigned)accepted);
    CHECK(accepted > 0 && accepted < count);
}

int main(int argc, char **argv)
{
    open_session();
    test_whole_and_parts();
    test_other_files();
    test_ranges();
    test_integers_that_do_not_fit();
    test_storage_that_fails();
    test_mutations(argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 20000);
    return checks_summary();
}
