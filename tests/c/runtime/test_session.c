/*
 * A session on the tiny image: data in and out, the training step against its closed form, slices, counters, schedule,
 * properties.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "builder.h"
#include "checks.h"

enum { BATCH = 4, IN = 3, OUT = 2 };

static block image, arena, other_arena;
static uint32_t image_size;

static const float x[BATCH * IN] = {1, 2, 3, -1, 0.5f, 0, 0.25f, -2, 1, 0, 1, -1};
static const float target[BATCH * OUT] = {1, 0, 0, 1, -1, 0.5f, 2, -1};

static void open_tiny(gm_session *session, block *memory)
{
    CHECK_STATUS(GM_OK, gm_open(session, image.bytes, image_size, memory->bytes, TINY_ARENA));
    CHECK_STATUS(GM_OK, gm_write(session, GM_ROLE_INPUT, 0, x, sizeof x));
    CHECK_STATUS(GM_OK, gm_write(session, GM_ROLE_LABEL, 0, target, sizeof target));
}

static int is_close(double a, double b)
{
    return fabs(a - b) <= 1e-5 * (1 + fabs(b));
}

/* ---- The same step in double precision ------------------------------------------------------------------------ */

typedef struct reference {
    double w[OUT][IN], b[OUT], w_moment[OUT][IN], b_moment[OUT], dw[OUT][IN], db[OUT], loss;
} reference;

static void reference_init(reference *r)
{
    static const double w[OUT][IN] = {{0.5, -0.25, 0.125}, {-0.5, 0.75, 1.0}}, b[OUT] = {0.0, 0.1};
    memset(r, 0, sizeof *r);
    memcpy(r->w, w, sizeof w);
    memcpy(r->b, b, sizeof b);
}

/* loss = mean of (x w^T + b - target)^2; its gradients are added to dw and db. */
static void reference_gradient(reference *r)
{
    r->loss = 0;
    for (int i = 0; i < BATCH * OUT; ++i) {
        int sample = i / OUT, out = i % OUT;
        double error = r->b[out] - (double)target[i];
        for (int k = 0; k < IN; ++k) {
            error += (double)x[sample * IN + k] * r->w[out][k];
        }
        r->loss += error * error / (BATCH * OUT);
        r->db[out] += 2 * error / (BATCH * OUT);
        for (int k = 0; k < IN; ++k) {
            r->dw[out][k] += 2 * error / (BATCH * OUT) * (double)x[sample * IN + k];
        }
    }
}

/* Momentum 0.9 with the gradients times scale, which are then forgotten. */
static void reference_update(reference *r, double rate, double scale)
{
    for (int out = 0; out < OUT; ++out) {
        r->b_moment[out] = 0.9 * r->b_moment[out] + scale * r->db[out];
        r->b[out] -= rate * r->b_moment[out];
        for (int k = 0; k < IN; ++k) {
            r->w_moment[out][k] = 0.9 * r->w_moment[out][k] + scale * r->dw[out][k];
            r->w[out][k] -= rate * r->w_moment[out][k];
        }
    }
    memset(r->dw, 0, sizeof r->dw);
    memset(r->db, 0, sizeof r->db);
}

static int parameters_match(gm_session *session, const reference *r)
{
    gm_view w, b;
    int match = gm_parameter(session, 0, &w) == GM_OK && gm_parameter(session, 1, &b) == GM_OK;
    for (int i = 0; match && i < OUT * IN; ++i) {
        match = is_close(((const float *)w.data)[i], r->w[i / IN][i % IN]);
    }
    for (int i = 0; match && i < OUT; ++i) {
        match = is_close(((const float *)b.data)[i], r->b[i]);
    }
    return match;
}

/* ---- Tests ---------------------------------------------------------------------------------------------------- */

