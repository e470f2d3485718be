/*
 * The arena of a generated image, zones in the order of docs/SPEC.md: parameters, control, properties, moments, a
 * statistic, perhaps a sample store, gradients, inputs, scratch. Its sections, in the order of their numbers, except
 * the code, which comes last.
 */
#include "generate_image.h"

#include <string.h>

#include "generate_instruction.h"
#include "generate_store.h"
#include "gradmote.h"
#include "repair.h"
#include "../../runtime_c/generated/gm_rules.h"

#define MOST_PROGRAMS 3u
#define MOST_INSTRUCTIONS 4u /* of a program */
#define MOST_CONSTANTS 320u  /* words, rules included */
#define ENTRIES 7u
#define TENSORS 4u

typedef struct making {
    draws d;
    uint8_t *image;
    gm_header *header;
    zone moments, statistic; /* the state's, after control and properties */
    generated_store store;   /* the state's last */
    uint32_t constants_size;
    uint32_t *counts; /* of each opcode */
} making;

static uint32_t words(draws *d, uint32_t most)
{
    return 4 * below(d, most + 1);
}

/* ---- Sections ----------------------------------------------------------------------------------------------------- */

/* Appends room for a section of that size, all zeros. */
static void *add_section(making *m, uint32_t section, uint32_t size)
{
    uint32_t offset = (m->header->size + GM_SECTION_ALIGN - 1) / GM_SECTION_ALIGN * GM_SECTION_ALIGN;
    m->header->sections[section] = (gm_section){offset, size};
    m->header->size = offset + size;
    return m->image + offset;
}

/* A store's inputs are among the others, or in the scratch if no sample is put aside. */
static void draw_inputs(making *m, uint32_t begin, uint32_t more)
{
    int in_scratch = m->store.record.aside == GM_NONE && one_in(&m->d, 4);
    uint32_t size = in_scratch ? 0 : store_inputs_size(&m->store);
    m->header->scratch_offset = begin + size + 4 + more;
    place_inputs(&m->store, in_scratch ? m->header->scratch_offset : begin + words(&m->d, more / 4));
}

/* Draws the bounds of the arena's regions. */
static void draw_regions(making *m)
{
    static const uint32_t sizes[] = {1024, 2048, 4096, 8192, 8192, GENERATED_ARENA_LIMIT};
    gm_header *h = m->header;
    h->arena_size = sizes[below(&m->d, sizeof sizes / sizeof *sizes)];
    h->arena_size -= words(&m->d, 5);
    uint32_t part = h->arena_size / 4 / 8;
    h->parameters_size = words(&m->d, part);
    h->control_offset = h->parameters_size + words(&m->d, 1);
    h->properties_offset = h->control_offset + (uint32_t)sizeof(gm_control);
    h->properties_count = below(&m->d, 2);
    m->moments.begin = h->properties_offset + h->properties_count * (uint32_t)sizeof(gm_property);
    m->moments.end = m->moments.begin + words(&m->d, part) + 4;
    m->statistic.begin = m->moments.end;
    m->statistic.end = m->statistic.begin + words(&m->d, part) + 4;
    draw_store(&m->d, 4 * part, &m->store);
    m->store.record.offset = m->statistic.end + words(&m->d, 1);
    h->state_size = m->store.batch != 0 ? m->store.record.offset + store_size(&m->store.record) : m->statistic.end;
    h->gradients_offset = h->state_size;
    h->gradients_size = one_in(&m->d, 2) ? h->parameters_size : words(&m->d, part);
    draw_inputs(m, h->gradients_offset + h->gradients_size, words(&m->d, part / 2));
}

static uint32_t element_size(uint32_t dtype)
{
    return dtype == GM_DTYPE_F32 || dtype == GM_DTYPE_I32 ? 4 : dtype == GM_DTYPE_I16 ? 2 : 1;
}

static void fill_entry(gm_state_entry *entry, uint32_t role, uint32_t dtype, zone z)
{
    uint32_t size = z.end - z.begin, elements = size / element_size(dtype);
    *entry = (gm_state_entry){GM_NONE, role, dtype, 1, {elements, 1, 1, 1, 1, 1}, z.begin, size, GM_NONE};
}

/* Mostly f32. Of a parameter that keeps a gradient, whose bytes are as many, it has 4 bytes. */
static uint32_t draw_dtype(draws *d, int has_gradient)
{
    uint32_t dtype = one_in(d, 4) ? below(d, GM_DTYPE_COUNT) : GM_DTYPE_F32;
    return has_gradient && element_size(dtype) != 4 ? GM_DTYPE_I32 : dtype;
}

