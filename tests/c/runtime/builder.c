#include "builder.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

void builder_init(builder *b)
{
    memset(b, 0, sizeof *b);
    b->header.magic = GM_IMAGE_MAGIC;
    b->header.version = GM_FORMAT_VERSION;
    b->header.scheme = GM_NONE;
}

uint32_t builder_append(builder *b, uint32_t section, const void *data, uint32_t size)
{
    uint32_t at = b->size[section];
    assert(at + size + 3 < SECTION_CAPACITY);
    memcpy((uint8_t *)b->bytes[section] + at, data, size);
    b->size[section] = (at + size + 3) / 4 * 4;
    return at;
}

uint32_t builder_name(builder *b, const char *name)
{
    return builder_append(b, GM_SECTION_NAMES, name, (uint32_t)strlen(name) + 1);
}

uint32_t builder_constant(builder *b, const void *data, uint32_t size)
{
    return builder_append(b, GM_SECTION_CONSTANTS, data, size) | GM_CONSTANT_BIT;
}

static uint32_t set_dims(uint32_t *out, const uint32_t dims[2])
{
    for (uint32_t i = 0; i < GM_MAX_RANK; ++i) {
        out[i] = i < 2 && dims[i] != 0 ? dims[i] : 1;
    }
    return (dims[0] != 0) + (uint32_t)(dims[1] != 0);
}

/* The bytes of an element. */
static uint32_t element_size(uint32_t dtype)
{
    return dtype == GM_DTYPE_I8 || dtype == GM_DTYPE_U8 ? 1 : dtype == GM_DTYPE_I16 ? 2 : 4;
}

void builder_tensor(builder *b, const char *name, uint32_t role, uint32_t programs, uint32_t dtype,
                    const uint32_t dims[2], uint32_t offset)
{
    gm_tensor tensor = {
        .name = builder_name(b, name), .role = role, .programs = programs, .dtype = dtype, .offset = offset};
    tensor.rank = set_dims(tensor.dims, dims);
    tensor.size = element_size(dtype) * tensor.dims[0] * tensor.dims[1];
    builder_append(b, GM_SECTION_TENSORS, &tensor, sizeof tensor);
}

void builder_state(builder *b, const char *name, uint32_t role, const uint32_t dims[2], uint32_t offset,
                   uint32_t gradient)
{
    uint32_t dtype = role <= GM_STATE_ROLE_SLOT ? GM_DTYPE_F32 : GM_DTYPE_I32;
    builder_state_of(b, name, role, dtype, dims, offset, gradient);
}

void builder_state_of(builder *b, const char *name, uint32_t role, uint32_t dtype, const uint32_t dims[2],
                      uint32_t offset, uint32_t gradient)
{
    gm_state_entry entry = {
        .name = builder_name(b, name), .role = role, .dtype = dtype, .offset = offset, .gradient = gradient};
    entry.rank = set_dims(entry.dims, dims);
    entry.size = element_size(dtype) * entry.dims[0] * entry.dims[1];
    builder_append(b, GM_SECTION_STATE, &entry, sizeof entry);
}

void builder_program(builder *b, uint32_t kind)
{
    gm_program program = {.kind = kind, .code_offset = b->size[GM_SECTION_CODE], .arena_size = b->header.arena_size};
    uint32_t at = builder_append(b, GM_SECTION_PROGRAMS, &program, sizeof program);
    b->program = (gm_program *)(void *)((uint8_t *)b->bytes[GM_SECTION_PROGRAMS] + at);
}

void builder_emit(builder *b, uint32_t opcode, void *instruction)
{
    uint32_t *word = instruction;
    const gm_opcode_shape *shape = gm_shape_of(opcode);
    uint32_t words = 1u + shape->n_operands + shape->n_params, work = 1;
    for (uint32_t i = 0; i < shape->n_work; ++i) {
        uint8_t term = shape->terms[i];
        work *= term < GM_TERM_COUNT ? word[term] : term - GM_TERM_COUNT;
    }
    word[0] = opcode | words << 16;
    builder_append(b, GM_SECTION_CODE, word, 4 * words);
    b->program->code_size += 4 * words;
    b->program->instructions += 1;
    b->program->work_low += work;
}

