/*
 * Draws an instruction: an opcode, then dims that fit, then strides, then perhaps hostile values for some of them, then
 * places of operands. It does not know what its kernel means by them: only the tables that the verifier has.
 */
#include "generate_instruction.h"

#include "gradmote.h"
#include "../../runtime_c/generated/gm_rules.h"

#define MOST_OPERANDS 16u
#define MOST_AXES 8u
#define MOST_WORK 4096u /* of most instructions */
#define NO_PLACE UINT32_MAX

typedef struct making {
    draws *d;
    const rooms *r;
    const gm_opcode_shape *shape;
    uint32_t *word;
    uint32_t size[MOST_OPERANDS]; /* bytes of each operand */
    uint32_t placed;              /* operands that have their place */
    uint32_t rule;                /* its kind, or GM_RULE_COUNT */
    uint32_t most_work;
    int is_tidy;                  /* as compilers write it: axes without gaps, windows that fit, operands apart */
} making;

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* ---- Extents ---------------------------------------------------------------------------------------------------- */

static uint32_t value_of(const uint32_t *word, uint8_t term)
{
    return term < GM_TERM_COUNT ? word[term] : term - GM_TERM_COUNT;
}

static uint64_t product_of(const uint32_t *word, const uint8_t *term, uint32_t count)
{
    uint64_t product = 1;
    for (uint32_t i = 0; i < count && product <= UINT32_MAX; ++i) {
        product *= value_of(word, term[i]);
    }
    return product;
}

uint64_t elements_of(const uint32_t *word, const gm_opcode_shape *shape, const gm_operand_info *info)
{
    const uint8_t *term = shape->terms + info->first_term;
    if ((info->flags & GM_STRIDED) == 0) {
        return product_of(word, term, info->n_terms);
    }
    uint64_t elements = 1;
    for (uint32_t i = 0; i < info->n_terms && elements <= UINT32_MAX; i += 2) {
        elements += (uint64_t)(value_of(word, term[i]) - 1) * value_of(word, term[i + 1]);
    }
    return elements;
}

uint64_t bytes_of_elements(const gm_operand_info *info, uint64_t elements)
{
    if ((info->flags & GM_TYPE) == GM_BITS) {
        return (elements + 7) / 8;
    }
    uint32_t type = info->flags & GM_TYPE;
    return type == GM_BYTES || type == GM_I8 ? elements : type == GM_I16 ? 2 * elements : 4 * elements;
}

/* The number of bytes that divides an operand's address. */
static uint32_t unit_of(const gm_operand_info *info)
{
    uint32_t type = info->flags & GM_TYPE;
    return type == GM_I8 ? 1 : type == GM_I16 ? 2 : 4;
}

/* Elements of an operand whose axes are as close together as they can be. */
static uint64_t dense_elements(const making *m, const gm_operand_info *info)
{
    const uint8_t *term = m->shape->terms + info->first_term;
    if ((info->flags & GM_STRIDED) == 0) {
        return product_of(m->word, term, info->n_terms);
    }
    uint64_t product = 1;
    for (uint32_t i = 0; i < info->n_terms && product <= UINT32_MAX; i += 2) {
        product *= value_of(m->word, term[i]);
    }
    return product;
}

static int is_little_work(const making *m)
{
    return product_of(m->word, m->shape->terms, m->shape->n_work) <= m->most_work;
}

static uint32_t widest_zone(const rooms *r)
{
    uint32_t widest = 0;
    for (uint32_t i = 0; i < r->zones; ++i) {
        uint32_t width = r->writable[i].end - r->writable[i].begin;
        widest = width > widest ? width : widest;
    }
    return widest;
}

