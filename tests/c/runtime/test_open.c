/*
 * What gm_open() refuses: each claim of an image made false in turn, every truncation, every flipped bit, and every
 * word replaced by values chosen to break arithmetic, with the checksum put right. All that is still accepted runs in
 * an arena between red zones.
 *
 *     test_open [N]    of the words, replace every N-th alone: valgrind makes each take long
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "../../../runtime_c/src/verify_operands.h"
#include "builder.h"
#include "checks.h"

#if defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ASAN 1
#endif
#endif
#ifdef HAS_ASAN
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(start, size) ((void)(start), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(start, size) ((void)(start), (void)(size))
#endif

enum { ZONE = 256, ZONE_BYTE = 0xA5 };

static block original, image, guarded;

/* ---- Images that must be refused ------------------------------------------------------------------------------ */

enum { IN_HEADER = -1, IN_CODE_OF = 100 };

/* Word `field` of record `record` in `section` (or of the header) becomes `value`. */
typedef struct refusal {
    const char *what;
    int section;
    uint32_t record;
    size_t field;                /* bytes */
    uint32_t value;
    int expected;
} refusal;

#define HEADER(field) IN_HEADER, 0, offsetof(gm_header, field)
#define SECTION(name, field) \
    IN_HEADER, 0, offsetof(gm_header, sections) + GM_SECTION_##name * sizeof(gm_section) + offsetof(gm_section, field)
#define TENSOR(i, field) GM_SECTION_TENSORS, i, offsetof(gm_tensor, field)
#define STATE(i, field) GM_SECTION_STATE, i, offsetof(gm_state_entry, field)
#define PROGRAM(i, field) GM_SECTION_PROGRAMS, i, offsetof(gm_program, field)
/* The first instruction of the program at index p is at byte 0 of its code. */
#define CODE(p, byte) IN_CODE_OF + p, 0, byte
/* The one after it, in programs that begin with CHECK_FINITE. */
#define SECOND(p, byte) IN_CODE_OF + p, 0, sizeof(gm_insn_check_finite) + byte
#define GEMM(field) offsetof(gm_insn_gemm, field)
#define UPDATE(field) offsetof(gm_insn_update, field)