static void test_required(void)
{
    gm_requirements needs;
    CHECK_STATUS(GM_OK, gm_required(image.bytes, image_size, &needs));
    CHECK(needs.arena_size == TINY_ARENA && needs.state_size == TINY_STATE_SIZE && needs.batch == BATCH);
    CHECK(needs.parameters_size == 32 && needs.gradients_size == 32 && needs.programs == 31);
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_required(image.bytes + 4, image_size, &needs));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_required(NULL, image_size, &needs));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_required(image.bytes, image_size, NULL));
    const gm_header *header = (const gm_header *)(const void *)image.bytes;
    gm_program *last = (gm_program *)(void *)(image.bytes + header->sections[GM_SECTION_PROGRAMS].offset) + 4;
    uint32_t kind = last->kind;
    last->kind = GM_PROGRAM_COUNT; /* of no kind: that is for gm_open() to refuse */
    CHECK_STATUS(GM_OK, gm_required(image.bytes, image_size, &needs));
    CHECK(needs.programs == (31 & ~(UINT32_C(1) << kind)));
    last->kind = kind;
}

static void test_arguments(void)
{
    gm_session session;
    float loss;
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_open(NULL, image.bytes, image_size, arena.bytes, TINY_ARENA));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_open(&session, image.bytes + 8, image_size, arena.bytes, TINY_ARENA));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_open(&session, image.bytes, image_size, arena.bytes + 4, TINY_ARENA));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_open(&session, image.bytes, image_size, NULL, TINY_ARENA));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT,
                 gm_open(&session, image.bytes, image_size, image.bytes + image_size - 16, TINY_ARENA));
    CHECK_STATUS(GM_ERR_ARENA_TOO_SMALL, gm_open(&session, image.bytes, image_size, arena.bytes, TINY_ARENA - 1));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_infer(&session));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_loss(&session, GM_PROGRAM_EVAL, &loss));
    CHECK(gm_control_view(&session) == NULL && gm_parameter_count(&session) == 0);
    open_tiny(&session, &arena);
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_run(&session, 1));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_loss(&session, GM_PROGRAM_COUNT, &loss));
    CHECK_STATUS(GM_ERR_NO_PROGRAM, gm_begin(&session, GM_PROGRAM_COUNT));
    CHECK_STATUS(GM_ERR_NOT_FOUND, gm_loss(&session, GM_PROGRAM_INFER, &loss));
    gm_close(&session);
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_step(&session, &loss));
}

static void test_views(void)
{
    gm_session session;
    gm_view view;
    open_tiny(&session, &arena);
    CHECK_STATUS(GM_OK, gm_tensor_view(&session, GM_PROGRAM_EVAL, GM_ROLE_LABEL, 0, &view));
    CHECK(strcmp(view.name, "target") == 0 && view.rank == 2 && view.dims[0] == BATCH && view.dims[1] == OUT);
    CHECK(view.size == sizeof target && view.dtype == GM_DTYPE_F32 && memcmp(view.data, target, sizeof target) == 0);
    CHECK_STATUS(GM_ERR_NOT_FOUND, gm_tensor_view(&session, GM_PROGRAM_INFER, GM_ROLE_LABEL, 0, &view));
    CHECK_STATUS(GM_ERR_NOT_FOUND, gm_tensor_view(&session, GM_PROGRAM_EVAL, GM_ROLE_LABEL, 1, &view));
    CHECK(gm_parameter_count(&session) == 2);
    CHECK_STATUS(GM_OK, gm_parameter_named(&session, "b", &view));
    CHECK(view.data == arena.bytes + TINY_B && view.size == 8 && view.rank == 1 && view.dims[0] == OUT);
    CHECK_STATUS(GM_ERR_NOT_FOUND, gm_parameter_named(&session, "w.momentum", &view));
    CHECK_STATUS(GM_OK, gm_gradient(&session, 1, &view));
    CHECK(view.data == arena.bytes + TINY_GRADIENTS + TINY_B);
    CHECK_STATUS(GM_ERR_NOT_FOUND, gm_gradient(&session, 2, &view));
    CHECK_STATUS(GM_OK, gm_parameters(&session, &view));
    CHECK(view.data == arena.bytes && view.size == 32);
    CHECK_STATUS(GM_OK, gm_state(&session, &view));
    CHECK(view.data == arena.bytes && view.size == TINY_STATE_SIZE);
    CHECK_STATUS(GM_ERR_WRONG_SIZE, gm_write(&session, GM_ROLE_INPUT, 0, x, sizeof x - 4));
    CHECK_STATUS(GM_ERR_NOT_FOUND, gm_write(&session, GM_ROLE_INPUT, 1, x, sizeof x));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_write(&session, GM_ROLE_OUTPUT, 0, x, sizeof x));
}