/* Whether all operands find room side by side, and the work is little. */
static int dims_fit(const making *m)
{
    uint64_t room = m->r->arena_size / 4 / (m->shape->n_operands + 1u), writable = widest_zone(m->r) / 4 / 2;
    for (uint32_t i = 0; i < m->shape->n_operands; ++i) {
        uint64_t elements = dense_elements(m, &m->shape->operands[i]);
        if (elements > room || ((m->shape->operands[i].flags & GM_WRITE) != 0 && elements > writable)) {
            return 0;
        }
    }
    return is_little_work(m);
}

/* Whether an operand and each of its strides are at most so long. */
static int is_within(const making *m, const gm_operand_info *info, uint64_t elements)
{
    const uint8_t *term = m->shape->terms + info->first_term;
    for (uint32_t i = 1; (info->flags & GM_STRIDED) != 0 && i < info->n_terms; i += 2) {
        if (value_of(m->word, term[i]) > elements) {
            return 0;
        }
    }
    return elements_of(m->word, m->shape, info) <= elements;
}

/* Whether all operands find room in the arena, no window is too long, and the work is little. */
static int extents_fit(const making *m)
{
    for (uint32_t i = 0; i < m->shape->n_operands; ++i) {
        if (!is_within(m, &m->shape->operands[i], m->r->arena_size / 4)) {
            return 0;
        }
    }
    for (uint32_t i = 0; i < m->shape->n_windows; ++i) {
        if (elements_of(m->word, m->shape, &m->shape->operands[m->shape->n_operands + i]) > INT32_MAX) {
            return 0;
        }
    }
    return is_little_work(m);
}

/* ---- Parameters --------------------------------------------------------------------------------------------------- */

uint32_t draw_hostile(draws *d)
{
    uint32_t slip = below(d, 5) - 2, word = draw_word(d);
    switch (below(d, 6)) {
    case 0: return 0x7FFFFFFFu - below(d, 4);
    case 1: return (uint32_t)((UINT64_C(1) << 32) / between(d, 3, 16)) + slip;
    case 2: return 0x80000000u / between(d, 2, 16) + slip;
    case 3: return (1u << between(d, 8, 30)) + slip;
    case 4: return word >> between(d, 1, 8);
    default: return between(d, 1000, 70000);
    }
}

/* Many kernels take multiples of 4 or 8 another way. */
static uint32_t draw_dim(const making *m, uint32_t most)
{
    draws *d = m->d;
    if (one_in(d, m->is_tidy ? 2 : 3)) {
        return 1;
    }
    return most >= 8 && one_in(d, 3) ? 4 * between(d, 1, most / 4) : between(d, 1, most);
}

static uint32_t draw_param(const making *m, uint32_t kind, uint32_t most)
{
    draws *d = m->d;
    static const uint32_t floats[] = {0x3F800000u, 0x3F000000u, 0x3DCCCCCDu, 0xBF800000u, 0x3727C5ACu, 0, 0x40000000u};
    switch (kind) {
    case GM_PARAM_DIM: return draw_dim(m, most);
    case GM_PARAM_STRIDE: return below(d, 3);
    case GM_PARAM_FLAG: return below(d, 2);
    case GM_PARAM_F32: return one_in(d, 8) ? draw_float(d, 2) : floats[below(d, sizeof floats / sizeof *floats)];
    case GM_PARAM_I32: return below(d, 4) - 1;
    case GM_PARAM_U32: return draw_word(d);
    default: return below(d, kind - GM_PARAM_ENUM);
    }
}

/* A window's terms, in the order of opcodes.toml. */
enum { OUT, STRIDE, KERNEL, DILATION, TWO, PAD, IN, ONE };

/* A window of one tap, which leaves all as it is. */
static void draw_pixel(making *m, const gm_operand_info *window, uint32_t most)
{
    const uint8_t *term = m->shape->terms + window->first_term;
    uint32_t length = draw_dim(m, most);
    m->word[term[OUT]] = m->word[term[IN]] = length;
    m->word[term[STRIDE]] = m->word[term[KERNEL]] = m->word[term[DILATION]] = 1;
    m->word[term[PAD]] = 0;
}

