/* The verifier of operands: which bytes an instruction may touch. "V16" to "V31" are invariants in
 * docs/SPEC.md. */
#include "verify_operands.h"

#include "image.h"
#include "ranges.h"
#include "verify_store.h"

/* ---- The reach of an operand ----------------------------------------------------------------- */

GM_COLD uint64_t gm_product_of_terms(const uint32_t *instruction, const uint8_t *term, uint32_t count, uint32_t step)
{
    uint64_t product = 1;
    for (uint32_t i = 0; i < count; i += step) {
        product = saturating_product(product, gm_term_value(instruction, term[i]));
    }
    return product;
}

/* Returns how many indices an operand has. With a stride of 0, several indices are the same
 * element. */
static uint64_t indices_of(const uint32_t *instruction, const gm_opcode_shape *shape, const gm_operand_info *info)
{
    uint32_t step = (info->flags & GM_STRIDED) != 0 ? 2 : 1;
    return gm_product_of_terms(instruction, shape->terms + info->first_term, info->n_terms, step);
}

GM_COLD uint64_t gm_extent(const uint32_t *instruction, const gm_opcode_shape *shape, const gm_operand_info *info)
{
    const uint8_t *term = shape->terms + info->first_term;
    if ((info->flags & GM_STRIDED) == 0) {
        return indices_of(instruction, shape, info);
    }
    uint64_t elements = 1;
    for (uint32_t i = 0; i < info->n_terms && elements <= UINT32_MAX; i += 2) {
        elements += (uint64_t)(gm_term_value(instruction, term[i]) - 1) * gm_term_value(instruction, term[i + 1]);
    }
    return elements;
}

/* Returns an operand's alignment in bytes: its elements' size, but a word for u8 and bits. */
static uint32_t alignment(const gm_operand_info *info)
{
    uint32_t type = info->flags & GM_TYPE;
    return !GM_WITH_INT8 ? WORD : type == GM_I8 ? 1 : type == GM_I16 ? 2 : WORD;
}

/* Returns the rule record of an operand, or NULL if it is not in the constants. */
static const uint32_t *rule_at(const gm_verifier *v, uint32_t operand)
{
    uint32_t offset = operand & ~GM_CONSTANT_BIT;
    if ((operand & GM_CONSTANT_BIT) == 0 ||
        !lies_in(offset, GM_RULE_WORDS * WORD, 0, v->header->sections[GM_SECTION_CONSTANTS].size)) {
        return NULL;
    }
    const uint8_t *constants = gm_section_data(v->header, GM_SECTION_CONSTANTS);
    return (const uint32_t *)(const void *)(constants + offset);
}

#if GM_WITH_SHORT_MOMENTS
/* Returns an operand's info. If the instruction's rule has 2-byte moments and this is one, *room
 * becomes its info. */
static const gm_operand_info *info_of(const gm_verifier *v, const uint32_t *instruction, const gm_opcode_shape *shape,
                                      uint32_t index, gm_operand_info *room)
{
    const gm_operand_info *info = &shape->operands[index];
    if ((info->flags & GM_TYPE) != GM_MOMENT) {
        return info;
    }
    const uint32_t *rule = rule_at(v, gm_rule_operand(instruction, shape));
    *room = *info;
    room->flags = (uint8_t)(info->flags & ~GM_TYPE) | GM_I16;
    return rule != NULL && gm_has_short_moments(rule) ? room : info;
}
#endif

/* Returns the size in bytes of so many elements, with moments as four bytes. Saturates like
 * `elements`. */
static uint64_t bytes_of_elements(const gm_operand_info *info, uint64_t elements)
{
    if ((info->flags & GM_TYPE) == GM_BITS) {
        return elements / 8 + (elements % 8 != 0);
    }
    return elements > SIZE_LIMIT || (info->flags & GM_TYPE) == GM_BYTES ? elements : alignment(info) * elements;
}

/* Returns whether an update has its moments in the words of UPDATE. All fused updates have them in
 * those of GEMM_UPDATE. */