uint32_t builder_finish(builder *b, uint8_t *out)
{
    uint32_t at = (sizeof b->header + GM_SECTION_ALIGN - 1) / GM_SECTION_ALIGN * GM_SECTION_ALIGN;
    memset(out, 0, IMAGE_CAPACITY);
    for (uint32_t i = 0; i < GM_SECTION_COUNT; ++i) {
        assert(at + b->size[i] + GM_SECTION_ALIGN <= IMAGE_CAPACITY);
        b->header.sections[i].offset = at;
        b->header.sections[i].size = b->size[i];
        memcpy(out + at, b->bytes[i], b->size[i]);
        at = (at + b->size[i] + GM_SECTION_ALIGN - 1) / GM_SECTION_ALIGN * GM_SECTION_ALIGN;
    }
    b->header.size = at;
    memcpy(out, &b->header, sizeof b->header);
    image_seal(out);
    return at;
}

void image_seal(uint8_t *image)
{
    gm_header *header = (gm_header *)(void *)image;
    header->crc = gm_crc32(0, image + 16, header->size - 16);
}

/* ---- The tiny image ----------------------------------------------------------------------------------------- */

enum { BATCH = 4, IN = 3, OUT = 2 };

#define ALL_PROGRAMS ((1u << GM_PROGRAM_COUNT) - 1)
#define BIT(program) (1u << GM_PROGRAM_##program)
#define CONTROL_WORD(field) (TINY_CONTROL + (uint32_t)offsetof(gm_control, field))

static void tiny_check(builder *b, uint32_t x, uint32_t n)
{
    gm_insn_check_finite check = {.x = x, .n = n};
    builder_emit(b, GM_OP_CHECK_FINITE, &check);
}

static void tiny_forward(builder *b)
{
    gm_insn_gemm y = {.a = TINY_X,
                      .b = TINY_W,
                      .bias = TINY_B,
                      .y = TINY_Y,
                      .batch = 1,
                      .m = BATCH,
                      .n = OUT,
                      .k = IN,
                      .a_row = IN,
                      .a_col = 1,
                      .b_row = 1,
                      .b_col = IN};
    builder_emit(b, GM_OP_GEMM, &y);
}

static void tiny_loss(builder *b)
{
    gm_insn_mse_loss loss = {
        .x = TINY_Y, .target = TINY_TARGET, .loss = TINY_LOSS, .n = BATCH * OUT, .scale = 1.0f / (BATCH * OUT)};
    builder_emit(b, GM_OP_MSE_LOSS, &loss);
}

static void tiny_loss_gradient(builder *b, uint32_t one)
{
    gm_insn_mse_loss_grad dy = {.dloss = one,
                                .x = TINY_Y,
                                .target = TINY_TARGET,
                                .dx = TINY_DY,
                                .n = BATCH * OUT,
                                .scale = 1.0f / (BATCH * OUT)};
    tiny_check(b, TINY_X, BATCH * IN);
    tiny_forward(b);
    tiny_loss(b);
    tiny_check(b, TINY_LOSS, 1);
    builder_emit(b, GM_OP_MSE_LOSS_GRAD, &dy);
}

static void tiny_bias_gradient(builder *b, uint32_t to, uint32_t accumulate)
{
    gm_insn_reduce_sum sum = {.x = TINY_DY,
                              .y = to,
                              .k0 = OUT,
                              .k1 = 1,
                              .k2 = 1,
                              .k3 = 1,
                              .ks0 = 1,
                              .r0 = BATCH,
                              .r1 = 1,
                              .r2 = 1,
                              .r3 = 1,
                              .rs0 = OUT,
                              .scale = 1.0f,
                              .accumulate = accumulate};
    builder_emit(b, GM_OP_REDUCE_SUM, &sum);
}