/* A window as networks have them: as many outputs as fit. */
static void draw_window(making *m, const gm_operand_info *window, uint32_t most)
{
    const uint8_t *term = m->shape->terms + window->first_term;
    uint32_t kernel = most > 2 && one_in(m->d, 3) ? 3 : between(m->d, 1, least(most, 4)),
             dilation = one_in(m->d, 4) ? 2 : 1;
    uint32_t stride = one_in(m->d, 3) ? between(m->d, 2, 3) : 1, reach = (kernel - 1) * dilation + 1;
    uint32_t in = between(m->d, 1, most), pad = below(m->d, 3);
    uint32_t fit = in + 2 * pad < reach ? 1 : (in + 2 * pad - reach) / stride + 1;
    m->word[term[OUT]] = !m->is_tidy && one_in(m->d, 6) ? between(m->d, 1, most) : fit;
    m->word[term[STRIDE]] = stride;
    m->word[term[KERNEL]] = kernel;
    m->word[term[DILATION]] = dilation;
    m->word[term[PAD]] = pad;
    m->word[term[IN]] = in;
}

static void draw_params(making *m, uint32_t most, uint32_t most_of_windows)
{
    const gm_opcode_shape *shape = m->shape;
    uint32_t *param = m->word + 1 + shape->n_operands;
    for (uint32_t i = 0; i < shape->n_params; ++i) {
        param[i] = draw_param(m, shape->params[i], most);
    }
    int are_pixels = m->is_tidy && one_in(m->d, 4);
    for (uint32_t i = 0; i < shape->n_windows; ++i) {
        if (m->is_tidy || !one_in(m->d, 8)) {
            (are_pixels ? draw_pixel : draw_window)(m, &shape->operands[shape->n_operands + i], most_of_windows);
        }
    }
}

/* ---- Strides ------------------------------------------------------------------------------------------------------ */

static int is_stride(const making *m, uint8_t term)
{
    uint32_t first = 1u + m->shape->n_operands;
    return term >= first && term < GM_TERM_COUNT && m->shape->params[term - first] == GM_PARAM_STRIDE;
}

static void swap(uint32_t *order, uint32_t a, uint32_t b)
{
    uint32_t kept = order[a];
    order[a] = order[b];
    order[b] = kept;
}

/* Fills order with 0 .. count - 1, the innermost first: from the last to the first, with one axis in the place of the last,
 * or shuffled. */
static void draw_order(draws *d, uint32_t *order, uint32_t count)
{
    uint32_t swaps = below(d, 4);
    for (uint32_t i = 0; i < count; ++i) {
        order[i] = count - 1 - i;
    }
    if (swaps == 1) {
        swap(order, 0, below(d, count));
    }
    for (uint32_t i = count; swaps > 1 && i > 1; --i) {
        swap(order, i - 1, below(d, i));
    }
}

/* The stride of an axis if `step` elements are closer together. That of a dim of 1 makes no difference, up to the size
 * of the arena or the constants. */
static uint32_t draw_stride(const making *m, uint32_t dim, uint32_t step, uint32_t unit, int writes)
{
    draws *d = m->d;
    if (dim == 1 && !m->is_tidy && one_in(d, 2)) {
        uint32_t most = least(m->r->arena_size, m->r->constants_size) / unit;
        return one_in(d, 200) ? draw_hostile(d) : one_in(d, 3) ? below(d, most + 1) : below(d, 3);
    }
    if (m->is_tidy) {
        return step;
    }
    if (one_in(d, writes ? 40 : 6)) {
        return one_in(d, 3) ? below(d, 5) : 0;
    }
    return step + (one_in(d, 5) ? between(d, 1, 3) : 0);
}

