/*
 * Export tables of the tiny image: what is written, in one piece and in parts; each field that is out of range; files
 * with random changes and a right checksum, which are refused or stay within the model and the state, also if storage
 * delivers others after the check.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "builder.h"
#include "checks.h"

#define MODEL_SIZE 100u
#define RANGES 4u

/* The first bytes of the ranges: W transposed, B's bytes as integers, and a part of B. */
enum { AT_W = 3, AT_I8 = 40, AT_U8 = 44, AT_B = 60 };

typedef struct export_file {
    gm_export_header header;
    gm_export_range ranges[RANGES];
    uint8_t model[MODEL_SIZE];
} export_file;

static block image, arena;
static gm_session session;
static uint8_t trained[MODEL_SIZE];

/* What read() and write() see. Each call may fail. */
typedef struct storage {
    const export_file *file;
    const export_file *later; /* delivered after the check, if there is one */
    uint32_t next;
    int reads_left, writes_left; /* below 0: never fail */
} storage;

static int read_file(void *user, uint32_t offset, void *data, uint32_t size)
{
    storage *s = user;
    const export_file *file = s->later != NULL && s->next > 0 ? s->later : s->file;
    if (offset > sizeof *file || size > sizeof *file - offset || (s->reads_left >= 0 && s->reads_left-- == 0)) {
        return -1;
    }
    memcpy(data, (const uint8_t *)file + offset, size);
    return 0;
}

static int write_trained(void *user, uint32_t offset, const void *data, uint32_t size)
{
    storage *s = user;
    if (s->writes_left >= 0 && s->writes_left-- == 0) {
        return -1;
    }
    CHECK(offset == s->next && offset <= MODEL_SIZE && size <= MODEL_SIZE - offset);
    memcpy(trained + offset, data, size);
    s->next += size;
    return 0;
}

static void seal(export_file *f)
{
    f->header.crc = gm_crc32(0, f->header.model_id, sizeof *f - 16);
}

static export_file sound_file(void)
{
    export_file f = {{GM_EXPORT_MAGIC, GM_EXPORT_VERSION, sizeof f, 0, {0}, RANGES, MODEL_SIZE},
                     {
                         {AT_W, TINY_W, GM_EXPORT_KIND_WORD, 0, 2, 3, 12, 4},
                         {AT_I8, TINY_B, GM_EXPORT_KIND_I8, 0, 4, 1, 1, 0},
                         {AT_U8, TINY_B, GM_EXPORT_KIND_U8, 128, 2, 2, 1, 4},
                         {AT_B, TINY_B + 4, GM_EXPORT_KIND_WORD, 0, 2, 1, -4, 0},
                     },
                     {0}};
    memcpy(f.header.model_id, session.header->model_id, sizeof f.header.model_id);
    for (uint32_t i = 0; i < MODEL_SIZE; ++i) {
        f.model[i] = (uint8_t)(200 + i);
    }
    seal(&f);
    return f;
}

static int export_with(const export_file *f, size_t size, int reads_left, int writes_left)
{
    storage s = {f, NULL, 0, reads_left, writes_left};
    memset(trained, 0, sizeof trained);
    return gm_export(&session, read_file, write_trained, &s, size);
}

static void open_session(void)
{
    uint32_t size = build_tiny(image.bytes);
    CHECK_STATUS(GM_OK, gm_open(&session, image.bytes, size, arena.bytes, TINY_ARENA));
    for (uint32_t i = 0; i < TINY_STATE_SIZE; ++i) {
        arena.bytes[i] = i < TINY_W_MOMENT ? (uint8_t)(100 + i) : arena.bytes[i];
    }
}

/* ---- What is written ------------------------------------------------------------------------- */

static void expected_model(const export_file *f, uint8_t *out)
{
    const uint8_t *w = arena.bytes + TINY_W, *b = arena.bytes + TINY_B;
    memcpy(out, f->model, MODEL_SIZE);
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
    uint8_t expected[MODEL_SIZE], part[MODEL_SIZE];
    export_file f = sound_file();
    storage s = {&f, NULL, 0, -1, -1};
    uint32_t size = 0;
    expected_model(&f, expected);
    CHECK_STATUS(GM_OK, export_with(&f, sizeof f + 9, -1, -1));
    CHECK(memcmp(trained, expected, sizeof expected) == 0);
    CHECK_STATUS(GM_OK, gm_export_check(&session, read_file, &s, sizeof f, &size));
    CHECK(size == MODEL_SIZE);
    for (uint32_t begin = 0; begin <= MODEL_SIZE; ++begin) {
        for (uint32_t end = begin; end <= MODEL_SIZE; ++end) {
            memset(part, 7, sizeof part);
            CHECK_STATUS(GM_OK, gm_export_part(&session, read_file, &s, begin, part + begin, end - begin));
            CHECK(memcmp(part + begin, expected + begin, end - begin) == 0);
            CHECK((begin == 0 || part[begin - 1] == 7) && (end == MODEL_SIZE || part[end] == 7));
        }
    }
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_export_part(&session, read_file, &s, MODEL_SIZE, part, 1));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_export_part(&session, read_file, &s, 0xFFFFFFFFu, part, 2));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_export_part(&session, NULL, &s, 0, part, 1));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_export_part(&session, read_file, &s, 0, NULL, 1));
}

