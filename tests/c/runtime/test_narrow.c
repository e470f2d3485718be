/* Elements of 1 and 2 bytes: in tensors, in the state, and as operands. */
#include <stddef.h>
#include <string.h>

#include "builder.h"
#include "checks.h"

/* Arena offsets of an image with a parameter of each type. */
enum {
    BYTES = 0, /* i8 [5] */
    HALVES = 8, /* i16 [3] */
    WORDS = 16, /* i32 [2] */
    FLOATS = 24, /* f32 [1] */
    CONTROL = 28,
    GRADIENTS = CONTROL + 48, /* f32 of BYTES */
    INPUT = GRADIENTS + 20, /* i8 [5] */
    SCRATCH = INPUT + 8,
    REAL = SCRATCH, /* f32 [4] */
    OUTPUT = SCRATCH + 16, /* i8 [4], from byte 1 on */
    ARENA = SCRATCH + 24
};

static block image, memory;

static void emit_instructions(builder *b)
{
    static const float scale = 0.5f;
    static const int8_t zero = -2;
    gm_insn_dequantize to_real = {
        .x = INPUT + 1, .y = REAL, .outer = 4, .channels = 1, .inner = 1, .x_outer = 1, .x_channel = 8};
    gm_insn_quantize to_byte = {.x = REAL, .y = OUTPUT, .n = 4, .scale = 0.25f, .zero = 3, .low = -100, .high = 127};
    to_real.scale = builder_constant(b, &scale, sizeof scale);
    to_real.zero = builder_constant(b, &zero, sizeof zero);
    builder_program(b, GM_PROGRAM_INFER);
    builder_emit(b, GM_OP_DEQUANTIZE, &to_real);
    builder_emit(b, GM_OP_QUANTIZE, &to_byte);
}

static uint32_t build_narrow(uint8_t *out)
{
    static const uint32_t five[2] = {5, 0}, four[2] = {4, 0}, three[2] = {3, 0}, two[2] = {2, 0}, one[2] = {1, 0};
    static const uint32_t control[2] = {sizeof(gm_control) / 4, 0};
    static const int8_t bytes[8] = {-128, 127, 0, 1, -1};
    static const int16_t halves[4] = {-32768, 32767, 256};
    static const int32_t words[2] = {INT32_MIN, 65536};
    static const float number = 1.5f;
    static builder b;
    builder_init(&b);
    b.header.arena_size = ARENA;
    b.header.parameters_size = b.header.control_offset = CONTROL;
    b.header.state_size = b.header.gradients_offset = b.header.properties_offset = GRADIENTS;
    b.header.gradients_size = INPUT - GRADIENTS;
    b.header.scratch_offset = SCRATCH;
    b.header.batch = 1;
    builder_tensor(&b, "x", GM_ROLE_INPUT, 1u << GM_PROGRAM_INFER, GM_DTYPE_I8, five, INPUT);
    builder_tensor(&b, "y", GM_ROLE_OUTPUT, 1u << GM_PROGRAM_INFER, GM_DTYPE_I8, four, OUTPUT);
    builder_state_of(&b, "bytes", GM_STATE_ROLE_PARAMETER, GM_DTYPE_I8, five, BYTES, GRADIENTS);
    builder_state_of(&b, "halves", GM_STATE_ROLE_PARAMETER, GM_DTYPE_I16, three, HALVES, GM_NONE);
    builder_state_of(&b, "words", GM_STATE_ROLE_PARAMETER, GM_DTYPE_I32, two, WORDS, GM_NONE);
    builder_state_of(&b, "floats", GM_STATE_ROLE_PARAMETER, GM_DTYPE_F32, one, FLOATS, GM_NONE);
    builder_state(&b, "control", GM_STATE_ROLE_CONTROL, control, CONTROL, GM_NONE);
    builder_append(&b, GM_SECTION_INITIAL, bytes, sizeof bytes);
    builder_append(&b, GM_SECTION_INITIAL, halves, sizeof halves);
    builder_append(&b, GM_SECTION_INITIAL, words, sizeof words);
    builder_append(&b, GM_SECTION_INITIAL, &number, sizeof number);
    emit_instructions(&b);
    return builder_finish(&b, out);
}