/* Programs are in the order INFER, EVAL, TRAIN, OPTIMIZER, STEP; CHECK_FINITE comes first in TRAIN and STEP. */
static const refusal refusals[] = {
    {"magic", HEADER(magic), 0, GM_ERR_BAD_MAGIC},
    {"version", HEADER(version), 2, GM_ERR_BAD_VERSION},
    {"size past the file", HEADER(size), 1 << 20, GM_ERR_TRUNCATED},
    {"size below the header", HEADER(size), 64, GM_ERR_TRUNCATED},
    {"section misaligned", SECTION(CODE, offset), 132, GM_ERR_BAD_SECTION},
    {"section in the header", SECTION(TENSORS, offset), 112, GM_ERR_BAD_SECTION},
    {"section past the file", SECTION(CODE, offset), 0xFFFFFFF0, GM_ERR_BAD_SECTION},
    {"section too long", SECTION(CODE, size), 0x7FFFFFFC, GM_ERR_BAD_SECTION},
    {"section wraps", SECTION(CODE, size), 0xFFFFFFFC, GM_ERR_BAD_SECTION},
    {"half a record", SECTION(TENSORS, size), 56, GM_ERR_BAD_SECTION},
    {"half a word", SECTION(INITIAL, size), 62, GM_ERR_BAD_SECTION},
    {"names without an end", SECTION(NAMES, size), 8, GM_ERR_BAD_SECTION},
    {"scheme past the names", HEADER(scheme), 1 << 16, GM_ERR_BAD_SECTION},
    {"arena smaller than its regions", HEADER(arena_size), 100, GM_ERR_BAD_REGION},
    {"arena too large for offsets", HEADER(arena_size), 0x80000000, GM_ERR_BAD_REGION},
    {"state over gradients", HEADER(state_size), TINY_SCRATCH, GM_ERR_BAD_REGION},
    {"state misaligned", HEADER(state_size), TINY_STATE_SIZE - 2, GM_ERR_BAD_REGION},
    {"parameters past the state", HEADER(parameters_size), TINY_STATE_SIZE + 4, GM_ERR_BAD_REGION},
    {"parameters misaligned", HEADER(parameters_size), 30, GM_ERR_BAD_REGION},
    {"gradients in the state", HEADER(gradients_offset), 64, GM_ERR_BAD_REGION},
    {"gradients misaligned", HEADER(gradients_offset), TINY_GRADIENTS + 2, GM_ERR_BAD_REGION},
    {"gradients over scratch", HEADER(gradients_size), TINY_SCRATCH - TINY_GRADIENTS + 4, GM_ERR_BAD_REGION},
    {"gradients wrap", HEADER(gradients_size), 0xFFFFFFF0, GM_ERR_BAD_REGION},
    {"scratch past the arena", HEADER(scratch_offset), TINY_ARENA + 4, GM_ERR_BAD_REGION},
    {"scratch misaligned", HEADER(scratch_offset), TINY_SCRATCH + 2, GM_ERR_BAD_REGION},
    {"control over parameters", HEADER(control_offset), 0, GM_ERR_BAD_REGION},
    {"control past the state", HEADER(control_offset), TINY_STATE_SIZE - 44, GM_ERR_BAD_REGION},
    {"control misaligned", HEADER(control_offset), 66, GM_ERR_BAD_REGION},
    {"control over properties", HEADER(control_offset), 68, GM_ERR_BAD_REGION},
    {"properties past the state", HEADER(properties_count), 4, GM_ERR_BAD_REGION},
    {"properties wrap", HEADER(properties_count), 0x08000001, GM_ERR_BAD_REGION},
    {"properties over parameters", HEADER(properties_offset), 16, GM_ERR_BAD_REGION},
    {"initial values missing", SECTION(INITIAL, size), 28, GM_ERR_BAD_REGION},
    {"tensor name", TENSOR(0, name), 10000, GM_ERR_BAD_TENSOR},
    {"tensor role", TENSOR(0, role), GM_ROLE_COUNT, GM_ERR_BAD_TENSOR},
    {"tensor programs", TENSOR(0, programs), 1 << GM_PROGRAM_COUNT, GM_ERR_BAD_TENSOR},
    {"tensor dtype", TENSOR(0, dtype), GM_DTYPE_COUNT, GM_ERR_BAD_TENSOR},
    {"tensor rank", TENSOR(0, rank), 7, GM_ERR_BAD_TENSOR},
    {"dimension past the rank", TENSOR(0, rank), 1, GM_ERR_BAD_TENSOR},
    {"dimension 0", TENSOR(0, dims), 0, GM_ERR_BAD_TENSOR},
    {"dimensions against size", TENSOR(0, dims), 5, GM_ERR_BAD_TENSOR},
    {"dimensions wrap", TENSOR(0, dims), 0x40000004, GM_ERR_BAD_TENSOR},
    {"tensor in the state", TENSOR(0, offset), 0, GM_ERR_BAD_TENSOR},
    {"tensor in the gradients", TENSOR(0, offset), TINY_GRADIENTS, GM_ERR_BAD_TENSOR},
    {"tensor misaligned", TENSOR(0, offset), TINY_X + 2, GM_ERR_BAD_TENSOR},
    {"tensor past the arena", TENSOR(2, offset), TINY_ARENA - 28, GM_ERR_BAD_TENSOR},
    {"tensor wraps", TENSOR(0, offset), 0xFFFFFFF0, GM_ERR_BAD_TENSOR},
    {"input past the arena", TENSOR(0, offset), TINY_ARENA - 44, GM_ERR_BAD_TENSOR},
    {"input reaching into the scratch", TENSOR(0, offset), TINY_SCRATCH - 44, GM_ERR_BAD_TENSOR},
    {"label reaching into the scratch", TENSOR(1, offset), TINY_SCRATCH - 4, GM_ERR_BAD_TENSOR},
    {"gradients over an input", HEADER(gradients_size), TINY_X - TINY_GRADIENTS + 4, GM_ERR_BAD_TENSOR},
    {"scratch over a label", HEADER(scratch_offset), TINY_SCRATCH - 4, GM_ERR_BAD_TENSOR},
    {"output among the inputs", TENSOR(2, offset), TINY_X, GM_ERR_BAD_TENSOR},
    {"loss among the inputs", TENSOR(3, offset), TINY_SCRATCH - 4, GM_ERR_BAD_TENSOR},
    {"integer loss", TENSOR(3, dtype), GM_DTYPE_I32, GM_ERR_BAD_TENSOR},
    {"loss of many", TENSOR(2, role), GM_ROLE_LOSS, GM_ERR_BAD_TENSOR},
    {"state name", STATE(0, name), 10000, GM_ERR_BAD_STATE},
    {"state role", STATE(2, role), GM_STATE_ROLE_COUNT, GM_ERR_BAD_STATE},
    {"state dtype", STATE(0, dtype), GM_DTYPE_COUNT, GM_ERR_BAD_STATE},
    {"parameter of shorter elements", STATE(0, dtype), GM_DTYPE_I16, GM_ERR_BAD_STATE},
    {"parameter not first", STATE(0, role), GM_STATE_ROLE_SLOT, GM_ERR_BAD_STATE},
    {"one parameter too many", STATE(2, role), GM_STATE_ROLE_PARAMETER, GM_ERR_BAD_STATE},
    {"gap between parameters", STATE(1, offset), 28, GM_ERR_BAD_STATE},
    {"gradient outside", STATE(0, gradient), 0, GM_ERR_BAD_STATE},
    {"gradient past its region", STATE(0, gradient), TINY_GRADIENTS + 12, GM_ERR_BAD_STATE},
    {"gradient of a moment", STATE(2, gradient), TINY_GRADIENTS, GM_ERR_BAD_STATE},
    {"moment over parameters", STATE(2, offset), 16, GM_ERR_BAD_STATE},
    {"moment past the state", STATE(2, offset), TINY_STATE_SIZE - 20, GM_ERR_BAD_STATE},
    {"control elsewhere", STATE(4, offset), 32, GM_ERR_BAD_STATE},
    {"properties elsewhere", STATE(5, offset), TINY_CONTROL, GM_ERR_BAD_STATE},
    {"program kind", PROGRAM(0, kind), GM_PROGRAM_COUNT, GM_ERR_BAD_PROGRAM},
    {"program twice", PROGRAM(0, kind), GM_PROGRAM_EVAL, GM_ERR_BAD_PROGRAM},
    {"code misaligned", PROGRAM(0, code_offset), 2, GM_ERR_BAD_PROGRAM},
    {"code past the section", PROGRAM(0, code_offset), 8188, GM_ERR_BAD_PROGRAM},
    {"code wraps", PROGRAM(0, code_offset), 0xFFFFFFFC, GM_ERR_BAD_PROGRAM},
    {"code of half a word", PROGRAM(0, code_size), 66, GM_ERR_BAD_PROGRAM},
    {"instruction cut short", PROGRAM(0, code_size), 64, GM_ERR_BAD_INSTRUCTION},
    {"too few instructions", PROGRAM(1, instructions), 3, GM_ERR_BAD_PROGRAM},
    {"work understated", PROGRAM(0, work_low), 1, GM_ERR_BAD_PROGRAM},
    {"work overstated", PROGRAM(0, work_high), 1, GM_ERR_BAD_PROGRAM},
    {"program arena past the header's", PROGRAM(0, arena_size), TINY_ARENA + 4, GM_ERR_BAD_PROGRAM},
    {"program arena too small", PROGRAM(0, arena_size), TINY_Y, GM_ERR_BAD_OPERAND},
    {"opcode 0", CODE(0, 0), 17 << 16, GM_ERR_BAD_OPCODE},
    {"opcode past the last", CODE(0, 0), 17 << 16 | GM_OP_LIMIT, GM_ERR_BAD_OPCODE},
    {"length 0", CODE(0, 0), GM_OP_GEMM, GM_ERR_BAD_INSTRUCTION},
    {"length 18", CODE(0, 0), 18 << 16 | GM_OP_GEMM, GM_ERR_BAD_INSTRUCTION},
    {"dim 0", CODE(0, GEMM(m)), 0, GM_ERR_BAD_INSTRUCTION},
    {"dim 2^31", CODE(0, GEMM(m)), 0x80000000, GM_ERR_BAD_INSTRUCTION},
    {"stride 2^31", CODE(0, GEMM(a_row)), 0x80000000, GM_ERR_BAD_INSTRUCTION},
    {"flag 2", CODE(0, GEMM(accumulate)), 2, GM_ERR_BAD_INSTRUCTION},
    {"enum past the last", CODE(0, GEMM(activation)), 2, GM_ERR_BAD_INSTRUCTION},
    {"operand misaligned", CODE(0, GEMM(a)), TINY_X + 1, GM_ERR_BAD_OPERAND},
    {"operand past the arena", CODE(0, GEMM(a)), TINY_ARENA - 44, GM_ERR_BAD_OPERAND},
    {"operand past the constants", CODE(0, GEMM(a)), GM_CONSTANT_BIT, GM_ERR_BAD_OPERAND},
    {"operand absent", CODE(0, GEMM(a)), GM_NONE, GM_ERR_BAD_OPERAND},
    {"strided extent", CODE(0, GEMM(a_row)), 100, GM_ERR_BAD_OPERAND},
    {"strided extent wraps", CODE(0, GEMM(a_row)), 0x55555556, GM_ERR_BAD_OPERAND},
    {"product extent", CODE(0, GEMM(batch)), 20, GM_ERR_BAD_OPERAND},
    {"product extent wraps", CODE(0, GEMM(batch)), 0x20000000, GM_ERR_BAD_OPERAND},
    {"inference writes a constant", CODE(0, GEMM(y)), GM_CONSTANT_BIT, GM_ERR_BAD_OPERAND},
    {"inference writes gradients", CODE(0, GEMM(y)), TINY_GRADIENTS, GM_ERR_BAD_OPERAND},
    {"inference writes the state", CODE(0, GEMM(y)), 0, GM_ERR_BAD_OPERAND},
    {"inference writes an input", CODE(0, GEMM(y)), TINY_X, GM_ERR_BAD_OPERAND},
    {"training writes an input", SECOND(2, GEMM(y)), TINY_X, GM_ERR_BAD_OPERAND},
    {"training writes the end of a label", SECOND(2, GEMM(y)), TINY_SCRATCH - 4, GM_ERR_BAD_OPERAND},
    {"training writes gradients and an input", SECOND(2, GEMM(y)), TINY_X - 28, GM_ERR_BAD_OPERAND},
    {"training writes a moment", SECOND(2, GEMM(y)), TINY_W_MOMENT, GM_ERR_BAD_OPERAND},
    {"update of an input", CODE(3, UPDATE(p)), TINY_X, GM_ERR_BAD_OPERAND},
    {"update keeps its moment in a label", CODE(3, UPDATE(slot1)), TINY_TARGET, GM_ERR_BAD_OPERAND},
    {"step writes a label", SECOND(4, GEMM(y)), TINY_TARGET, GM_ERR_BAD_OPERAND},
    {"update without a moment", CODE(3, UPDATE(slot1)), GM_NONE, GM_ERR_BAD_OPERAND},
    {"update with one moment too many", CODE(3, UPDATE(slot2)), TINY_W_MOMENT, GM_ERR_BAD_OPERAND},
    {"update with bias corrections", CODE(3, UPDATE(aux)), TINY_W_MOMENT, GM_ERR_BAD_OPERAND},
    {"rule in the arena", CODE(3, UPDATE(rule)), 0, GM_ERR_BAD_OPERAND},
    {"rule past the constants", CODE(3, UPDATE(rule)), GM_CONSTANT_BIT | 8, GM_ERR_BAD_OPERAND},
    {"update over control", CODE(3, UPDATE(p)), TINY_CONTROL, GM_ERR_BAD_OPERAND},
    {"update over properties", CODE(3, UPDATE(p)), TINY_PROPERTIES, GM_ERR_BAD_OPERAND},
    {"unknown rule", GM_SECTION_CONSTANTS, 0, 0, GM_RULE_COUNT, GM_ERR_BAD_OPCODE},
    {"rule with other moments", GM_SECTION_CONSTANTS, 0, 0, GM_RULE_SGD, GM_ERR_BAD_OPERAND},
    {"rule with bias corrections", GM_SECTION_CONSTANTS, 0, 0, GM_RULE_ADAM, GM_ERR_BAD_OPERAND},
};

