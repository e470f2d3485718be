/*
 * libFuzzer target: programs of compiled images, mutated as programs, twice in a guarded arena.
 *
 * The input is an image. mutate_image.c changes instructions and records of a valid one and leaves its checksum wrong;
 * this target repairs it, and only what gm_open() then accepts goes on. The image runs all its programs twice, one
 * instruction at a time: once with nothing below the arena, once with nothing above it. Both runs must end after as
 * many instructions as the image says, or with loops as much work as it says, touch nothing outside, write only what
 * the program's kind may write, and give the same bits.
 *
 * An image whose checksum is right is as the compiler wrote it. Its second run finds other rubbish in the scratch,
 * which must make no difference: not to the state, nor to outputs and losses.
 */
#include <string.h>

#include "gradmote.h"
#include "guard.h"
#include "repair.h"
#include "../../runtime_c/generated/gm_opcodes.h"

#define STEPS 7u

static const uint32_t order[STEPS] = {
    GM_PROGRAM_INFER,     GM_PROGRAM_EVAL, GM_PROGRAM_TRAIN, GM_PROGRAM_TRAIN,
    GM_PROGRAM_OPTIMIZER, GM_PROGRAM_STEP, GM_PROGRAM_INFER,
};

/* What one run shows to the outside. */
typedef struct outcome {
    int status[STEPS];
    uint32_t views[STEPS]; /* checksum over the outputs and the loss of each program */
    uint32_t state;        /* checksum of the state */
    uint32_t arena;        /* of everything */
} outcome;

static guard image_guard, arena_guard;

/* ---- Samples ---------------------------------------------------------------------------------------------------- */

/* Floats in -2 .. 2, or small integers, into every input and label. */
static void write_samples(gm_session *session)
{
    static uint32_t words[GUARD_LIMIT / 4];
    const gm_tensor *tensor = (const void *)(session->image + session->header->sections[GM_SECTION_TENSORS].offset);
    uint32_t count = session->header->sections[GM_SECTION_TENSORS].size / (uint32_t)sizeof *tensor;
    uint32_t index[GM_ROLE_COUNT] = {0}, random = 1;
    for (const gm_tensor *end = tensor + count; tensor < end; ++tensor) {
        if (tensor->role > GM_ROLE_LABEL || tensor->programs == 0) {
            continue;
        }
        for (uint32_t i = 0; i < (tensor->size + 3) / 4; ++i) {
            random = random * 1664525u + 1013904223u;
            float value = (float)(random >> 8) / 4194304.0f - 2.0f;
            memcpy(&words[i], &value, sizeof value);
            words[i] = tensor->dtype == GM_DTYPE_I32 ? random >> 31 : tensor->dtype != GM_DTYPE_F32 ? random : words[i];
        }
        require(gm_write(session, tensor->role, index[tensor->role]++, words, tensor->size) == GM_OK);
    }
}

/* ---- One run ------------------------------------------------------------------------------------------------------ */

static uint32_t crc_of_views(const gm_session *session, uint32_t program)
{
    gm_view view;
    uint32_t crc = 0;
    for (uint32_t role = GM_ROLE_OUTPUT; role <= GM_ROLE_LOSS; ++role) {
        for (uint32_t i = 0; gm_tensor_view(session, program, role, i, &view) == GM_OK; ++i) {
            crc = gm_crc32(crc, view.data, view.size);
        }
    }
    return crc;
}

static int has_loop(const gm_session *session, const gm_program *program)
{
    const uint8_t *code = session->image + session->header->sections[GM_SECTION_CODE].offset + program->code_offset;
    const uint32_t *word = (const void *)code, *end = word + program->code_size / 4;
    for (; word < end; word += *word >> 16) {
        if ((*word & 0xFFFF) == GM_OP_LOOP) {
            return 1;
        }
    }
    return 0;
}

static const gm_program *program_of(const gm_session *session, uint32_t kind)
{
    const gm_section section = session->header->sections[GM_SECTION_PROGRAMS];
    const gm_program *program = (const void *)(session->image + section.offset);
    while (program->kind != kind) {
        ++program;
    }
    return program;
}