static void test_step(void)
{
    gm_session session;
    reference r;
    float loss;
    open_tiny(&session, &arena);
    reference_init(&r);
    for (uint32_t i = 0; i < 20; ++i) {
        reference_gradient(&r);
        reference_update(&r, 0.1, 1);
        CHECK_STATUS(GM_OK, gm_step(&session, &loss));
        CHECK(is_close(loss, r.loss) && parameters_match(&session, &r));
    }
    CHECK(gm_control_view(&session)->train_steps == 20 && gm_control_view(&session)->optimizer_steps == 20);
    CHECK(loss < 0.5f);
    CHECK_STATUS(GM_OK, gm_reset(&session));
    reference_init(&r);
    CHECK(parameters_match(&session, &r) && gm_control_view(&session)->train_steps == 0);
}

/* The first rows alone: their mean loss, and a step that leaves the others out. */
static void test_rows(void)
{
    gm_session session;
    float loss, mean = 0, y[BATCH * OUT];
    gm_view view;
    open_tiny(&session, &arena);
    CHECK_STATUS(GM_OK, gm_eval_step(&session, &loss));
    CHECK_STATUS(GM_OK, gm_tensor_view(&session, GM_PROGRAM_EVAL, GM_ROLE_OUTPUT, 0, &view));
    memcpy(y, view.data, sizeof y);
    for (int i = 0; i < 2 * OUT; i++) {
        mean += (y[i] - target[i]) * (y[i] - target[i]) / (2 * OUT);
    }
    CHECK_STATUS(GM_OK, gm_run_rows(&session, GM_PROGRAM_EVAL, 2, &loss));
    CHECK(fabsf(loss - mean) < 1e-6f);
    CHECK_STATUS(GM_OK, gm_write_rows(&session, GM_ROLE_INPUT, 0, x, sizeof x / BATCH));
    CHECK_STATUS(GM_ERR_WRONG_SIZE, gm_write_rows(&session, GM_ROLE_INPUT, 0, x, sizeof x / BATCH - 4));
    CHECK_STATUS(GM_ERR_WRONG_SIZE, gm_write_rows(&session, GM_ROLE_INPUT, 0, x, 0));
    CHECK_STATUS(GM_ERR_NOT_FOUND, gm_write_rows(&session, GM_ROLE_LABEL, 1, x, 4));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_write_rows(&session, GM_ROLE_OUTPUT, 0, x, 4));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_begin_rows(&session, GM_PROGRAM_STEP, 0));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_begin_rows(&session, GM_PROGRAM_STEP, BATCH + 1));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_begin_rows(&session, GM_PROGRAM_COUNT, 1));
    CHECK_STATUS(GM_ERR_WHOLE_BATCH, gm_begin_rows(&session, GM_PROGRAM_OPTIMIZER, 1));
    CHECK_STATUS(GM_OK, gm_begin_rows(&session, GM_PROGRAM_STEP, 1));
    CHECK_STATUS(GM_ERR_BUSY, gm_begin_rows(&session, GM_PROGRAM_STEP, 1));
    gm_abort(&session);
    CHECK(session.execute == NULL);
    gm_close(&session);
}

static void test_accumulation(void)
{
    gm_session session;
    reference r;
    float loss;
    open_tiny(&session, &arena);
    reference_init(&r);
    CHECK_STATUS(GM_ERR_NO_GRADIENTS, gm_optimizer_step(&session));
    memset(arena.bytes + TINY_GRADIENTS, 0xFF, 32); /* NaN: must be zeroed before it is added to */
    for (int round = 0; round < 3; ++round) {
        for (int micro = 0; micro < 3; ++micro) {
            reference_gradient(&r);
            CHECK_STATUS(GM_OK, gm_train_step(&session, &loss));
            CHECK(is_close(loss, r.loss));
        }
        CHECK(gm_control_view(&session)->accumulated == 3);
        reference_update(&r, 0.1, 1.0 / 3);
        CHECK_STATUS(GM_OK, gm_optimizer_step(&session));
        CHECK_STATUS(GM_OK, gm_lazy_reset_grad(&session));
        CHECK(parameters_match(&session, &r));
    }
    CHECK(gm_control_view(&session)->train_steps == 9 && gm_control_view(&session)->optimizer_steps == 3);
}