static void tiny_update(builder *b, uint32_t g, uint32_t p, uint32_t moment, uint32_t rule, uint32_t scale, uint32_t n)
{
    gm_insn_update update = {.g = g,
                             .p = p,
                             .slot1 = moment,
                             .slot2 = GM_NONE,
                             .aux = GM_NONE,
                             .lr = CONTROL_WORD(learning_rate),
                             .scale = scale,
                             .rule = rule,
                             .n = n};
    builder_emit(b, GM_OP_UPDATE, &update);
}

/* Gradients of w and b are added to the gradient region. */
static void tiny_train(builder *b, uint32_t one)
{
    gm_insn_gemm dw = {.a = TINY_DY,
                       .b = TINY_X,
                       .bias = GM_NONE,
                       .y = TINY_GRADIENTS + TINY_W,
                       .batch = 1,
                       .m = OUT,
                       .n = IN,
                       .k = BATCH,
                       .a_row = 1,
                       .a_col = OUT,
                       .b_row = IN,
                       .b_col = 1,
                       .accumulate = 1};
    builder_program(b, GM_PROGRAM_TRAIN);
    tiny_loss_gradient(b, one);
    builder_emit(b, GM_OP_GEMM, &dw);
    tiny_bias_gradient(b, TINY_GRADIENTS + TINY_B, 1);
}

/* Each row of w's gradient is applied as soon as it is known. */
static void tiny_step(builder *b, uint32_t one, uint32_t rule)
{
    gm_insn_gemm_update w = {.a = TINY_DY,
                             .b = TINY_X,
                             .row = TINY_ROW,
                             .p = TINY_W,
                             .slot1 = TINY_W_MOMENT,
                             .slot2 = GM_NONE,
                             .aux = GM_NONE,
                             .lr = CONTROL_WORD(learning_rate),
                             .rule = rule,
                             .m = OUT,
                             .n = IN,
                             .k = BATCH,
                             .a_row = 1,
                             .a_col = OUT,
                             .b_row = IN,
                             .b_col = 1};
    builder_program(b, GM_PROGRAM_STEP);
    tiny_loss_gradient(b, one);
    tiny_bias_gradient(b, TINY_DB, 0);
    tiny_update(b, TINY_DB, TINY_B, TINY_B_MOMENT, rule, GM_NONE, OUT);
    builder_emit(b, GM_OP_GEMM_UPDATE, &w);
}

static void tiny_programs(builder *b)
{
    const gm_rule_momentum momentum = {GM_RULE_MOMENTUM, 0.0f, 0.9f, 0.0f};
    uint32_t rule_words[GM_RULE_WORDS] = {0};
    const float one = 1.0f;
    memcpy(rule_words, &momentum, sizeof momentum);
    uint32_t rule = builder_constant(b, rule_words, sizeof rule_words), dloss = builder_constant(b, &one, sizeof one);
    uint32_t scale = CONTROL_WORD(gradient_scale);
    builder_program(b, GM_PROGRAM_INFER);
    tiny_forward(b);
    builder_program(b, GM_PROGRAM_EVAL);
    tiny_forward(b);
    tiny_loss(b);
    tiny_train(b, dloss);
    builder_program(b, GM_PROGRAM_OPTIMIZER);
    tiny_update(b, TINY_GRADIENTS + TINY_W, TINY_W, TINY_W_MOMENT, rule, scale, OUT * IN);
    tiny_update(b, TINY_GRADIENTS + TINY_B, TINY_B, TINY_B_MOMENT, rule, scale, OUT);
    tiny_step(b, dloss, rule);
}

/* The bits of these programs, and those that say that the first dim of a tensor counts samples in them. */
#define WITH_ROWS(programs) ((programs) | (programs) << GM_PROGRAM_COUNT)

