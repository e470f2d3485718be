/*
 * Sessions by number: what they compute, and that no handle, size or type of data that a caller passes does harm.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "builder.h"
#include "checks.h"
#include "../../../bindings/shared/gm_handle.h"

static block image, arena;
static uint32_t image_size;

static const float x[12] = {1, 2, 3, -1, 0.5f, 0, 0.25f, -2, 1, 0, 1, -1};
static const float target[8] = {1, 0, 0, 1, -1, 0.5f, 2, -1};
static float parameters[8];

static int64_t open_tiny(void)
{
    int64_t handle = gm_handle_open(image.bytes, image_size, 1);
    CHECK(handle > 0);
    CHECK_STATUS(GM_OK, gm_handle_write(handle, GM_ROLE_INPUT, 0, GM_DTYPE_F32, x, sizeof x));
    CHECK_STATUS(GM_OK, gm_handle_write(handle, GM_ROLE_LABEL, 0, GM_DTYPE_F32, target, sizeof target));
    return handle;
}

static void test_steps_are_those_of_a_session(void)
{
    gm_session session;
    float loss, expected;
    int64_t handle = open_tiny();
    CHECK_STATUS(GM_OK, gm_open(&session, image.bytes, image_size, arena.bytes, TINY_ARENA));
    CHECK_STATUS(GM_OK, gm_write(&session, GM_ROLE_INPUT, 0, x, sizeof x));
    CHECK_STATUS(GM_OK, gm_write(&session, GM_ROLE_LABEL, 0, target, sizeof target));
    for (int step = 0; step < 5; step++) {
        CHECK_STATUS(GM_OK, gm_handle_run(handle, GM_PROGRAM_STEP, &loss));
        CHECK_STATUS(GM_OK, gm_step(&session, &expected));
        CHECK(loss == expected);
    }
    CHECK_STATUS(GM_OK, gm_handle_get(handle, GM_VALUES_PARAMETERS, 0, parameters, sizeof parameters));
    CHECK(memcmp(parameters, arena.bytes, sizeof parameters) == 0);
    CHECK_STATUS(GM_OK, gm_handle_close(handle));
}

/* Runs of fewer samples: the loss is their mean, outputs have as many, and others are refused. */
static void test_runs_count_the_samples_that_were_written(void)
{
    float y[8], whole[8], loss, expected = 0;
    int64_t handle = open_tiny();
    CHECK_STATUS(GM_OK, gm_handle_run(handle, GM_PROGRAM_EVAL, &loss));
    CHECK(gm_handle_output_size(handle, 0) == sizeof whole);
    CHECK_STATUS(GM_OK, gm_handle_read(handle, GM_ROLE_OUTPUT, 0, GM_DTYPE_F32, whole, sizeof whole));
    for (int i = 0; i < 6; i++) {
        expected += (whole[i] - target[i]) * (whole[i] - target[i]);
    }
    CHECK_STATUS(GM_OK, gm_handle_write(handle, GM_ROLE_INPUT, 0, GM_DTYPE_F32, x, 3 * 3 * sizeof *x));
    CHECK_STATUS(GM_ERR_WRONG_SIZE, gm_handle_run(handle, GM_PROGRAM_EVAL, &loss));
    CHECK_STATUS(GM_OK, gm_handle_write(handle, GM_ROLE_LABEL, 0, GM_DTYPE_F32, target, 3 * 2 * sizeof *target));
    CHECK_STATUS(GM_OK, gm_handle_run(handle, GM_PROGRAM_EVAL, &loss));
    CHECK(loss > expected / 6 * 0.9999f && loss < expected / 6 * 1.0001f);
    CHECK(gm_handle_output_size(handle, 0) == 6 * sizeof *y && gm_handle_output_size(handle, 1) == GM_ERR_NOT_FOUND);
    CHECK_STATUS(GM_OK, gm_handle_read(handle, GM_ROLE_OUTPUT, 0, GM_DTYPE_F32, y, 6 * sizeof *y));
    CHECK(memcmp(y, whole, 6 * sizeof *y) == 0);
    CHECK_STATUS(GM_ERR_WRONG_SIZE, gm_handle_write(handle, GM_ROLE_INPUT, 0, GM_DTYPE_F32, x, 4 * sizeof *x));
    CHECK_STATUS(GM_ERR_WRONG_SIZE, gm_handle_write(handle, GM_ROLE_INPUT, 0, GM_DTYPE_F32, x, 0));
    CHECK_STATUS(GM_OK, gm_handle_write(handle, GM_ROLE_INPUT, 0, GM_DTYPE_F32, x, sizeof x));
    CHECK_STATUS(GM_OK, gm_handle_write(handle, GM_ROLE_LABEL, 0, GM_DTYPE_F32, target, sizeof target));
    CHECK_STATUS(GM_OK, gm_handle_run(handle, GM_PROGRAM_STEP, &loss));
    CHECK(gm_handle_output_size(handle, 0) == sizeof whole);
    CHECK_STATUS(GM_OK, gm_handle_close(handle));
    CHECK(gm_handle_output_size(handle, 0) == GM_ERR_CLOSED);
}

