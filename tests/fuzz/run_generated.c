#include "run_generated.h"

#include <stddef.h>
#include <string.h>

#include "generate_image.h"
#include "generate_instruction.h"
#include "gradmote.h"
#include "guard.h"
#include "repair.h"
#include "use_generated_store.h"

#define CANONICAL_NAN 0x7FC00000u
#define ARENA_ROOM (GUARD_LIMIT / 2)

static guard image_guard, arena_guard;
static uint32_t generated[GM_OP_LIMIT], accepted[GM_OP_LIMIT], run[GM_OP_LIMIT];
static uint32_t image_words[GENERATED_SIZE_LIMIT / 4] __attribute__((aligned(16)));

/* ---- Words ------------------------------------------------------------------------------------------------------ */

static void say_number(uint32_t number)
{
    char digits[12], *at = digits + sizeof digits - 1;
    *at = '\0';
    do {
        *--at = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    *--at = ' ';
    say(at);
}

static void say_line(const char *name, const uint32_t *numbers, uint32_t count)
{
    say(name);
    for (uint32_t i = 0; i < count; ++i) {
        say_number(numbers[i]);
    }
    say("\n");
}

static uint32_t fold(uint32_t digest, uint32_t word)
{
    digest = (digest ^ word) * 0x9E3779B1u;
    return digest ^ digest >> 15;
}

static uint32_t fold_words(uint32_t digest, const uint32_t *word, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        digest = fold(digest, word[i]);
    }
    return digest;
}

/* ---- The arena -------------------------------------------------------------------------------------------------- */

/* Floats, in most turns ordinary ones; in some few different ones, so that there are equals. Counters that let an OPTIMIZER
 * run. */
static void fill_arena(draws *d, gm_session *session)
{
    uint32_t special = one_in(d, 3) ? between(d, 8, 200) : 0, coarse = one_in(d, 6) ? 0xFF600000u : UINT32_MAX;
    uint32_t *word = (uint32_t *)(void *)session->arena;
    for (uint32_t i = 0; i < session->header->arena_size / 4; ++i) {
        word[i] = draw_float(d, special) & coarse;
    }
    gm_control *control = (gm_control *)(void *)(session->arena + session->header->control_offset);
    control->accumulated = between(d, 1, 3);
    control->schedule = below(d, GM_SCHEDULE_COUNT);
}

/* Which NaN a kernel makes is not specified (docs/NUMERICS.md, rule 4), and later instructions may read its bits. */
static void unify_nans(const gm_session *session)
{
    uint32_t *word = (uint32_t *)(void *)session->arena;
    for (uint32_t i = 0; i < session->header->arena_size / 4; ++i) {
        word[i] = (word[i] & 0x7FFFFFFFu) > 0x7F800000u ? CANONICAL_NAN : word[i];
    }
}

/* A label or an index: mostly below the second parameter, which is how many there are to choose from. */
static uint32_t draw_index(draws *d, uint32_t choices)
{
    if (one_in(d, 300)) {
        return one_in(d, 2) ? draw_hostile(d) : choices;
    }
    return one_in(d, 8) ? UINT32_MAX : below(d, choices);
}

#define WORD_OF(instruction, operand) (offsetof(gm_insn_##instruction, operand) / 4)

/* The word of the operand that holds labels or indices; the instruction's second parameter says from how many to
 * choose. 0 if there is none. */
static uint32_t index_word(uint32_t opcode)
{
    switch (opcode) {
    case GM_OP_GATHER:
    case GM_OP_SCATTER_ADD:
    case GM_OP_SCATTER: return WORD_OF(gather, indices);
    case GM_OP_FLAT_INDEX: return WORD_OF(flat_index, indices);
    case GM_OP_WEIGHTED_GATHER:
    case GM_OP_WEIGHTED_SCATTER_ADD: return WORD_OF(weighted_gather, indices);
    case GM_OP_SOFTMAX_CROSS_ENTROPY: return WORD_OF(softmax_cross_entropy, labels);
    case GM_OP_SOFTMAX_CROSS_ENTROPY_GRAD: return WORD_OF(softmax_cross_entropy_grad, labels);
    case GM_OP_SOFTMAX_CROSS_ENTROPY_WITH_GRAD: return WORD_OF(softmax_cross_entropy_with_grad, labels);
    case GM_OP_SOFTMAX_CROSS_ENTROPY_PLAIN: return WORD_OF(softmax_cross_entropy_plain, labels);
    default: return 0;
    }
}

