/*
 * libFuzzer target: whatever gm_open() accepts must run inside its arena, leave its inputs alone, and end.
 *
 * The input is an image. Its size, checksum, instruction counts and work are put right first, so that mutations get
 * past those checks. An accepted image runs every program once in an arena of exactly its size. Bytes after the image
 * are then mixed into a checkpoint, which brings any state there can be into the session, and all programs run again.
 *
 * Build with GM_MAX_WORK of about 1 << 18; seeds come from make_corpus.c.
 */
#define _POSIX_C_SOURCE 200112L /* posix_memalign */

#include <stdlib.h>
#include <string.h>

#include "aligned.h"
#include "file.h"
#include "gradmote.h"
#include "repair.h"
#include "use_store.h"

#define ARENA_LIMIT (1u << 20)

/* ---- Use ------------------------------------------------------------------------------------------------------ */

static uint32_t length_of(const char *text)
{
    return text == NULL ? 0 : (uint32_t)strlen(text);
}

static void read_everything(gm_session *session)
{
    gm_view view;
    gm_property slot;
    uint32_t sum = 0;
    for (uint32_t program = 0; program < GM_PROGRAM_COUNT; ++program) {
        for (uint32_t role = 0; role < GM_ROLE_COUNT; ++role) {
            for (uint32_t i = 0; gm_tensor_view(session, program, role, i, &view) == GM_OK; ++i) {
                sum += gm_crc32(0, view.data, view.size) + length_of(view.name);
            }
        }
    }
    for (uint32_t i = 0; gm_parameter(session, i, &view) == GM_OK; ++i) {
        sum += gm_crc32(0, view.data, view.size) + length_of(view.name);
        sum += gm_gradient(session, i, &view) == GM_OK ? gm_crc32(0, view.data, view.size) : 0;
    }
    for (uint32_t i = 0; gm_property_at(session, i, &slot) == GM_OK; ++i) {
        sum += slot.value;
    }
    volatile uint32_t sink = sum;
    (void)sink;
}

static uint32_t crc_of_inputs(const gm_session *session)
{
    uint32_t begin = session->header->gradients_offset + session->header->gradients_size;
    return gm_crc32(0, session->arena + begin, session->header->scratch_offset - begin);
}

static void run_everything(gm_session *session)
{
    float loss;
    uint32_t inputs = crc_of_inputs(session);
    for (uint32_t program = 0; program < GM_PROGRAM_COUNT; ++program) {
        if (gm_begin(session, program) == GM_OK) {
            int status = gm_run(session, 3);
            while (status == GM_AGAIN) {
                status = gm_run(session, 3);
            }
            require(status <= GM_OK && gm_run(session, 1) == GM_ERR_INVALID_ARGUMENT);
            (void)gm_loss(session, program, &loss);
        }
    }
    require(crc_of_inputs(session) == inputs);
    for (uint32_t program = 0; program < GM_PROGRAM_COUNT; ++program) {
        (void)gm_run_rows(session, program, 1 + program, &loss);
    }
    use_store(session);
    (void)gm_set_linear_schedule(session, 0.5f, 1, 4);
    (void)gm_property_set_i32(session, "key", 1);
    read_everything(session);
}

/* ---- Checkpoints ---------------------------------------------------------------------------------------------- */

/* Saves, mixes `noise` into the end of the file, which is the state, and loads. */
static void load_noise(gm_session *session, const uint8_t *noise, uint32_t noise_size)
{
    file f = {NULL, gm_checkpoint_size(session)};
    f.bytes = malloc(f.size);
    require(gm_checkpoint_save(session, file_write, &f) == GM_OK);
    for (uint32_t i = 0; i < noise_size && i < f.size - 16; ++i) {
        f.bytes[f.size - 1 - i] ^= noise[i];
    }
    gm_checkpoint header;
    memcpy(&header, f.bytes, sizeof header);
    header.crc = gm_crc32(0, f.bytes + 16, f.size - 16);
    memcpy(f.bytes, &header, sizeof header);
    int status = gm_checkpoint_load(session, file_read, &f, f.size);
    require(status <= GM_OK && (noise_size != 0 || status == GM_OK));
    free(f.bytes);
}

/* ---- The target ----------------------------------------------------------------------------------------------- */

static void use_image(const uint8_t *image, uint32_t size, uint32_t arena_size)
{
    gm_session session;
    uint8_t *arena = aligned(arena_size);
    uint32_t used = ((const gm_header *)(const void *)image)->size;
    memset(arena, size > used ? image[size - 1] : 0, arena_size);
    if (gm_open(&session, image, size, arena, arena_size) == GM_OK) {
        run_everything(&session);
        file f = {(uint8_t *)(uintptr_t)image, size};
        require(gm_checkpoint_load(&session, file_read, &f, size) < GM_OK);
        load_noise(&session, image + used, size - used);
        run_everything(&session);
        require(gm_reset(&session) == GM_OK);
    }
    free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gm_requirements needs;
    if (size < sizeof(gm_header) || size > UINT32_MAX) {
        return 0;
    }
    uint8_t *image = copy_of(data, size);
    repair(image, (uint32_t)size);
    if (gm_required(image, size, &needs) == GM_OK && needs.arena_size <= ARENA_LIMIT) {
        use_image(image, (uint32_t)size, needs.arena_size);
    }
    free(image);
    return 0;
}