static int updates_with_stored_gradient(uint32_t opcode)
{
    return opcode == GM_OP_UPDATE || opcode == GM_OP_UPDATE_S8 || opcode == GM_OP_UPDATE_S16 ||
           opcode == GM_OP_UPDATE_S32;
}

/* V19: a rule is in the constants and in this build, and the instruction has exactly the moments
 * that it needs. V31: moments, if any, may be bfloat16. */
static int check_rule(const gm_verifier *v, const uint32_t *instruction, uint32_t operand)
{
    static const uint8_t slots[GM_RULE_COUNT] = GM_RULE_SLOTS, aux[GM_RULE_COUNT] = GM_RULE_AUX;
    const uint32_t *rule = rule_at(v, operand);
    uint32_t first =
        (uint32_t)(updates_with_stored_gradient(instruction[0] & 0xFFFF) ? offsetof(gm_insn_update, slot1)
                                                                         : offsetof(gm_insn_gemm_update, slot1));
    const uint32_t *moment = &instruction[first / WORD];
    if (rule == NULL) {
        return GM_ERR_BAD_OPERAND;
    }
    uint32_t kind = rule[0];
    if (gm_has_short_moments(rule)) {
        kind -= GM_MOMENTS_BF16;
        if (moment[0] == GM_NONE) {
            return GM_ERR_BAD_OPERAND;
        }
    }
    if (kind >= GM_RULE_COUNT || gm_rules[kind] == NULL) {
        return GM_ERR_BAD_OPCODE;
    }
    int fits = (moment[0] != GM_NONE) == (slots[kind] >= 1) && (moment[1] != GM_NONE) == (slots[kind] >= 2) &&
               (moment[2] != GM_NONE) == aux[kind];
    return fits ? GM_OK : GM_ERR_BAD_OPERAND;
}

/* Returns whether the bytes are in one running mean or variance. */
static int is_statistic(const gm_header *header, uint32_t offset, uint64_t size)
{
    const gm_state_entry *entry = gm_section_data(header, GM_SECTION_STATE);
    uint32_t count = section_records(header, GM_SECTION_STATE, sizeof *entry);
    for (uint32_t i = 0; i < count; ++i) {
        if (entry[i].role == GM_STATE_ROLE_STATISTIC &&
            lies_in(offset, size, entry[i].offset, (uint64_t)entry[i].offset + entry[i].size)) {
            return 1;
        }
    }
    return 0;
}

/* V17: a program writes nothing below its floor, except that TRAIN writes running statistics. It
 * never writes the control record, the properties, the store or the inputs. */
static int may_write(const gm_verifier *v, uint32_t offset, uint32_t size)
{
    const gm_header *header = v->header;
    uint32_t properties_size = header->properties_count * (uint32_t)sizeof(gm_property);
    uint32_t inputs = inputs_offset(header);
    const gm_store *store = gm_store_of(header);
    int is_allowed = offset >= v->write_floor ||
                     (GM_TRAINING && v->program->kind == GM_PROGRAM_TRAIN && is_statistic(header, offset, size));
    return is_allowed && !overlaps(offset, size, header->control_offset, sizeof(gm_control)) &&
           !overlaps(offset, size, header->properties_offset, properties_size) &&
           !(GM_WITH_STORE && store != NULL && overlaps(offset, size, store->offset, (uint32_t)gm_store_size(store))) &&
           !overlaps(offset, size, inputs, header->scratch_offset - inputs);
}

/* V27: no stride is longer than the operand's memory, even if its dim is 1, because kernels step
 * once more than there are elements. */
static int steps_are_inside(const uint32_t *instruction, const gm_opcode_shape *shape, const gm_operand_info *info,
                            uint32_t end)
{
    const uint8_t *term = shape->terms + info->first_term;
    for (uint32_t i = 1; (info->flags & GM_STRIDED) != 0 && i < info->n_terms; i += 2) {
        if (gm_term_value(instruction, term[i]) > end / alignment(info)) {
            return 0;
        }
    }
    return 1;
}