static void test_not_finite(void)
{
    gm_session session;
    uint8_t before[TINY_SCRATCH];
    float bad[BATCH * IN], loss = -1;
    const uint32_t programs[] = {GM_PROGRAM_TRAIN, GM_PROGRAM_STEP};
    memcpy(bad, x, sizeof x);
    bad[5] = INFINITY;
    open_tiny(&session, &arena);
    CHECK_STATUS(GM_OK, gm_train_step(&session, NULL));
    CHECK_STATUS(GM_OK, gm_write(&session, GM_ROLE_INPUT, 0, bad, sizeof bad));
    for (uint32_t i = 0; i < 2; ++i) {
        memcpy(before, arena.bytes, sizeof before);
        CHECK_STATUS(GM_OK, gm_begin(&session, programs[i]));
        CHECK_STATUS(GM_ERR_NOT_FINITE, gm_run(&session, UINT32_MAX));
        CHECK(gm_control_view(&session)->skipped_steps == i + 1);
        ((gm_control *)(void *)(before + TINY_CONTROL))->skipped_steps = i + 1;
        CHECK(memcmp(before, arena.bytes, sizeof before) == 0);
    }
    CHECK_STATUS(GM_ERR_NOT_FINITE, gm_step(&session, &loss));
    CHECK(loss == -1);
}

/* A label out of range stops the step; the counters stay. */
static void test_label_out_of_range(void)
{
    static block every_opcode;
    uint32_t size = build_all_opcodes(every_opcode.bytes);
    gm_session session;
    gm_control before;
    const int32_t label = 2;     /* of 2 classes */
    CHECK_STATUS(GM_OK, gm_open(&session, every_opcode.bytes, size, arena.bytes, sizeof arena.bytes));
    uint32_t scratch = session.header->scratch_offset;
    memset(arena.bytes + scratch, 0, session.header->arena_size - scratch);
    CHECK_STATUS(GM_OK, gm_begin(&session, GM_PROGRAM_STEP));
    while ((*session.pc & 0xFFFF) != GM_OP_SOFTMAX_CROSS_ENTROPY) {
        CHECK_STATUS(GM_AGAIN, gm_run(&session, 1));
    }
    uint32_t labels = ((const gm_insn_softmax_cross_entropy *)(const void *)session.pc)->labels;
    memcpy(arena.bytes + labels, &label, sizeof label);
    before = *gm_control_view(&session);
    CHECK_STATUS(GM_ERR_LABEL_OUT_OF_RANGE, gm_run(&session, UINT32_MAX));
    CHECK(memcmp(&before, gm_control_view(&session), sizeof before) == 0);
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_run(&session, 1));
}

/* Every slice length gives the same bytes and counters as one run. */
static void test_slices(void)
{
    static const uint32_t programs[] = {GM_PROGRAM_TRAIN, GM_PROGRAM_OPTIMIZER, GM_PROGRAM_STEP, GM_PROGRAM_EVAL};
    for (uint32_t slice = 1; slice < 10; ++slice) {
        gm_session whole, sliced;
        memset(arena.bytes, 0, TINY_ARENA);
        memset(other_arena.bytes, 0, TINY_ARENA);
        open_tiny(&whole, &arena);
        open_tiny(&sliced, &other_arena);
        for (uint32_t i = 0; i < sizeof programs / sizeof *programs; ++i) {
            CHECK_STATUS(GM_OK, gm_begin(&whole, programs[i]));
            CHECK_STATUS(GM_OK, gm_run(&whole, UINT32_MAX));
            CHECK_STATUS(GM_OK, gm_begin(&sliced, programs[i]));
            int status = gm_run(&sliced, 0);
            CHECK_STATUS(GM_AGAIN, status);
            while (status == GM_AGAIN) {
                status = gm_run(&sliced, slice);
            }
            CHECK_STATUS(GM_OK, status);
        }
        CHECK(memcmp(arena.bytes, other_arena.bytes, TINY_ARENA) == 0);
        CHECK(whole.instructions == sliced.instructions && whole.instructions == 19);
    }
}

