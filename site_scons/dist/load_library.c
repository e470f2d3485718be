/* Trains the model of the table of bindings with a shared library, as a program in another language would:
 * LIBRARY MODEL STEPS CHECKPOINT. Returns 0 if it wrote the checkpoint. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "gm_handle.h"

#if defined(_WIN32)
#include <windows.h>
#else
#include <dlfcn.h>
#endif

#define PIXELS 64

typedef const gm_handle_calls *(*table_of_library)(void);

static table_of_library find_table(const char *path)
{
#if defined(_WIN32)
    HMODULE library = LoadLibraryA(path);
    return library == NULL ? NULL : (table_of_library)(void (*)(void))GetProcAddress(library, "gm_handle_table");
#else
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return library == NULL ? NULL : (table_of_library)dlsym(library, "gm_handle_table");
#endif
}

static void *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        return NULL;
    }
    *size = (size_t)ftell(file);
    rewind(file);
    void *bytes = malloc(*size);
    size_t got = bytes == NULL ? 0 : fread(bytes, 1, *size, file);
    fclose(file);
    return got == *size ? bytes : NULL;
}

static void draw(float pixels[PIXELS], uint32_t step)
{
    uint32_t s = step + 1;
    for (int i = 0; i < PIXELS; i++) {
        s = s * 1664525u + 1013904223u;
        pixels[i] = (float)(s >> 8) / 16777216.0f;
    }
}

static int step_once(const gm_handle_calls *calls, int64_t session, uint32_t step)
{
    float pixels[PIXELS], loss;
    int32_t label = (int32_t)(step * 7 % 10);
    draw(pixels, step);
    int status = calls->write(session, GM_ROLE_INPUT, 0, GM_DTYPE_F32, pixels, sizeof pixels);
    status = status < 0 ? status : calls->write(session, GM_ROLE_LABEL, 0, GM_DTYPE_I32, &label, sizeof label);
    return status < 0 ? status : calls->run(session, GM_PROGRAM_STEP, &loss);
}

static int write_checkpoint(const gm_handle_calls *calls, int64_t session, const char *path)
{
    int64_t size = calls->checkpoint_size(session, 0);
    void *bytes = size < 0 ? NULL : malloc((size_t)size);
    if (bytes == NULL || calls->save(session, 0, bytes, (size_t)size) < 0) {
        return 0;
    }
    FILE *file = fopen(path, "wb");
    return file != NULL && fwrite(bytes, 1, (size_t)size, file) == (size_t)size && fclose(file) == 0;
}

int main(int count, char **arguments)
{
    table_of_library table = count == 5 ? find_table(arguments[1]) : NULL;
    size_t size = 0;
    void *image = table == NULL ? NULL : read_file(arguments[2], &size);
    if (image == NULL) {
        fprintf(stderr, "no library or no model\n");
        return 1;
    }
    const gm_handle_calls *calls = table();
    int64_t session = calls->open(image, size, 1);
    int status = session < 0 ? (int)session : GM_OK;
    for (uint32_t step = 0; status >= 0 && step < (uint32_t)atoi(arguments[3]); step++) {
        status = step_once(calls, session, step);
    }
    if (status < 0 || !write_checkpoint(calls, session, arguments[4])) {
        fprintf(stderr, "error %d\n", status);
        return 1;
    }
    return 0;
}