static void tiny_tables(builder *b, const char *b_name)
{
    static const uint32_t w[2] = {OUT, IN}, bias[2] = {OUT, 0}, x[2] = {BATCH, IN}, y[2] = {BATCH, OUT};
    static const uint32_t scalar[2] = {0, 0}, control[2] = {sizeof(gm_control) / 4, 0};
    static const uint32_t properties[2] = {3, sizeof(gm_property) / 4};
    char b_moment[32];
    snprintf(b_moment, sizeof b_moment, "%s.momentum", b_name);
    builder_tensor(b, "x", GM_ROLE_INPUT, WITH_ROWS(ALL_PROGRAMS & ~BIT(OPTIMIZER)), GM_DTYPE_F32, x, TINY_X);
    builder_tensor(b, "target", GM_ROLE_LABEL, WITH_ROWS(BIT(EVAL) | BIT(TRAIN) | BIT(STEP)), GM_DTYPE_F32, y,
                   TINY_TARGET);
    builder_tensor(b, "y", GM_ROLE_OUTPUT, WITH_ROWS(BIT(INFER) | BIT(EVAL)), GM_DTYPE_F32, y, TINY_Y);
    builder_tensor(b, "loss", GM_ROLE_LOSS, BIT(EVAL) | BIT(TRAIN) | BIT(STEP), GM_DTYPE_F32, scalar, TINY_LOSS);
    builder_state(b, "w", GM_STATE_ROLE_PARAMETER, w, TINY_W, TINY_GRADIENTS + TINY_W);
    builder_state(b, b_name, GM_STATE_ROLE_PARAMETER, bias, TINY_B, TINY_GRADIENTS + TINY_B);
    builder_state(b, "w.momentum", GM_STATE_ROLE_SLOT, w, TINY_W_MOMENT, GM_NONE);
    builder_state(b, b_moment, GM_STATE_ROLE_SLOT, bias, TINY_B_MOMENT, GM_NONE);
    builder_state(b, "control", GM_STATE_ROLE_CONTROL, control, TINY_CONTROL, GM_NONE);
    builder_state(b, "properties", GM_STATE_ROLE_PROPERTIES, properties, TINY_PROPERTIES, GM_NONE);
}

static void tiny_initial(builder *b)
{
    static const float parameters[] = {0.5f, -0.25f, 0.125f, -0.5f, 0.75f, 1.0f, 0.0f, 0.1f};
    static const uint8_t moments[TINY_CONTROL - TINY_W_MOMENT];
    const gm_control control = {.seed = 7, .learning_rate = 0.1f, .base_learning_rate = 0.1f};
    builder_append(b, GM_SECTION_INITIAL, parameters, sizeof parameters);
    builder_append(b, GM_SECTION_INITIAL, moments, sizeof moments);
    builder_append(b, GM_SECTION_INITIAL, &control, sizeof control);
}

uint32_t build_tiny(uint8_t *out)
{
    return build_tiny_like(out, 0x1000, "b", 0);
}

uint32_t build_tiny_like(uint8_t *out, uint32_t id, const char *b_name, uint32_t spare_names)
{
    static const uint8_t spare[SECTION_CAPACITY];
    static builder b;
    builder_init(&b);
    for (uint32_t i = 0; i < 4; ++i) {
        b.header.model_id[i] = id + i;
    }
    b.header.arena_size = TINY_ARENA;
    b.header.state_size = TINY_STATE_SIZE;
    b.header.parameters_size = TINY_W_MOMENT;
    b.header.gradients_offset = TINY_GRADIENTS;
    b.header.gradients_size = TINY_X - TINY_GRADIENTS;
    b.header.scratch_offset = TINY_SCRATCH;
    b.header.control_offset = TINY_CONTROL;
    b.header.properties_offset = TINY_PROPERTIES;
    b.header.properties_count = 3;
    b.header.batch = BATCH;
    tiny_tables(&b, b_name);
    builder_append(&b, GM_SECTION_NAMES, spare, spare_names);
    tiny_programs(&b);
    tiny_initial(&b);
    return builder_finish(&b, out);
}

/* ---- The taught image ----------------------------------------------------------------------------------------- */

