/*
 * Splits an instruction into parts that can run at the same time.
 *
 * A part is an instruction itself: one dim of its outputs is shorter, and its operands start at its
 * range of that dim. So kernels need not know about parts. They compute each output as in the whole
 * instruction, with the same bits. opcodes.toml lists the dims along which an opcode may be split
 * ("split"). If a shorter dim would change more than that ("ranges"), a part runs the whole
 * instruction, with the range in a session of its own (gm_part_of).
 *
 * No part writes what another one reads or writes. The verifier ensures this: all indices of an
 * output are different elements, and an output does not overlap other operands, or has exactly
 * their layout.
 */
#include "split.h"

#include <string.h>

#include "image.h"
#include "program.h"
#include "shapes.h"

#if GM_THREADS

/* How many products take as long as one element of other work. */
#define TRIPS_PER_ELEMENT 8u

/* Parts of an axis of at least LONG_AXIS elements start at multiples of LONG_GRAIN. So they start
 * at whole bytes of bit masks, and do not share cache lines. */
#define LONG_GRAIN 32u
#define LONG_AXIS 4096u

#define NO_AXIS UINT8_MAX
#define AXES (sizeof((gm_split_info *)0)->axes / sizeof(gm_split_axis))

/* The most spare bytes of a part. This keeps offsets past the arena below GM_CONSTANT_BIT. */
#define MOST_SPARE (UINT32_C(1) << 26)

/* ---- The layout of an operand ---------------------------------------------------------------- */

/* The axes of an operand that are longer than 1, the last one first. An element is at `offset` plus
 * the sum of index * stride elements over the axes. */
typedef struct operand_layout {
    uint32_t offset;             /* the operand's word in the instruction */
    uint32_t flags;              /* of gm_operand_info */
    uint32_t axes;
    uint8_t term[GM_MOST_FACTORS];
    uint32_t stride[GM_MOST_FACTORS];
} operand_layout;

static void add_axis(operand_layout *layout, const uint32_t *instruction, uint8_t term, uint32_t stride)
{
    if (gm_term_value(instruction, term) > 1) {
        layout->term[layout->axes] = term;
        layout->stride[layout->axes] = stride;
        layout->axes++;
    }
}

/* An instruction and how to split it. */
typedef struct split_plan {
    const gm_session *session;
    const uint32_t *instruction;
    const gm_opcode_shape *shape;
    const gm_split_info *split;
    uint32_t axis;               /* the instruction's word with the dim to split */
    uint32_t grain;              /* parts start at multiples of it */
    uint32_t parts;
    int status[GM_MAX_PARTS];
} split_plan;

/* Returns an operand's flags. A 2-byte moment gets the type of other 2-byte elements. */
static uint32_t flags_of(const split_plan *plan, const gm_operand_info *info)
{
    uint32_t flags = info->flags;
    if (GM_WITH_SHORT_MOMENTS && (flags & GM_TYPE) == GM_MOMENT &&
        gm_has_short_moments(gm_u32(plan->session, gm_rule_operand(plan->instruction, plan->shape)))) {
        flags = (flags & ~GM_TYPE) | GM_I16;
    }
    return flags;
}

static void read_layout(operand_layout *layout, const split_plan *plan, uint32_t index)
{
    const uint32_t *instruction = plan->instruction;
    const gm_operand_info *info = &plan->shape->operands[index];
    const uint8_t *term = plan->shape->terms + info->first_term;
    uint32_t stride = 1;
    layout->offset = instruction[1 + index];
    layout->flags = flags_of(plan, info);
    layout->axes = 0;
    if ((info->flags & GM_STRIDED) != 0) {
        for (uint32_t i = info->n_terms; i > 0; i -= 2) {
            add_axis(layout, instruction, term[i - 2], gm_term_value(instruction, term[i - 1]));
        }
        return;
    }
    for (uint32_t i = info->n_terms; i > 0; i--) {
        add_axis(layout, instruction, term[i - 1], stride);
        stride *= gm_term_value(instruction, term[i - 1]);
    }
}