/* Puts indices into what the instruction reads as such, and cells of windows into its bytes, if they are in the
 * arena. */
static void fill_integers(draws *d, gm_session *session, const uint32_t *word, const gm_opcode_shape *shape)
{
    for (uint32_t i = 1; i <= shape->n_operands; ++i) {
        const gm_operand_info *info = &shape->operands[i - 1];
        int is_bytes = (info->flags & GM_TYPE) == GM_BYTES && (info->flags & GM_WRITE) == 0;
        if ((word[i] & GM_CONSTANT_BIT) != 0 || (index_word(*word & 0xFFFF) != i && !is_bytes)) {
            continue;
        }
        uint32_t size = is_bytes ? 1 : 4, count = (uint32_t)elements_of(word, shape, info);
        for (uint32_t j = 0; j < count; ++j) {
            uint32_t value = !is_bytes ? draw_index(d, word[2u + shape->n_operands]) : one_in(d, 6) ? 255 : below(d, 9);
            memcpy(session->arena + word[i] + j * size, &value, size);
        }
    }
}

/* The words of the scratch operands, up to two, whose contents nobody may read; 0: none. */
static void words_of_room(uint32_t opcode, uint32_t *row, uint32_t *panel)
{
    *row = *panel = 0;
    switch (opcode) {
    case GM_OP_GEMM_UPDATE: *row = WORD_OF(gemm_update, row); break;
    case GM_OP_CONV_UPDATE: *row = WORD_OF(conv_update, row); break;
    case GM_OP_CONV_UPDATE_S8: *row = WORD_OF(conv_update_s8, row); break;
    case GM_OP_CONV_UPDATE_S16: *row = WORD_OF(conv_update_s16, row), *panel = WORD_OF(conv_update_s16, panel); break;
    case GM_OP_CONV_S8: *panel = WORD_OF(conv_s8, panel); break;
    case GM_OP_CONV_TRANSPOSE_S8: *panel = WORD_OF(conv_transpose_s8, panel); break;
    case GM_OP_MATMUL_S8: *panel = WORD_OF(matmul_s8, panel); break;
    case GM_OP_CONV_GRAD_X_S16: *panel = WORD_OF(conv_grad_x_s16, panel); break;
    case GM_OP_CONV_GRAD_W_S16: *panel = WORD_OF(conv_grad_w_s16, panel); break;
    default: break;
    }
}

static void forget(gm_session *session, const uint32_t *word, uint32_t operand)
{
    if (operand != 0 && word[operand] != GM_NONE) {
        const gm_opcode_shape *shape = gm_shape_of(*word & 0xFFFF);
        memset(session->arena + word[operand], 0, 4 * (size_t)elements_of(word, shape, &shape->operands[operand - 1]));
    }
}

/* Whether, and with what, the row of a fused update and a panel are written is the kernel's business. */
static void forget_room(gm_session *session, const uint32_t *word)
{
    uint32_t row, panel;
    words_of_room(*word & 0xFFFF, &row, &panel);
    forget(session, word, row);
    forget(session, word, panel);
}

/* ---- Parts, as several threads would run them --------------------------------------------------------------------- */

#if GM_THREADS
#define SPARE 4096u /* bytes after the arena for rows of the parts */
#define PARTS 3u

/* The last part first: they must not matter to each other. */
static void run_backwards(void *context, uint32_t parts, gm_task task, void *argument)
{
    (void)context;
    while (parts != 0) {
        task(argument, --parts);
    }
}

static void split_work(gm_session *session, uint32_t size)
{
    static const gm_splitter splitter = {run_backwards, NULL, PARTS, 1};
    require(gm_set_splitter(session, &splitter, size) == GM_OK);
}
#else
#define SPARE 0u

static void split_work(gm_session *session, uint32_t size)
{
    (void)session;
    (void)size;
}
#endif

