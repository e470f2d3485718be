/*
 * Trains an image on samples of a file and prints the loss of every step and, at last, the state, as hexadecimal words:
 *
 *     train_state model.mote samples.bin [state.gmck]
 *
 * samples.bin: for every step the bytes of input 0, then those of label 0. The scratch is filled with NaN before each.
 * state.gmck: the checkpoint to go on from, if there is one, and the name of the one that is written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gradmote.h"
#include "kept_files.h"

static void poison(const gm_session *session, size_t arena_size)
{
    const uint32_t quiet_nan = 0x7FC00000u;
    for (size_t at = session->header->scratch_offset; at + 4 <= arena_size; at += 4) {
        memcpy(session->arena + at, &quiet_nan, 4);
    }
}

static void print_words(const void *data, size_t size)
{
    for (size_t at = 0; at < size; at += 4) {
        uint32_t word;
        memcpy(&word, (const uint8_t *)data + at, 4);
        printf("%08x\n", (unsigned)word);
    }
}

/* Bytes of the tensor with that role, or 0. */
static size_t size_of(const gm_session *session, uint32_t role)
{
    gm_view view;
    return gm_tensor_view(session, GM_PROGRAM_STEP, role, 0, &view) == GM_OK ? view.size : 0;
}

static int train(gm_session *session, const uint8_t *samples, size_t size, size_t arena_size)
{
    size_t input = size_of(session, GM_ROLE_INPUT), label = size_of(session, GM_ROLE_LABEL);
    for (size_t at = 0; at + input + label <= size; at += input + label) {
        float loss;
        poison(session, arena_size);
        int status = gm_write(session, GM_ROLE_INPUT, 0, samples + at, input);
        status = status ? status : gm_write(session, GM_ROLE_LABEL, 0, samples + at + input, label);
        status = status ? status : gm_step(session, &loss);
        if (status != GM_OK) {
            return status;
        }
        print_words(&loss, sizeof loss);
    }
    return GM_OK;
}

int main(int argc, char **argv)
{
    size_t image_size = 0, samples_size = 0;
    uint8_t *image = argc == 3 || argc == 4 ? read_file(argv[1], &image_size) : NULL;
    uint8_t *samples = image != NULL ? read_file(argv[2], &samples_size) : NULL;
    gm_requirements needs;
    gm_session session;
    gm_view state;
    if (samples == NULL || gm_required(image, image_size, &needs) != GM_OK) {
        return 2;
    }
    void *arena = aligned_alloc(16, (needs.arena_size + 15) / 16 * 16);
    int status = gm_open(&session, image, image_size, arena, needs.arena_size);
    status = status || argc == 3 ? status : go_on_from(&session, argv[3]);
    status = status ? status : train(&session, samples, samples_size, needs.arena_size);
    status = status || argc == 3 ? status : write_checkpoint(&session, argv[3]);
    if (status != GM_OK) {
        fprintf(stderr, "%s\n", gm_error_text(status));
        return 1;
    }
    gm_state(&session, &state);
    print_words(state.data, state.size);
    return 0;
}
