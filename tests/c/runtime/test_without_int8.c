/*
 * A build with GM_WITH_INT8 0: it refuses types and instructions of 8 and 16 bits with the codes of docs/SPEC.md, V28
 * and V14, before it looks at anything else of them. All else works as in other builds.
 */
#include <stddef.h>
#include <string.h>

#include "builder.h"
#include "checks.h"

#if GM_WITH_INT8
#error "this program is about builds without quantized kernels"
#endif

typedef uint32_t (*build_fn)(uint8_t *out);

static const uint32_t narrow[] = {GM_DTYPE_I8, GM_DTYPE_U8, GM_DTYPE_I16};
static const uint32_t unknown[] = {GM_DTYPE_COUNT, 255, INT32_MAX, UINT32_MAX - 15, UINT32_MAX};

static block image, memory;
static uint8_t file[4096];

/* ---- Images with changed words ---------------------------------------------------------------------------------- */

static uint32_t *word_of(uint32_t section, uint32_t at)
{
    const gm_header *header = (const gm_header *)(const void *)image.bytes;
    return (uint32_t *)(void *)(image.bytes + header->sections[section].offset + at);
}

static int opened(uint32_t size)
{
    gm_session session;
    image_seal(image.bytes);
    return gm_open(&session, image.bytes, size, memory.bytes, sizeof memory.bytes);
}

/* What gm_open() returns if that word of a section is `value`. */
static int open_with(build_fn build, uint32_t section, uint32_t at, uint32_t value)
{
    uint32_t size = build(image.bytes);
    *word_of(section, at) = value;
    return opened(size);
}

/* The same if the word in front of it, in the same row, names nothing. */
static int open_without_name(uint32_t section, uint32_t row, uint32_t dtype_at, uint32_t value)
{
    uint32_t size = build_tiny(image.bytes);
    *word_of(section, row) = UINT32_MAX - 1;
    *word_of(section, row + dtype_at) = value;
    return opened(size);
}

static void test_types(uint32_t section, uint32_t rows, uint32_t row_size, uint32_t dtype_at, int bad)
{
    for (uint32_t row = 0; row < rows * row_size; row += row_size) {
        for (uint32_t i = 0; i < sizeof narrow / sizeof *narrow; ++i) {
            CHECK_STATUS(GM_ERR_BAD_OPCODE, open_with(build_tiny, section, row + dtype_at, narrow[i]));
            CHECK_STATUS(GM_ERR_BAD_OPCODE, open_without_name(section, row, dtype_at, narrow[i]));
        }
        for (uint32_t i = 0; i < sizeof unknown / sizeof *unknown; ++i) {
            CHECK_STATUS(bad, open_with(build_tiny, section, row + dtype_at, unknown[i]));
        }
        CHECK_STATUS(bad, open_without_name(section, row, dtype_at, GM_DTYPE_F32));
    }
}

static void test_stores(void)
{
    CHECK_STATUS(GM_OK, open_with(build_taught, GM_SECTION_STORE, offsetof(gm_store, dtype), GM_STORE_DTYPE_INT8));
    CHECK_STATUS(GM_ERR_BAD_STORE,
                 open_with(build_taught, GM_SECTION_STORE, offsetof(gm_store, dtype), GM_STORE_DTYPE_BYTES));
    for (uint32_t i = 0; i < sizeof unknown / sizeof *unknown; ++i) {
        CHECK_STATUS(GM_ERR_BAD_STORE,
                     open_with(build_taught, GM_SECTION_STORE, offsetof(gm_store, dtype), unknown[i]));
    }
    /* an input of bytes is refused before the store that would keep them */
    CHECK_STATUS(GM_ERR_BAD_OPCODE,
                 open_with(build_taught, GM_SECTION_TENSORS, offsetof(gm_tensor, dtype), GM_DTYPE_I8));
}