/* ---- One image -------------------------------------------------------------------------------------------------- */

static void print_arena(const gm_session *session, int status)
{
    uint32_t digest = fold_words(0, (const uint32_t *)(const void *)session->arena, session->header->arena_size / 4);
    say_line("returned", (uint32_t[]){(uint32_t)status, digest}, 2);
}

/* The instruction that runs next, as it runs: after a GUARD with its operands moved on. NULL if the GUARD leaves it
 * out. */
static const uint32_t *next_as_it_runs(const gm_session *session, const uint32_t *word, uint32_t *copy)
{
    if ((*word & 0xFFFF) != GM_OP_GUARD) {
        return word;
    }
    const gm_insn_guard *guard = (const void *)word;
    uint32_t since = session->iteration - guard->first, turn = since / guard->period;
    if (session->iteration < guard->first || since % guard->period != 0 || turn >= guard->count) {
        return NULL;
    }
    const uint32_t *guarded = word + (*word >> 16);
    memcpy(copy, guarded, (*guarded >> 16) * sizeof *copy);
    copy[1 + guard->operand_a] += turn * guard->step_a;
    copy[1 + guard->operand_b] += turn * guard->step_b;
    copy[1 + guard->operand_c] += turn * guard->step_c;
    return copy;
}

static int run_instruction(draws *d, gm_session *session, const order *o)
{
    const uint32_t *word = session->pc;
    if (word == session->end) {
        return gm_run(session, 1);
    }
    fill_integers(d, session, word, gm_shape_of(*word & 0xFFFF));
    if (o->detail == DETAIL_INSTRUCTIONS) {
        say_line("instruction", word, *word >> 16);
    }
    uint32_t copy[GM_MOST_WORDS];
    const uint32_t *runs = next_as_it_runs(session, word, copy);
    int status = gm_run(session, 1);
    run[*word & 0xFFFF] += status >= GM_OK;
    if (runs != NULL) {
        forget_room(session, runs);
    }
    unify_nans(session);
    if (o->detail == DETAIL_INSTRUCTIONS) {
        print_arena(session, status);
    }
    return status;
}

/* Runs what was begun, if that was, to its end; what it returns and what is in the arena then, folded into the digest. */
static uint32_t run_begun(draws *d, gm_session *session, int status, const order *o, uint32_t digest)
{
    while (session->pc != NULL) {
        status = run_instruction(d, session, o);
    }
    unify_nans(session);
    require(guard_is_whole(&arena_guard));
    return fold_words(fold(digest, (uint32_t)status), (const uint32_t *)(const void *)session->arena,
                      session->header->arena_size / 4);
}

static uint32_t run_program(draws *d, gm_session *session, uint32_t kind, const order *o, uint32_t digest)
{
    fill_arena(d, session);
    return run_begun(d, session, gm_begin(session, kind), o, digest);
}

/* ---- The sample store --------------------------------------------------------------------------------------------- */

/* What it returns, and what it found, folded into the digest. */
static int call_store(draws *d, gm_session *session, const order *o, uint32_t *digest)
{
    store_call call = draw_call(d, session);
    if (o->detail == DETAIL_INSTRUCTIONS) {
        say_line("store", (uint32_t[]){call.which, call.label}, 2);
    }
    int status = make_call(session, &call);
    unify_nans(session);
    *digest = fold_words(fold(*digest, (uint32_t)status), call.found, sizeof call.found / sizeof *call.found);
    if (o->detail == DETAIL_INSTRUCTIONS) {
        print_arena(session, status);
    }
    return status;
}

/* A call, and the program that it begins. At times another one while that runs, and then its end half-way. */
static uint32_t use_store_once(draws *d, gm_session *session, const order *o, uint32_t digest)
{
    int status = call_store(d, session, o, &digest);
    if (session->pc != NULL && one_in(d, 8)) {
        (void)call_store(d, session, o, &digest);
        (void)run_instruction(d, session, o);
        gm_abort(session);
    }
    return run_begun(d, session, status, o, digest);
}

