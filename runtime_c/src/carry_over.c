/*
 * Carrying over: a new model loads entries of another model's checkpoint by name and shape, and so
 * keeps what that model has learned.
 */
#include <string.h>

#include "checkpoint.h"
#include "image.h"
#include "program.h"

/* Stack buffer for reading a file through the callback. */
#define COMPARED_AT_ONCE 32u

/* The checkpoint to load from. */
typedef struct source {
    gm_checkpoint header;
    gm_read_fn read;
    void *user;
} source;

/* What transfer() does with a matching entry. */
enum transfer { TRANSFER_COPY, TRANSFER_COMPARE };

static int read_at(const source *from, uint32_t offset, void *data, uint32_t size)
{
    return from->read(from->user, offset, data, size) == 0 ? GM_OK : GM_ERR_IO;
}

/* Returns the offset of the names in the file. */
static uint32_t names_at(const source *from)
{
    return (uint32_t)(sizeof from->header + from->header.entries * sizeof(gm_state_entry));
}

/* ---- Matching entries ------------------------------------------------------------------------ */

/* Returns 1 if the file's names have `name` at offset `at`, 0 if they do not, or an error. */
static int is_named(const source *from, uint32_t at, const char *name)
{
    char chunk[COMPARED_AT_ONCE];
    while (at < from->header.names_size) {
        uint32_t left = from->header.names_size - at, count = left < COMPARED_AT_ONCE ? left : COMPARED_AT_ONCE;
        if (read_at(from, names_at(from) + at, chunk, count) != GM_OK) {
            return GM_ERR_IO;
        }
        for (uint32_t i = 0; i < count; ++i, ++name) {
            if (chunk[i] != *name || *name == '\0') {
                return chunk[i] == *name;
            }
        }
        at += count;
    }
    return 0;
}

static int has_same_form(const gm_state_entry *a, const gm_state_entry *b)
{
    return a->role == b->role && a->dtype == b->dtype && a->rank == b->rank && a->size == b->size &&
           memcmp(a->dims, b->dims, sizeof a->dims) == 0;
}

static int is_inside(const source *from, const gm_state_entry *entry)
{
    return entry->offset <= from->header.state_size && entry->size <= from->header.state_size - entry->offset;
}

/* Returns 1 if the file's name for its entry is the image's name for `own`, 0 if not, or an error.
 * An image has one entry of properties, which needs no name. */
static int has_same_name(const gm_session *session, const source *from, const gm_state_entry *own, uint32_t name)
{
    const char *names = gm_section_data(session->header, GM_SECTION_NAMES);
    if (own->role == GM_STATE_ROLE_PROPERTIES) {
        return 1;
    }
    return own->name != GM_NONE && name != GM_NONE ? is_named(from, name, names + own->name) : 0;
}

/* Looks for the file's entry that matches `own`. Returns 1 and its offset in the file's state, 0 if
 * there is none, or an error. */
static int find_match(const gm_session *session, const source *from, const gm_state_entry *own, uint32_t *offset)
{
    for (uint32_t i = 0; i < from->header.entries; ++i) {
        gm_state_entry entry;
        if (read_at(from, (uint32_t)(sizeof from->header + i * sizeof entry), &entry, sizeof entry) != GM_OK) {
            return GM_ERR_IO;
        }
        int fits = has_same_form(own, &entry) && is_inside(from, &entry);
        fits = fits ? has_same_name(session, from, own, entry.name) : 0;
        if (fits != 0) {
            *offset = entry.offset;
            return fits;
        }
    }
    return 0;
}

/* Returns whether an entry keeps the new image's own values. Rate, schedule and counters belong to
 * the image, and the file does not describe the form of a store. */
static int keeps_own_value(const gm_state_entry *own)
{
    return own->role == GM_STATE_ROLE_CONTROL || own->role == GM_STATE_ROLE_STORE;
}

/* Returns 1 if each moment has a matching entry in the file, 0 if not, or an error. Moments share
 * their bias corrections, so loading only some of them would be wrong. */