/* Bytes from the arena's start that no program of that kind writes: all below the scratch; the parameters; none. */
static uint32_t untouched_size(const gm_session *session, uint32_t kind)
{
    if (kind == GM_PROGRAM_INFER || kind == GM_PROGRAM_EVAL) {
        return session->header->scratch_offset;
    }
    return kind == GM_PROGRAM_TRAIN ? session->header->parameters_size : 0;
}

/* Begins a program on all rows, or on some if it can count them. */
static int begin(gm_session *session, uint32_t kind, uint32_t rows)
{
    int status = gm_begin_rows(session, kind, rows);
    return status == GM_ERR_WHOLE_BATCH || status == GM_ERR_INVALID_ARGUMENT ? gm_begin(session, kind) : status;
}

/* Instruction by instruction to the end. They are as many as the image says, or fewer before an error; with loops no
 * more than its work. The inputs' last rows are written when it begins. */
static int run_counted(gm_session *session, uint32_t kind, uint32_t rows)
{
    int status = begin(session, kind, rows);
    if (status != GM_OK) {
        return status;
    }
    const gm_program *program = program_of(session, kind);
    int loops = has_loop(session, program);
    uint32_t size = untouched_size(session, kind), before = gm_crc32(0, session->arena, size),
             left = loops ? program->work_low : program->instructions;
    do {
        status = gm_run(session, 1);
    } while (status == GM_AGAIN && --left != 0);
    require(status < GM_OK || (status == GM_OK && (loops || left <= 1)));
    require(gm_crc32(0, session->arena, size) == before);
    return status;
}

static void run_all(gm_session *session, outcome *out)
{
    for (uint32_t i = 0; i < STEPS; ++i) {
        write_samples(session);
        out->status[i] = run_counted(session, order[i], i / GM_PROGRAM_COUNT);
        out->views[i] = out->status[i] == GM_OK ? crc_of_views(session, order[i]) : 0;
        require(guard_is_whole(&arena_guard));
    }
    out->state = gm_crc32(0, session->arena, session->header->state_size);
    out->arena = gm_crc32(0, session->arena, session->header->arena_size);
}

/* 0 if the image is refused. */
static int run_in(enum guard_end end, int rubbish, const gm_header *image, outcome *out)
{
    gm_session session;
    uint8_t *arena = guard_take(&arena_guard, image->arena_size, end);
    memset(arena, rubbish, image->arena_size);
    if (gm_open(&session, image, image->size, arena, image->arena_size) != GM_OK) {
        return 0;
    }
    memset(out, 0, sizeof *out);
    run_all(&session, out);
    return 1;
}

/* ---- The target ------------------------------------------------------------------------------------------------- */

/* Places the image in write-protected memory; NULL if it is not one. *compiled: 1 if its checksum is right. */
static const gm_header *place_image(const uint8_t *data, size_t size, int *compiled)
{
    gm_requirements needs;
    if (size < sizeof(gm_header) || size > GUARD_LIMIT) {
        return NULL;
    }
    if (image_guard.room != NULL) {
        guard_protect(&image_guard, 0);
    }
    uint8_t *image = guard_take(&image_guard, (uint32_t)size, GUARD_ABOVE);
    memcpy(image, data, size);
    const gm_header *header = (const gm_header *)(const void *)image;
    *compiled = header->size == size && header->crc == gm_crc32(0, image + 16, size - 16);
    if (!*compiled) {
        repair(image, (uint32_t)size);
    }
    guard_protect(&image_guard, 1);
    int known = gm_required(image, size, &needs) == GM_OK && needs.arena_size <= GUARD_LIMIT;
    return known ? header : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    outcome first, second;
    int compiled;
    const gm_header *image = place_image(data, size, &compiled);
    if (image == NULL || !run_in(GUARD_BELOW, 0x5A, image, &first)) {
        return -1;
    }
    require(run_in(GUARD_ABOVE, compiled ? 0xFF : 0x5A, image, &second));
    if (compiled) {
        first.arena = second.arena;
    }
    require(memcmp(&first, &second, sizeof first) == 0);
    return 0;
}
