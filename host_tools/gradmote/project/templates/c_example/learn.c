/* Opens a compiled model and trains ten steps on zeros: write your samples instead.
 *
 *     learn model.mote
 */
#include <stdalign.h>
#include <stdio.h>
#include <string.h>

#include "gradmote.h"

static alignas(16) uint8_t image[1 << 20];
static alignas(16) uint8_t arena[1 << 22];
static gm_session session;

static int write_zeros(uint32_t role)
{
    static const uint8_t zeros[1 << 20];
    gm_view view;
    for (uint32_t i = 0; gm_tensor_view(&session, GM_PROGRAM_STEP, role, i, &view) == GM_OK; i++) {
        int error = view.size > sizeof zeros ? GM_ERR_INVALID_ARGUMENT : gm_write(&session, role, i, zeros, view.size);
        if (error != GM_OK) {
            return error;
        }
    }
    return GM_OK;
}

static int learn(size_t size)
{
    float loss = 0;
    int error = gm_open(&session, image, size, arena, sizeof arena);
    for (int step = 0; step < 10 && error == GM_OK; step++) {
        error = write_zeros(GM_ROLE_INPUT);
        error = error ? error : write_zeros(GM_ROLE_LABEL);
        error = error ? error : gm_step(&session, &loss);
    }
    if (error == GM_OK) {
        printf("loss %g after ten steps\n", (double)loss);
    }
    return error;
}

int main(int argc, char **argv)
{
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (file == NULL) {
        fprintf(stderr, "learn model.mote\n");
        return 2;
    }
    size_t size = fread(image, 1, sizeof image, file);
    fclose(file);
    int error = learn(size);
    if (error != GM_OK) {
        fprintf(stderr, "%s: %s\n", gm_error_text(error), gm_error_hint(error));
    }
    return error != GM_OK;
}