/* Strides of one operand; each axis begins from the extent of those within it. */
static void draw_strides(making *m, const gm_operand_info *info)
{
    const uint8_t *term = m->shape->terms + info->first_term;
    uint32_t axes = info->n_terms / 2, order[MOST_AXES], step = 1;
    for (uint32_t i = 0; i < axes; ++i) {
        if (!is_stride(m, term[2 * i + 1])) {
            uint32_t end = value_of(m->word, term[2 * i]) * value_of(m->word, term[2 * i + 1]);
            step = end > step ? end : step;
        }
    }
    draw_order(m->d, order, axes);
    for (uint32_t i = 0; i < axes; ++i) {
        const uint8_t *axis = term + 2 * order[i];
        if (is_stride(m, axis[1])) {
            uint32_t dim = value_of(m->word, axis[0]),
                     stride = draw_stride(m, dim, step, unit_of(info), info->flags & GM_WRITE);
            m->word[axis[1]] = stride;
            step = dim > 1 && stride >= step ? step + (dim - 1) * stride : step;
        }
    }
}

static void draw_all_strides(making *m)
{
    for (uint32_t i = 0; i < m->shape->n_operands; ++i) {
        if ((m->shape->operands[i].flags & GM_STRIDED) != 0) {
            draw_strides(m, &m->shape->operands[i]);
        }
    }
}

/* One parameter takes a large value; if that does not fit, it mostly takes its old one again. */
static void make_hostile(making *m)
{
    uint32_t index = below(m->d, m->shape->n_params), kind = m->shape->params[index];
    uint32_t *param = m->word + 1 + m->shape->n_operands + index, old = *param;
    if (kind == GM_PARAM_DIM || kind == GM_PARAM_STRIDE || one_in(m->d, 16)) {
        *param = draw_hostile(m->d);
        *param = extents_fit(m) || one_in(m->d, 32) ? *param : old;
    }
}

/* A step of an operand or of a window takes a value with a small multiple near a power of 2 that ends bytes, signed
 * words or words of 32 bits. */
static void make_wrapping(making *m)
{
    static const uint8_t ends[] = {30, 31, 32, 32};
    const gm_operand_info *info = &m->shape->operands[below(m->d, m->shape->n_operands + m->shape->n_windows)];
    if ((info->flags & GM_STRIDED) == 0) {
        return;
    }
    const uint8_t *axis = m->shape->terms + info->first_term + 2 * below(m->d, info->n_terms / 2);
    uint32_t dim = value_of(m->word, axis[0]), slip = below(m->d, 9);
    uint64_t end = (UINT64_C(1) << ends[below(m->d, sizeof ends)]) + slip - 4;
    if (axis[1] < GM_TERM_COUNT && dim > 1) {
        m->word[axis[1]] = (uint32_t)(end / between(m->d, 1, dim - 1) & INT32_MAX);
    }
}

/* ---- Operands --------------------------------------------------------------------------------------------------- */

static int is_apart(const making *m, uint32_t offset, uint32_t size, int writes)
{
    for (uint32_t i = 0; i < m->placed; ++i) {
        int matters = writes || (m->shape->operands[i].flags & GM_WRITE) != 0;
        if (matters && offset < m->word[1 + i] + m->size[i] && m->word[1 + i] < offset + size) {
            return 0;
        }
    }
    return 1;
}

/* A place in a zone, at times at one end of it. NO_PLACE if the zone is too small. */
static uint32_t draw_offset(draws *d, zone z, uint32_t size, uint32_t unit)
{
    if (z.end - z.begin < size) {
        return NO_PLACE;
    }
    uint32_t last = (z.end - z.begin - size) / unit;
    switch (below(d, 8)) {
    case 0: return z.begin;
    case 1:
    case 2: return z.begin + unit * last;
    default: return z.begin + unit * below(d, last + 1);
    }
}

/* The place of an earlier operand, or one near it. */
static uint32_t draw_alias(const making *m)
{
    uint32_t offset = m->word[1 + below(m->d, m->placed)];
    return one_in(m->d, 4) ? offset + 4 * (below(m->d, 9) - 4) : offset;
}

