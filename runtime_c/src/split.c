/*
 * Instructions cut into parts that may run at the same time.
 *
 * A part is an instruction itself: one dim of the outputs is shorter, and operands start where its range does. So kernels
 * know nothing of it, and do for each output what they do for all: the bits are the same. opcodes.toml says along which
 * dims ("split"). No part writes what another reads or writes, since the verifier has seen to it that no two indices of an
 * output mean one element, and that outputs are apart from other operands or lie exactly as these do.
 */
#include "split.h"

#include <string.h>

#include "image.h"
#include "program.h"

#if GM_THREADS

/* Products that take as long as one element of other work. */
#define TRIPS_AN_ELEMENT 8u

/* Parts of a long axis start at multiples of it: whole bytes of bits, and lines of the cache to each part alone. */
#define LONG_GRAIN 32u
#define LONG_AXIS 4096u

#define NO_AXIS UINT8_MAX
#define AXES (sizeof((gm_split_info *)0)->axes / sizeof(gm_split_axis))

/* Of a part, so that offsets behind the arena stay below GM_CONSTANT_BIT. */
#define MOST_SPARE (UINT32_C(1) << 26)

/* ---- Places: where the elements of an operand lie ----------------------------------------------------------- */

/* Axes longer than 1, the last first. Elements lie at `offset` + sum of index stride elements. */
typedef struct place {
    uint32_t offset;             /* as the instruction has it */
    uint32_t flags;              /* of gm_operand_info */
    uint32_t axes;
    uint8_t term[GM_MOST_FACTORS];
    uint32_t length[GM_MOST_FACTORS], stride[GM_MOST_FACTORS];
} place;

static void add_axis(place *p, const uint32_t *instruction, uint8_t term, uint32_t stride)
{
    uint32_t length = gm_term_value(instruction, term);
    if (length > 1) {
        p->term[p->axes] = term;
        p->length[p->axes] = length;
        p->stride[p->axes] = stride;
        p->axes++;
    }
}

static void read_place(place *p, const uint32_t *instruction, const gm_opcode_shape *shape, uint32_t index)
{
    const gm_operand_info *info = &shape->operands[index];
    const uint8_t *term = shape->terms + info->first_term;
    uint32_t stride = 1;
    p->offset = instruction[1 + index];
    p->flags = info->flags;
    p->axes = 0;
    if ((info->flags & GM_STRIDED) != 0) {
        for (uint32_t i = info->n_terms; i > 0; i -= 2) {
            add_axis(p, instruction, term[i - 2], gm_term_value(instruction, term[i - 1]));
        }
        return;
    }
    for (uint32_t i = info->n_terms; i > 0; i--) {
        add_axis(p, instruction, term[i - 1], stride);
        stride *= gm_term_value(instruction, term[i - 1]);
    }
}

/* The axis of that dim, or NO_AXIS. */
static uint32_t find_axis(const place *p, uint32_t term)
{
    for (uint32_t i = 0; i < p->axes; i++) {
        if (p->term[i] == term) {
            return i;
        }
    }
    return NO_AXIS;
}

/* Bytes of so many elements. */
static uint32_t operand_bytes(const place *p, uint32_t elements)
{
    if ((p->flags & GM_BITS) != 0) {
        return (elements + 7) / 8;
    }
    return (p->flags & GM_BYTES) != 0 ? elements : 4 * elements;
}

/* Bytes from the first element to the last. */
static uint32_t operand_size(const place *p)
{
    uint32_t elements = 1;
    for (uint32_t i = 0; i < p->axes; i++) {
        elements += (p->length[i] - 1) * p->stride[i];
    }
    return operand_bytes(p, elements);
}

/* ---- Cuts ----------------------------------------------------------------------------------------------------- */

typedef struct cut {
    const gm_session *session;
    const uint32_t *instruction;
    const gm_opcode_shape *shape;
    const gm_split_info *split;
    uint32_t axis;               /* word of the dim */
    uint32_t grain;              /* parts start at multiples of it */
    uint32_t parts;
    int status[GM_MAX_PARTS];
} cut;

/* Ranges of the axis that are not cut further. */
static uint32_t units_of(const cut *c)
{
    return (c->instruction[c->axis] + c->grain - 1) / c->grain;
}

/* Where a part starts along the axis; where the last one ends, for `part` = parts. */
static uint32_t start_of(const cut *c, uint32_t part)
{
    uint32_t unit = (uint32_t)((uint64_t)units_of(c) * part / c->parts);
    return part == c->parts ? c->instruction[c->axis] : unit * c->grain;
}

/* Whether the operand of a part starts at a byte, and a shorter axis leaves the strides of all others as they are. */
static int can_start_at_parts(const cut *c, const place *p)
{
    uint32_t axis = find_axis(p, c->axis);
    if (axis == NO_AXIS) {
        return 1;
    }
    if ((p->flags & GM_BITS) != 0 && (p->stride[axis] != 1 || c->grain != LONG_GRAIN)) {
        return 0;
    }
    return (p->flags & GM_STRIDED) != 0 || axis == p->axes - 1;
}

/* Whether what each part writes of an operand is its own. */
static int writes_apart(const cut *c, const place *p, uint32_t index)
{
    return 1 + index == c->split->own ? operand_size(p) <= c->session->spare : find_axis(p, c->axis) != NO_AXIS;
}

