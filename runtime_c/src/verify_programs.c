/* The verifier of programs: what an instruction may touch and how much it may do. "V14" .. "V22", "V25" are of docs/SPEC.md. */
#include "gm_internal.h"
#include "verify.h"

#if GM_MAX_WORK > (UINT64_C(1) << 62)
#error "GM_MAX_WORK must not exceed 2^62, so that sums of work cannot overflow"
#endif

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

static uint64_t product_of_terms(const uint32_t *instruction, const uint8_t *term, uint32_t count)
{
    uint64_t product = 1;
    for (uint32_t i = 0; i < count; ++i) {
        product = saturating_product(product, gm_term_value(instruction, term[i]));
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
        elements += (uint64_t)(gm_term_value(instruction, term[i]) - 1) * gm_term_value(instruction, term[i + 1]);
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
           !(GM_WITH_STORE && store != NULL && overlaps(offset, size, store->offset, gm_store_size(store))) &&
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

/* V25: what kernels compute of windows stays below 2^31, and so never wraps. */
static int check_windows(const uint32_t *instruction, const gm_opcode_shape *shape)
{
    const gm_operand_info *window = shape->operands + shape->n_operands;
    for (uint32_t i = 0; i < shape->n_windows; ++i) {
        if (extent(instruction, shape, &window[i]) > INT32_MAX) {
            return GM_ERR_BAD_INSTRUCTION;
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
        status = check_windows(instruction, shape);
    }
    if (status == GM_OK) {
        status = check_operands(v, instruction, shape);
    }
    if (status != GM_OK) {
        return status;
    }
    uint64_t work = product_of_terms(instruction, shape->terms, shape->n_work);
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
int gm_verify_programs(const gm_header *header)
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