#if GM_WITH_LOOP
/* Returns by how many bytes the operand of a guarded instruction advances each time. */
static uint64_t step_in_loop(const gm_verifier *v, uint32_t index)
{
    const gm_insn_guard *g = v->guard;
    if (g == NULL) {
        return 0;
    }
    return (uint64_t)(g->operand_a == index ? g->step_a : 0) + (g->operand_b == index ? g->step_b : 0) +
           (g->operand_c == index ? g->step_c : 0);
}

/* Returns by how many bytes the operand advances in all. */
static uint64_t bytes_moved(const gm_verifier *v, uint32_t index)
{
    return v->guard != NULL ? step_in_loop(v, index) * (v->guard->count - 1) : 0;
}
#else
#define step_in_loop(v, index) ((void)(v), UINT64_C(0))
#define bytes_moved(v, index) UINT64_C(0)
#endif

/* V16: every byte that a kernel can touch is in the constants, or in the program's part of the
 * arena, and kernels can count the indices in 32 bits. V30: so is every byte that the operand
 * reaches when a GUARD advances it. *bytes becomes the number of these bytes. */
static int check_operand(const gm_verifier *v, const uint32_t *instruction, const gm_opcode_shape *shape,
                         uint32_t index, uint32_t *bytes)
{
#if GM_WITH_SHORT_MOMENTS
    gm_operand_info room;
    const gm_operand_info *info = info_of(v, instruction, shape, index, &room);
#else
    const gm_operand_info *info = &shape->operands[index];
#endif
    uint32_t operand = instruction[1 + index];
    *bytes = 0;
    uint64_t step = step_in_loop(v, index), moved = bytes_moved(v, index);
    if (step != 0 && (operand == GM_NONE || (info->flags & GM_TYPE) == GM_RULE || step % alignment(info) != 0)) {
        return GM_ERR_BAD_OPERAND;
    }
    if (operand == GM_NONE) {
        return (info->flags & GM_OPTIONAL) != 0 ? GM_OK : GM_ERR_BAD_OPERAND;
    }
    if (GM_TRAINING && (info->flags & GM_TYPE) == GM_RULE) {
        return check_rule(v, instruction, operand);
    }
    uint64_t size = bytes_of_elements(info, gm_extent(instruction, shape, info));
    int in_constants = (operand & GM_CONSTANT_BIT) != 0, writes = (info->flags & GM_WRITE) != 0;
    uint32_t end = in_constants ? v->header->sections[GM_SECTION_CONSTANTS].size : v->program->arena_size;
    uint32_t offset = operand & ~GM_CONSTANT_BIT;
    if (size > SIZE_LIMIT || moved > SIZE_LIMIT || indices_of(instruction, shape, info) > INT32_MAX ||
        offset % alignment(info) != 0 || !is_within(offset, size + moved, 0, end) ||
        !steps_are_inside(instruction, shape, info, end) ||
        (writes && (in_constants || !may_write(v, offset, (uint32_t)(size + moved))))) {
        return GM_ERR_BAD_OPERAND;
    }
    *bytes = (uint32_t)(size + moved);
    return GM_OK;
}

/* ---- Written operands ------------------------------------------------------------------------ */

/* One axis of an operand that has more than one element, and the axes still to come. The last axis
 * comes first. */
typedef struct axes {
    const uint8_t *term;         /* the operand's first term */
    uint32_t left;               /* terms still to come */
    int strided;
    uint32_t dim;                /* term of the axis */
    uint32_t stride, next_stride;
} axes;

static axes axes_of(const gm_opcode_shape *shape, const gm_operand_info *info)
{
    int strided = (info->flags & GM_STRIDED) != 0;
    return (axes){shape->terms + info->first_term, info->n_terms, strided, 0, 0, 1};
}

/* Advances to the next axis. Returns 0 if there is none, with dim and stride 0. */
static int next_axis(axes *a, const uint32_t *instruction)
{
    while (a->left != 0) {
        a->left -= 1u + (uint32_t)a->strided;
        a->dim = a->term[a->left];
        uint32_t length = gm_term_value(instruction, (uint8_t)a->dim);
        a->stride = a->strided ? gm_term_value(instruction, a->term[a->left + 1]) : a->next_stride;
        a->next_stride *= length;
        if (length > 1) {
            return 1;
        }
    }
    a->dim = a->stride = 0;
    return 0;
}