static void test_busy(void)
{
    gm_session session;
    gm_view view;
    float buffer[8] = {0}, loss;
    open_tiny(&session, &arena);
    CHECK_STATUS(GM_OK, gm_train_step(&session, &loss));
    CHECK_STATUS(GM_OK, gm_begin(&session, GM_PROGRAM_TRAIN));
    CHECK_STATUS(GM_ERR_BUSY, gm_begin(&session, GM_PROGRAM_INFER));
    CHECK_STATUS(GM_ERR_BUSY, gm_step(&session, &loss));
    CHECK_STATUS(GM_ERR_BUSY, gm_reset(&session));
    CHECK_STATUS(GM_ERR_BUSY, gm_write(&session, GM_ROLE_INPUT, 0, x, sizeof x));
    CHECK_STATUS(GM_ERR_BUSY, gm_set_learning_rate(&session, 1));
    CHECK_STATUS(GM_ERR_BUSY, gm_set_linear_schedule(&session, 1, 1, 2));
    CHECK_STATUS(GM_ERR_BUSY, gm_set_seed(&session, 1));
    CHECK_STATUS(GM_ERR_BUSY, gm_lazy_reset_grad(&session));
    CHECK_STATUS(GM_ERR_BUSY, gm_set_parameters(&session, buffer, sizeof buffer));
    CHECK_STATUS(GM_ERR_BUSY, gm_apply_delta(&session, buffer, sizeof buffer));
    CHECK_STATUS(GM_ERR_BUSY, gm_delta(&session, buffer, sizeof buffer));
    CHECK_STATUS(GM_ERR_BUSY, gm_property_set_i32(&session, "a", 1));
    CHECK_STATUS(GM_ERR_BUSY, gm_property_remove(&session, "a"));
    CHECK_STATUS(GM_OK, gm_parameter(&session, 0, &view));
    gm_abort(&session);
    CHECK(gm_control_view(&session)->accumulated == 0);
    CHECK_STATUS(GM_ERR_NO_GRADIENTS, gm_optimizer_step(&session));
    CHECK_STATUS(GM_OK, gm_step(&session, &loss));
}

static void test_delta(void)
{
    gm_session session;
    gm_view parameters;
    float delta[8], trained[8];
    open_tiny(&session, &arena);
    CHECK_STATUS(GM_OK, gm_step(&session, NULL));
    CHECK_STATUS(GM_OK, gm_parameters(&session, &parameters));
    memcpy(trained, parameters.data, sizeof trained);
    CHECK_STATUS(GM_ERR_WRONG_SIZE, gm_delta(&session, delta, sizeof delta - 4));
    CHECK_STATUS(GM_OK, gm_delta(&session, delta, sizeof delta));
    CHECK(is_close(delta[0], (double)trained[0] - 0.5) && delta[0] != 0);
    CHECK_STATUS(GM_OK, gm_reset(&session));
    CHECK_STATUS(GM_OK, gm_apply_delta(&session, delta, sizeof delta));
    for (int i = 0; i < 8; ++i) {
        CHECK(is_close(((const float *)parameters.data)[i], trained[i]));
    }
    CHECK_STATUS(GM_OK, gm_set_parameters(&session, trained, sizeof trained));
    CHECK(memcmp(parameters.data, trained, sizeof trained) == 0);
    CHECK_STATUS(GM_ERR_WRONG_SIZE, gm_set_parameters(&session, trained, sizeof trained + 4));
}

/* min(step / warmup, (total - step) / (total - warmup)), not below 0. */
static double closed_formula(double rate, uint32_t step, uint32_t warmup, uint32_t total)
{
    double up = warmup == 0 ? 1 : (double)step / warmup;
    double down = step >= total ? 0 : ((double)total - step) / ((double)total - warmup);
    return rate * (step < warmup ? up : down);
}

static void check_schedule(gm_session *session, float rate, uint32_t warmup, uint32_t total)
{
    CHECK_STATUS(GM_OK, gm_set_linear_schedule(session, rate, warmup, total));
    for (uint32_t step = 0; step < total + 3; ++step) {
        CHECK(is_close(gm_learning_rate(session), closed_formula(rate, step, warmup, total)));
        CHECK_STATUS(GM_OK, gm_step(session, NULL));
    }
    CHECK(gm_learning_rate(session) == 0);
}