#define STORE(field) GM_SECTION_STORE, 0, offsetof(gm_store, field)

/* Of the taught image: programs INFER and STEP; state w, control, store. */
static const refusal store_refusals[] = {
    {"half a record", SECTION(STORE, size), sizeof(gm_store) - 4, GM_ERR_BAD_SECTION},
    {"two stores", SECTION(STORE, size), 2 * sizeof(gm_store), GM_ERR_BAD_SECTION},
    {"section past the file", SECTION(STORE, offset), 0xFFFFFFF0, GM_ERR_BAD_SECTION},
    {"no store", SECTION(STORE, size), 0, GM_ERR_BAD_STATE},
    {"store in the parameters", STORE(offset), TAUGHT_CONTROL - 4, GM_ERR_BAD_STORE},
    {"store over control", STORE(offset), TAUGHT_STORE - 4, GM_ERR_BAD_STORE},
    {"store past the state", STORE(offset), TAUGHT_STORE + 4, GM_ERR_BAD_STORE},
    {"store misaligned", STORE(offset), TAUGHT_STORE + 2, GM_ERR_BAD_STORE},
    {"store wraps", STORE(offset), 0xFFFFFFFC, GM_ERR_BAD_STORE},
    {"no capacity", STORE(capacity), 0, GM_ERR_BAD_STORE},
    {"capacity past the state", STORE(capacity), TAUGHT_CAPACITY + 1, GM_ERR_BAD_STORE},
    {"capacity wraps", STORE(capacity), 0x55555556, GM_ERR_BAD_STORE},
    {"capacity less than the state table says", STORE(capacity), TAUGHT_CAPACITY - 1, GM_ERR_BAD_STATE},
    {"no class", STORE(classes), 0, GM_ERR_BAD_STORE},
    {"classes past the state", STORE(classes), TAUGHT_CLASSES + 1, GM_ERR_BAD_STORE},
    {"classes wrap", STORE(classes), 0x55555556, GM_ERR_BAD_STORE},
    {"store dtype", STORE(dtype), GM_STORE_DTYPE_COUNT, GM_ERR_BAD_STORE},
    {"floats past the state", STORE(dtype), GM_STORE_DTYPE_F32, GM_ERR_BAD_STORE},
    {"no element", STORE(elements), 0, GM_ERR_BAD_STORE},
    {"elements against the input", STORE(elements), TAUGHT_ELEMENTS - 1, GM_ERR_BAD_STORE},
    {"elements wrap", STORE(elements), 0x80000003, GM_ERR_BAD_STORE},
    {"aside in the state", STORE(aside), TAUGHT_STORE, GM_ERR_BAD_STORE},
    {"aside over the input", STORE(aside), TAUGHT_X + 20, GM_ERR_BAD_STORE},
    {"aside reaching into the scratch", STORE(aside), TAUGHT_ASIDE + 4, GM_ERR_BAD_STORE},
    {"aside misaligned", STORE(aside), TAUGHT_ASIDE - 2, GM_ERR_BAD_STORE},
    {"aside wraps", STORE(aside), 0xFFFFFFFC, GM_ERR_BAD_STORE},
    {"integer input", TENSOR(0, dtype), GM_DTYPE_I32, GM_ERR_BAD_STORE},
    {"labels of floats", TENSOR(1, dtype), GM_DTYPE_F32, GM_ERR_BAD_STORE},
    {"no input", TENSOR(0, programs), 0, GM_ERR_BAD_STORE},
    {"no label", TENSOR(1, role), GM_ROLE_OUTPUT, GM_ERR_BAD_TENSOR},
    {"two inputs", TENSOR(1, role), GM_ROLE_INPUT, GM_ERR_BAD_STORE},
    {"two labels", TENSOR(0, role), GM_ROLE_LABEL, GM_ERR_BAD_STORE},
    {"store elsewhere in the state table", STATE(2, offset), TAUGHT_STORE - 4, GM_ERR_BAD_STATE},
    {"update over the store",
     CODE(1, sizeof(gm_insn_gemm) + sizeof(gm_insn_softmax_cross_entropy) + sizeof(gm_insn_softmax_cross_entropy_grad) +
                 offsetof(gm_insn_gemm_update, p)),
     TAUGHT_STORE, GM_ERR_BAD_OPERAND},
    {"update over the end of the store",
     CODE(1, sizeof(gm_insn_gemm) + sizeof(gm_insn_softmax_cross_entropy) + sizeof(gm_insn_softmax_cross_entropy_grad) +
                 offsetof(gm_insn_gemm_update, p)),
     TAUGHT_STATE_SIZE - 36, GM_ERR_BAD_OPERAND},
};