/* The result is the same for any length that the instruction claims. */
static void test_instructions(void)
{
    static const uint32_t named[] = {GM_OP_QUANTIZE,
                                     GM_OP_DEQUANTIZE,
                                     GM_OP_CONV_S8,
                                     GM_OP_COPY_S8,
                                     GM_OP_UPDATE_S8,
                                     GM_OP_UPDATE_S16,
                                     GM_OP_UPDATE_S32,
                                     GM_OP_QUANTIZE_GRAD_S16,
                                     GM_OP_CONV_GRAD_X_S16,
                                     GM_OP_CONV_UPDATE_S8,
                                     GM_OP_CONV_UPDATE_S16,
                                     GM_OP_SUM_S16,
                                     GM_OP_LOOP,
                                     GM_OP_GUARD,
                                     GM_OP_SHIFT};
    for (uint32_t i = 0; i < sizeof named / sizeof *named; ++i) {
        CHECK_STATUS(GM_ERR_BAD_OPCODE, open_with(build_tiny, GM_SECTION_CODE, 0, named[i] | 3u << 16));
    }
    for (uint32_t opcode = GM_OP_TABLES; opcode < GM_OP_LIMIT + 3u; ++opcode) {
        CHECK_STATUS(GM_ERR_BAD_OPCODE, open_with(build_tiny, GM_SECTION_CODE, 0, opcode | 3u << 16));
    }
}

/* ---- What works all the same ------------------------------------------------------------------------------------ */

static int file_write(void *user, uint32_t offset, const void *data, uint32_t size)
{
    memcpy((uint8_t *)user + offset, data, size);
    return 0;
}

static int file_read(void *user, uint32_t offset, void *data, uint32_t size)
{
    memcpy(data, (const uint8_t *)user + offset, size);
    return 0;
}

static void open_tiny(gm_session *session)
{
    uint32_t size = build_tiny(image.bytes);
    CHECK_STATUS(GM_OK, gm_open(session, image.bytes, size, memory.bytes, sizeof memory.bytes));
}

static void test_training(void)
{
    static const float x[12] = {1, 2, 3}, target[8] = {1, 0, 1};
    uint8_t before[TINY_CONTROL];
    gm_session session;
    open_tiny(&session);
    memcpy(before, memory.bytes, sizeof before);
    CHECK_STATUS(GM_OK, gm_write(&session, GM_ROLE_INPUT, 0, x, sizeof x));
    CHECK_STATUS(GM_OK, gm_write(&session, GM_ROLE_LABEL, 0, target, sizeof target));
    CHECK_STATUS(GM_OK, gm_step(&session, NULL));
    CHECK(memcmp(before, memory.bytes, sizeof before) != 0);
}

/* An entry of another model that is of bytes is not carried over, though name and size agree. */
static void test_bytes_are_not_carried_over(void)
{
    gm_checkpoint *header = (gm_checkpoint *)(void *)file;
    gm_state_entry *w = (gm_state_entry *)(void *)(file + sizeof *header);
    uint32_t all = 0, carried = 0;
    gm_session session;
    open_tiny(&session);
    CHECK_STATUS(GM_OK, gm_checkpoint_save(&session, file_write, file));
    CHECK_STATUS(GM_OK, gm_checkpoint_carry_over(&session, file_read, file, header->size, &all));
    for (uint32_t dtype = GM_DTYPE_I8; dtype <= GM_DTYPE_COUNT; ++dtype) {
        w->dtype = dtype;
        header->crc = gm_crc32(0, file + 16, header->size - 16);
        int status = gm_checkpoint_carry_over(&session, file_read, file, header->size, &carried);
        CHECK(status != GM_OK || carried < all);
    }
}

int main(void)
{
    test_types(GM_SECTION_TENSORS, 4, sizeof(gm_tensor), offsetof(gm_tensor, dtype), GM_ERR_BAD_TENSOR);
    test_types(GM_SECTION_STATE, 2, sizeof(gm_state_entry), offsetof(gm_state_entry, dtype), GM_ERR_BAD_STATE);
    test_stores();
    test_instructions();
    test_training();
    test_bytes_are_not_carried_over();
    return checks_summary();
}