/* Puts the change of the parameters by an update after two equal micro-batches into `change`. */
static void update(int (*apply)(int64_t handle), float *change)
{
    float before[8];
    int64_t handle = open_tiny();
    CHECK_STATUS(GM_OK, gm_handle_get(handle, GM_VALUES_PARAMETERS, 0, before, sizeof before));
    CHECK_STATUS(GM_OK, gm_handle_run(handle, GM_PROGRAM_TRAIN, NULL));
    CHECK_STATUS(GM_OK, gm_handle_run(handle, GM_PROGRAM_TRAIN, NULL));
    CHECK_STATUS(GM_OK, apply(handle));
    CHECK_STATUS(GM_OK, gm_handle_get(handle, GM_VALUES_PARAMETERS, 0, change, sizeof before));
    for (int i = 0; i < 8; i++) {
        change[i] -= before[i];
    }
    CHECK_STATUS(GM_OK, gm_handle_close(handle));
}

static int apply_mean(int64_t handle)
{
    return gm_handle_run(handle, GM_PROGRAM_OPTIMIZER, NULL);
}

static void test_a_sum_is_the_mean_times_the_number(void)
{
    float mean[8], sum[8];
    update(apply_mean, mean);
    update(gm_handle_optimizer_step_on_sum, sum);
    for (int i = 0; i < 8; i++) {
        float least = 1.99f * (mean[i] < 0 ? -mean[i] : mean[i]), most = least * 1.01f;
        CHECK((sum[i] < 0) == (mean[i] < 0) && (sum[i] < 0 ? -sum[i] : sum[i]) >= least &&
              (sum[i] < 0 ? -sum[i] : sum[i]) <= most);
    }
    int64_t handle = open_tiny();
    CHECK_STATUS(GM_ERR_NO_GRADIENTS, gm_handle_optimizer_step_on_sum(handle));
    CHECK_STATUS(GM_OK, gm_handle_close(handle));
}

static void test_an_image_at_an_odd_address(void)
{
    uint8_t *odd = malloc(image_size + 1);
    memcpy(odd + 1, image.bytes, image_size);
    int64_t handle = gm_handle_open(odd + 1, image_size, 1);
    free(odd);
    CHECK_STATUS(GM_OK, gm_handle_run(handle, GM_PROGRAM_INFER, NULL));
    CHECK_STATUS(GM_OK, gm_handle_close(handle));
    CHECK(gm_handle_open(NULL, 10, 1) == GM_ERR_INVALID_ARGUMENT);
    CHECK(gm_handle_open(image.bytes, 3, 1) == GM_ERR_TRUNCATED);
    CHECK(gm_handle_open(image.bytes, image_size - 1, 1) == GM_ERR_TRUNCATED);
    CHECK(gm_handle_open(image.bytes, image_size, 0) == GM_ERR_INVALID_ARGUMENT);
    CHECK(gm_handle_open(image.bytes, image_size, 17) == GM_ERR_INVALID_ARGUMENT);
    CHECK(gm_handle_open(image.bytes, SIZE_MAX, 1) == GM_ERR_INVALID_ARGUMENT);
}

static void test_handles_that_are_none(void)
{
    int64_t closed = open_tiny();
    CHECK_STATUS(GM_OK, gm_handle_close(closed));
    int64_t other = open_tiny();
    const int64_t none[] = {closed,    0,        -1, -other, other + 1, other + GM_HANDLES, other - GM_HANDLES,
                            INT64_MIN, INT64_MAX};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        CHECK_STATUS(GM_ERR_CLOSED, gm_handle_run(none[i], GM_PROGRAM_STEP, NULL));
        CHECK_STATUS(GM_ERR_CLOSED, gm_handle_close(none[i]));
        CHECK(gm_handle_checkpoint_size(none[i], 0) == GM_ERR_CLOSED);
    }
    CHECK_STATUS(GM_OK, gm_handle_close(other));
}

