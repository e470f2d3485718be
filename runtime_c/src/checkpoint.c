/*
 * Saving and loading the state. A file has a header, the state table, names, and the state, plain
 * or packed. The header is written last, so a file cut short by a power loss has none.
 */
#include "checkpoint.h"

#include <string.h>

#include "half.h"
#include "image.h"
#include "new_base.h"
#include "program.h"
#include "state_segments.h"

/* The first bytes, which the checksum leaves out: magic, version, size and the checksum itself. */
#define CHECKPOINT_CRC_START 16u

/* Bytes of the stack buffer for data that a callback reads or writes and that is not in memory. */
#define CHUNK 64u
#define CHUNK_HALVES (CHUNK / 2u)

static const gm_section *section_of(const gm_session *session, uint32_t section)
{
    return &session->header->sections[section];
}

static uint32_t checkpoint_size(const gm_session *session, uint32_t encoding)
{
    if (session == NULL || session->header == NULL) {
        return 0;
    }
    return (uint32_t)sizeof(gm_checkpoint) + section_of(session, GM_SECTION_STATE)->size +
           section_of(session, GM_SECTION_NAMES)->size + gm_state_in_file(session, encoding);
}

GM_COLD uint32_t gm_checkpoint_size(const gm_session *session)
{
    return checkpoint_size(session, GM_ENCODING_PLAIN);
}

GM_COLD uint32_t gm_checkpoint_half_size(const gm_session *session)
{
    return checkpoint_size(session, GM_ENCODING_HALF);
}

static uint32_t crc_of_header(const gm_checkpoint *header)
{
    return gm_crc32(0, (const uint8_t *)header + CHECKPOINT_CRC_START, sizeof *header - CHECKPOINT_CRC_START);
}

/* ---- Saving ---------------------------------------------------------------------------------- */

/* Fills the header of this session's checkpoint, except for its checksum. */
static void fill_header(const gm_session *session, uint32_t encoding, gm_checkpoint *header)
{
    memset(header, 0, sizeof *header);
    header->magic = GM_CHECKPOINT_MAGIC;
    header->version = GM_CHECKPOINT_VERSION;
    header->encoding = encoding;
    header->size = checkpoint_size(session, encoding);
    memcpy(header->model_id, session->header->model_id, sizeof header->model_id);
    header->entries = section_of(session, GM_SECTION_STATE)->size / (uint32_t)sizeof(gm_state_entry);
    header->names_size = section_of(session, GM_SECTION_NAMES)->size;
    header->state_size = session->header->state_size;
}

typedef struct writer {
    gm_write_fn write;
    void *user;
    uint32_t from, to;           /* the bytes to write; the checksum covers the whole file */
    uint32_t offset;
    uint32_t crc;
    int (*append_state)(struct writer *out, const gm_session *session, uint32_t encoding);
#if GM_WITH_ROUNDS
    gm_delta_walk *next;         /* leads to the next base */
#endif
} writer;

/* Skips the next `size` bytes if none of them is wanted. Returns whether it did. */
static int skip_unwanted(writer *out, uint32_t size)
{
    int unwanted = out->offset >= out->to || out->offset + size <= out->from;
    out->offset += unwanted ? size : 0;
    return unwanted;
}

