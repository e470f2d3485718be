/*
 * The verifier: everything that an image claims is checked here, once, so that the executor and the accessors need no
 * checks. The comments "V1" .. "V24" refer to the invariants in docs/SPEC.md, "What is verified".
 *
 * Sizes and offsets are 32-bit words of the image; every sum or product of them is taken in 64 bits and cannot
 * overflow there: a product saturates, a sum has at most 8 terms below 2^62 and stops once it passes 2^32.
 */
#include <stddef.h>

#include "gm_image.h"
#include "gm_internal.h"

/* Largest file and largest arena: byte offsets then fit 31 bits, and their sums fit 32. */
#define SIZE_LIMIT (UINT32_C(1) << 30)

/* Bytes that the checksum leaves out: magic, version, size and the checksum itself. */
#define CRC_START 16u

#define WORD 4u

#if GM_MAX_WORK > (UINT64_C(1) << 62)
#error "GM_MAX_WORK must not exceed 2^62, so that sums of work cannot overflow"
#endif

/* ---- Ranges ------------------------------------------------------------------------------------------------- */

/* Bytes [offset, offset + size) lie in [begin, end) and start at a word. */
static int lies_in(uint64_t offset, uint64_t size, uint32_t begin, uint64_t end)
{
    return offset % WORD == 0 && offset >= begin && offset + size <= end;
}

static int overlaps(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
    return a_size != 0 && b_size != 0 && a < b + b_size && b < a + a_size;
}

/* a b, or UINT64_MAX where that does not fit. */
static uint64_t saturating_product(uint64_t a, uint32_t b)
{
    uint64_t low = (a & UINT32_MAX) * b;
    uint64_t high = (a >> 32) * b + (low >> 32);
    return high >> 32 != 0 ? UINT64_MAX : high << 32 | (low & UINT32_MAX);
}

static uint32_t section_records(const gm_header *header, uint32_t section, size_t record_size)
{
    return header->sections[section].size / (uint32_t)record_size;
}

/* ---- File, sections, memory regions ------------------------------------------------------------------------- */

static int is_name(const gm_header *header, uint32_t name)
{
    return name == GM_NONE || name < header->sections[GM_SECTION_NAMES].size;
}

/* V2: every section lies behind the header and inside the file. V3: tables hold whole records, text ends; so does the
 * scheme's. */
static int check_sections(const gm_header *header)
{
    static const uint8_t record_size[GM_SECTION_COUNT] = {
        sizeof(gm_tensor), sizeof(gm_program), WORD, WORD, WORD, sizeof(gm_state_entry), WORD, sizeof(gm_store),
    };
    for (uint32_t i = 0; i < GM_SECTION_COUNT; ++i) {
        gm_section section = header->sections[i];
        if (section.offset % GM_SECTION_ALIGN != 0 || section.size % record_size[i] != 0 ||
            !lies_in(section.offset, section.size, sizeof *header, header->size)) {
            return GM_ERR_BAD_SECTION;
        }
    }
    uint32_t names_size = header->sections[GM_SECTION_NAMES].size;
    const char *names = gm_section_data(header, GM_SECTION_NAMES);
    int ends = names_size == 0 || names[names_size - 1] == '\0';
    return ends && is_name(header, header->scheme) ? GM_OK : GM_ERR_BAD_SECTION;
}

/* V4: 0 <= parameters <= state <= gradients <= scratch <= arena, all at words. V5: initial values fit. */
static int check_regions(const gm_header *header)
{
    uint32_t initial_size = header->sections[GM_SECTION_INITIAL].size;
    if (header->arena_size > SIZE_LIMIT || header->scratch_offset % WORD != 0 || header->state_size % WORD != 0 ||
        header->scratch_offset > header->arena_size ||
        !lies_in(header->gradients_offset, header->gradients_size, header->state_size, header->scratch_offset) ||
        header->gradients_size % WORD != 0 || header->parameters_size % WORD != 0 ||
        header->parameters_size > header->state_size) {
        return GM_ERR_BAD_REGION;
    }
    return initial_size >= header->parameters_size && initial_size <= header->state_size ? GM_OK : GM_ERR_BAD_REGION;
}