/* The place of an earlier operand that may give it to an output, or NO_PLACE. */
static uint32_t draw_place_of_another(const making *m)
{
    uint32_t index = below(m->d, m->placed);
    int may = (m->shape->operands[index].flags & GM_IN_PLACE) != 0 && (m->word[1 + index] & GM_CONSTANT_BIT) == 0;
    return may ? m->word[1 + index] : NO_PLACE;
}

static uint32_t draw_place(const making *m, uint32_t size, uint32_t unit, int writes)
{
    zone everywhere = {0, m->r->arena_size};
    if (m->placed != 0 && !m->is_tidy && one_in(m->d, 20)) {
        return draw_alias(m);
    }
    uint32_t offset = m->placed != 0 && writes && one_in(m->d, 4) ? draw_place_of_another(m) : NO_PLACE;
    if (offset != NO_PLACE) {
        return offset;
    }
    for (uint32_t tries = 0; tries < 24; ++tries) {
        offset = draw_offset(m->d, writes ? m->r->writable[below(m->d, m->r->zones)] : everywhere, size, unit);
        if (offset != NO_PLACE && is_apart(m, offset, size, writes)) {
            return offset;
        }
    }
    return offset;
}

/* A place that is none. */
static uint32_t draw_bad_place(const making *m, uint32_t offset)
{
    switch (below(m->d, 5)) {
    case 0: return offset + between(m->d, 1, 3);
    case 1: return GM_NONE;
    case 2: return offset ^ GM_CONSTANT_BIT;
    case 3: return m->r->arena_size - 4 * below(m->d, 3);
    default: return draw_word(m->d);
    }
}

/* Whether an operand is absent. The three optional ones that come first beside a rule are the moments and the bias
 * correction that its kind has or has not. */
static int is_absent(const making *m, const gm_operand_info *info, uint32_t optional)
{
    static const uint8_t slots[GM_RULE_COUNT] = GM_RULE_SLOTS, aux[GM_RULE_COUNT] = GM_RULE_AUX;
    if ((info->flags & GM_OPTIONAL) == 0) {
        return 0;
    }
    if (m->rule >= GM_RULE_COUNT || optional > 2 || one_in(m->d, 64)) {
        return one_in(m->d, 3);
    }
    return optional < 2 ? slots[m->rule] <= optional : !aux[m->rule];
}

static uint32_t draw_operand(making *m, const gm_operand_info *info)
{
    uint64_t bytes = bytes_of_elements(info, elements_of(m->word, m->shape, info));
    uint32_t size = bytes > INT32_MAX ? INT32_MAX : (uint32_t)bytes;
    int writes = (info->flags & GM_WRITE) != 0;
    zone constants = {0, m->r->constants_size};
    uint32_t offset = !writes && one_in(m->d, 8) ? draw_offset(m->d, constants, size, unit_of(info)) : NO_PLACE;
    m->size[m->placed] = size;
    offset = offset != NO_PLACE ? offset | GM_CONSTANT_BIT : draw_place(m, size, unit_of(info), writes);
    return !m->is_tidy && one_in(m->d, 300) ? draw_bad_place(m, offset) : offset;
}

/* The index of the operand that is a rule, or the number of operands. */
static uint32_t rule_operand(const gm_opcode_shape *shape)
{
    uint32_t i = 0;
    while (i < shape->n_operands && (shape->operands[i].flags & GM_TYPE) != GM_RULE) {
        ++i;
    }
    return i;
}

static void draw_operands(making *m)
{
    const gm_operand_info *info = m->shape->operands;
    uint32_t rule = rule_operand(m->shape);
    m->rule = rule < m->shape->n_operands ? below(m->d, m->r->rules) : GM_RULE_COUNT;
    uint32_t optional = 0;
    for (m->placed = 0; m->placed < m->shape->n_operands; ++m->placed, ++info) {
        int absent = is_absent(m, info, optional);
        optional += (info->flags & GM_OPTIONAL) != 0;
        m->word[1 + m->placed] = absent ? GM_NONE : draw_operand(m, info);
        m->size[m->placed] = absent ? 0 : m->size[m->placed];
    }
    if (rule < m->shape->n_operands) {
        uint32_t first = one_in(m->d, 2) ? m->r->rules : 0;
        m->word[1 + rule] = GM_CONSTANT_BIT | ((first + m->rule) * GM_RULE_WORDS * 4);
    }
}