static int open_image(gm_session *session)
{
    uint32_t size = build_narrow(image.bytes);
    return gm_open(session, image.bytes, size, memory.bytes, sizeof memory.bytes);
}

/* What gm_open() returns if that word, `at` bytes into a section, is `value`. */
static int open_with(uint32_t section, uint32_t at, uint32_t value)
{
    gm_session session;
    uint32_t size = build_narrow(image.bytes);
    gm_header *header = (gm_header *)(void *)image.bytes;
    memcpy(image.bytes + header->sections[section].offset + at, &value, sizeof value);
    image_seal(image.bytes);
    return gm_open(&session, image.bytes, size, memory.bytes, sizeof memory.bytes);
}

static int open_with_state(uint32_t entry, uint32_t at, uint32_t value)
{
    return open_with(GM_SECTION_STATE, entry * (uint32_t)sizeof(gm_state_entry) + at, value);
}

/* Sizes follow from the type, each parameter starts at a word, and gradients are f32. */
static void test_state_is_verified(void)
{
    gm_session session;
    CHECK_STATUS(GM_OK, open_image(&session));
    CHECK_STATUS(GM_ERR_BAD_STATE, open_with_state(0, offsetof(gm_state_entry, dtype), GM_DTYPE_I16));
    CHECK_STATUS(GM_OK, open_with_state(0, offsetof(gm_state_entry, dtype), GM_DTYPE_U8));
    CHECK_STATUS(GM_ERR_BAD_STATE, open_with_state(0, offsetof(gm_state_entry, dtype), GM_DTYPE_COUNT));
    CHECK_STATUS(GM_ERR_BAD_STATE, open_with_state(0, offsetof(gm_state_entry, size), 8));
    CHECK_STATUS(GM_ERR_BAD_STATE, open_with_state(0, offsetof(gm_state_entry, gradient), GRADIENTS + 4));
    CHECK_STATUS(GM_ERR_BAD_STATE, open_with_state(1, offsetof(gm_state_entry, offset), 5));
    CHECK_STATUS(GM_ERR_BAD_STATE, open_with_state(1, offsetof(gm_state_entry, offset), 6));
    CHECK_STATUS(GM_ERR_BAD_TENSOR, open_with(GM_SECTION_TENSORS, offsetof(gm_tensor, dtype), GM_DTYPE_F32));
    CHECK_STATUS(GM_ERR_BAD_TENSOR, open_with(GM_SECTION_TENSORS, offsetof(gm_tensor, offset), INPUT + 1));
}

/* An i8 may start at any byte, and ends inside. Its strides are limited in its own elements. */
static void test_operands_are_verified(void)
{
    enum {
        X = offsetof(gm_insn_dequantize, x),
        Y = offsetof(gm_insn_dequantize, y),
        STEP = offsetof(gm_insn_dequantize, x_channel),
        NEXT = sizeof(gm_insn_dequantize)
    };
    for (uint32_t at = OUTPUT; at <= ARENA - 4; ++at) {
        CHECK_STATUS(GM_OK, open_with(GM_SECTION_CODE, NEXT + offsetof(gm_insn_quantize, y), at));
    }
    CHECK_STATUS(GM_ERR_BAD_OPERAND, open_with(GM_SECTION_CODE, NEXT + offsetof(gm_insn_quantize, y), ARENA - 3));
    CHECK_STATUS(GM_ERR_BAD_OPERAND, open_with(GM_SECTION_CODE, NEXT + offsetof(gm_insn_quantize, y), REAL));
    CHECK_STATUS(GM_ERR_BAD_OPERAND, open_with(GM_SECTION_CODE, NEXT + offsetof(gm_insn_quantize, y), OUTPUT - 1));
    CHECK_STATUS(GM_ERR_BAD_OPERAND, open_with(GM_SECTION_CODE, Y, REAL + 1));
    CHECK_STATUS(GM_OK, open_with(GM_SECTION_CODE, X, GM_CONSTANT_BIT + 3));
    CHECK_STATUS(GM_ERR_BAD_OPERAND, open_with(GM_SECTION_CODE, X, GM_CONSTANT_BIT + 5));
    CHECK_STATUS(GM_OK, open_with(GM_SECTION_CODE, STEP, ARENA));
    CHECK_STATUS(GM_ERR_BAD_OPERAND, open_with(GM_SECTION_CODE, STEP, ARENA + 1));
}