/* V6: the control record and the properties lie in the state behind the parameters, and apart. */
static int check_state_records(const gm_header *header)
{
    uint64_t properties_size = (uint64_t)header->properties_count * sizeof(gm_property);
    if (!lies_in(header->control_offset, sizeof(gm_control), header->parameters_size, header->state_size) ||
        !lies_in(header->properties_offset, properties_size, header->parameters_size, header->state_size) ||
        overlaps(header->control_offset, sizeof(gm_control), header->properties_offset, properties_size)) {
        return GM_ERR_BAD_REGION;
    }
    return GM_OK;
}

/* ---- Tensors ------------------------------------------------------------------------------------------------ */

/* V7: dimensions are positive, those past the rank are 1, and their product is the size in words. */
static int is_shape(uint32_t rank, const uint32_t *dims, uint32_t size)
{
    uint64_t elements = 1;
    if (rank > GM_MAX_RANK) {
        return 0;
    }
    for (uint32_t i = 0; i < GM_MAX_RANK; ++i) {
        if (dims[i] == 0 || (i >= rank && dims[i] != 1)) {
            return 0;
        }
        elements = saturating_product(elements, dims[i]);
    }
    return size % WORD == 0 && elements == size / WORD;
}

/* Inputs and labels that nothing overwrites lie from here to scratch_offset. */
static uint32_t inputs_offset(const gm_header *header)
{
    return header->gradients_offset + header->gradients_size;
}

/* V9: outputs and losses lie in the scratch, inputs and labels there or between gradients and scratch. */
static int is_in_place(const gm_header *header, const gm_tensor *tensor)
{
    int is_given = tensor->role == GM_ROLE_INPUT || tensor->role == GM_ROLE_LABEL;
    return lies_in(tensor->offset, tensor->size, header->scratch_offset, header->arena_size) ||
           (is_given && lies_in(tensor->offset, tensor->size, inputs_offset(header), header->scratch_offset));
}

/* V8: name, role, dtype and programs exist. V10: a loss is one f32. */
static int is_tensor(const gm_header *header, const gm_tensor *tensor)
{
    int is_scalar = tensor->dtype == GM_DTYPE_F32 && tensor->size == sizeof(float);
    return is_name(header, tensor->name) && tensor->role < GM_ROLE_COUNT && tensor->dtype < GM_DTYPE_COUNT &&
           tensor->programs >> GM_PROGRAM_COUNT == 0 && is_shape(tensor->rank, tensor->dims, tensor->size) &&
           is_in_place(header, tensor) && (tensor->role != GM_ROLE_LOSS || is_scalar);
}

static int check_tensors(const gm_header *header)
{
    const gm_tensor *tensor = gm_section_data(header, GM_SECTION_TENSORS);
    uint32_t count = section_records(header, GM_SECTION_TENSORS, sizeof *tensor);
    for (uint32_t i = 0; i < count; ++i) {
        if (!is_tensor(header, &tensor[i])) {
            return GM_ERR_BAD_TENSOR;
        }
    }
    return GM_OK;
}

/* ---- The sample store ----------------------------------------------------------------------------------------- */

/* NULL where the image has none. */
static const gm_store *store_of(const gm_header *header)
{
    return header->sections[GM_SECTION_STORE].size != 0 ? gm_section_data(header, GM_SECTION_STORE) : NULL;
}

/* Bytes of it in the state: a counter, what is known of each class, labels, scales of INT8 samples, samples. Exact up to
 * SIZE_LIMIT, and larger than that where it is larger. */
static uint64_t store_size(const gm_store *store)
{
    int is_int8 = store->dtype == GM_STORE_DTYPE_INT8;
    uint64_t sample = is_int8 ? 2 * WORD + ((uint64_t)store->elements + 3) / WORD * WORD
                              : WORD + WORD * (uint64_t)store->elements;
    uint64_t samples = saturating_product(sample, store->capacity);
    samples = samples > SIZE_LIMIT ? SIZE_LIMIT + 1 : samples;
    return WORD + sizeof(gm_store_class) * (uint64_t)store->classes + samples;
}

/* V23: the tensors that the store fills are the only ones of their role, `batch` samples of `elements` f32 with as many
 * I32 labels. Returns batch, or 0. */