/* ---- All of it ------------------------------------------------------------------------------------------------------ */

/* Dims of at most `most`, windows of at most `most_of_windows`, and less if they do not fit after some tries. */
static void draw_fitting_params(making *m, uint32_t most, uint32_t most_of_windows)
{
    draw_params(m, most, most_of_windows);
    for (uint32_t tries = 1; (most > 1 || most_of_windows > 1) && !dims_fit(m); ++tries) {
        most = tries % 4 == 0 ? (most + 1) / 2 : most;
        most_of_windows = tries % 4 == 0 ? (most_of_windows + 1) / 2 : most_of_windows;
        draw_params(m, most, most_of_windows);
    }
}

static int is_of_window(const making *m, uint32_t term)
{
    for (uint32_t i = 0; i < m->shape->n_windows; ++i) {
        const gm_operand_info *window = &m->shape->operands[m->shape->n_operands + i];
        for (uint32_t j = 0; j < window->n_terms; ++j) {
            if (m->shape->terms[window->first_term + j] == term) {
                return 1;
            }
        }
    }
    return 0;
}

/* A dim outside all windows, or 0 if some tries find none. */
static uint32_t draw_free_dim(const making *m)
{
    for (uint32_t tries = 0; tries < 16; ++tries) {
        uint32_t index = below(m->d, m->shape->n_params), term = 1u + m->shape->n_operands + index;
        if (m->shape->params[index] == GM_PARAM_DIM && !is_of_window(m, term)) {
            return term;
        }
    }
    return 0;
}

/* Some few dims become longer as long as that fits, mostly twice as long: kernels take long axes, and multiples, another
 * way. */
static void grow_dims(making *m)
{
    uint32_t chosen[3];
    for (uint32_t i = 0; i < 3; ++i) {
        chosen[i] = draw_free_dim(m);
    }
    for (uint32_t left = between(m->d, 4, 20); left != 0; --left) {
        uint32_t term = chosen[below(m->d, 3)], old = m->word[term];
        if (term != 0) {
            m->word[term] = one_in(m->d, 4) ? old + 1 : 2 * old;
            m->word[term] = dims_fit(m) ? m->word[term] : old;
        }
    }
}

static void make_unruly(making *m)
{
    for (uint32_t left = one_in(m->d, 2) ? between(m->d, 1, 3) : 0; left != 0; --left) {
        make_hostile(m);
    }
    if (one_in(m->d, m->shape->n_windows != 0 ? 4 : 60)) {
        make_wrapping(m);
    }
}

uint32_t generate_instruction(draws *d, const rooms *r, uint32_t opcode, uint32_t *word)
{
    static const uint8_t sizes[] = {3, 5, 9, 16, 33, 70};
    const gm_opcode_shape *shape = gm_shape_of(opcode);
    making m = {.d = d, .r = r, .shape = shape, .word = word};
    m.most_work = one_in(d, 16) ? 8 * MOST_WORK : MOST_WORK;
    m.is_tidy = one_in(d, 2);
    uint32_t words = 1u + shape->n_operands + shape->n_params;
    word[0] = opcode | words << 16;
    uint32_t most = sizes[below(d, sizeof sizes)];
    if (one_in(d, 2)) {
        draw_fitting_params(&m, most, most);
    } else {
        draw_fitting_params(&m, between(d, 1, 4), most);
        grow_dims(&m);
    }
    draw_all_strides(&m);
    if (!m.is_tidy) {
        make_unruly(&m);
    }
    draw_operands(&m);
    return words;
}