/* Returns the axis of the dim that a term names, or NO_AXIS. */
static uint32_t find_axis(const operand_layout *layout, uint32_t term)
{
    for (uint32_t i = 0; i < layout->axes; i++) {
        if (layout->term[i] == term) {
            return i;
        }
    }
    return NO_AXIS;
}

/* Returns the bytes from the operand's first element to its last. */
static uint32_t operand_size(const split_plan *plan, uint32_t index)
{
    const gm_operand_info *info = &plan->shape->operands[index];
    return gm_bytes_of(flags_of(plan, info), gm_extent_of(plan->instruction, plan->shape, info));
}

/* ---- Whether and how to split ---------------------------------------------------------------- */

/* Returns how many ranges of `grain` elements the axis has, the last one possibly shorter. */
static uint32_t units_of(const split_plan *plan)
{
    return (plan->instruction[plan->axis] + plan->grain - 1) / plan->grain;
}

/* Returns where a part starts along the axis or, if `part` = parts, where the last one ends. */
static uint32_t start_of(const split_plan *plan, uint32_t part)
{
    uint32_t unit = (uint32_t)((uint64_t)units_of(plan) * part / plan->parts);
    return part == plan->parts ? plan->instruction[plan->axis] : unit * plan->grain;
}

/* Returns whether the operand of each part starts at a whole byte, and a shorter axis leaves the
 * strides of all other axes unchanged. */
static int can_start_at_parts(const split_plan *plan, const operand_layout *layout)
{
    uint32_t axis = find_axis(layout, plan->axis);
    if (axis == NO_AXIS) {
        return 1;
    }
    if ((layout->flags & GM_TYPE) == GM_BITS && (layout->stride[axis] != 1 || plan->grain != LONG_GRAIN)) {
        return 0;
    }
    return (layout->flags & GM_STRIDED) != 0 || axis == layout->axes - 1;
}

/* Returns whether all parts write different bytes of an operand. */
static int writes_apart(const split_plan *plan, const operand_layout *layout, uint32_t index)
{
    return 1 + index == plan->split->own ? operand_size(plan, index) <= plan->session->spare
                                         : find_axis(layout, plan->axis) != NO_AXIS;
}

/* Returns whether the parts along the axis can run at the same time. */
static int is_safe(const split_plan *plan, const operand_layout *layouts)
{
    for (uint32_t i = 0; i < plan->shape->n_operands; i++) {
        const operand_layout *layout = &layouts[i];
        int is_written = (layout->flags & GM_WRITE) != 0;
        if (layout->offset != GM_NONE && ((!plan->split->ranged && !can_start_at_parts(plan, layout)) ||
                                          (is_written && !writes_apart(plan, layout, i)))) {
            return 0;
        }
    }
    return 1;
}

/* Returns the inner-loop trips of an instruction. */
static uint64_t work_of(const uint32_t *instruction, const gm_opcode_shape *shape)
{
    uint64_t work = 1;
    for (uint32_t i = 0; i < shape->n_work; i++) {
        work *= gm_term_value(instruction, shape->terms[i]);
    }
    return work;
}

/* Returns whether the instruction has an axis to split, and enough work to justify a look at its
 * operands. */
static int has_enough_work(const split_plan *plan)
{
    return plan->split->axes[0].dim != 0 && work_of(plan->instruction, plan->shape) >= plan->session->splitter->least;
}

/* Returns how many parts the instruction's work deserves, at most one per thread. */
static uint32_t wanted_parts(const split_plan *plan, const operand_layout *layouts)
{
    const gm_splitter *splitter = plan->session->splitter;
    uint32_t largest = 0;
    for (uint32_t i = 0; i < plan->shape->n_operands; i++) {
        uint32_t size = layouts[i].offset == GM_NONE ? 0 : operand_size(plan, i) / 4;
        largest = size > largest ? size : largest;
    }
    uint64_t wanted = (work_of(plan->instruction, plan->shape) / TRIPS_PER_ELEMENT + largest) / splitter->least;
    return wanted < splitter->parts ? (uint32_t)wanted : splitter->parts;
}