static void taught_forward(builder *b)
{
    gm_insn_gemm y = {.a = TAUGHT_X,
                      .b = TAUGHT_W,
                      .bias = GM_NONE,
                      .y = TAUGHT_Y,
                      .batch = 1,
                      .m = TAUGHT_BATCH,
                      .n = TAUGHT_CLASSES,
                      .k = TAUGHT_ELEMENTS,
                      .a_row = TAUGHT_ELEMENTS,
                      .a_col = 1,
                      .b_row = 1,
                      .b_col = TAUGHT_ELEMENTS};
    builder_emit(b, GM_OP_GEMM, &y);
}

static void taught_step(builder *b)
{
    const uint32_t rule_words[GM_RULE_WORDS] = {GM_RULE_SGD};
    const float one = 1.0f;
    uint32_t rule = builder_constant(b, rule_words, sizeof rule_words), dloss = builder_constant(b, &one, sizeof one);
    gm_insn_softmax_cross_entropy loss = {.x = TAUGHT_Y,
                                          .labels = TAUGHT_LABELS,
                                          .weight = GM_NONE,
                                          .mask = GM_NONE,
                                          .log_prob = TAUGHT_LOG_PROB,
                                          .loss = TAUGHT_LOSS,
                                          .outer = TAUGHT_BATCH,
                                          .classes = TAUGHT_CLASSES,
                                          .inner = 1,
                                          .ignore_index = -100};
    gm_insn_softmax_cross_entropy_grad dy = {.dloss = dloss,
                                             .log_prob = TAUGHT_LOG_PROB,
                                             .labels = TAUGHT_LABELS,
                                             .weight = GM_NONE,
                                             .mask = GM_NONE,
                                             .dx = TAUGHT_DY,
                                             .outer = TAUGHT_BATCH,
                                             .classes = TAUGHT_CLASSES,
                                             .inner = 1,
                                             .ignore_index = -100};
    gm_insn_gemm_update w = {.a = TAUGHT_DY,
                             .b = TAUGHT_X,
                             .row = TAUGHT_ROW,
                             .p = TAUGHT_W,
                             .slot1 = GM_NONE,
                             .slot2 = GM_NONE,
                             .aux = GM_NONE,
                             .rule = rule,
                             .m = TAUGHT_CLASSES,
                             .lr = TAUGHT_CONTROL + (uint32_t)offsetof(gm_control, learning_rate),
                             .n = TAUGHT_ELEMENTS,
                             .k = TAUGHT_BATCH,
                             .a_row = 1,
                             .a_col = TAUGHT_CLASSES,
                             .b_row = TAUGHT_ELEMENTS,
                             .b_col = 1};
    builder_program(b, GM_PROGRAM_STEP);
    taught_forward(b);
    builder_emit(b, GM_OP_SOFTMAX_CROSS_ENTROPY, &loss);
    builder_emit(b, GM_OP_SOFTMAX_CROSS_ENTROPY_GRAD, &dy);
    builder_emit(b, GM_OP_GEMM_UPDATE, &w);
}

static void taught_tables(builder *b)
{
    static const uint32_t w[2] = {TAUGHT_CLASSES, TAUGHT_ELEMENTS}, x[2] = {TAUGHT_BATCH, TAUGHT_ELEMENTS};
    static const uint32_t y[2] = {TAUGHT_BATCH, TAUGHT_CLASSES}, labels[2] = {TAUGHT_BATCH, 0}, scalar[2] = {0};
    static const uint32_t control[2] = {sizeof(gm_control) / 4, 0};
    static const uint32_t kept[2] = {(TAUGHT_STATE_SIZE - TAUGHT_STORE) / 4, 0};
    const gm_store store = {TAUGHT_STORE,        TAUGHT_CAPACITY, TAUGHT_CLASSES,
                            GM_STORE_DTYPE_INT8, TAUGHT_ELEMENTS, TAUGHT_ASIDE};
    builder_tensor(b, "x", GM_ROLE_INPUT, BIT(INFER) | BIT(STEP), GM_DTYPE_F32, x, TAUGHT_X);
    builder_tensor(b, "labels", GM_ROLE_LABEL, BIT(STEP), GM_DTYPE_I32, labels, TAUGHT_LABELS);
    builder_tensor(b, "y", GM_ROLE_OUTPUT, BIT(INFER), GM_DTYPE_F32, y, TAUGHT_Y);
    builder_tensor(b, "loss", GM_ROLE_LOSS, BIT(STEP), GM_DTYPE_F32, scalar, TAUGHT_LOSS);
    builder_state(b, "w", GM_STATE_ROLE_PARAMETER, w, TAUGHT_W, GM_NONE);
    builder_state(b, "control", GM_STATE_ROLE_CONTROL, control, TAUGHT_CONTROL, GM_NONE);
    builder_state(b, "store", GM_STATE_ROLE_STORE, kept, TAUGHT_STORE, GM_NONE);
    builder_append(b, GM_SECTION_STORE, &store, sizeof store);
}

