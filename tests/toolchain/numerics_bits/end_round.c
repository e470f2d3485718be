/*
 * Ends a round of federated learning of a device whose state and base are in files:
 *
 *     end_round model.mote state.gmck base.gmck number bits seed keep_loss down.gmd up.gmd
 *
 * base.gmck: the base of the round, which the one of the next round replaces; if there is no such file, the image's
 * initial parameters are the base. down.gmd: the delta that leads to the next base. up.gmd: what this device sends.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gradmote.h"
#include "kept_files.h"

enum { MODEL = 1, STATE, BASE, NUMBER, BITS, SEED, KEEP_LOSS, DOWN, UP, ARGUMENTS };
/* Bytes of a delta that are made at a time, so that parts begin within numbers and tensors. */
enum { PART = 61 };

/* Returns the parameters of a checkpoint in memory of their own, or NULL if there is no such file. */
static void *read_base(gm_session *session, const char *path)
{
    FILE *file = fopen(path, "rb");
    gm_view parameters;
    if (file == NULL) {
        return NULL;
    }
    fclose(file);
    void *base = NULL;
    if (go_on_from(session, path) == GM_OK && gm_parameters(session, &parameters) == GM_OK) {
        base = malloc(parameters.size);
    }
    return base != NULL ? memcpy(base, parameters.data, parameters.size) : NULL;
}

static int send(const gm_session *session, const gm_federated_round *round, const char *path)
{
    uint8_t part[PART];
    uint32_t size = gm_round_delta_size(session, round);
    FILE *file = fopen(path, "wb");
    int status = file != NULL && size != 0 ? GM_OK : GM_ERR_IO;
    for (uint32_t at = 0; at < size && status == GM_OK; at += PART) {
        uint32_t count = size - at < PART ? size - at : PART;
        status = gm_round_delta_part(session, round, at, part, count);
        status = status ? status : write_part(file, at, part, count) ? GM_ERR_IO : GM_OK;
    }
    return file != NULL && fclose(file) != 0 ? GM_ERR_IO : status;
}

/* Keeps the next base, then changes the parameters. */
static int go_on(gm_session *session, const gm_federated_round *round, const char *down, const char *base)
{
    size_t size = 0;
    uint8_t *delta = read_file(down, &size);
    FILE *file = delta != NULL ? fopen(base, "wb") : NULL;
    int status = file != NULL ? gm_round_save(session, round, delta, size, write_part, file) : GM_ERR_IO;
    status = file != NULL && fclose(file) != 0 ? GM_ERR_IO : status;
    status = status ? status : gm_round_apply(session, round, delta, size);
    free(delta);
    return status;
}

static int end_round(gm_session *session, char **argv)
{
    gm_federated_round round = {read_base(session, argv[BASE]), NULL, 0, 0, 0, 0};
    round.number = (uint32_t)strtoul(argv[NUMBER], NULL, 10);
    round.bits = (uint32_t)strtoul(argv[BITS], NULL, 10);
    round.seed = (uint32_t)strtoul(argv[SEED], NULL, 10);
    round.keep_loss = (uint32_t)strtoul(argv[KEEP_LOSS], NULL, 10);
    int status = go_on_from(session, argv[STATE]);
    status = status ? status : send(session, &round, argv[UP]);
    status = status ? status : go_on(session, &round, argv[DOWN], argv[BASE]);
    free((void *)(uintptr_t)round.base);
    return status ? status : write_checkpoint(session, argv[STATE]);
}

int main(int argc, char **argv)
{
    size_t image_size = 0;
    uint8_t *image = argc == ARGUMENTS ? read_file(argv[MODEL], &image_size) : NULL;
    gm_requirements needs;
    gm_session session;
    if (image == NULL || gm_required(image, image_size, &needs) != GM_OK) {
        return 2;
    }
    void *arena = aligned_alloc(16, (needs.arena_size + 15) / 16 * 16);
    int status = gm_open(&session, image, image_size, arena, needs.arena_size);
    status = status ? status : end_round(&session, argv);
    if (status != GM_OK) {
        fprintf(stderr, "%s\n", gm_error_text(status));
    }
    free(arena);
    free(image);
    return status != GM_OK;
}