static uint32_t store_batch(const gm_header *header, const gm_store *store)
{
    const gm_tensor *input = gm_find_tensor(header, UINT32_MAX, GM_ROLE_INPUT, 0);
    const gm_tensor *label = gm_find_tensor(header, UINT32_MAX, GM_ROLE_LABEL, 0);
    if (input == NULL || label == NULL || gm_find_tensor(header, UINT32_MAX, GM_ROLE_INPUT, 1) != NULL ||
        gm_find_tensor(header, UINT32_MAX, GM_ROLE_LABEL, 1) != NULL || input->dtype != GM_DTYPE_F32 ||
        label->dtype != GM_DTYPE_I32) {
        return 0;
    }
    return (uint64_t)label->size * store->elements == input->size ? label->size / WORD : 0;
}

/* V23: the place for a sample put aside lies among the inputs, apart from the input itself. */
static int is_aside(const gm_header *header, const gm_store *store)
{
    const gm_tensor *input = gm_find_tensor(header, UINT32_MAX, GM_ROLE_INPUT, 0);
    uint64_t size = WORD * (uint64_t)store->elements;
    return store->aside == GM_NONE ||
           (lies_in(store->aside, size, inputs_offset(header), header->scratch_offset) &&
            !overlaps(store->aside, size, input->offset, input->size));
}

/* V24: a replay looks through the whole store for each sample of a batch. */
static int is_little_work(const gm_store *store, uint32_t batch)
{
    uint64_t look = (uint64_t)store->capacity + store->classes + store->elements;
    return saturating_product(look, batch) <= GM_MAX_WORK;
}

/* V23: at most one store; it lies in the state behind the parameters, apart from control and properties. */
static int check_store(const gm_header *header)
{
    const gm_store *store = store_of(header);
    uint64_t properties_size = (uint64_t)header->properties_count * sizeof(gm_property);
    if (store == NULL) {
        return GM_OK;
    }
    if (!GM_WITH_STORE) {
        return GM_ERR_BAD_OPCODE;
    }
    uint64_t size = store_size(store);
    uint32_t batch = store_batch(header, store);
    if (header->sections[GM_SECTION_STORE].size != sizeof *store || store->capacity == 0 || store->classes == 0 ||
        store->classes > INT32_MAX || store->elements == 0 || store->dtype >= GM_STORE_DTYPE_COUNT || batch == 0 ||
        !lies_in(store->offset, size, header->parameters_size, header->state_size) ||
        overlaps(store->offset, size, header->control_offset, sizeof(gm_control)) ||
        overlaps(store->offset, size, header->properties_offset, properties_size) || !is_aside(header, store)) {
        return GM_ERR_BAD_STORE;
    }
    return is_little_work(store, batch) ? GM_OK : GM_ERR_TOO_MUCH_WORK;
}

/* ---- The state table ------------------------------------------------------------------------------------------ */

/* V12: a gradient lies in the gradient region and has its parameter's size. */
static int is_gradient(const gm_header *header, const gm_state_entry *entry)
{
    return entry->gradient == GM_NONE ||
           lies_in(entry->gradient, entry->size, header->gradients_offset,
                   (uint64_t)header->gradients_offset + header->gradients_size);
}

/* V13: what is not a parameter lies behind the parameters; control, properties and store are where the image says. */
static int is_other_state(const gm_header *header, const gm_state_entry *entry)
{
    if (entry->gradient != GM_NONE ||
        !lies_in(entry->offset, entry->size, header->parameters_size, header->state_size)) {
        return 0;
    }
    if (entry->role == GM_STATE_ROLE_CONTROL) {
        return entry->offset == header->control_offset && entry->size == sizeof(gm_control);
    }
    if (entry->role == GM_STATE_ROLE_STORE) {
        const gm_store *store = store_of(header);
        return store != NULL && entry->offset == store->offset && entry->size == store_size(store);
    }
    return entry->role != GM_STATE_ROLE_PROPERTIES ||
           (entry->offset == header->properties_offset &&
            entry->size / sizeof(gm_property) == header->properties_count);
}