static void test_learning_rate(void)
{
    gm_session session;
    open_tiny(&session, &arena);
    CHECK(gm_learning_rate(&session) == 0.1f);
    check_schedule(&session, 0.05f, 4, 12);
    check_schedule(&session, 0.05f, 0, 5);
    check_schedule(&session, 0.05f, 5, 5);
    check_schedule(&session, 0.05f, 1, 1);
    CHECK_STATUS(GM_OK, gm_set_learning_rate(&session, 0.25f));
    CHECK_STATUS(GM_OK, gm_step(&session, NULL));
    CHECK(gm_learning_rate(&session) == 0.25f && gm_control_view(&session)->schedule == GM_SCHEDULE_CONSTANT);
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_set_learning_rate(&session, -1));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_set_learning_rate(&session, NAN));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_set_learning_rate(&session, INFINITY));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_set_linear_schedule(&session, 1, 3, 2));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_set_linear_schedule(&session, 1, 0, 0));
    CHECK(gm_learning_rate(&session) == 0.25f);
    CHECK_STATUS(GM_OK, gm_set_seed(&session, 99));
    CHECK(gm_control_view(&session)->seed == 99 && gm_control_view(&session)->train_steps == 0);
}

static void test_properties(void)
{
    gm_session session;
    gm_property slot;
    float value;
    open_tiny(&session, &arena);
    CHECK_STATUS(GM_ERR_NOT_FOUND, gm_property_at(&session, 0, &slot));
    CHECK_STATUS(GM_OK, gm_property_set_i32(&session, "epoch", -3));
    CHECK_STATUS(GM_OK, gm_property_set_f32(&session, "best", 0.75f));
    CHECK_STATUS(GM_OK, gm_property_set_i32(&session, "nineteen bytes long", 1));
    CHECK_STATUS(GM_ERR_FULL, gm_property_set_i32(&session, "fourth", 1));
    CHECK_STATUS(GM_OK, gm_property_set_i32(&session, "epoch", 4));
    CHECK_STATUS(GM_OK, gm_property_get(&session, "epoch", &slot));
    CHECK(slot.type == GM_PROPERTY_TYPE_I32 && slot.value == 4);
    CHECK_STATUS(GM_OK, gm_property_get(&session, "best", &slot));
    memcpy(&value, &slot.value, sizeof value);
    CHECK(slot.type == GM_PROPERTY_TYPE_F32 && value == 0.75f);
    /* what follows the records is not one of them */
    memcpy(arena.bytes + TINY_PROPERTIES + 3 * sizeof slot, arena.bytes + TINY_PROPERTIES, sizeof slot);
    CHECK_STATUS(GM_OK, gm_property_remove(&session, "epoch"));
    CHECK_STATUS(GM_ERR_NOT_FOUND, gm_property_remove(&session, "epoch"));
    CHECK_STATUS(GM_ERR_NOT_FOUND, gm_property_get(&session, "epoch", &slot));
    CHECK_STATUS(GM_OK, gm_property_at(&session, 0, &slot));
    CHECK(strcmp((const char *)slot.key, "best") == 0);
    CHECK_STATUS(GM_OK, gm_property_at(&session, 1, &slot));
    CHECK(strcmp((const char *)slot.key, "nineteen bytes long") == 0);
    CHECK_STATUS(GM_ERR_NOT_FOUND, gm_property_at(&session, 2, &slot));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_property_set_i32(&session, "twenty bytes long ke", 1));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_property_set_i32(&session, "", 1));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_property_set_i32(&session, NULL, 1));
}

static void test_crc32(void)
{
    CHECK(gm_crc32(0, "123456789", 9) == 0xCBF43926u); /* the check value of CRC-32/ISO-HDLC */
    CHECK(gm_crc32(gm_crc32(0, "1234", 4), "56789", 5) == 0xCBF43926u);
    CHECK(gm_crc32(0, "", 0) == 0);
}

int main(void)
{
    image_size = build_tiny(image.bytes);
    test_required();
    test_arguments();
    test_views();
    test_step();
    test_rows();
    test_accumulation();
    test_not_finite();
    test_label_out_of_range();
    test_slices();
    test_busy();
    test_delta();
    test_learning_rate();
    test_properties();
    test_crc32();
    return checks_summary();
}