static void test_data_that_does_not_fit(void)
{
    int64_t handle = open_tiny();
    float read[16];
    CHECK_STATUS(GM_ERR_WRONG_DTYPE, gm_handle_write(handle, GM_ROLE_INPUT, 0, GM_DTYPE_I32, x, sizeof x));
    CHECK_STATUS(GM_ERR_WRONG_SIZE, gm_handle_write(handle, GM_ROLE_INPUT, 0, GM_DTYPE_F32, x, sizeof x - 4));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_handle_write(handle, GM_ROLE_INPUT, 0, GM_DTYPE_F32, NULL, sizeof x));
    CHECK_STATUS(GM_ERR_NOT_FOUND, gm_handle_write(handle, GM_ROLE_INPUT, 1, GM_DTYPE_F32, x, sizeof x));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_handle_write(handle, GM_ROLE_OUTPUT, 0, GM_DTYPE_F32, x, sizeof target));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_handle_write(handle, 99, 0, GM_DTYPE_F32, x, sizeof x));
    CHECK_STATUS(GM_OK, gm_handle_read(handle, GM_ROLE_OUTPUT, 0, GM_DTYPE_F32, read, 32));
    CHECK_STATUS(GM_ERR_WRONG_SIZE, gm_handle_read(handle, GM_ROLE_OUTPUT, 0, GM_DTYPE_F32, read, 36));
    CHECK_STATUS(GM_ERR_NOT_FOUND, gm_handle_read(handle, GM_ROLE_OUTPUT, UINT32_MAX, GM_DTYPE_F32, read, 32));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_handle_run(handle, 17, NULL));
    CHECK_STATUS(GM_OK, gm_handle_close(handle));
}

static void test_parameters(void)
{
    static const float ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    int64_t handle = open_tiny();
    CHECK_STATUS(GM_OK, gm_handle_set(handle, GM_VALUES_PARAMETERS, 0, ones, sizeof ones));
    CHECK_STATUS(GM_ERR_WRONG_SIZE, gm_handle_set(handle, GM_VALUES_PARAMETERS, 0, ones, 28));
    CHECK_STATUS(GM_OK, gm_handle_get(handle, GM_VALUES_PARAMETER, 1, parameters, 8));
    CHECK(parameters[0] == 1 && parameters[1] == 1);
    CHECK_STATUS(GM_ERR_WRONG_SIZE, gm_handle_get(handle, GM_VALUES_PARAMETER, 1, parameters, 12));
    CHECK_STATUS(GM_ERR_NOT_FOUND, gm_handle_get(handle, GM_VALUES_PARAMETER, 2, parameters, 8));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_handle_get(handle, GM_VALUES_PARAMETERS, 0, NULL, 32));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_handle_set(handle, GM_VALUES_GRADIENT, 0, ones, 24));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_handle_get(handle, 9, 0, parameters, 8));
    CHECK_STATUS(GM_OK, gm_handle_get(handle, GM_VALUES_DELTA, 0, parameters, sizeof parameters));
    CHECK_STATUS(GM_OK, gm_handle_set(handle, GM_VALUES_DELTA, 0, parameters, sizeof parameters));
    CHECK_STATUS(GM_OK, gm_handle_run(handle, GM_PROGRAM_TRAIN, NULL));
    CHECK_STATUS(GM_OK, gm_handle_get(handle, GM_VALUES_GRADIENT, 1, parameters, 8));
    CHECK_STATUS(GM_OK, gm_handle_close(handle));
}

static void test_tensors_and_control(void)
{
    gm_handle_tensor tensor;
    gm_control control;
    gm_requirements needs;
    int64_t handle = open_tiny();
    CHECK_STATUS(GM_OK, gm_handle_tensor_at(handle, GM_ROLE_INPUT, 0, &tensor));
    CHECK(tensor.size == sizeof x && tensor.rank == 2 && tensor.dims[0] == 4 && tensor.dims[1] == 3);
    CHECK(tensor.programs >> GM_PROGRAM_STEP & 1);
    CHECK_STATUS(GM_OK, gm_handle_parameter(handle, 1, &tensor));
    CHECK(strcmp(tensor.name, "b") == 0 && tensor.size == 8 && tensor.dims[1] == 1);
    CHECK_STATUS(GM_ERR_NOT_FOUND, gm_handle_tensor_at(handle, GM_ROLE_LABEL, 1, &tensor));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_handle_tensor_at(handle, GM_ROLE_INPUT, 0, NULL));
    CHECK_STATUS(GM_OK, gm_handle_run(handle, GM_PROGRAM_STEP, NULL));
    CHECK_STATUS(GM_OK, gm_handle_control(handle, &control));
    CHECK(control.optimizer_steps == 1);
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_handle_control(handle, NULL));
    CHECK_STATUS(GM_OK, gm_handle_required(handle, &needs));
    CHECK(needs.batch == 4);
    CHECK_STATUS(GM_OK, gm_handle_close(handle));
}