static void test_quantize(void)
{
    static const int8_t x[5] = {99, -128, -2, 3, 127}, expected[4] = {-100, 3, 13, 127};
    gm_session session;
    gm_view y;
    CHECK_STATUS(GM_OK, open_image(&session));
    CHECK_STATUS(GM_ERR_WRONG_SIZE, gm_write(&session, GM_ROLE_INPUT, 0, x, 4));
    CHECK_STATUS(GM_OK, gm_write(&session, GM_ROLE_INPUT, 0, x, sizeof x));
    CHECK_STATUS(GM_OK, gm_infer(&session));
    CHECK_STATUS(GM_OK, gm_tensor_view(&session, GM_PROGRAM_INFER, GM_ROLE_OUTPUT, 0, &y));
    CHECK(y.dtype == GM_DTYPE_I8 && y.size == sizeof expected && memcmp(y.data, expected, sizeof expected) == 0);
}

static void test_views(void)
{
    gm_session session;
    gm_view view;
    CHECK_STATUS(GM_OK, open_image(&session));
    CHECK_STATUS(GM_OK, gm_parameter(&session, 1, &view));
    CHECK(view.dtype == GM_DTYPE_I16 && view.size == 6 && ((const int16_t *)view.data)[1] == 32767);
    CHECK_STATUS(GM_OK, gm_gradient(&session, 0, &view));
    CHECK(view.dtype == GM_DTYPE_F32 && view.size == 20);
    CHECK_STATUS(GM_ERR_NOT_FOUND, gm_gradient(&session, 1, &view));
}

/* Differences of integers wrap, so that any state comes back to the bit. */
static void test_delta(void)
{
    static const int8_t bytes[8] = {127, -128, 5, -128, 127};
    static const int16_t halves[4] = {32767, -32768, 255};
    static const int32_t words[2] = {INT32_MAX, -1};
    uint8_t trained[CONTROL], back[CONTROL];
    float delta[CONTROL / 4], number = -2.25f;
    gm_session session;
    CHECK_STATUS(GM_OK, open_image(&session));
    memcpy(trained + BYTES, bytes, sizeof bytes);
    memcpy(trained + HALVES, halves, sizeof halves);
    memcpy(trained + WORDS, words, sizeof words);
    memcpy(trained + FLOATS, &number, sizeof number);
    CHECK_STATUS(GM_OK, gm_set_parameters(&session, trained, sizeof trained));
    CHECK_STATUS(GM_OK, gm_delta(&session, delta, sizeof delta));
    CHECK(((const int8_t *)(const void *)delta)[0] == -1 && ((const int8_t *)(const void *)delta)[2] == 5);
    CHECK(delta[FLOATS / 4] == -3.75f);
    CHECK_STATUS(GM_OK, gm_reset(&session));
    CHECK_STATUS(GM_OK, gm_apply_delta(&session, delta, sizeof delta));
    memcpy(back, memory.bytes, sizeof back);
    CHECK(memcmp(back, trained, sizeof back) == 0);
}

int main(void)
{
    test_state_is_verified();
    test_operands_are_verified();
    test_quantize();
    test_views();
    test_delta();
    return checks_summary();
}
