/*
 * The state on storage: header, state table, names, state. The header goes last, so that a file cut short by a
 * power loss has none.
 */
#include <string.h>

#include "gm_image.h"

/* Bytes that the checksum leaves out: magic, version, size and the checksum itself. */
#define CRC_START 16u

/* Stack buffer for reading a file through the callback. */
#define CHUNK 64u

static const gm_section *section_of(const gm_session *session, uint32_t section)
{
    return &session->header->sections[section];
}

uint32_t gm_checkpoint_size(const gm_session *session)
{
    if (session == NULL || session->header == NULL) {
        return 0;
    }
    return (uint32_t)sizeof(gm_checkpoint) + section_of(session, GM_SECTION_STATE)->size +
           section_of(session, GM_SECTION_NAMES)->size + session->header->state_size;
}

static uint32_t crc_of_header(const gm_checkpoint *header)
{
    return gm_crc32(0, (const uint8_t *)header + CRC_START, sizeof *header - CRC_START);
}

/* ---- Saving ------------------------------------------------------------------------------------------------- */

/* The header of this session's checkpoint, but for its checksum. */
static void describe(const gm_session *session, gm_checkpoint *header)
{
    memset(header, 0, sizeof *header);
    header->magic = GM_CHECKPOINT_MAGIC;
    header->version = GM_FORMAT_VERSION;
    header->size = gm_checkpoint_size(session);
    memcpy(header->model_id, session->header->model_id, sizeof header->model_id);
    header->entries = section_of(session, GM_SECTION_STATE)->size / (uint32_t)sizeof(gm_state_entry);
    header->names_size = section_of(session, GM_SECTION_NAMES)->size;
    header->state_size = session->header->state_size;
}

typedef struct writer {
    gm_write_fn write;
    void *user;
    uint32_t offset;
    uint32_t crc;
} writer;

static int append(writer *out, const void *data, uint32_t size)
{
    if (size != 0 && out->write(out->user, out->offset, data, size) != 0) {
        return GM_ERR_IO;
    }
    out->offset += size;
    out->crc = gm_crc32(out->crc, data, size);
    return GM_OK;
}

static int append_section(writer *out, const gm_session *session, uint32_t section)
{
    return append(out, gm_section_data(session->header, section), section_of(session, section)->size);
}

static int write_body(const gm_session *session, writer *out)
{
    int status = append_section(out, session, GM_SECTION_STATE);
    if (status == GM_OK) {
        status = append_section(out, session, GM_SECTION_NAMES);
    }
    if (status == GM_OK) {
        status = append(out, session->arena, session->header->state_size);
    }
    return status;
}

int gm_checkpoint_save(const gm_session *session, gm_write_fn write, void *user)
{
    int status = gm_idle(session);
    if (status != GM_OK) {
        return status;
    }
    if (write == NULL) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    gm_checkpoint header;
    describe(session, &header);
    writer out = { write, user, sizeof header, crc_of_header(&header) };
    status = write_body(session, &out);
    if (status != GM_OK) {
        return status;
    }
    header.crc = out.crc;
    return write(user, 0, &header, sizeof header) == 0 ? GM_OK : GM_ERR_IO;
}

/* ---- Loading ------------------------------------------------------------------------------------------------ */

/* Continues `crc` over bytes [from, to) of the file. */
static int crc_of_file(gm_read_fn read, void *user, uint32_t from, uint32_t to, uint32_t *crc)
{
    uint8_t chunk[CHUNK];
    while (from < to) {
        uint32_t size = to - from < CHUNK ? to - from : CHUNK;
        if (read(user, from, chunk, size) != 0) {
            return GM_ERR_IO;
        }
        *crc = gm_crc32(*crc, chunk, size);
        from += size;
    }
    return GM_OK;
}

static int check_file(const gm_checkpoint *header, size_t size)
{
    if (header->magic != GM_CHECKPOINT_MAGIC) {
        return GM_ERR_BAD_MAGIC;
    }
    if (header->version != GM_FORMAT_VERSION) {
        return GM_ERR_BAD_VERSION;
    }
    return header->size < sizeof *header || header->size > size ? GM_ERR_TRUNCATED : GM_OK;
}

/* Whether the file's state fits this session. Its table and names may differ: images of one model with other losses
 * share checkpoints. */
static int is_same_model(const gm_session *session, const gm_checkpoint *header)
{
    uint64_t size = sizeof *header + (uint64_t)header->entries * sizeof(gm_state_entry) + header->names_size +
                    header->state_size;
    return memcmp(header->model_id, session->header->model_id, sizeof header->model_id) == 0 &&
           header->state_size == session->header->state_size && header->size == size;
}

/* Checks the checksum, then the model. *crc_before_state becomes the checksum of all that precedes the state. */
static int check_content(const gm_session *session, const gm_checkpoint *header, gm_read_fn read, void *user,
                         uint32_t *crc_before_state)
{
    int same = is_same_model(session, header);
    uint32_t state_at = same ? header->size - header->state_size : header->size;
    uint32_t crc = crc_of_header(header);
    int status = crc_of_file(read, user, sizeof *header, state_at, &crc);
    *crc_before_state = crc;
    if (status == GM_OK) {
        status = crc_of_file(read, user, state_at, header->size, &crc);
    }
    if (status != GM_OK) {
        return status;
    }
    if (crc != header->crc) {
        return GM_ERR_BAD_CRC;
    }
    return same ? GM_OK : GM_ERR_WRONG_MODEL;
}

/* Reads the state in. Storage that gave the right bytes a moment ago and fails now leaves the initial state, never
 * a mixture. */
static int read_state(gm_session *session, const gm_checkpoint *header, gm_read_fn read, void *user, uint32_t crc)
{
    uint32_t size = header->state_size;
    int failed = read(user, header->size - size, session->arena, size) != 0;
    if (failed || gm_crc32(crc, session->arena, size) != header->crc) {
        (void)gm_reset(session);
        return failed ? GM_ERR_IO : GM_ERR_BAD_CRC;
    }
    gm_control_of(session)->accumulated = 0; /* gradients are not in the file */
    return GM_OK;
}

/* Reads the header, and checks all of the file before anything of it is used. */
static int check(const gm_session *session, gm_read_fn read, void *user, size_t size, gm_checkpoint *header,
                 uint32_t *crc_before_state)
{
    int status = gm_idle(session);
    if (status != GM_OK) {
        return status;
    }
    if (read == NULL) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    if (size < sizeof *header) {
        return GM_ERR_TRUNCATED;
    }
    if (read(user, 0, header, sizeof *header) != 0) {
        return GM_ERR_IO;
    }
    status = check_file(header, size);
    return status == GM_OK ? check_content(session, header, read, user, crc_before_state) : status;
}

int gm_checkpoint_check(const gm_session *session, gm_read_fn read, void *user, size_t size)
{
    gm_checkpoint header;
    uint32_t crc_before_state;
    return check(session, read, user, size, &header, &crc_before_state);
}

int gm_checkpoint_load(gm_session *session, gm_read_fn read, void *user, size_t size)
{
    gm_checkpoint header;
    uint32_t crc_before_state;
    int status = check(session, read, user, size, &header, &crc_before_state);
    return status == GM_OK ? read_state(session, &header, read, user, crc_before_state) : status;
}