/* V11: parameters stand first and tile [0, parameters_size) in ascending order, all f32. */
static int check_state_table(const gm_header *header)
{
    const gm_state_entry *entry = gm_section_data(header, GM_SECTION_STATE);
    uint32_t count = section_records(header, GM_SECTION_STATE, sizeof *entry);
    uint64_t next = 0;
    for (uint32_t i = 0; i < count; ++i, ++entry) {
        int is_parameter = next < header->parameters_size;
        if (!is_name(header, entry->name) || entry->role >= GM_STATE_ROLE_COUNT || entry->dtype >= GM_DTYPE_COUNT ||
            !is_shape(entry->rank, entry->dims, entry->size) ||
            is_parameter != (entry->role == GM_STATE_ROLE_PARAMETER)) {
            return GM_ERR_BAD_STATE;
        }
        if (is_parameter ? entry->offset != next || entry->dtype != GM_DTYPE_F32 || !is_gradient(header, entry)
                         : !is_other_state(header, entry)) {
            return GM_ERR_BAD_STATE;
        }
        next += is_parameter ? entry->size : 0;
    }
    return next == header->parameters_size ? GM_OK : GM_ERR_BAD_STATE;
}

/* ---- Instructions ------------------------------------------------------------------------------------------- */

/* One program under verification. */
typedef struct verifier {
    const gm_header *header;
    const gm_program *program;
    uint32_t write_floor; /* arena offset below which the program may not write */
    uint64_t work;        /* of the instructions seen so far */
} verifier;

static int check_param(uint32_t kind, uint32_t value)
{
    uint32_t limit = UINT32_MAX;
    if (kind == GM_PARAM_DIM || kind == GM_PARAM_STRIDE) {
        limit = INT32_MAX;
    } else if (kind == GM_PARAM_FLAG) {
        limit = 1;
    } else if (kind >= GM_PARAM_ENUM) {
        limit = kind - GM_PARAM_ENUM - 1;
    }
    return value <= limit && (value != 0 || kind != GM_PARAM_DIM) ? GM_OK : GM_ERR_BAD_INSTRUCTION;
}

/* A parameter of the instruction, or a constant. */
static uint32_t term_value(const uint32_t *instruction, uint8_t term)
{
    return term < GM_TERM_COUNT ? instruction[term] : term - GM_TERM_COUNT;
}

static uint64_t product_of_terms(const uint32_t *instruction, const uint8_t *term, uint32_t count)
{
    uint64_t product = 1;
    for (uint32_t i = 0; i < count; ++i) {
        product = saturating_product(product, term_value(instruction, term[i]));
    }
    return product;
}

/* How many elements the kernel may touch from an operand on. */
static uint64_t extent(const uint32_t *instruction, const gm_opcode_shape *shape, const gm_operand_info *info)
{
    const uint8_t *term = shape->terms + info->first_term;
    if ((info->flags & GM_STRIDED) == 0) {
        return product_of_terms(instruction, term, info->n_terms);
    }
    uint64_t elements = 1;
    for (uint32_t i = 0; i < info->n_terms && elements <= UINT32_MAX; i += 2) {
        elements += (uint64_t)(term_value(instruction, term[i]) - 1) * term_value(instruction, term[i + 1]);
    }
    return elements;
}

/* Bytes of that many elements; saturates with them. */
static uint64_t bytes_of(const gm_operand_info *info, uint64_t elements)
{
    if ((info->flags & GM_BITS) != 0) {
        return elements / 8 + (elements % 8 != 0);
    }
    return elements > SIZE_LIMIT || (info->flags & GM_BYTES) != 0 ? elements : WORD * elements;
}

/* V19: a rule lies in the constants, is in this build, and has the moments that it needs and no others. */
static int check_rule(const verifier *v, const uint32_t *instruction, uint32_t operand)
{
    static const uint8_t slots[GM_RULE_COUNT] = GM_RULE_SLOTS, aux[GM_RULE_COUNT] = GM_RULE_AUX;
    uint32_t offset = operand & ~GM_CONSTANT_BIT;
    /* GEMM_UPDATE and CONV_UPDATE have their moments in the same place. */
    uint32_t first = (uint32_t)((instruction[0] & 0xFFFF) == GM_OP_UPDATE ? offsetof(gm_insn_update, slot1)
                                                                            : offsetof(gm_insn_gemm_update, slot1));
    const uint32_t *moment = &instruction[first / WORD];
    if ((operand & GM_CONSTANT_BIT) == 0 ||
        !lies_in(offset, GM_RULE_WORDS * WORD, 0, v->header->sections[GM_SECTION_CONSTANTS].size)) {
        return GM_ERR_BAD_OPERAND;
    }
    const uint8_t *constants = gm_section_data(v->header, GM_SECTION_CONSTANTS);
    uint32_t kind = *(const uint32_t *)(const void *)(constants + offset);
    if (kind >= GM_RULE_COUNT || gm_rules[kind] == NULL) {
        return GM_ERR_BAD_OPCODE;
    }
    int fits = (moment[0] != GM_NONE) == (slots[kind] >= 1) && (moment[1] != GM_NONE) == (slots[kind] >= 2) &&
               (moment[2] != GM_NONE) == aux[kind];
    return fits ? GM_OK : GM_ERR_BAD_OPERAND;
}