static void test_checkpoints(void)
{
    int64_t handle = open_tiny(), size = gm_handle_checkpoint_size(handle, 0);
    uint8_t *file = malloc((size_t)size);
    CHECK_STATUS(GM_OK, gm_handle_run(handle, GM_PROGRAM_STEP, NULL));
    CHECK_STATUS(GM_ERR_WRONG_SIZE, gm_handle_save(handle, 0, file, (size_t)size - 1));
    CHECK_STATUS(GM_OK, gm_handle_save(handle, 0, file, (size_t)size));
    CHECK_STATUS(GM_OK, gm_handle_reset(handle));
    CHECK_STATUS(GM_OK, gm_handle_load(handle, file, (size_t)size));
    CHECK_STATUS(GM_ERR_TRUNCATED, gm_handle_load(handle, file, (size_t)size - 1));
    CHECK_STATUS(GM_ERR_TRUNCATED, gm_handle_load(handle, NULL, 1000));
    CHECK_STATUS(GM_OK, gm_handle_set_property(handle, "best", GM_PROPERTY_TYPE_I32, 7));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_handle_set_property(handle, NULL, GM_PROPERTY_TYPE_I32, 7));
    CHECK_STATUS(GM_OK, gm_handle_set_property(handle, "best", GM_PROPERTY_TYPE_EMPTY, 0));
    CHECK_STATUS(GM_ERR_NO_STORE, gm_handle_learn(handle, 0));
    CHECK_STATUS(GM_OK, gm_handle_close(handle));
    free(file);
}

static void *step_from_a_thread(void *argument)
{
    const int64_t handle = *(const int64_t *)argument;
    for (int i = 0; i < 2000; i++) {
        int status = gm_handle_run(handle, GM_PROGRAM_STEP, NULL);
        if (status != GM_OK && status != GM_ERR_IN_USE && status != GM_ERR_CLOSED) {
            return &image;
        }
    }
    return NULL;
}

/* Two threads step while a third closes the session under them. */
static void test_threads_in_one_session(void)
{
    for (int round = 0; round < 20; round++) {
        int64_t handle = open_tiny();
        pthread_t threads[2];
        void *failed;
        for (int i = 0; i < 2; i++) {
            pthread_create(&threads[i], NULL, step_from_a_thread, &handle);
        }
        int status;
        while ((status = gm_handle_close(handle)) == GM_ERR_IN_USE) {
        }
        CHECK_STATUS(GM_OK, status);
        for (int i = 0; i < 2; i++) {
            pthread_join(threads[i], &failed);
            CHECK(failed == NULL);
        }
    }
}

static void test_a_full_table(void)
{
    int64_t *handles = malloc(GM_HANDLES * sizeof *handles);
    for (int i = 0; i < GM_HANDLES; i++) {
        handles[i] = gm_handle_open(image.bytes, image_size, 1);
    }
    CHECK(gm_handle_open(image.bytes, image_size, 1) == GM_ERR_NO_MEMORY);
    for (int i = 0; i < GM_HANDLES; i++) {
        CHECK_STATUS(GM_OK, gm_handle_close(handles[i]));
    }
    free(handles);
}

static void test_texts(void)
{
    CHECK(strcmp(gm_handle_error_name(GM_ERR_WRONG_SIZE), "GM_ERR_WRONG_SIZE") == 0);
    CHECK(strcmp(gm_handle_error_text(GM_ERR_CLOSED), "the session is closed") == 0);
    CHECK(strcmp(gm_handle_error_hint(GM_ERR_CLOSED), "open another one") == 0);
    CHECK(strcmp(gm_handle_error_text(GM_ERR_BUSY), gm_error_text(GM_ERR_BUSY)) == 0);
    CHECK(strcmp(gm_handle_error_name(12345), "UNKNOWN") == 0);
    CHECK(gm_handle_table()->score == gm_handle_score && gm_handle_table()->open == gm_handle_open);
}

int main(void)
{
    image_size = build_tiny(image.bytes);
    test_steps_are_those_of_a_session();
    test_runs_count_the_samples_that_were_written();
    test_a_sum_is_the_mean_times_the_number();
    test_an_image_at_an_odd_address();
    test_handles_that_are_none();
    test_data_that_does_not_fit();
    test_parameters();
    test_tensors_and_control();
    test_checkpoints();
    test_threads_in_one_session();
    test_texts();
    test_a_full_table();
    return checks_summary();
}
