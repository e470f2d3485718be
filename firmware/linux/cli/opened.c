#include "opened.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../failure.h"
#include "gm_threads.h"
#include "storage/signature.h"

const char *const opened_programs[GM_PROGRAM_COUNT] = {"infer", "eval", "train", "optimizer", "step"};
const char *const opened_dtypes[GM_DTYPE_COUNT] = {"float32", "int32", "int8", "uint8", "int16"};

/* The most bytes for a thread's rows of a gradient or block of scores. Beyond this limit, some
 * instructions may run whole. */
#define SPARE_LIMIT (1u << 20)

/* Besides the image's need, each thread but the first has room for rows of gradients and blocks of
 * scores. */
static size_t arena_size_for(const opened *m, uint32_t threads)
{
    uint32_t spare = m->needs.arena_size < SPARE_LIMIT ? m->needs.arena_size : SPARE_LIMIT;
    return m->needs.arena_size + (size_t)spare * (threads - 1);
}

static void share(opened *m, uint32_t threads)
{
    gm_threads *pool = gm_threads_open(threads);
    if (pool == NULL) {
        fail("leave --threads out", "there is no memory for %u threads", threads);
    }
    int error = gm_set_splitter(&m->session, gm_threads_splitter(pool), arena_size_for(m, threads));
    if (error) {
        fail_code(error, "--threads");
    }
}

void opened_model(opened *m, const char *path, uint32_t threads)
{
    if (threads < 1 || threads > GM_MAX_PARTS) {
        misuse("1 to 16 threads can share the work", "--threads does not take %u", threads);
    }
    file_view image = file_map(path);
    memset(m, 0, sizeof *m);
    m->path = path;
    int error = signature_check(image.data, image.size <= UINT32_MAX ? (uint32_t)image.size : UINT32_MAX);
    if (error == 0) {
        error = gm_required(image.data, image.size, &m->needs);
    }
    if (error == 0) {
        size_t size = arena_size_for(m, threads);
        error = gm_open(&m->session, image.data, image.size, memory_map(size), size);
    }
    if (error) {
        fail_code(error, path);
    }
    if (threads > 1) {
        share(m, threads);
    }
}

static int read_file(void *user, uint32_t offset, void *data, uint32_t size)
{
    const file_view *file = user;
    if (offset > file->size || size > file->size - offset) {
        return -1;
    }
    memcpy(data, file->data + offset, size);
    return 0;
}

void opened_load(opened *m, const char *checkpoint)
{
    file_view file = file_map(checkpoint);
    int error = gm_checkpoint_load(&m->session, read_file, &file, file.size);
    if (error) {
        fail_code(error, checkpoint);
    }
}

static int write_memory(void *user, uint32_t offset, const void *data, uint32_t size)
{
    memcpy((uint8_t *)user + offset, data, size);
    return 0;
}

/* Returns the bytes of a checkpoint. name: for error messages. */
static file_view pack(const opened *m, const char *name)
{
    static uint8_t *bytes;
    uint32_t size = gm_checkpoint_size(&m->session);
    if (bytes == NULL) {
        bytes = memory_map(size);
    }
    int error = gm_checkpoint_save(&m->session, write_memory, bytes);
    if (error) {
        fail_code(error, name);
    }
    return (file_view){bytes, size};
}

void opened_save(const opened *m, const char *checkpoint)
{
    file_view packed = pack(m, checkpoint);
    if (file_replace(checkpoint, packed.data, packed.size) == 0) {
        return;
    }
    int reason = errno;
    const char *kept = file_keep_elsewhere(checkpoint, packed.data, packed.size);
    if (kept == NULL) {
        errno = reason;
        fail_errno(checkpoint);
    }
    fail("move it from there", "%s: %s; what was learned is in %s", checkpoint, strerror(reason), kept);
}

void opened_try_save(const opened *m, const char *checkpoint)
{
    file_view packed = pack(m, checkpoint);
    if (file_replace(checkpoint, packed.data, packed.size) != 0) {
        fprintf(stderr, "%s: %s; the training goes on\n", checkpoint, strerror(errno));
    }
}

int opened_try_run(opened *m, uint32_t program)
{
    int error = samples_check(&m->samples, &m->session, program);
    if (error == 0) {
        error = gm_begin(&m->session, program);
    }
    if (error == 0) {
        samples_use(&m->samples, &m->session);
        error = gm_run(&m->session, UINT32_MAX);
    }
    return error;
}

void opened_run(opened *m, uint32_t program)
{
    int error = opened_try_run(m, program);
    if (error) {
        fail_code(error, opened_programs[program]);
    }
}

float opened_loss(const opened *m, uint32_t program)
{
    float loss;
    int error = gm_loss(&m->session, program, &loss);
    if (error) {
        fail_code(error, opened_programs[program]);
    }
    return loss;
}

int opened_has(const opened *m, uint32_t program)
{
    return (int)(m->needs.programs >> program & 1u);
}