/* Whether the bytes lie in one running mean or variance. */
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

/* V17: nothing is written below the program's floor but statistics by TRAIN, nor over the control record, the
 * properties, the store or the inputs. */
static int may_write(const verifier *v, uint32_t offset, uint64_t size)
{
    const gm_header *header = v->header;
    uint64_t properties_size = (uint64_t)header->properties_count * sizeof(gm_property);
    uint32_t inputs = inputs_offset(header);
    const gm_store *store = store_of(header);
    int is_allowed = offset >= v->write_floor ||
                     (GM_TRAINING && v->program->kind == GM_PROGRAM_TRAIN && is_statistic(header, offset, size));
    return is_allowed && !overlaps(offset, size, header->control_offset, sizeof(gm_control)) &&
           !overlaps(offset, size, header->properties_offset, properties_size) &&
           !(GM_WITH_STORE && store != NULL && overlaps(offset, size, store->offset, store_size(store))) &&
           !overlaps(offset, size, inputs, header->scratch_offset - inputs);
}

/* V16: every byte that a kernel can touch lies in the constants, or in the program's part of the arena. */
static int check_operand(const verifier *v, const uint32_t *instruction, const gm_opcode_shape *shape, uint32_t index)
{
    const gm_operand_info *info = &shape->operands[index];
    uint32_t operand = instruction[1 + index];
    if (operand == GM_NONE) {
        return (info->flags & GM_OPTIONAL) != 0 ? GM_OK : GM_ERR_BAD_OPERAND;
    }
    if (GM_TRAINING && (info->flags & GM_RULE) != 0) {
        return check_rule(v, instruction, operand);
    }
    uint64_t size = bytes_of(info, extent(instruction, shape, info));
    int in_constants = (operand & GM_CONSTANT_BIT) != 0, writes = (info->flags & GM_WRITE) != 0;
    uint32_t end = in_constants ? v->header->sections[GM_SECTION_CONSTANTS].size : v->program->arena_size;
    uint32_t offset = operand & ~GM_CONSTANT_BIT;
    if (size > SIZE_LIMIT || !lies_in(offset, size, 0, end) ||
        (writes && (in_constants || !may_write(v, offset, size)))) {
        return GM_ERR_BAD_OPERAND;
    }
    return GM_OK;
}

/* V18: no instruction writes over the indices that it reads, or a kernel could check one and use another. */
static int check_indices(const uint32_t *instruction, const gm_opcode_shape *shape)
{
    const gm_operand_info *info = shape->operands;
    for (uint32_t i = 0; i < shape->n_operands; ++i) {
        if ((info[i].flags & GM_INDEX) == 0) {
            continue;
        }
        for (uint32_t j = 0; j < shape->n_operands; ++j) {
            if ((info[j].flags & GM_WRITE) != 0 &&
                overlaps(instruction[1 + i], bytes_of(&info[i], extent(instruction, shape, &info[i])),
                         instruction[1 + j], bytes_of(&info[j], extent(instruction, shape, &info[j])))) {
                return GM_ERR_BAD_OPERAND;
            }
        }
    }
    return GM_OK;
}

static int check_operands(const verifier *v, const uint32_t *instruction, const gm_opcode_shape *shape)
{
    for (uint32_t i = 0; i < shape->n_operands; ++i) {
        int status = check_operand(v, instruction, shape, i);
        if (status != GM_OK) {
            return status;
        }
    }
    return check_indices(instruction, shape);
}

/* V15: parameters are what their kinds allow. */
static int check_params(const uint32_t *instruction, const gm_opcode_shape *shape)
{
    for (uint32_t i = 0; i < shape->n_params; ++i) {
        int status = check_param(shape->params[i], instruction[1u + shape->n_operands + i]);
        if (status != GM_OK) {
            return status;
        }
    }
    return GM_OK;
}