/* ---- What is refused ------------------------------------------------------------------------- */

static void refused(int status, uint32_t word, uint32_t value, int is_sealed)
{
    export_file f = sound_file();
    memcpy((uint8_t *)&f + 4 * word, &value, sizeof value);
    if (is_sealed) {
        seal(&f);
    }
    CHECK_STATUS(status, export_with(&f, sizeof f, -1, -1));
    CHECK(trained[0] == 0); /* nothing was written */
}

static void test_other_files(void)
{
    export_file f = sound_file();
    storage s = {&f, NULL, 0, -1, -1};
    CHECK_STATUS(GM_ERR_TRUNCATED, export_with(&f, sizeof f - 1, -1, -1));
    CHECK_STATUS(GM_ERR_TRUNCATED, export_with(&f, sizeof f.header - 1, -1, -1));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_export(&session, NULL, write_trained, &s, sizeof f));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_export(&session, read_file, NULL, &s, sizeof f));
    refused(GM_ERR_BAD_MAGIC, 0, 1, 1);
    refused(GM_ERR_BAD_VERSION, 1, 2, 1);
    refused(GM_ERR_BAD_SECTION, 2, sizeof f - 1, 1);
    refused(GM_ERR_WRONG_MODEL, 7, 0, 1);
    refused(GM_ERR_BAD_SECTION, 8, RANGES + 1, 1);
    refused(GM_ERR_BAD_SECTION, 8, 0x08000000u, 1); /* 32 ranges wrap to 0 */
    refused(GM_ERR_BAD_SECTION, 9, MODEL_SIZE - 1, 1);
    refused(GM_ERR_BAD_CRC, 10, AT_W + 1, 0);
    refused(GM_ERR_BAD_CRC, (uint32_t)(sizeof f / 4 - 1), 1, 0);
    CHECK_STATUS(GM_OK, gm_begin(&session, GM_PROGRAM_INFER));
    CHECK_STATUS(GM_ERR_BUSY, export_with(&f, sizeof f, -1, -1));
    CHECK_STATUS(GM_ERR_BUSY, gm_export_part(&session, read_file, &s, 0, trained, 1));
    gm_abort(&session);
}

static void refused_range(uint32_t range, uint32_t word, uint32_t value)
{
    refused(GM_ERR_BAD_SECTION, (uint32_t)(sizeof(gm_export_header) + range * sizeof(gm_export_range)) / 4 + word,
            value, 1);
}

static void test_ranges(void)
{
    refused_range(1, 0, AT_W + 23);             /* overlaps the range before it */
    refused_range(3, 0, MODEL_SIZE - 7);     /* leaves the file */
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
    export_file f = sound_file();
    f.ranges[1].add = 100;
    seal(&f);
    arena.bytes[TINY_B] = 28;
    CHECK_STATUS(GM_ERR_DOES_NOT_FIT, export_with(&f, sizeof f, -1, -1));
    CHECK(trained[0] == 0);
    for (uint32_t i = 0; i < 4; ++i) {
        arena.bytes[TINY_B + i] = 27;
    }
    CHECK_STATUS(GM_OK, export_with(&f, sizeof f, -1, -1));
    CHECK(trained[AT_I8] == 127);
}

static void test_storage_that_fails(void)
{
    export_file f = sound_file();
    int calls = 0;
    while (export_with(&f, sizeof f, calls, -1) == GM_ERR_IO) {
        ++calls;
    }
    CHECK(calls > 15);
    for (int writes = 0; writes < 2; ++writes) {
        CHECK_STATUS(GM_ERR_IO, export_with(&f, sizeof f, -1, writes));
    }
    CHECK_STATUS(GM_OK, export_with(&f, sizeof f, calls, 2));
}

/* ---- Random changes -------------------------------------------------------------------------- */

static uint32_t drawn(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static export_file changed(uint32_t *state)
{
    static const uint32_t far[] = {0xFFFFFFFFu, 0x80000000u, 0x7FFFFFFFu, 0x40000000u, 0x10000u};
    export_file f = sound_file();
    for (uint32_t changes = 1 + drawn(state) % 3; changes > 0; --changes) {
        uint32_t word = 8 + drawn(state) % (uint32_t)(offsetof(export_file, model) / 4 - 8), value = drawn(state) % 256;
        value = drawn(state) % 3 == 0 ? far[value % 5] : drawn(state) % 2 ? value : 0u - value;
        memcpy((uint8_t *)&f + 4 * word, &value, sizeof value);
    }
    seal(&f);
    return f;
}

/* The sanitizers see each access outside of a file or the arena. */
static void test_mutations(uint32_t count)
{
    uint32_t state = 1, accepted = 0;
    export_file sound = sound_file();
    for (uint32_t i = 0; i < count; ++i) {
        export_file f = changed(&state);
        storage changes_later = {&sound, &f, 0, -1, -1};
        accepted += export_with(&f, sizeof f, -1, -1) == GM_OK;
        (void)gm_export(&session, read_file, write_trained, &changes_later, sizeof f);
    }
    printf("%u files, %u of them accepted\n", (unsigned)count, (unsigned)accepted);
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