static int append(writer *out, const void *data, uint32_t size)
{
    if (skip_unwanted(out, size)) {
        return GM_OK;
    }
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

/* Appends up to CHUNK_HALVES numbers, and a zero half after an odd number of them. */
static int append_halves(writer *out, const uint32_t *bits, uint32_t n, uint32_t scale)
{
    uint32_t words[CHUNK / 4], size = (n + 1) / 2 * 4;
    if (skip_unwanted(out, size)) {
        return GM_OK;
    }
    memset(words, 0, size);
    for (uint32_t i = 0; i < n; ++i) {
        words[i / 2] |= gm_half_of(bits[i], scale) << i % 2 * 16;
    }
    return append(out, words, size);
}

static int append_packed(writer *out, const uint32_t *bits, uint32_t n)
{
    if (skip_unwanted(out, gm_packed_size(4 * n))) {
        return GM_OK;
    }
    uint32_t scale = gm_half_scale(bits, n);
    int status = append(out, &scale, sizeof scale);
    for (uint32_t i = 0; i < n && status == GM_OK; i += CHUNK_HALVES) {
        status = append_halves(out, bits + i, n - i < CHUNK_HALVES ? n - i : CHUNK_HALVES, scale);
    }
    return status;
}

static GM_COLD int append_segments(writer *out, const gm_session *session, uint32_t encoding)
{
    gm_segments segments = gm_segments_of(session, encoding);
    int status = GM_OK;
    while (status == GM_OK && gm_next_segment(&segments)) {
        const void *data = session->arena + segments.at;
        status = segments.is_packed ? append_packed(out, data, segments.size / 4) : append(out, data, segments.size);
    }
    return status;
}

/* Begins a file of the current state, to be written in full. */
static void begin_file(writer *out, gm_write_fn write, void *user)
{
    out->write = write;
    out->user = user;
    out->from = 0;
    out->to = UINT32_MAX;
    out->offset = sizeof(gm_checkpoint);
    out->crc = 0;
    out->append_state = append_segments;
}

static int append_body(writer *out, const gm_session *session, uint32_t encoding)
{
    int status = append_section(out, session, GM_SECTION_STATE);
    if (status == GM_OK) {
        status = append_section(out, session, GM_SECTION_NAMES);
    }
    return status == GM_OK ? out->append_state(out, session, encoding) : status;
}

/* Saves a file. The header comes last, because its checksum covers all that follows it. */
static int save(writer *out, const gm_session *session, uint32_t encoding)
{
    gm_checkpoint header;
    int status = gm_idle(session);
    if (status != GM_OK) {
        return status;
    }
    if (out->write == NULL) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    fill_header(session, encoding, &header);
    out->crc = crc_of_header(&header);
    status = append_body(out, session, encoding);
    if (status != GM_OK) {
        return status;
    }
    header.crc = out->crc;
    return out->write(out->user, 0, &header, sizeof header) == 0 ? GM_OK : GM_ERR_IO;
}

static int save_state(const gm_session *session, uint32_t encoding, gm_write_fn write, void *user)
{
    writer out;
    begin_file(&out, write, user);
    return save(&out, session, encoding);
}

GM_COLD int gm_checkpoint_save(const gm_session *session, gm_write_fn write, void *user)
{
    return save_state(session, GM_ENCODING_PLAIN, write, user);
}

GM_COLD int gm_checkpoint_save_half(const gm_session *session, gm_write_fn write, void *user)
{
    return save_state(session, GM_ENCODING_HALF, write, user);
}

/* ---- Saving without the optimizer's state ---------------------------------------------------- */

/* Returns whether byte `at` of the state is the optimizer's. *size: how many bytes from there on are
 * like it. */
static GM_COLD int is_optimizers(const gm_session *session, uint32_t at, uint32_t *size)
{
    const gm_state_entry *entry = gm_section_data(session->header, GM_SECTION_STATE);
    const gm_state_entry *last = entry + section_of(session, GM_SECTION_STATE)->size / sizeof *entry;
    *size = session->header->state_size - at;
    for (; entry < last; ++entry) {
        if (entry->role != GM_STATE_ROLE_SLOT && entry->role != GM_STATE_ROLE_CONTROL) {
            continue;
        }
        if (at >= entry->offset && at - entry->offset < entry->size) {
            *size = entry->offset + entry->size - at;
            return 1;
        }
        if (at < entry->offset && entry->offset - at < *size) {
            *size = entry->offset - at;
        }
    }
    return 0;
}

/* Appends the state, with what the image begins with as the optimizer's. */
static GM_COLD int append_begun_again(writer *out, const gm_session *session, uint32_t encoding)
{
    const uint8_t *initial = gm_section_data(session->header, GM_SECTION_INITIAL), zeros[CHUNK] = {0};
    uint32_t given = section_of(session, GM_SECTION_INITIAL)->size, size; /* the rest begins as zeros */
    int status = GM_OK;
    (void)encoding;
    for (uint32_t at = 0; at < session->header->state_size && status == GM_OK; at += size) {
        const uint8_t *from = session->arena + at;
        if (is_optimizers(session, at, &size)) {
            uint32_t most = at < given ? given - at : CHUNK;
            from = at < given ? initial + at : zeros;
            size = size < most ? size : most;
        }
        status = append(out, from, size);
    }
    return status;
}

/* Only this refers to append_begun_again(), so the linker drops it from programs that do not call this. */
GM_COLD int gm_checkpoint_save_without_optimizer(const gm_session *session, gm_write_fn write, void *user)
{
    writer out;
    begin_file(&out, write, user);
    out.append_state = append_begun_again;
    return save(&out, session, GM_ENCODING_PLAIN);
}

/* ---- Saving the next base -------------------------------------------------------------------- */

#if GM_WITH_ROUNDS

static GM_COLD int put_word_in_file(void *user, uint32_t *place, uint32_t word)
{
    (void)place;
    return append(user, &word, sizeof word);
}

/* Appends the state, with the parameters of the next base instead of its own. */
static GM_COLD int append_next_base(writer *out, const gm_session *session, uint32_t encoding)
{
    uint32_t parameters = session->header->parameters_size, rest = session->header->state_size - parameters;
    (void)encoding;
    out->next->put = put_word_in_file;
    out->next->user = out;
    int status = gm_new_base_make(out->next);
    return status == GM_OK ? append(out, session->arena + parameters, rest) : status;
}

/* Only this refers to append_next_base(), so the linker drops it from programs without rounds. */
GM_COLD int gm_round_save(const gm_session *session, const gm_federated_round *round, const void *delta, size_t size,
                          gm_write_fn write, void *user)
{
    gm_delta_walk next;
    writer out;
    begin_file(&out, write, user);
    out.next = &next;
    out.append_state = append_next_base;
    gm_delta_set(&next, session, round, delta);
    int status = gm_new_base_check(&next, size);
    return status == GM_OK ? save(&out, session, GM_ENCODING_PLAIN) : status;
}

#endif

/* ---- Saving in parts ------------------------------------------------------------------------- */

typedef struct file_part {
    uint8_t *data;
    uint32_t offset;
    uint32_t size;
} file_part;

/* Keeps the written bytes that fall in the wanted part of the file. It is a gm_write_fn. */
static int write_part(void *user, uint32_t offset, const void *data, uint32_t size)
{
    file_part *wanted = user;
    uint32_t end = wanted->offset + wanted->size;
    uint32_t from = offset > wanted->offset ? offset : wanted->offset;
    uint32_t to = offset + size < end ? offset + size : end;
    if (from < to) {
        memcpy(wanted->data + (from - wanted->offset), (const uint8_t *)data + (from - offset), to - from);
    }
    return 0;
}

GM_COLD int gm_checkpoint_part_half(const gm_session *session, uint32_t offset, void *data, uint32_t size)
{
    int status = gm_idle(session);
    if (status != GM_OK) {
        return status;
    }
    if (data == NULL || offset > gm_checkpoint_half_size(session) || size > gm_checkpoint_half_size(session) - offset) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    file_part wanted = {data, offset, size};
    if (offset < sizeof(gm_checkpoint)) { /* the header's checksum covers the whole file */
        return gm_checkpoint_save_half(session, write_part, &wanted);
    }
    writer out;
    begin_file(&out, write_part, &wanted);
    out.from = offset;
    out.to = offset + size;
    return append_body(&out, session, GM_ENCODING_HALF);
}

/* ---- Loading --------------------------------------------------------------------------------- */

/* Continues *crc over bytes [from, to) of the file. */
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

/* Returns the encoding of the file's state. In version 1 its field was a reserved word. */
static uint32_t encoding_of(const gm_checkpoint *header)
{
    return header->version == 1 ? GM_ENCODING_PLAIN : header->encoding;
}

static int check_file(const gm_checkpoint *header, size_t size)
{
    if (header->magic != GM_CHECKPOINT_MAGIC) {
        return GM_ERR_BAD_MAGIC;
    }
    if (header->version - 1 >= GM_CHECKPOINT_VERSION) { /* 0 too */
        return GM_ERR_BAD_VERSION;
    }
    return header->size < sizeof *header || header->size > size ? GM_ERR_TRUNCATED : GM_OK;
}

/* Returns whether the file's state fits this session. Table and names may differ, because images of
 * one model with different losses share checkpoints. */
static int is_same_model(const gm_session *session, const gm_checkpoint *header)
{
    uint64_t size = sizeof *header + (uint64_t)header->entries * sizeof(gm_state_entry) + header->names_size +
                    gm_state_in_file(session, encoding_of(header));
    return memcmp(header->model_id, session->header->model_id, sizeof header->model_id) == 0 &&
           header->state_size == session->header->state_size && header->size == size;
}

/* Verifies the checksum, then the model. *crc_before_state becomes the checksum of everything
 * before the state. */
static int check_content(const gm_session *session, const gm_checkpoint *header, gm_read_fn read, void *user,
                         uint32_t *crc_before_state)
{
    int same = is_same_model(session, header);
    uint32_t state_at = header->size - (same ? gm_state_in_file(session, encoding_of(header)) : 0);
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
    if (encoding_of(header) >= GM_ENCODING_COUNT) {
        return GM_ERR_BAD_VERSION;
    }
    return same ? GM_OK : GM_ERR_WRONG_MODEL;
}

typedef struct reader {
    gm_read_fn read;
    void *user;
    uint32_t offset;
    uint32_t crc;
} reader;

static int read_on(reader *in, void *data, uint32_t size)
{
    if (in->read(in->user, in->offset, data, size) != 0) {
        return GM_ERR_IO;
    }
    in->offset += size;
    in->crc = gm_crc32(in->crc, data, size);
    return GM_OK;
}

/* Reads up to CHUNK_HALVES numbers. */
static int read_halves(reader *in, uint32_t *bits, uint32_t n, uint32_t scale)
{
    uint32_t words[CHUNK / 4];
    int status = read_on(in, words, (n + 1) / 2 * 4);
    for (uint32_t i = 0; i < n && status == GM_OK; ++i) {
        bits[i] = gm_half_value(words[i / 2] >> i % 2 * 16 & 0xFFFF, scale);
    }
    return status;
}

static int read_packed(reader *in, uint32_t *bits, uint32_t n)
{
    uint32_t scale;
    int status = read_on(in, &scale, sizeof scale);
    for (uint32_t i = 0; i < n && status == GM_OK; i += CHUNK_HALVES) {
        status = read_halves(in, bits + i, n - i < CHUNK_HALVES ? n - i : CHUNK_HALVES, scale & 0xFF);
    }
    return status;
}

static int read_segments(reader *in, const gm_session *session, uint32_t encoding)
{
    gm_segments segments = gm_segments_of(session, encoding);
    int status = GM_OK;
    while (status == GM_OK && gm_next_segment(&segments)) {
        void *data = session->arena + segments.at;
        status = segments.is_packed ? read_packed(in, data, segments.size / 4) : read_on(in, data, segments.size);
    }
    return status;
}

/* Reads the state. If storage gave the right bytes before and fails now, the state is reset to the
 * image's initial one; it is never a mixture. */
static int read_state(gm_session *session, const gm_checkpoint *header, gm_read_fn read, void *user, uint32_t crc)
{
    uint32_t encoding = encoding_of(header);
    reader in = {read, user, header->size - gm_state_in_file(session, encoding), crc};
    int status = read_segments(&in, session, encoding);
    if (status == GM_OK && in.crc != header->crc) {
        status = GM_ERR_BAD_CRC;
    }
    if (status != GM_OK) {
        (void)gm_reset(session);
        return status;
    }
    gm_control_of(session)->accumulated = 0; /* gradients are not in the file */
    session->proven = 0;
    return GM_OK;
}

static int read_header(gm_read_fn read, void *user, size_t size, gm_checkpoint *header)
{
    if (size < sizeof *header) {
        return GM_ERR_TRUNCATED;
    }
    return read(user, 0, header, sizeof *header) == 0 ? check_file(header, size) : GM_ERR_IO;
}

/* Reads the header, and checks the whole file before any of it is used. */
static int check_before_loading(const gm_session *session, gm_read_fn read, void *user, size_t size,
                                gm_checkpoint *header, uint32_t *crc_before_state)
{
    if (session == NULL || session->header == NULL || read == NULL) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    int status = read_header(read, user, size, header);
    return status == GM_OK ? check_content(session, header, read, user, crc_before_state) : status;
}

GM_COLD int gm_checkpoint_check(const gm_session *session, gm_read_fn read, void *user, size_t size)
{
    gm_checkpoint header;
    uint32_t crc_before_state;
    return check_before_loading(session, read, user, size, &header, &crc_before_state);
}

GM_COLD int gm_checkpoint_load(gm_session *session, gm_read_fn read, void *user, size_t size)
{
    gm_checkpoint header;
    uint32_t crc_before_state;
    int status = gm_idle(session);
    if (status == GM_OK) {
        status = check_before_loading(session, read, user, size, &header, &crc_before_state);
    }
    return status == GM_OK ? read_state(session, &header, read, user, crc_before_state) : status;
}

GM_COLD int gm_check_any_checkpoint(gm_read_fn read, void *user, size_t size, gm_checkpoint *header)
{
    int status = read_header(read, user, size, header);
    if (status != GM_OK) {
        return status;
    }
    uint32_t crc = crc_of_header(header);
    status = crc_of_file(read, user, sizeof *header, header->size, &crc);
    return status == GM_OK && crc != header->crc ? GM_ERR_BAD_CRC : status;
}
