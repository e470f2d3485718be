/*
 * Programs on the first rows of a batch.
 *
 * The compiler has marked tensors whose rows are samples that do not depend on each other. Only few
 * instructions join samples: losses, sums over the batch, and batch statistics. These run on the
 * rows that the caller gave, and fill the gradients of the other rows with zeros, which add nothing
 * to the gradients of parameters. The other rows of inputs and labels repeat the first one, so that
 * they are finite, and labels are in range.
 */
#include <string.h>

#include "image.h"
#include "program.h"
#include "shapes.h"
#include "split.h"
#include "steps.h"

/* The most words of an instruction that joins samples. */
#define MOST_JOINING_WORDS 20u

typedef enum joining { NOT_JOINING, JOINING, JOINING_WITH_SCALE } joining;

/* Returns whether an instruction joins the samples along its first dim. The last word of those with
 * a scale is its bits. */
static joining joining_of(uint32_t opcode)
{
    switch (opcode) {
    case GM_OP_SOFTMAX_CROSS_ENTROPY:
    case GM_OP_SOFTMAX_CROSS_ENTROPY_GRAD:
    case GM_OP_SOFTMAX_CROSS_ENTROPY_WITH_GRAD:
    case GM_OP_SOFTMAX_CROSS_ENTROPY_PLAIN:
    case GM_OP_MOMENTS:
    case GM_OP_NORMALIZE_GRAD: return JOINING;
    case GM_OP_MSE_LOSS:
    case GM_OP_MSE_LOSS_GRAD:
    case GM_OP_L1_LOSS:
    case GM_OP_L1_LOSS_GRAD:
    case GM_OP_BCE_WITH_LOGITS_LOSS:
    case GM_OP_BCE_WITH_LOGITS_LOSS_GRAD:
    case GM_OP_SUM:
    case GM_OP_SUM_GRAD: return JOINING_WITH_SCALE;
    default: return NOT_JOINING;
    }
}

/* Returns the elements over which a loss is a mean: the trips of its kernel. */
static uint32_t elements_of(const uint32_t *instruction, const gm_opcode_shape *shape)
{
    uint32_t elements = 1;
    for (uint32_t i = 0; i < shape->n_work; i++) {
        elements *= gm_term_value(instruction, shape->terms[i]);
    }
    return elements;
}

/* Makes the scale of a mean over `whole` elements that of a mean over the instruction's own. The
 * scale of a sum is 1, and stays. */
static void scale_mean(uint32_t *instruction, const gm_opcode_shape *shape, uint32_t whole)
{
    uint32_t *word = &instruction[(*instruction >> 16) - 1];
    float scale, mean = 1.0f / (float)whole;
    memcpy(&scale, word, sizeof scale);
    if (!(scale < mean) && !(scale > mean)) {
        scale = 1.0f / (float)elements_of(instruction, shape);
        memcpy(word, &scale, sizeof scale);
    }
}

/* Fills what the whole instruction would have written after the end of the shorter one with
 * zeros. */
static void clear_other_rows(const gm_session *session, const gm_opcode_shape *shape, const uint32_t *whole,
                             const uint32_t *instruction)
{
    for (uint32_t i = 0; i < shape->n_operands; i++) {
        const gm_operand_info *info = &shape->operands[i];
        uint32_t done = gm_bytes_of(info->flags, gm_extent_of(instruction, shape, info));
        uint32_t size = gm_bytes_of(info->flags, gm_extent_of(whole, shape, info));
        if ((info->flags & GM_WRITE) != 0 && whole[1 + i] != GM_NONE) {
            memset(session->arena + whole[1 + i] + done, 0, size - done);
        }
    }
}