static uint32_t *word_of(uint8_t *bytes, const refusal *r)
{
    static const size_t record_size[GM_SECTION_COUNT] = {
        [GM_SECTION_TENSORS] = sizeof(gm_tensor),
        [GM_SECTION_PROGRAMS] = sizeof(gm_program),
        [GM_SECTION_STATE] = sizeof(gm_state_entry),
    };
    const gm_header *header = (const gm_header *)(const void *)original.bytes;
    uint32_t at = (uint32_t)r->field;
    if (r->section >= IN_CODE_OF) {
        const gm_program *program =
            (const gm_program *)(const void *)(original.bytes + header->sections[GM_SECTION_PROGRAMS].offset);
        at += header->sections[GM_SECTION_CODE].offset + program[r->section - IN_CODE_OF].code_offset;
    } else if (r->section != IN_HEADER) {
        at += header->sections[r->section].offset + r->record * (uint32_t)record_size[r->section];
    }
    return (uint32_t *)(void *)(bytes + at);
}

/* The checksum covers what is there, even if the header claims another size. */
static void seal(uint8_t *bytes, uint32_t size)
{
    gm_header *header = (gm_header *)(void *)bytes;
    uint32_t sealed = header->size >= 16 && header->size <= size ? header->size : size;
    header->crc = gm_crc32(0, bytes + 16, sealed - 16);
}