static void add_parameter(making *m, gm_state_entry *entry)
{
    const gm_header *h = m->header;
    int has_gradient = h->gradients_size == h->parameters_size;
    fill_entry(entry, GM_STATE_ROLE_PARAMETER, draw_dtype(&m->d, has_gradient), (zone){0, h->parameters_size});
    entry->gradient = has_gradient ? h->gradients_offset : GM_NONE;
}

static void add_state(making *m)
{
    const gm_header *h = m->header;
    uint32_t control_end = h->control_offset + (uint32_t)sizeof(gm_control);
    uint32_t properties_end = h->properties_offset + h->properties_count * (uint32_t)sizeof(gm_property);
    gm_state_entry entries[ENTRIES], *next = entries;
    if (h->parameters_size != 0) {
        add_parameter(m, next++);
    }
    fill_entry(next++, GM_STATE_ROLE_CONTROL, GM_DTYPE_I32, (zone){h->control_offset, control_end});
    if (h->properties_count != 0) {
        fill_entry(next++, GM_STATE_ROLE_PROPERTIES, GM_DTYPE_I32, (zone){h->properties_offset, properties_end});
    }
    fill_entry(next++, GM_STATE_ROLE_SLOT, GM_DTYPE_F32, m->moments);
    fill_entry(next++, GM_STATE_ROLE_STATISTIC, draw_dtype(&m->d, 0), m->statistic);
    if (m->store.batch != 0 && !one_in(&m->d, 4)) {
        fill_entry(next++, GM_STATE_ROLE_STORE, GM_DTYPE_I32, (zone){m->store.record.offset, h->state_size});
    }
    uint32_t size = (uint32_t)((uint8_t *)next - (uint8_t *)entries);
    memcpy(add_section(m, GM_SECTION_STATE, size), entries, size);
}

/* A matrix of all programs. */
static void fill_tensor(gm_tensor *tensor, uint32_t role, uint32_t dtype, uint32_t offset, uint32_t rows,
                        uint32_t columns)
{
    uint32_t programs = (1u << GM_PROGRAM_COUNT) - 1, size = element_size(dtype) * rows * columns;
    *tensor = (gm_tensor){GM_NONE, role, programs, dtype, 2, {rows, columns, 1, 1, 1, 1}, offset, size};
}

/* The tensors of a store, or one input; and an output of classes in the scratch. */
static void fill_tensors(making *m, gm_tensor *tensor)
{
    const gm_header *h = m->header;
    uint32_t inputs = h->gradients_offset + h->gradients_size;
    uint32_t batch = m->store.batch, classes = m->store.record.classes, elements = m->store.record.elements;
    int is_room = batch != 0 && h->scratch_offset + 4 * batch * classes <= h->arena_size;
    fill_tensor(tensor, GM_ROLE_OUTPUT, GM_DTYPE_F32, h->scratch_offset, is_room ? batch : 1, is_room ? classes : 1);
    if (batch == 0) {
        uint32_t dtype = draw_dtype(&m->d, 0), columns = (h->scratch_offset - inputs) / element_size(dtype);
        fill_tensor(tensor + 1, GM_ROLE_INPUT, dtype, inputs, 1, columns);
        return;
    }
    int is_bytes = m->store.record.dtype == GM_STORE_DTYPE_BYTES;
    uint32_t dtype = !is_bytes ? GM_DTYPE_F32 : one_in(&m->d, 2) ? GM_DTYPE_I8 : GM_DTYPE_U8;
    fill_tensor(tensor + 1, GM_ROLE_INPUT, dtype, m->store.input, batch, elements);
    fill_tensor(tensor + 2, GM_ROLE_LABEL, GM_DTYPE_I32, m->store.label, batch, 1);
    fill_tensor(tensor + 3, GM_ROLE_OUTPUT, GM_DTYPE_F32, h->scratch_offset, 1, 1);
}

/* The store is distorted here, so that state and tensors are first laid out for what it was. */
static void add_tensors(making *m)
{
    uint32_t count = m->store.batch != 0 ? TENSORS : TENSORS / 2;
    gm_tensor *tensor = add_section(m, GM_SECTION_TENSORS, count * (uint32_t)sizeof *tensor);
    fill_tensors(m, tensor);
    if (m->store.batch != 0 && one_in(&m->d, 8)) {
        distort_store(&m->d, m->header, &m->store.record, tensor + 1);
    }
}

static void add_store(making *m)
{
    uint32_t records = m->store.batch == 0 ? 0 : one_in(&m->d, 60) ? 2 : 1;
    gm_store *record = add_section(m, GM_SECTION_STORE, records * (uint32_t)sizeof *record);
    for (uint32_t i = 0; i < records; ++i) {
        record[i] = m->store.record;
    }
}