static int is_safe(const cut *c, const place *places)
{
    for (uint32_t i = 0; i < c->shape->n_operands; i++) {
        const place *p = &places[i];
        int is_written = (p->flags & GM_WRITE) != 0;
        if (p->offset != GM_NONE && (!can_start_at_parts(c, p) || (is_written && !writes_apart(c, p, i)))) {
            return 0;
        }
    }
    return 1;
}

static uint64_t work_of(const uint32_t *instruction, const gm_opcode_shape *shape)
{
    uint64_t work = 1;
    for (uint32_t i = 0; i < shape->n_work; i++) {
        work *= gm_term_value(instruction, shape->terms[i]);
    }
    return work;
}

static int is_worth_reading(const cut *c)
{
    return c->split->axes[0].dim != 0 && work_of(c->instruction, c->shape) >= c->session->splitter->least;
}

/* How many parts the instruction is worth, as many as there are threads at most. */
static uint32_t parts_worth(const cut *c, const place *places)
{
    const gm_splitter *splitter = c->session->splitter;
    uint32_t largest = 0;
    for (uint32_t i = 0; i < c->shape->n_operands; i++) {
        uint32_t size = places[i].offset == GM_NONE ? 0 : operand_size(&places[i]) / 4;
        largest = size > largest ? size : largest;
    }
    uint64_t worth = (work_of(c->instruction, c->shape) / TRIPS_AN_ELEMENT + largest) / splitter->least;
    return worth < splitter->parts ? (uint32_t)worth : splitter->parts;
}

static void set_axis(cut *c, gm_split_axis axis)
{
    c->axis = axis.dim;
    c->grain = c->instruction[axis.dim] >= LONG_AXIS ? LONG_GRAIN : axis.grain;
}

/* Sets parts, axis and grain: the first axis that has most parts. 0 where the instruction must run whole, or is not worth
 * more. */
static int find_cut(cut *c)
{
    place places[GM_MOST_OPERANDS];
    if (!is_worth_reading(c)) {
        return 0;
    }
    for (uint32_t i = 0; i < c->shape->n_operands; i++) {
        read_place(&places[i], c->instruction, c->shape, i);
    }
    uint32_t worth = parts_worth(c, places), best = 0;
    c->parts = 1;
    for (uint32_t i = 0; c->parts < worth && i < AXES && c->split->axes[i].dim != 0; i++) {
        set_axis(c, c->split->axes[i]);
        uint32_t parts = units_of(c) < worth ? units_of(c) : worth;
        if (parts > c->parts && is_safe(c, places)) {
            c->parts = parts;
            best = i;
        }
    }
    set_axis(c, c->split->axes[best]);
    return c->parts > 1;
}

/* ---- Parts ---------------------------------------------------------------------------------------------------- */

/* Where an operand of a part starts. */
static uint32_t operand_of_part(const cut *c, uint32_t index, uint32_t part)
{
    place p;
    read_place(&p, c->instruction, c->shape, index);
    uint32_t axis = find_axis(&p, c->axis);
    if (p.offset == GM_NONE) {
        return GM_NONE;
    }
    if (1 + index == c->split->own && part > 0) {
        return c->session->header->arena_size + (part - 1) * c->session->spare;
    }
    return axis == NO_AXIS ? p.offset : p.offset + operand_bytes(&p, start_of(c, part) * p.stride[axis]);
}

static void run_part(void *argument, uint32_t part)
{
    cut *c = argument;
    uint32_t instruction[GM_MOST_WORDS];
    memcpy(instruction, c->instruction, (c->instruction[0] >> 16) * sizeof *instruction);
    for (uint32_t i = 0; i < c->shape->n_operands; i++) {
        instruction[1 + i] = operand_of_part(c, i, part);
    }
    instruction[c->axis] = start_of(c, part + 1) - start_of(c, part);
    c->status[part] = gm_kernels[*instruction & 0xFFFF](c->session, instruction);
}

static int run_parts(cut *c)
{
    const gm_splitter *splitter = c->session->splitter;
    splitter->run(splitter->context, c->parts, run_part, c);
    for (uint32_t i = 0; i < c->parts; i++) {
        if (c->status[i] != GM_OK) {
            return c->status[i];
        }
    }
    return GM_OK;
}

int gm_execute(const gm_session *session, const uint32_t *instruction)
{
    uint32_t opcode = *instruction & 0xFFFF;
    if (session->splitter == NULL) {
        return gm_kernels[opcode](session, instruction);
    }
    cut c = {session, instruction, gm_shape_of(opcode), &gm_splits[opcode], 0, 0, 0, {0}};
    return find_cut(&c) ? run_parts(&c) : gm_kernels[opcode](session, instruction);
}

static int is_splitter(const gm_splitter *splitter)
{
    return splitter->run != NULL && splitter->parts >= 1 && splitter->parts <= GM_MAX_PARTS && splitter->least >= 1;
}

int gm_set_splitter(gm_session *session, const gm_splitter *splitter, size_t arena_size)
{
    int status = gm_idle(session);
    if (status != GM_OK) {
        return status;
    }
    size_t needed = session->header->arena_size;
    if (arena_size < needed || (splitter != NULL && !is_splitter(splitter))) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    uint32_t others = splitter != NULL && splitter->parts > 1 ? splitter->parts - 1 : 1;
    size_t spare = (arena_size - needed) / others;
    session->spare = (uint32_t)(spare < MOST_SPARE ? spare : MOST_SPARE) & ~(uint32_t)15;
    session->splitter = splitter;
    return GM_OK;
}

#endif
