/*
 * Follows a file of attempts, and writes the outcome of each:
 *
 *     follow_steps model.mote attempts.bin > outcomes.bin
 *
 * An attempt: the size of a checkpoint, the checkpoint, the bytes of input 0 and of label 0. It is loaded, and a step
 * made. Its outcome: the code, and the state.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gradmote.h"

typedef struct file {
    uint8_t *data;
    size_t size;
    size_t at;
} file;

static int open_file(const char *path, file *out)
{
    FILE *stream = fopen(path, "rb");
    if (stream == NULL || fseek(stream, 0, SEEK_END) != 0) {
        return 0;
    }
    out->at = 0;
    out->size = (size_t)ftell(stream);
    rewind(stream);
    out->data = aligned_alloc(16, (out->size + 15) / 16 * 16);
    size_t got = out->data == NULL ? 0 : fread(out->data, 1, out->size, stream);
    fclose(stream);
    return got == out->size;
}

/* A gm_read_fn that reads from the current place on. */
static int read_onwards(void *user, uint32_t offset, void *data, uint32_t size)
{
    const file *from = user;
    if (from->size - from->at < offset || from->size - from->at - offset < size) {
        return GM_ERR_IO;
    }
    memcpy(data, from->data + from->at + offset, size);
    return 0;
}

static uint32_t take_size(file *from)
{
    uint32_t size = 0;
    read_onwards(from, 0, &size, sizeof size);
    from->at += sizeof size;
    return size;
}

static int write_next(gm_session *session, file *from, uint32_t role)
{
    gm_view view;
    int status = gm_tensor_view(session, GM_PROGRAM_STEP, role, 0, &view);
    status = status == GM_OK ? GM_OK : gm_tensor_view(session, GM_PROGRAM_TRAIN, role, 0, &view);
    if (status == GM_OK && from->size - from->at >= view.size) {
        status = gm_write(session, role, 0, from->data + from->at, view.size);
        from->at += view.size;
    }
    return status;
}

/* One update, by the programs of the image. */
static int update(gm_session *session)
{
    float loss;
    int status = gm_step(session, &loss);
    if (status != GM_ERR_NO_PROGRAM) {
        return status;
    }
    status = gm_train_step(session, &loss);
    return status == GM_OK ? gm_optimizer_step(session) : status;
}

static int attempt(gm_session *session, file *from)
{
    uint32_t size = take_size(from);
    int status = gm_checkpoint_load(session, read_onwards, from, size);
    from->at += size;
    status = status ? status : write_next(session, from, GM_ROLE_INPUT);
    status = status ? status : write_next(session, from, GM_ROLE_LABEL);
    return status ? status : update(session);
}

int main(int argc, char **argv)
{
    file image, attempts;
    gm_requirements needs;
    gm_session session;
    gm_view state;
    if (argc != 3 || !open_file(argv[1], &image) || !open_file(argv[2], &attempts) ||
        gm_required(image.data, image.size, &needs) != GM_OK) {
        return 2;
    }
    void *arena = aligned_alloc(16, (needs.arena_size + 15) / 16 * 16);
    if (gm_open(&session, image.data, image.size, arena, needs.arena_size) != GM_OK) {
        return 1;
    }
    while (attempts.at < attempts.size) {
        int32_t code = attempt(&session, &attempts);
        gm_state(&session, &state);
        fwrite(&code, sizeof code, 1, stdout);
        fwrite(state.data, 1, state.size, stdout);
    }
    return 0;
}