static void set_axis(split_plan *plan, gm_split_axis axis)
{
    plan->axis = axis.dim;
    plan->grain = plan->instruction[axis.dim] >= LONG_AXIS ? LONG_GRAIN : axis.grain;
}

/* Sets parts, axis and grain from the first axis that gives the most parts. Returns 0 if the
 * instruction must run whole, or has too little work for two parts. */
static int find_split(split_plan *plan)
{
    operand_layout layouts[GM_MOST_OPERANDS];
    if (!has_enough_work(plan)) {
        return 0;
    }
    for (uint32_t i = 0; i < plan->shape->n_operands; i++) {
        read_layout(&layouts[i], plan, i);
    }
    uint32_t wanted = wanted_parts(plan, layouts), best = 0;
    plan->parts = 1;
    for (uint32_t i = 0; plan->parts < wanted && i < AXES && plan->split->axes[i].dim != 0; i++) {
        set_axis(plan, plan->split->axes[i]);
        uint32_t parts = units_of(plan) < wanted ? units_of(plan) : wanted;
        if (parts > plan->parts && is_safe(plan, layouts)) {
            plan->parts = parts;
            best = i;
        }
    }
    set_axis(plan, plan->split->axes[best]);
    return plan->parts > 1;
}

/* ---- Parts ----------------------------------------------------------------------------------- */

/* Returns the word of an operand in the instruction of a part. */
static uint32_t operand_of_part(const split_plan *plan, uint32_t index, uint32_t part)
{
    operand_layout layout;
    read_layout(&layout, plan, index);
    uint32_t axis = find_axis(&layout, plan->axis);
    if (layout.offset == GM_NONE) {
        return GM_NONE;
    }
    if (1 + index == plan->split->own && part > 0) {
        return plan->session->header->arena_size + (part - 1) * plan->session->spare;
    }
    return axis == NO_AXIS ? layout.offset
                           : layout.offset + gm_bytes_of(layout.flags, start_of(plan, part) * layout.stride[axis]);
}

/* Runs the kernel on a part's range of the whole instruction. Returns its result. */
static int run_range(const split_plan *plan, uint32_t part)
{
    gm_session session = *plan->session;
    session.range_start = start_of(plan, part);
    session.range_length = start_of(plan, part + 1) - session.range_start;
    return gm_kernels[*plan->instruction & 0xFFFF](&session, plan->instruction);
}

/* Runs the kernel on the part's own instruction. Returns its result. */
static int run_shorter(const split_plan *plan, uint32_t part)
{
    uint32_t instruction[GM_MOST_WORDS];
    memcpy(instruction, plan->instruction, (plan->instruction[0] >> 16) * sizeof *instruction);
    for (uint32_t i = 0; i < plan->shape->n_operands; i++) {
        instruction[1 + i] = operand_of_part(plan, i, part);
    }
    instruction[plan->axis] = start_of(plan, part + 1) - start_of(plan, part);
    return gm_kernels[*instruction & 0xFFFF](plan->session, instruction);
}

static void run_part(void *argument, uint32_t part)
{
    split_plan *plan = argument;
    plan->status[part] = (plan->split->ranged ? run_range : run_shorter)(plan, part);
}

static int run_parts(split_plan *plan)
{
    const gm_splitter *splitter = plan->session->splitter;
    splitter->run(splitter->context, plan->parts, run_part, plan);
    for (uint32_t i = 0; i < plan->parts; i++) {
        if (plan->status[i] != GM_OK) {
            return plan->status[i];
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
    split_plan plan = {session, instruction, gm_shape_of(opcode), &gm_splits[opcode], 0, 0, 0, {0}};
    return find_split(&plan) ? run_parts(&plan) : gm_kernels[opcode](session, instruction);
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
    session->spare = (uint32_t)(spare < MOST_SPARE ? spare : MOST_SPARE) & 0x0ffffff0u; /* 28 bits, a multiple of 16 */
    session->splitter = splitter;
    return GM_OK;
}

#endif