static int moments_fit(const gm_session *session, const source *from)
{
    const gm_state_entry *own = gm_section_data(session->header, GM_SECTION_STATE);
    const gm_state_entry *end = own + session->header->sections[GM_SECTION_STATE].size / sizeof *own;
    uint32_t offset;
    int fits = 1;
    for (; own < end && fits == 1; ++own) {
        fits = own->role == GM_STATE_ROLE_SLOT ? find_match(session, from, own, &offset) : 1;
    }
    return fits;
}

/* ---- Copying --------------------------------------------------------------------------------- */

/* Returns GM_OK if the file's bytes at offset `at` equal `data`. */
static int compare_bytes(const source *from, uint32_t at, const uint8_t *data, uint32_t size)
{
    uint8_t chunk[COMPARED_AT_ONCE];
    for (uint32_t done = 0; done < size; done += COMPARED_AT_ONCE) {
        uint32_t count = size - done < COMPARED_AT_ONCE ? size - done : COMPARED_AT_ONCE;
        if (read_at(from, at + done, chunk, count) != GM_OK) {
            return GM_ERR_IO;
        }
        if (memcmp(chunk, data + done, count) != 0) {
            return GM_ERR_BAD_CRC;
        }
    }
    return GM_OK;
}

/* Copies or compares each matching entry. *count becomes the number of matches. */
static int transfer(gm_session *session, const source *from, enum transfer what, uint32_t *count)
{
    const gm_state_entry *own = gm_section_data(session->header, GM_SECTION_STATE);
    const gm_state_entry *end = own + session->header->sections[GM_SECTION_STATE].size / sizeof *own;
    uint32_t state_at = names_at(from) + from->header.names_size, offset = 0;
    int with_moments = moments_fit(session, from), status = with_moments < 0 ? with_moments : GM_OK;
    for (*count = 0; own < end && status == GM_OK; ++own) {
        int skipped = keeps_own_value(own) || (own->role == GM_STATE_ROLE_SLOT && !with_moments);
        int fits = skipped ? 0 : find_match(session, from, own, &offset);
        uint8_t *data = session->arena + own->offset;
        status = fits < 0 ? fits : GM_OK;
        if (fits == 1) {
            status = what == TRANSFER_COPY ? read_at(from, state_at + offset, data, own->size)
                                           : compare_bytes(from, state_at + offset, data, own->size);
            ++*count;
        }
    }
    return status;
}

/* Copies all matching entries, reads them again to compare, and checks the file once more. This
 * catches storage that delivers different bytes the second time. */
static int copy_and_compare(gm_session *session, const source *from, uint32_t *carried)
{
    uint32_t compared;
    gm_checkpoint header;
    int status = transfer(session, from, TRANSFER_COPY, carried);
    if (status == GM_OK) {
        status = transfer(session, from, TRANSFER_COMPARE, &compared);
    }
    if (status == GM_OK) {
        status = gm_check_any_checkpoint(from->read, from->user, from->header.size, &header);
    }
    if (status != GM_OK) {
        return status;
    }
    return compared == *carried && memcmp(&header, &from->header, sizeof header) == 0 ? GM_OK : GM_ERR_BAD_CRC;
}

/* Checks that the state is not packed, and that the sections add up to the file's size. Version 1
 * had no packed states. */
static int check_sections_of_file(const gm_checkpoint *header)
{
    if (header->version != 1 && header->encoding != GM_ENCODING_PLAIN) {
        return GM_ERR_BAD_VERSION;
    }
    uint64_t size =
        sizeof *header + (uint64_t)header->entries * sizeof(gm_state_entry) + header->names_size + header->state_size;
    return size == header->size ? GM_OK : GM_ERR_BAD_STATE;
}

int gm_checkpoint_carry_over(gm_session *session, gm_read_fn read, void *user, size_t size, uint32_t *carried)
{
    source from = {.read = read, .user = user};
    int status = gm_idle(session);
    if (status != GM_OK) {
        return status;
    }
    if (read == NULL || carried == NULL) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    status = gm_check_any_checkpoint(read, user, size, &from.header);
    if (status == GM_OK) {
        status = check_sections_of_file(&from.header);
    }
    if (status != GM_OK) {
        return status;
    }
    (void)gm_reset(session);
    status = copy_and_compare(session, &from, carried);
    if (status != GM_OK) {
        (void)gm_reset(session);
    }
    return status;
}