/* V14: the opcode is known and in this build, and the length is its own. `available` counts words, at least 1. */
static int check_instruction(verifier *v, const uint32_t *instruction, uint32_t available)
{
    uint32_t opcode = instruction[0] & 0xFFFF, words = instruction[0] >> 16;
    if (opcode >= GM_OP_LIMIT || gm_opcodes[opcode].kernel == NULL) {
        return GM_ERR_BAD_OPCODE;
    }
    const gm_opcode_shape *shape = gm_opcodes[opcode].shape;
    if (words != 1u + shape->n_operands + shape->n_params || words > available) {
        return GM_ERR_BAD_INSTRUCTION;
    }
    int status = check_params(instruction, shape);
    if (status == GM_OK) {
        status = check_operands(v, instruction, shape);
    }
    if (status != GM_OK) {
        return status;
    }
    uint64_t work = product_of_terms(instruction, shape->terms + shape->first_work, shape->n_work);
    if (work > GM_MAX_WORK || v->work + work > GM_MAX_WORK) { /* V20 */
        return GM_ERR_TOO_MUCH_WORK;
    }
    v->work += work;
    return GM_OK;
}

/* ---- Programs ----------------------------------------------------------------------------------------------- */

/* Only training writes gradients, and only an update writes the state. */
static uint32_t write_floor(const gm_header *header, uint32_t kind)
{
    if (kind == GM_PROGRAM_TRAIN) {
        return header->gradients_offset;
    }
    return kind == GM_PROGRAM_OPTIMIZER || kind == GM_PROGRAM_STEP ? 0 : header->scratch_offset;
}

/* V22: the record's count and work are those of its instructions. */
static int check_code(const gm_header *header, const gm_program *program)
{
    verifier v = { header, program, write_floor(header, program->kind), 0 };
    const uint8_t *code = gm_section_data(header, GM_SECTION_CODE);
    const uint32_t *instruction = (const uint32_t *)(const void *)(code + program->code_offset);
    uint32_t left = program->code_size / WORD, count = 0;
    while (left != 0) {
        int status = check_instruction(&v, instruction, left);
        if (status != GM_OK) {
            return status;
        }
        left -= instruction[0] >> 16;
        instruction += instruction[0] >> 16;
        ++count;
    }
    uint64_t work = (uint64_t)program->work_high << 32 | program->work_low;
    return count == program->instructions && v.work == work ? GM_OK : GM_ERR_BAD_PROGRAM;
}

static int trains(uint32_t kind)
{
    return kind == GM_PROGRAM_TRAIN || kind == GM_PROGRAM_OPTIMIZER || kind == GM_PROGRAM_STEP;
}

/* V21: one program a kind, its code inside section CODE, its arena inside the header's. */
static int check_programs(const gm_header *header)
{
    const gm_program *program = gm_section_data(header, GM_SECTION_PROGRAMS);
    uint32_t count = section_records(header, GM_SECTION_PROGRAMS, sizeof *program), seen = 0;
    for (uint32_t i = 0; i < count; ++i, ++program) {
        if (program->kind >= GM_PROGRAM_COUNT || (seen >> program->kind & 1) != 0 || program->code_size % WORD != 0 ||
            !lies_in(program->code_offset, program->code_size, 0, header->sections[GM_SECTION_CODE].size) ||
            program->arena_size > header->arena_size) {
            return GM_ERR_BAD_PROGRAM;
        }
        seen |= UINT32_C(1) << program->kind;
        int status = !GM_TRAINING && trains(program->kind) ? GM_ERR_BAD_OPCODE : check_code(header, program);
        if (status != GM_OK) {
            return status;
        }
    }
    return GM_OK;
}

int gm_verify(const gm_header *header)
{
    static int (*const checks[])(const gm_header *) = {
        check_sections, check_regions, check_state_records, check_tensors, check_store, check_state_table,
        check_programs,
    };
    if (header->size > SIZE_LIMIT) {
        return GM_ERR_BAD_SECTION;
    }
    if (gm_crc32(0, (const uint8_t *)header + CRC_START, header->size - CRC_START) != header->crc) { /* V1 */
        return GM_ERR_BAD_CRC;
    }
    for (uint32_t i = 0; i < sizeof checks / sizeof *checks; ++i) {
        int status = checks[i](header);
        if (status != GM_OK) {
            return status;
        }
    }
    return GM_OK;
}