uint32_t build_taught(uint8_t *out)
{
    static const float w[TAUGHT_CLASSES * TAUGHT_ELEMENTS];
    const gm_control control = {.seed = 7, .learning_rate = 0.5f, .base_learning_rate = 0.5f};
    static builder b;
    builder_init(&b);
    b.header.arena_size = TAUGHT_ARENA;
    b.header.state_size = b.header.gradients_offset = b.header.properties_offset = TAUGHT_STATE_SIZE;
    b.header.parameters_size = TAUGHT_CONTROL;
    b.header.scratch_offset = TAUGHT_SCRATCH;
    b.header.control_offset = TAUGHT_CONTROL;
    b.header.batch = TAUGHT_BATCH;
    builder_program(&b, GM_PROGRAM_INFER);
    taught_forward(&b);
    taught_step(&b);
    taught_tables(&b);
    builder_append(&b, GM_SECTION_INITIAL, w, sizeof w);
    builder_append(&b, GM_SECTION_INITIAL, &control, sizeof control);
    return builder_finish(&b, out);
}

/* ---- Every opcode ------------------------------------------------------------------------------------------- */

/* A rule of that kind; a kind that has fewer hyper-parameters ignores the last ones. */
static uint32_t rule_constant(builder *b, uint32_t kind)
{
    const float hyper[] = {0.01f, 0.9f, 0.1f, 0.999f, 0.001f, 1e-8f, 0.0f};
    uint32_t words[GM_RULE_WORDS] = {kind};
    memcpy(&words[1], hyper, sizeof hyper);
    return builder_constant(b, words, sizeof words);
}

static uint32_t default_param(uint32_t kind)
{
    static const uint32_t one_as_f32 = 0x3F800000;
    switch (kind) {
    case GM_PARAM_DIM: return 2;
    case GM_PARAM_STRIDE: return 1;
    case GM_PARAM_F32: return one_as_f32;
    default: return 0;
    }
}

/* The word of the operand that is a rule, or 0. */
static uint32_t rule_word(const gm_opcode_shape *shape)
{
    for (uint32_t i = 0; i < shape->n_operands; ++i) {
        if ((shape->operands[i].flags & GM_TYPE) == GM_RULE) {
            return 1 + i;
        }
    }
    return 0;
}

/* The rule, and its kind's slot1, slot2 and aux. */
static void set_rule(builder *b, uint32_t opcode, uint32_t *word, uint32_t kind)
{
    static const uint8_t slots[] = GM_RULE_SLOTS, aux[] = GM_RULE_AUX;
    int is_stored =
        opcode == GM_OP_UPDATE || opcode == GM_OP_UPDATE_S8 || opcode == GM_OP_UPDATE_S16 || opcode == GM_OP_UPDATE_S32;
    uint32_t *moment =
        word + (is_stored ? offsetof(gm_insn_update, slot1) / 4 : offsetof(gm_insn_gemm_update, slot1) / 4);
    moment[0] = slots[kind] >= 1 ? moment[0] : GM_NONE;
    moment[1] = slots[kind] >= 2 ? moment[1] : GM_NONE;
    moment[2] = aux[kind] ? moment[2] : GM_NONE;
    word[rule_word(gm_shape_of(opcode))] = rule_constant(b, kind);
}