static uint32_t use_store(draws *d, gm_session *session, const order *o, uint32_t digest)
{
    if (!has_store(session)) {
        return digest;
    }
    fill_arena(d, session);
    fill_store(d, session);
    for (uint32_t left = between(d, 2, 8); left != 0; --left) {
        digest = use_store_once(d, session, o, digest);
    }
    train_on_store(d, session);
    return digest;
}

/* ---- All programs --------------------------------------------------------------------------------------------------- */

static uint32_t run_programs(draws *d, gm_session *session, const order *o, uint32_t digest)
{
    const gm_section section = session->header->sections[GM_SECTION_PROGRAMS];
    const gm_program *program = (const void *)(session->image + section.offset);
    for (uint32_t left = section.size / (uint32_t)sizeof *program; left != 0; --left, ++program) {
        digest = run_program(d, session, program->kind, o, digest);
    }
    return digest;
}

static void count_opcodes(uint32_t *counts, const gm_header *header)
{
    const gm_section code = header->sections[GM_SECTION_CODE];
    const uint32_t *word = image_words + code.offset / 4, *end = word + code.size / 4;
    for (; word < end; word += *word >> 16) {
        ++counts[*word & 0xFFFF];
    }
}

/* The image in memory that cannot be written while it runs. */
static const gm_header *place_image(uint32_t seed, uint32_t size)
{
    if (image_guard.room != NULL) {
        guard_protect(&image_guard, 0);
    }
    uint8_t *image = guard_take(&image_guard, size, seed & 2 ? GUARD_BELOW : GUARD_ABOVE);
    memcpy(image, image_words, size);
    guard_protect(&image_guard, 1);
    return (const gm_header *)(const void *)image;
}

/* Reads the byte before a piece that begins its room, or the one after a piece that ends it. */
static void trespass(const guard *g)
{
    const volatile uint8_t *beside = g->piece == g->room ? g->room - 1 : g->room + GUARD_LIMIT;
    (void)*beside;
}

/* What gm_open() returns. *digest: of all results. */
static int run_image(uint32_t seed, const order *o, uint32_t *digest)
{
    uint32_t size = generate_image(seed, (uint8_t *)image_words, generated);
    const gm_header *header = place_image(seed, size);
    uint32_t needed = header->arena_size < ARENA_ROOM ? header->arena_size : ARENA_ROOM;
    uint8_t *arena = guard_take(&arena_guard, needed + SPARE, seed & 1 ? GUARD_BELOW : GUARD_ABOVE);
    if (o->detail == DETAIL_TRESPASS) {
        trespass(seed & 2 ? &image_guard : &arena_guard);
    }
    draws d = {draws_mix(~seed), 0};
    gm_session session;
    int status = gm_open(&session, header, size, arena, needed);
    *digest = fold(seed, (uint32_t)status);
    if (status == GM_OK) {
        count_opcodes(accepted, header);
        split_work(&session, needed + SPARE);
        *digest = run_programs(&d, &session, o, *digest);
        *digest = use_store(&d, &session, o, *digest);
        require(guard_is_whole(&arena_guard));
    }
    require(memcmp(header, image_words, size) == 0);
    return status;
}

/* ---- Many ------------------------------------------------------------------------------------------------------- */

static void run_block(const order *o, uint32_t first, uint32_t count)
{
    uint32_t block[4] = {first, count, 0, 0};
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t seed = first + i, digest;
        if (o->detail >= DETAIL_IMAGES) {
            say_line("seed", &seed, 1);
        }
        int status = run_image(seed, o, &digest);
        block[2] += status == GM_OK;
        block[3] = fold(block[3], digest);
        if (o->detail >= DETAIL_IMAGES) {
            say_line("image", (uint32_t[]){(uint32_t)-status, digest}, 2);
        }
    }
    say_line("block", block, 4);
}

void run_generated(const order *o)
{
    for (uint32_t done = 0; done < o->count; done += o->block) {
        uint32_t left = o->count - done;
        run_block(o, o->first + done, left < o->block ? left : o->block);
    }
    for (uint32_t i = 0; i < GM_OP_LIMIT; ++i) {
        if (gm_kernels[i] != NULL) {
            say_line("opcode", (uint32_t[]){i, generated[i], accepted[i], run[i]}, 4);
        }
    }
    say("done\n");
}