/* The hyper-parameters of a rule: a decay of 0, and others, have code of their own. */
static uint32_t draw_hyper(draws *d)
{
    return one_in(d, 3) ? 0 : draw_float(d, 16);
}

/* Rules of all kinds, then the same with moments of bfloat16; then floats, and small integers in the last quarter. */
static void add_constants(making *m)
{
    uint32_t rules = 2 * GM_RULE_COUNT * GM_RULE_WORDS, count = rules + below(&m->d, MOST_CONSTANTS - rules + 1);
    uint32_t *word = add_section(m, GM_SECTION_CONSTANTS, 4 * count);
    for (uint32_t i = 0; i < count; ++i) {
        if (i < rules) {
            uint32_t rule = i / GM_RULE_WORDS, short_moments = rule >= GM_RULE_COUNT ? GM_MOMENTS_BF16 : 0;
            word[i] = i % GM_RULE_WORDS == 0 ? rule % GM_RULE_COUNT + short_moments : draw_hyper(&m->d);
        } else {
            word[i] = i >= count - count / 4 ? below(&m->d, 3) : draw_float(&m->d, 16);
        }
    }
    m->constants_size = 4 * count;
}

static void add_initial(making *m)
{
    uint32_t *word = add_section(m, GM_SECTION_INITIAL, m->header->parameters_size);
    for (uint32_t i = 0; i < m->header->parameters_size / 4; ++i) {
        word[i] = draw_float(&m->d, 0);
    }
}

/* ---- Programs ----------------------------------------------------------------------------------------------------- */

static void add_zone(rooms *r, uint32_t begin, uint32_t end)
{
    if (begin < end) {
        r->writable[r->zones++] = (zone){begin, end};
    }
}

/* What a program of that kind may write. */
static rooms rooms_of(const making *m, uint32_t kind)
{
    const gm_header *h = m->header;
    rooms r = {h->arena_size, m->constants_size, GM_RULE_COUNT, 0, {{0, 0}}};
    add_zone(&r, h->scratch_offset, h->arena_size);
    if (kind == GM_PROGRAM_TRAIN) {
        add_zone(&r, m->statistic.begin, m->statistic.end);
        add_zone(&r, h->gradients_offset, h->gradients_offset + h->gradients_size);
    } else if (kind == GM_PROGRAM_OPTIMIZER || kind == GM_PROGRAM_STEP) {
        add_zone(&r, 0, h->parameters_size);
        add_zone(&r, m->moments.begin, m->statistic.end);
    }
    return r;
}

static uint32_t draw_opcode(draws *d)
{
    uint32_t opcode;
    do {
        opcode = below(d, GM_OP_TABLES);
    } while (gm_kernels[opcode] == NULL || opcode == GM_OP_LOOP || opcode == GM_OP_GUARD);
    return opcode;
}

/* Appends an instruction to the code. Returns its opcode. */
static uint32_t add_instruction(making *m, const rooms *r)
{
    gm_section *code = &m->header->sections[GM_SECTION_CODE];
    uint32_t *word = (uint32_t *)(void *)(m->image + code->offset + code->size);
    uint32_t opcode = draw_opcode(&m->d);
    code->size += 4 * generate_instruction(&m->d, r, opcode, word);
    ++m->counts[opcode];
    return opcode;
}

#if GM_WITH_LOOP
/* Makes room for a LOOP or GUARD at the end of the code. */
static void *add_control(making *m, uint32_t opcode, uint32_t size)
{
    gm_section *code = &m->header->sections[GM_SECTION_CODE];
    uint32_t *word = (uint32_t *)(void *)(m->image + code->offset + code->size);
    *word = opcode | size / 4 << 16;
    code->size += size;
    ++m->counts[opcode];
    return word;
}

/* A step of an operand: mostly none, or some words. */
static uint32_t draw_step(draws *d)
{
    return !one_in(d, 3) ? 0 : one_in(d, 40) ? draw_hostile(d) : 4 * below(d, 12) + (one_in(d, 60) ? 1u : 0u);
}

/* A GUARD whose turns mostly come in the loop, and its instruction. What fused updates leave in their row is not
 * defined: they have no GUARD, because after one the row would not be forgotten. */