static void test_refusals(const refusal *list, size_t count, uint32_t size)
{
    for (const refusal *r = list; r < list + count; ++r) {
        gm_session session;
        memcpy(image.bytes, original.bytes, size);
        *word_of(image.bytes, r) = r->value;
        seal(image.bytes, size);
        memset(guarded.bytes, ZONE_BYTE, TINY_ARENA);
        int status = gm_open(&session, image.bytes, size, guarded.bytes, sizeof guarded.bytes);
        if (!CHECK(status == r->expected)) {
            printf("    %s: returned %d instead of %d\n", r->what, status, r->expected);
        }
        CHECK(session.header == NULL && guarded.bytes[0] == ZONE_BYTE && guarded.bytes[TINY_ARENA - 1] == ZONE_BYTE);
    }
}

static void test_truncations(uint32_t size)
{
    gm_session session;
    gm_requirements needs;
    for (uint32_t length = 0; length < size; ++length) {
        CHECK_STATUS(GM_ERR_TRUNCATED, gm_open(&session, original.bytes, length, guarded.bytes, sizeof guarded.bytes));
        CHECK_STATUS(GM_ERR_TRUNCATED, gm_required(original.bytes, length, &needs));
    }
}

static void test_bit_flips(uint32_t size)
{
    gm_session session;
    memcpy(image.bytes, original.bytes, size);
    for (uint32_t bit = 0; bit < 8 * size; ++bit) {
        image.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        int status = gm_open(&session, image.bytes, size, guarded.bytes, sizeof guarded.bytes);
        CHECK(bit / 8 < 12 ? status < 0 : status == GM_ERR_BAD_CRC);
        image.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

/* The first instruction of the image that build_all_opcodes() left in `image`; *end: past the last. */
static uint32_t *all_opcodes(uint32_t **end)
{
    const gm_header *header = (const gm_header *)(const void *)image.bytes;
    uint32_t *first = (uint32_t *)(void *)(image.bytes + header->sections[GM_SECTION_CODE].offset);
    *end = first + header->sections[GM_SECTION_CODE].size / 4;
    return first;
}

/* What gm_open() returns for `image` if that word is replaced. */
static int open_with(uint32_t size, uint32_t *word, uint32_t value)
{
    gm_session session;
    uint32_t was = *word;
    *word = value;
    image_seal(image.bytes);
    int status = gm_open(&session, image.bytes, size, guarded.bytes, sizeof guarded.bytes);
    *word = was;
    return status;
}

/* The bytes to the second element, 0 if it cannot be that of an operand. */
static uint32_t element_step(const gm_operand_info *info)
{
    switch (info->flags & GM_TYPE) {
    case GM_I8: return 1;
    case GM_I16: return 2;
    case GM_MOMENT: return 4;
    default: return (info->flags & GM_TYPE) == 0 ? 4 : 0;
    }
}

/* Each output an element past the start of each other operand; then labels that could change between check and use. */
static void test_outputs_are_apart(void)
{
    uint32_t size = build_all_opcodes(image.bytes), *end, *word = all_opcodes(&end);
    for (; word < end; word += *word >> 16) {
        const gm_opcode_shape *shape = gm_shape_of(*word & 0xFFFF);
        for (uint32_t i = 0; i < shape->n_operands * (uint32_t)shape->n_operands; ++i) {
            uint32_t output = i / shape->n_operands, other = i % shape->n_operands, at = word[1 + other];
            if ((shape->operands[output].flags & GM_WRITE) != 0 && output != other && (at & GM_CONSTANT_BIT) == 0) {
                int is_one = gm_extent(word, shape, &shape->operands[other]) == 1;
                uint32_t off = is_one ? 0 : element_step(&shape->operands[other]);
                CHECK_STATUS(GM_ERR_BAD_OPERAND, open_with(size, &word[1 + output], at + off));
            }
        }
        if ((*word & 0xFFFF) == GM_OP_SOFTMAX_CROSS_ENTROPY) {
            gm_insn_softmax_cross_entropy *insn = (gm_insn_softmax_cross_entropy *)(void *)word;
            CHECK_STATUS(GM_ERR_BAD_OPERAND, open_with(size, &insn->labels, insn->log_prob + 16));
            CHECK_STATUS(GM_OK, open_with(size, &insn->log_prob, insn->x));
        }
    }
}

/* Each stride of an output becomes 0, or that of another axis. */
static void test_outputs_are_one_to_one(void)
{
    uint32_t size = build_all_opcodes(image.bytes), *end, *word = all_opcodes(&end), seen = 0;
    for (; word < end; word += *word >> 16) {
        const gm_opcode_shape *shape = gm_shape_of(*word & 0xFFFF);
        for (uint32_t i = 0; i < shape->n_operands; ++i) {
            const gm_operand_info *info = &shape->operands[i];
            const uint8_t *term = shape->terms + info->first_term;
            int several = info->n_terms > 2;
            if ((info->flags & (GM_WRITE | GM_STRIDED)) != (GM_WRITE | GM_STRIDED) || (several && term[1] == term[3])) {
                continue;
            }
            ++seen;
            CHECK_STATUS((info->flags & GM_FOLDS) != 0 ? GM_OK : GM_ERR_BAD_OPERAND,
                         open_with(size, &word[term[1]], 0));
            if (several) {
                CHECK_STATUS(GM_ERR_BAD_OPERAND, open_with(size, &word[term[1]], gm_term_value(word, term[3])));
            }
        }
    }
    CHECK(seen >= 12);
}

/* Padding alone takes the limit of each window. */
static void test_windows_do_not_wrap(void)
{
    uint32_t size = build_all_opcodes(image.bytes), *end, *word = all_opcodes(&end), seen = 0;
    for (; word < end; word += *word >> 16) {
        const gm_opcode_shape *shape = gm_shape_of(*word & 0xFFFF);
        for (uint32_t i = 0; i < shape->n_windows; ++i, ++seen) {
            uint32_t pad = shape->terms[shape->operands[shape->n_operands + i].first_term + 5u];
            CHECK_STATUS(GM_ERR_BAD_INSTRUCTION, open_with(size, &word[pad], INT32_MAX));
        }
    }
    CHECK(seen >= 18);
}

/* Two numbers of TRAIN's product go to `at` in the state, in which the moment of w (2 x 3) is called a statistic. */
static int open_writing_state(uint32_t size, uint32_t at)
{
    const refusal role = {"", STATE(2, role), 0, 0};
    const refusal rows = {"", SECOND(2, GEMM(m)), 0, 0}, output = {"", SECOND(2, GEMM(y)), 0, 0};
    gm_session session;
    memcpy(image.bytes, original.bytes, size);
    *word_of(image.bytes, &role) = GM_STATE_ROLE_STATISTIC;
    *word_of(image.bytes, &output) = at;
    *word_of(image.bytes, &rows) = 1;
    image_seal(image.bytes);
    return gm_open(&session, image.bytes, size, guarded.bytes, sizeof guarded.bytes);
}

/* Training writes running statistics, whole or in part, and nothing else of the state. The work no longer fits. */
static void test_statistics_are_written(uint32_t size)
{
    CHECK_STATUS(GM_ERR_BAD_PROGRAM, open_writing_state(size, TINY_W_MOMENT));
    CHECK_STATUS(GM_ERR_BAD_PROGRAM, open_writing_state(size, TINY_B_MOMENT - 8));
    CHECK_STATUS(GM_ERR_BAD_OPERAND, open_writing_state(size, TINY_B_MOMENT - 4));
    CHECK_STATUS(GM_ERR_BAD_OPERAND, open_writing_state(size, TINY_W_MOMENT - 4));
    CHECK_STATUS(GM_ERR_BAD_OPERAND, open_writing_state(size, TINY_B_MOMENT));
}

/* ---- Mutations ------------------------------------------------------------------------------------------------ */

static uint32_t random_state = 12345;

static uint32_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    return random_state ^= random_state << 5;
}

static int is_red(const uint8_t *from, const uint8_t *to)
{
    while (from < to && *from == ZONE_BYTE) {
        ++from;
    }
    return from == to;
}

static uint32_t crc_of_inputs(const gm_session *session)
{
    uint32_t begin = session->header->gradients_offset + session->header->gradients_size;
    return gm_crc32(0, session->arena + begin, session->header->scratch_offset - begin);
}

/* Runs all programs; none may write an input. */
static void run_programs(gm_session *session)
{
    uint32_t inputs = crc_of_inputs(session);
    (void)gm_train_step(session, NULL);
    for (uint32_t program = 0; program < GM_PROGRAM_COUNT; ++program) {
        if (gm_begin(session, program) == GM_OK) {
            CHECK(gm_run(session, UINT32_MAX) <= GM_OK);
        }
    }
    CHECK(crc_of_inputs(session) == inputs);
}

/* Every call on the store, even if its contents make no sense. */
static void use_store(gm_session *session)
{
    gm_store_info info;
    uint32_t kept, right;
    for (int fill = 0; gm_store_view(session, &info) == GM_OK && fill < 3; ++fill) {
        for (uint32_t label = 0; label < 2 * TAUGHT_CAPACITY; ++label) {
            (void)gm_learn(session, label % 4);
            CHECK(gm_replay(session, NULL) <= GM_OK);
        }
        CHECK(gm_score(session, 0, &kept, &right) <= GM_OK);
        (void)gm_forget(session, 0);
        const gm_header *header = session->header;
        memset(session->arena + header->parameters_size, fill == 0 ? 1 : 0xFF,
               header->state_size - header->parameters_size);
    }
}

/* Every call that reads what the image claims. */
static void use_session(gm_session *session)
{
    gm_view view;
    gm_property slot;
    volatile const char *name = NULL;
    for (uint32_t program = 0; program < GM_PROGRAM_COUNT; ++program) {
        for (uint32_t role = 0; role < GM_ROLE_COUNT; ++role) {
            for (uint32_t i = 0; gm_tensor_view(session, program, role, i, &view) == GM_OK; ++i) {
                memset(view.data, 0, view.size);
                for (name = view.name; name != NULL && *name != '\0'; ++name) {
                }
            }
        }
    }
    run_programs(session);
    use_store(session);
    (void)gm_parameter_named(session, "no such name", &view);
    (void)gm_property_set_i32(session, "key", 1);
    (void)gm_property_at(session, 1000, &slot);
    CHECK_STATUS(GM_OK, gm_reset(session));
}

/* Opens the image in `image`; if it is accepted, runs it between red zones. Returns whether it was accepted. */
static int open_and_run(uint32_t size, uint32_t arena_size)
{
    static uint8_t before[IMAGE_CAPACITY];
    gm_session session;
    uint8_t *arena = guarded.bytes + ZONE;
    memset(guarded.bytes, ZONE_BYTE, ZONE + arena_size + ZONE);
    memcpy(before, image.bytes, size);
    int status = gm_open(&session, image.bytes, size, arena, arena_size);
    if (status != GM_OK) {
        CHECK(status < 0 && is_red(guarded.bytes, arena + arena_size));
        return 0;
    }
    uint8_t *end = arena + session.header->arena_size;
    memset(arena + session.header->state_size, 0, session.header->arena_size - session.header->state_size);
    ASAN_POISON_MEMORY_REGION(guarded.bytes, ZONE);
    ASAN_POISON_MEMORY_REGION(end, ZONE);
    use_session(&session);
    ASAN_UNPOISON_MEMORY_REGION(guarded.bytes, sizeof guarded.bytes);
    CHECK(is_red(guarded.bytes, arena) && is_red(end, end + ZONE));
    CHECK(memcmp(before, image.bytes, size) == 0);
    return 1;
}

enum { SMALL_ARENA = 1024, SMALL_SCRATCH = 256 };

/* Whether an image is accepted whose only instruction is this one; if so it has run between red zones. */
static int is_accepted(uint32_t opcode, void *instruction)
{
    static builder b;
    builder_init(&b);
    b.header.state_size = sizeof(gm_control);
    b.header.gradients_offset = b.header.properties_offset = b.header.state_size;
    b.header.scratch_offset = SMALL_SCRATCH;
    b.header.arena_size = SMALL_ARENA;
    b.header.batch = 1;
    builder_program(&b, GM_PROGRAM_STEP);
    builder_emit(&b, opcode, instruction);
    return open_and_run(builder_finish(&b, image.bytes), SMALL_ARENA);
}

/* 32 bits are the last 4 bytes of an arena; one bit more is another byte. */
static void test_extents_in_bits(void)
{
    for (uint32_t n = 1; n <= 40; ++n) {
        uint32_t end = SMALL_ARENA - 4;
        gm_insn_mask mask = {.x = SMALL_SCRATCH, .mask = end, .n = n, .high = 1.0f};
        gm_insn_mask_grad read = {.dy = SMALL_SCRATCH, .mask = end, .dx = SMALL_SCRATCH, .n = n};
        CHECK(is_accepted(GM_OP_MASK, &mask) == (n <= 32));
        CHECK(is_accepted(GM_OP_MASK_GRAD, &read) == (n <= 32));
    }
    gm_insn_mask wraps = {.x = SMALL_SCRATCH, .mask = SMALL_SCRATCH, .n = INT32_MAX};
    CHECK(!is_accepted(GM_OP_MASK, &wraps));
}

/* Channels of one window: their indices are bytes, at the end of the arena, between the scratch and what is not. */
static void test_extents_in_bytes(void)
{
    for (uint32_t channels = 1; channels <= 8; ++channels) {
        gm_insn_max_pool pool = {.x = SMALL_SCRATCH,
                                 .y = SMALL_SCRATCH + 64,
                                 .index = SMALL_ARENA - 4,
                                 .batch = 1,
                                 .channels = channels,
                                 .in_h = 1,
                                 .in_w = 1,
                                 .out_h = 1,
                                 .out_w = 1,
                                 .kernel_h = 1,
                                 .kernel_w = 1,
                                 .stride_h = 1,
                                 .stride_w = 1,
                                 .dilation_h = 1,
                                 .dilation_w = 1,
                                 .x_channel = 1,
                                 .y_channel = 1};
        gm_insn_max_pool_index_grad read = {.index = SMALL_ARENA - 4,
                                            .dy = SMALL_SCRATCH,
                                            .dx = SMALL_SCRATCH + 64,
                                            .batch = 1,
                                            .channels = channels,
                                            .in_h = 1,
                                            .in_w = 1,
                                            .out_h = 1,
                                            .out_w = 1,
                                            .kernel_h = 1,
                                            .kernel_w = 1,
                                            .stride_h = 1,
                                            .stride_w = 1,
                                            .dilation_h = 1,
                                            .dilation_w = 1,
                                            .x_channel = 1,
                                            .y_channel = 1};
        CHECK(is_accepted(GM_OP_MAX_POOL, &pool) == (channels <= 4));
        CHECK(is_accepted(GM_OP_MAX_POOL_INDEX_GRAD, &read) == (channels <= 4));
        pool.index = SMALL_SCRATCH - 4; /* the state and inputs end at a word */
        CHECK(!is_accepted(GM_OP_MAX_POOL, &pool));
        pool.index = SMALL_ARENA - 6;
        CHECK(!is_accepted(GM_OP_MAX_POOL, &pool));
        pool.index = GM_CONSTANT_BIT;
        CHECK(!is_accepted(GM_OP_MAX_POOL, &pool));
        pool.index = GM_NONE;
        CHECK(is_accepted(GM_OP_MAX_POOL, &pool));
    }
}

/* Bytes of an index are data: none of the 256 makes the kernel go outside its operands. */
static void test_any_index(void)
{
    gm_insn_max_pool_index_grad read = {.index = SMALL_ARENA - 256,
                                        .dy = SMALL_SCRATCH,
                                        .dx = SMALL_SCRATCH,
                                        .batch = 1,
                                        .channels = 1,
                                        .in_h = 2,
                                        .in_w = 3,
                                        .out_h = 1,
                                        .out_w = 2,
                                        .kernel_h = 2,
                                        .kernel_w = 2,
                                        .stride_h = 1,
                                        .stride_w = 1,
                                        .dilation_h = 1,
                                        .dilation_w = 1,
                                        .x_h = 3,
                                        .x_w = 1,
                                        .x_channel = 1,
                                        .y_h = 2,
                                        .y_w = 1,
                                        .y_channel = 1};
    float dx[6], dy[2] = {1.0f, 2.0f};
    gm_session session = {.arena = guarded.bytes};
    read.dy = SMALL_SCRATCH + 64;
    memcpy(guarded.bytes + read.dy, dy, sizeof dy);
    for (uint32_t tap = 0; tap < 256; ++tap) {
        float sum = 0.0f;
        memset(guarded.bytes + read.index, (int)tap, 2);
        CHECK_STATUS(GM_OK, gm_kernel_max_pool_index_grad(&session, &read));
        memcpy(dx, guarded.bytes + read.dx, sizeof dx);
        for (int i = 0; i < 6; ++i) {
            sum += dx[i];
        }
        CHECK(sum == (tap < 4 ? 3.0f : 0.0f));
    }
}

static void test_mutations(const char *name, uint32_t (*build)(uint8_t *), uint32_t every)
{
    static const uint32_t values[] = {0,          1,          2,          3,          0xFFFFFFFF,
                                      0xFFFFFFFC, 0x7FFFFFFF, 0x7FFFFFFC, 0x80000000, 0x80000004,
                                      0x40000000, 0x3FFFFFFF, 0x20000000, 0x10000,    0x55555556};
    enum { FIXED = sizeof values / sizeof *values, NEAR = 6, RANDOM = 3 };
    static const uint32_t near[NEAR] = {1, 4, 16, (uint32_t)-1, (uint32_t)-4, (uint32_t)-16};
    uint32_t size = build(original.bytes), tried = 0, accepted = 0;
    uint32_t arena_size = ((const gm_header *)(const void *)original.bytes)->arena_size;
    memcpy(image.bytes, original.bytes, size);
    CHECK(open_and_run(size, arena_size));
    for (uint32_t at = 4; at < size; at += 4 * every) {
        for (int i = 0; i < FIXED + NEAR + RANDOM; ++i) {
            uint32_t *word = (uint32_t *)(void *)(image.bytes + at);
            memcpy(image.bytes, original.bytes, size);
            *word = i < FIXED ? values[i] : i < FIXED + NEAR ? *word + near[i - FIXED] : next_random();
            seal(image.bytes, size);
            accepted += (uint32_t)open_and_run(size, arena_size);
            ++tried;
        }
    }
    printf("%s: %u mutations, %u of them accepted\n", name, (unsigned)tried, (unsigned)accepted);
}

int main(int argc, char **argv)
{
    uint32_t every = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1;
    if (every == 0) {
        fprintf(stderr, "usage: %s [N]\n", argv[0]);
        return 2;
    }
    uint32_t size = build_tiny(original.bytes);
    test_refusals(refusals, sizeof refusals / sizeof *refusals, size);
    test_truncations(size);
    test_bit_flips(size);
    test_outputs_are_apart();
    test_outputs_are_one_to_one();
    test_windows_do_not_wrap();
    test_statistics_are_written(size);
    test_extents_in_bits();
    test_extents_in_bytes();
    test_any_index();
    size = build_taught(original.bytes);
    test_refusals(store_refusals, sizeof store_refusals / sizeof *store_refusals, size);
    test_mutations("tiny", build_tiny, every);
    test_mutations("taught", build_taught, every);
    test_mutations("all opcodes", build_all_opcodes, every);
    return checks_summary();
}
