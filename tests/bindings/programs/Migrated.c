/*
 * Makes the calls of docs/MIGRATING.md in C: Migrated FOLDER, with accumulating.mote and accumulating.gmex. It trains for a
 * few steps, and writes trained.gmck and trained.onnx.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gradmote.h"

#define BLOCK 16u
#define LARGEST (1u << 17)

typedef struct file {
    size_t size;
    uint8_t *bytes;
} file;

/* What gm_export() reads and writes. */
typedef struct files {
    file table, model;
} files;

static gm_session session;

static void check(int holds, const char *what, int line)
{
    if (!holds) {
        fprintf(stderr, "line %d does not hold: %s\n", line, what);
        exit(1);
    }
}

#define CHECK(...) check((__VA_ARGS__), #__VA_ARGS__, __LINE__)

static void *block(size_t size)
{
    return aligned_alloc(BLOCK, (size + BLOCK - 1) / BLOCK * BLOCK);
}

static FILE *opened(const char *folder, const char *name, const char *mode)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *stream = fopen(path, mode);
    CHECK(stream != NULL);
    return stream;
}

static file read_file(const char *folder, const char *name)
{
    FILE *stream = opened(folder, name, "rb");
    file read = {0, block(LARGEST)};
    read.size = fread(read.bytes, 1, LARGEST, stream);
    fclose(stream);
    return read;
}

static void write_file(const char *folder, const char *name, const file *written)
{
    FILE *stream = opened(folder, name, "wb");
    CHECK(fwrite(written->bytes, 1, written->size, stream) == written->size);
    fclose(stream);
}

static int read_bytes(void *user, uint32_t offset, void *data, uint32_t size)
{
    memcpy(data, ((file *)user)->bytes + offset, size);
    return 0;
}

static int write_bytes(void *user, uint32_t offset, const void *data, uint32_t size)
{
    file *written = user;
    memcpy(written->bytes + offset, data, size);
    written->size = written->size < offset + size ? offset + size : written->size;
    return 0;
}

static int read_table(void *user, uint32_t offset, void *data, uint32_t size)
{
    return read_bytes(&((files *)user)->table, offset, data, size);
}

static int write_model(void *user, uint32_t offset, const void *data, uint32_t size)
{
    return write_bytes(&((files *)user)->model, offset, data, size);
}

static void train(uint32_t steps)
{
    float loss, evaluated;
    for (uint32_t step = 0; step < steps; ++step) {
        float pixels[64];
        int32_t label = (int32_t)(step % 10);
        for (uint32_t i = 0; i < 64; ++i) {
            pixels[i] = (float)((i * 7 + step) % 17) / 16.0f;
        }
        CHECK(gm_write(&session, GM_ROLE_INPUT, 0, pixels, sizeof pixels) == GM_OK);
        CHECK(gm_write(&session, GM_ROLE_LABEL, 0, &label, sizeof label) == GM_OK);
        CHECK(gm_eval_step(&session, &evaluated) == GM_OK && gm_train_step(&session, &loss) == GM_OK);
        CHECK(loss == evaluated);
        CHECK((step == 0 ? gm_optimizer_step(&session) : gm_optimizer_step_on_sum(&session)) == GM_OK);
        CHECK(gm_lazy_reset_grad(&session) == GM_OK);
    }
}

static void describe(void)
{
    gm_view view;
    CHECK(gm_tensor_view(&session, GM_PROGRAM_TRAIN, GM_ROLE_INPUT, 0, &view) == GM_OK && strcmp(view.name, "x") == 0);
    CHECK(gm_tensor_view(&session, GM_PROGRAM_TRAIN, GM_ROLE_INPUT, 1, &view) == GM_ERR_NOT_FOUND);
    CHECK(gm_tensor_view(&session, GM_PROGRAM_EVAL, GM_ROLE_OUTPUT, 0, &view) == GM_OK && strcmp(view.name, "y") == 0);
    CHECK(gm_parameter_named(&session, "0.bias", &view) == GM_OK && view.dtype == GM_DTYPE_F32 && view.dims[0] == 32);
    ((float *)view.data)[0] = 0.5f;
    CHECK(gm_parameters(&session, &view) == GM_OK && view.size == 4 * (64 * 32 + 32 + 32 * 10 + 10));
    CHECK(gm_set_parameters(&session, view.data, view.size) == GM_OK);
}

static void state(const char *folder)
{
    gm_property property;
    file saved = {0, block(LARGEST)}, begun = {0, block(LARGEST)};
    CHECK(gm_property_set_i32(&session, "epoch", 3) == GM_OK && gm_property_set_f32(&session, "best", 0.5f) == GM_OK);
    CHECK(gm_property_get(&session, "epoch", &property) == GM_OK && property.value == 3);
    CHECK(gm_checkpoint_save(&session, write_bytes, &saved) == GM_OK);
    CHECK(gm_checkpoint_load(&session, read_bytes, &saved, saved.size) == GM_OK);
    write_file(folder, "trained.gmck", &saved);
    CHECK(gm_checkpoint_save_without_optimizer(&session, write_bytes, &begun) == GM_OK && begun.size == saved.size);
    write_file(folder, "begun.gmck", &begun);
    files exported = {read_file(folder, "accumulating.gmex"), {0, block(LARGEST)}};
    CHECK(gm_export(&session, read_table, write_model, &exported, exported.table.size) == GM_OK);
    write_file(folder, "trained.onnx", &exported.model);
}

int main(int count, char **arguments)
{
    CHECK(count == 2);
    file image = read_file(arguments[1], "accumulating.mote");
    gm_requirements needs;
    CHECK(gm_required(image.bytes, image.size, &needs) == GM_OK);
    CHECK(gm_open(&session, image.bytes, image.size, block(needs.arena_size), needs.arena_size) == GM_OK);
    CHECK(gm_set_seed(&session, 7) == GM_OK);
    describe();
    CHECK(gm_set_linear_schedule(&session, 0.01f, 0, 20) == GM_OK);
    train(10);
    CHECK(gm_learning_rate(&session) == 0.005f && gm_set_learning_rate(&session, 0.001f) == GM_OK);
    train(2);
    state(arguments[1]);
    gm_close(&session);
    return 0;
}