static void add_guarded(making *m, const rooms *r, uint32_t iterations)
{
    draws *d = &m->d;
    gm_insn_guard *g = add_control(m, GM_OP_GUARD, sizeof *g);
    g->period = one_in(d, 40) ? draw_hostile(d) : between(d, 1, 3);
    g->first = one_in(d, 40) ? draw_hostile(d) : below(d, iterations);
    uint32_t most = g->first < iterations && g->period != 0 ? (iterations - 1 - g->first) / g->period + 1 : 1;
    g->count = one_in(d, 40) ? draw_hostile(d) : between(d, 1, most);
    uint32_t *instruction = (uint32_t *)(void *)(g + 1), opcode = add_instruction(m, r);
    uint32_t operands = gm_shape_of(opcode)->n_operands + (one_in(d, 200) ? 1u : 0u);
    g->operand_a = below(d, operands);
    g->operand_b = below(d, operands);
    g->operand_c = operands - 1;
    g->step_a = draw_step(d);
    g->step_b = draw_step(d);
    g->step_c = draw_step(d);
    if (opcode == GM_OP_GEMM_UPDATE || opcode == GM_OP_CONV_UPDATE) {
        *instruction = GM_OP_LOOP; /* which is refused there */
    }
}

/* A LOOP and its body. */
static void add_loop(making *m, const rooms *r)
{
    draws *d = &m->d;
    gm_section *code = &m->header->sections[GM_SECTION_CODE];
    gm_insn_loop *loop = add_control(m, GM_OP_LOOP, sizeof *loop);
    uint32_t start = code->size, iterations = between(d, 1, 6);
    loop->iterations = one_in(d, 400) ? draw_hostile(d) : iterations;
    for (uint32_t left = between(d, 1, 3); left != 0; --left) {
        if (one_in(d, 2)) {
            add_guarded(m, r, iterations);
        } else {
            (void)add_instruction(m, r);
        }
    }
    loop->body = (code->size - start) / 4 + (one_in(d, 60) ? between(d, 0, 4) - 2 : 0);
}
#endif

/* Its instructions, and its record without their count and work. */
static void add_program(making *m, gm_program *program, uint32_t kind)
{
    gm_section *code = &m->header->sections[GM_SECTION_CODE];
    rooms r = rooms_of(m, kind);
    *program = (gm_program){kind, code->size, 0, 0, m->header->arena_size, 0, 0};
    for (uint32_t left = between(&m->d, 1, MOST_INSTRUCTIONS); left != 0; --left) {
#if GM_WITH_LOOP
        if (one_in(&m->d, 8) && code->offset + code->size < GENERATED_SIZE_LIMIT / 2) {
            add_loop(m, &r);
            continue;
        }
#endif
        (void)add_instruction(m, &r);
    }
    program->code_size = code->size - program->code_offset;
    m->header->size = code->offset + code->size;
}

/* Code comes last in the file: its size is known when it is there. */
static void add_programs(making *m)
{
    uint32_t count = between(&m->d, 1, MOST_PROGRAMS), kind = below(&m->d, GM_PROGRAM_COUNT);
    gm_program *program = add_section(m, GM_SECTION_PROGRAMS, count * (uint32_t)sizeof *program);
    add_section(m, GM_SECTION_CODE, 0);
    for (uint32_t i = 0; i < count; ++i) {
        add_program(m, program + i, (kind + i) % GM_PROGRAM_COUNT);
    }
}

/* ---- All of it ------------------------------------------------------------------------------------------------------ */

/* One word of a record, or of the code, takes another value. */
static void damage(making *m)
{
    uint32_t *word = (uint32_t *)(void *)m->image + 8 + below(&m->d, m->header->size / 4 - 8);
    switch (below(&m->d, 4)) {
    case 0: *word = draw_hostile(&m->d); break;
    case 1: *word += between(&m->d, 0, 8) - 4; break;
    case 2: *word ^= 1u << below(&m->d, 32); break;
    default: *word = GM_NONE;
    }
}

uint32_t generate_image(uint32_t seed, uint8_t *image, uint32_t *counts)
{
    making m = {.d = {draws_mix(seed + 1), 0}, .image = image, .header = (gm_header *)(void *)image, .counts = counts};
    memset(image, 0, GENERATED_SIZE_LIMIT);
    m.header->magic = GM_IMAGE_MAGIC;
    m.header->version = GM_FORMAT_VERSION;
    m.header->size = sizeof *m.header;
    m.header->batch = 1;
    m.header->scheme = GM_NONE;
    draw_regions(&m);
    add_tensors(&m);
    add_constants(&m);
    add_initial(&m);
    add_state(&m);
    add_section(&m, GM_SECTION_NAMES, 0);
    add_store(&m);
    add_programs(&m);
    uint32_t size = m.header->size;
    int damaged = one_in(&m.d, 12);
    if (damaged) {
        damage(&m);
    }
    repair(image, size);
    return size;
}