/* Runs an instruction that joins samples on the rows of the session. */
static int run_on_rows(const gm_session *session, const gm_opcode_shape *shape, const uint32_t *whole, joining kind)
{
    uint32_t instruction[MOST_JOINING_WORDS];
    memcpy(instruction, whole, (*whole >> 16) * sizeof *instruction);
    uint32_t *dim = &instruction[1 + shape->n_operands];
    if (*dim % session->header->batch == 0) { /* else the image is not from the compiler */
        *dim = *dim / session->header->batch * session->rows;
    }
    if (kind == JOINING_WITH_SCALE) {
        scale_mean(instruction, shape, elements_of(whole, shape));
    }
    int status = gm_execute(session, instruction);
    clear_other_rows(session, shape, whole, instruction);
    return status;
}

static int execute_on_rows(const gm_session *session, const uint32_t *instruction)
{
    const gm_opcode_shape *shape = gm_shape_of(*instruction & 0xFFFF);
    joining kind = joining_of(*instruction & 0xFFFF);
    return kind == NOT_JOINING || shape == NULL ? gm_execute(session, instruction)
                                                : run_on_rows(session, shape, instruction, kind);
}

/* ---- Tensors ---------------------------------------------------------------------------------- */

/* Returns the index-th tensor with this role whose first dim counts samples in the program, or
 * NULL. */
static const gm_tensor *find_rows(const gm_session *session, uint32_t program, uint32_t role, uint32_t index)
{
    return gm_find_tensor(session->header, UINT32_C(1) << (GM_PROGRAM_COUNT + program), role, index);
}

/* Copies the first row of a tensor to those from row `rows` on. An image that is not from the
 * compiler may have a batch of more samples than bytes. */
static void repeat_first_row(const gm_session *session, const gm_tensor *tensor, uint32_t rows)
{
    uint8_t *data = session->arena + tensor->offset;
    uint32_t batch = session->header->batch, row = tensor->size / batch;
    for (uint32_t i = rows; i < batch && row != 0; i++) {
        memcpy(data + i * row, data, row);
    }
}

static void fill_other_rows(const gm_session *session, uint32_t program, uint32_t role, uint32_t rows)
{
    const gm_tensor *tensor;
    for (uint32_t i = 0; (tensor = find_rows(session, program, role, i)) != NULL; i++) {
        repeat_first_row(session, tensor, rows);
    }
}

int gm_write_rows(gm_session *session, uint32_t role, uint32_t index, const void *data, size_t size)
{
    int status = gm_idle(session);
    if (status != GM_OK) {
        return status;
    }
    const gm_tensor *tensor = gm_find_tensor(session->header, UINT32_MAX, role, index);
    if (data == NULL || role > GM_ROLE_LABEL) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    if (tensor == NULL) {
        return GM_ERR_NOT_FOUND;
    }
    if (size == 0 || size > tensor->size || size % gm_row_size(session->header, tensor) != 0) {
        return GM_ERR_WRONG_SIZE;
    }
    memcpy(session->arena + tensor->offset, data, size);
    return GM_OK;
}

/* ---- Running ---------------------------------------------------------------------------------- */

GM_COLD int gm_begin_rows(gm_session *session, uint32_t program, uint32_t rows)
{
    int status = gm_idle(session);
    if (status != GM_OK) {
        return status;
    }
    uint32_t batch = session->header->batch;
    if (rows == 0 || rows > batch || program >= GM_PROGRAM_COUNT) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    if (rows < batch && find_rows(session, program, GM_ROLE_INPUT, 0) == NULL) {
        return GM_ERR_WHOLE_BATCH;
    }
    status = gm_begin(session, program);
    if (status == GM_OK && rows < batch) {
        fill_other_rows(session, program, GM_ROLE_INPUT, rows);
        fill_other_rows(session, program, GM_ROLE_LABEL, rows);
        session->rows = rows;
        session->execute = execute_on_rows;
    }
    return status;
}

int gm_run_rows(gm_session *session, uint32_t program, uint32_t rows, float *loss)
{
    int status = gm_begin_rows(session, program, rows);
    if (status != GM_OK) {
        return status;
    }
    status = gm_run_to_end(session);
    return status != GM_OK || loss == NULL ? status : gm_loss(session, program, loss);
}