/* Strides of what is written, so that no two indices mean one element: the last axis moves fastest. */
static void set_strides(const gm_opcode_shape *shape, const gm_operand_info *info, uint32_t *word)
{
    const uint8_t *term = shape->terms + info->first_term;
    for (uint32_t i = info->n_terms, step = 1; i > 0; i -= 2, step *= 2) {
        int is_param = term[i - 1] < GM_TERM_COUNT;
        if (is_param && shape->params[term[i - 1] - 1u - shape->n_operands] == GM_PARAM_STRIDE) {
            word[term[i - 1]] = step;
        }
    }
}

/* Operand i at BUILDER_STEP i in the scratch. */
static void emit_default(builder *b, uint32_t opcode, uint32_t rule_kind)
{
    const gm_opcode_shape *shape = gm_shape_of(opcode);
    uint32_t word[64] = {0};
    for (uint32_t i = 0; i < shape->n_operands; ++i) {
        word[1 + i] = b->header.scratch_offset + BUILDER_STEP * i;
    }
    for (uint32_t i = 0; i < shape->n_params; ++i) {
        word[1u + shape->n_operands + i] = default_param(shape->params[i]);
    }
    for (uint32_t i = 0; i < shape->n_operands; ++i) {
        if ((shape->operands[i].flags & (GM_WRITE | GM_STRIDED)) == (GM_WRITE | GM_STRIDED)) {
            set_strides(shape, &shape->operands[i], word);
        }
    }
    if (rule_word(shape) != 0) {
        set_rule(b, opcode, word, rule_kind);
    }
    builder_emit(b, opcode, word);
}

uint32_t build_all_opcodes(uint8_t *out)
{
    static builder b;
    builder_init(&b);
    b.header.state_size = sizeof(gm_control);
    b.header.gradients_offset = b.header.scratch_offset = b.header.state_size;
    b.header.properties_offset = b.header.state_size;
    b.header.arena_size = b.header.scratch_offset + GM_MOST_OPERANDS * BUILDER_STEP;
    b.header.batch = 1;
    builder_program(&b, GM_PROGRAM_STEP);
    for (uint32_t opcode = 1; opcode < GM_OP_TABLES; ++opcode) {
        if (gm_kernels[opcode] == NULL || gm_shape_of(opcode)->n_operands == 0) {
            continue; /* an unused code, or that of one that controls others */
        }
        for (uint32_t kind = 0; kind < (rule_word(gm_shape_of(opcode)) != 0 ? GM_RULE_COUNT : 1); ++kind) {
            emit_default(&b, opcode, kind);
        }
    }
    return builder_finish(&b, out);
}

uint32_t build_export_table(uint8_t *image, uint32_t size)
{
    enum { MODEL_SIZE = 300, WORDS = (TINY_B - TINY_W) / 4 };
    gm_export_range range = {17, TINY_W, GM_EXPORT_KIND_WORD, 0, WORDS, 1, 4, 0};
    gm_export_header header = {.magic = GM_EXPORT_MAGIC, .version = GM_EXPORT_VERSION, .ranges = 1};
    uint8_t *table = image + size, *model = table + sizeof header + sizeof range;
    header.model_size = MODEL_SIZE;
    header.size = (uint32_t)(sizeof header + sizeof range) + MODEL_SIZE;
    memcpy(header.model_id, ((const gm_header *)(const void *)image)->model_id, sizeof header.model_id);
    for (uint32_t i = 0; i < MODEL_SIZE; ++i) {
        model[i] = (uint8_t)(i * 7 + 1);
    }
    memcpy(table, &header, sizeof header);
    memcpy(table + sizeof header, &range, sizeof range);
    header.crc = gm_crc32(0, table + 16, header.size - 16);
    memcpy(table, &header, sizeof header);
    return header.size;
}