/* Returns whether equal indices are the same bytes in two operands that start at the same byte. */
static int lie_alike(const uint32_t *instruction, const gm_opcode_shape *shape, const gm_operand_info *one,
                     const gm_operand_info *other)
{
    axes a = axes_of(shape, one), b = axes_of(shape, other);
    int more;
    if (GM_WITH_INT8 && bytes_of_elements(one, 8) != bytes_of_elements(other, 8)) {
        return 0;
    }
    do {
        more = next_axis(&a, instruction);
        if (more != next_axis(&b, instruction) || a.dim != b.dim || a.stride != b.stride) {
            return 0;
        }
    } while (more);
    return 1;
}

/* V18: a written operand does not overlap any other, except one that the output may overwrite
 * element by element and that advances as the output does. */
static int check_apart(const gm_verifier *v, const uint32_t *instruction, const gm_opcode_shape *shape,
                       const uint32_t *bytes, uint32_t written)
{
    const gm_operand_info *info = shape->operands;
    uint32_t at = instruction[1 + written];
    for (uint32_t i = 0; i < shape->n_operands; ++i) {
        uint32_t other = instruction[1 + i];
        int in_place =
            (info[i].flags & GM_IN_PLACE) != 0 && at == other && step_in_loop(v, i) == step_in_loop(v, written);
        if (i != written && overlaps(at, bytes[written], other, bytes[i]) &&
            !(in_place && lie_alike(instruction, shape, &info[written], &info[i]))) {
            return GM_ERR_BAD_OPERAND;
        }
    }
    return GM_OK;
}

/* Returns the total reach of the axes with smaller or equal strides: the elements from index 0 to
 * the last index of each. Leaves out the axes of the stride parameter `parameter` itself. */
static uint32_t reach_below(const uint32_t *instruction, const uint8_t *term, uint32_t n_terms, uint32_t parameter)
{
    uint32_t stride = gm_term_value(instruction, (uint8_t)parameter), reach = 0;
    for (uint32_t i = 0; i < n_terms; i += 2) {
        uint32_t step = gm_term_value(instruction, term[i + 1]);
        if (term[i + 1] != parameter && step <= stride) {
            reach += (gm_term_value(instruction, term[i]) - 1) * step;
        }
    }
    return reach;
}

/* V26: all indices are different elements, because the stride of each axis is larger than the
 * reach of the axes with smaller strides. The extent is known to be in the arena, so nothing
 * wraps here. */
static int check_one_to_one(const uint32_t *instruction, const gm_opcode_shape *shape, const gm_operand_info *info)
{
    const uint8_t *term = shape->terms + info->first_term;
    if ((info->flags & GM_STRIDED) == 0) {
        return GM_OK;
    }
    for (uint32_t i = 0; i < info->n_terms; i += 2) {
        uint32_t stride = gm_term_value(instruction, term[i + 1]);
        int counts = gm_term_value(instruction, term[i]) > 1 && (stride != 0 || (info->flags & GM_FOLDS) == 0);
        if (counts && stride <= reach_below(instruction, term, info->n_terms, term[i + 1])) {
            return GM_ERR_BAD_OPERAND;
        }
    }
    return GM_OK;
}

GM_COLD int gm_verify_operands(const gm_verifier *v, const uint32_t *instruction, const gm_opcode_shape *shape)
{
    uint32_t bytes[GM_MOST_OPERANDS];
    int status = GM_OK;
    for (uint32_t i = 0; i < shape->n_operands && status == GM_OK; ++i) {
        status = check_operand(v, instruction, shape, i, &bytes[i]);
    }
    for (uint32_t i = 0; i < shape->n_operands && status == GM_OK; ++i) {
        if ((shape->operands[i].flags & GM_WRITE) == 0 || instruction[1 + i] == GM_NONE) {
            continue;
        }
        status = check_one_to_one(instruction, shape, &shape->operands[i]);
        if (status == GM_OK) {
            status = check_apart(v, instruction, shape, bytes, i);
        }
    }
    return status;
}
