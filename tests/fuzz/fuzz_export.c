/*
 * libFuzzer target: any bytes as the export table of an open session.
 *
 * The input is an image and the table. It is taken as it is, and again with its magic, version, sizes, model id and
 * checksum put right, so that its ranges are reached. gm_export_check() must read inside the file alone, and agree with
 * checks that were written from docs/SPEC.md; gm_export() must write nothing of a file that is refused, else each byte once
 * and in order, with the numbers of the state that the ranges name; parts must have the same bytes. A storage that
 * delivers another file after the check must not lead out of the files or the state.
 */
#define _POSIX_C_SOURCE 200112L /* posix_memalign */

#include <string.h>

#include "file.h"
#include "image_and_more.h"

/* A table, what is delivered after the first write, and what was written. */
typedef struct storage {
    file table, later;
    uint8_t *model;
    uint32_t model_size, written;
} storage;

static int read_table(void *user, uint32_t offset, void *data, uint32_t size)
{
    storage *s = user;
    file *from = s->written > 0 ? &s->later : &s->table;
    return offset <= from->size && size <= from->size - offset ? file_read(from, offset, data, size) : -1;
}

static int write_model(void *user, uint32_t offset, const void *data, uint32_t size)
{
    storage *s = user;
    require(offset == s->written && size > 0 && size <= s->model_size - offset);
    memcpy(s->model + offset, data, size);
    s->written += size;
    return 0;
}

/* ---- What a table means ----------------------------------------------------------------------------------------------- */

static int64_t width_of(const gm_export_range *r)
{
    return r->kind == GM_EXPORT_KIND_WORD ? 4 : 1;
}

/* Whether the corner elements of a range, and so all of them, are in the state. */
static int is_in_state(const gm_export_range *r, uint32_t state_size)
{
    for (int64_t corner = 0; corner < 4; ++corner) {
        int64_t column = corner % 2 * (r->columns - 1), row = corner / 2 * (r->rows - 1);
        int64_t at = (int64_t)r->source + column * r->step + row * r->row_step;
        if (at < 0 || at + width_of(r) > state_size) {
            return 0;
        }
    }
    return 1;
}

static int is_range(const gm_export_range *r, uint64_t before, uint32_t model_size, uint32_t state_size)
{
    int adds_right = r->kind == GM_EXPORT_KIND_WORD ? r->add == 0 : r->add >= -255 && r->add <= 255;
    return r->kind < GM_EXPORT_KIND_COUNT && adds_right && r->columns != 0 && r->rows != 0 && r->at >= before &&
           r->columns <= model_size && r->rows <= model_size &&
           r->at + (uint64_t)width_of(r) * r->columns * r->rows <= model_size && is_in_state(r, state_size);
}

/* Puts one range into the model. Returns 0 if an integer does not fit. */
static int put(const gm_session *session, const gm_export_range *r, uint8_t *model)
{
    uint8_t *to = model + r->at;
    int lowest = r->kind == GM_EXPORT_KIND_U8 ? 0 : -128;
    for (int64_t row = 0; row < r->rows; ++row) {
        for (int64_t column = 0; column < r->columns; ++column, to += width_of(r)) {
            const uint8_t *from = session->arena + (r->source + row * r->row_step + column * r->step);
            int integer = (int8_t)*from + r->add;
            if (r->kind == GM_EXPORT_KIND_WORD) {
                memcpy(to, from, 4);
            } else if (integer < lowest || integer > lowest + 255) {
                return 0;
            } else {
                *to = (uint8_t)integer;
            }
        }
    }
    return 1;
}

/* Whether a table is right, by docs/SPEC.md. Makes the trained model of one that is: *model, which free() takes back. */
static int expected(const gm_session *session, const file *table, uint8_t **model, uint32_t *model_size)
{
    gm_export_header header;
    gm_export_range range;
    uint64_t end = 0, ranges;
    if (table->size < sizeof header) {
        return 0;
    }
    memcpy(&header, table->bytes, sizeof header);
    ranges = (uint64_t)header.ranges * sizeof range;
    if (header.magic != GM_EXPORT_MAGIC || header.version != GM_EXPORT_VERSION || header.size > table->size ||
        sizeof header + ranges + header.model_size != header.size ||
        header.crc != gm_crc32(0, table->bytes + 16, header.size - 16) ||
        memcmp(header.model_id, session->header->model_id, sizeof header.model_id) != 0) {
        return 0;
    }
    *model_size = header.model_size;
    *model = copy_of(table->bytes + header.size - header.model_size, header.model_size);
    for (uint32_t i = 0; i < header.ranges; ++i) {
        memcpy(&range, table->bytes + sizeof header + i * sizeof range, sizeof range);
        if (!is_range(&range, end, header.model_size, session->header->state_size) || !put(session, &range, *model)) {
            return 0;
        }
        end = range.at + (uint64_t)width_of(&range) * range.columns * range.rows;
    }
    return 1;
}

/* ---- What an export does ---------------------------------------------------------------------------------------------- */

static void check_parts_of_model(const gm_session *session, storage *s, const uint8_t *model)
{
    s->written = 0;
    for (uint32_t from = 0, length = 1; from + length <= s->model_size; from += length, length = length * 3 + 1) {
        uint8_t *part = aligned(length);
        require(gm_export_part(session, read_table, s, from, part, length) == GM_OK);
        require(memcmp(part, model + from, length) == 0);
        free(part);
    }
}

/* Exports with one table, and goes on with another one in the middle. */
static void export_with(gm_session *session, const file *table, const file *later)
{
    uint8_t *model = NULL, *state = copy_of(session->arena, session->header->state_size);
    storage s = {*table, *table, NULL, 0, 0};
    uint32_t found = 0;
    int is_right = expected(session, table, &model, &s.model_size);
    s.model = aligned(s.model_size);
    require((gm_export_check(session, read_table, &s, table->size, &found) == GM_OK) == is_right);
    require(!is_right || found == s.model_size);
    require((gm_export(session, read_table, write_model, &s, table->size) == GM_OK) == is_right);
    require(s.written == (is_right ? s.model_size : 0));
    if (is_right) {
        require(memcmp(s.model, model, s.model_size) == 0);
        check_parts_of_model(session, &s, model);
        s.written = 0;
        s.later = *later;
        (void)gm_export(session, read_table, write_model, &s, table->size);
    }
    require(has_state(session, state));
    free(s.model);
    free(model);
    free(state);
}

/* Puts right all that is not of the ranges. */
static void repair_table(const gm_session *session, file *table)
{
    gm_export_header header;
    uint32_t room = table->size - (uint32_t)sizeof header;
    memcpy(&header, table->bytes, sizeof header);
    header.magic = GM_EXPORT_MAGIC;
    header.version = GM_EXPORT_VERSION;
    header.size = table->size;
    header.ranges %= room / (uint32_t)sizeof(gm_export_range) + 1;
    header.model_size = room - header.ranges * (uint32_t)sizeof(gm_export_range);
    memcpy(header.model_id, session->header->model_id, sizeof header.model_id);
    memcpy(table->bytes, &header, sizeof header);
    header.crc = gm_crc32(0, table->bytes + 16, header.size - 16);
    memcpy(table->bytes, &header, sizeof header);
}

static void use(gm_session *session, const uint8_t *given, uint32_t size)
{
    file table = {copy_of(given, size), size}, right = {copy_of(given, size), size};
    if (size >= sizeof(gm_export_header)) {
        repair_table(session, &right);
    }
    export_with(session, &table, &right);
    export_with(session, &right, &table);
    free(table.bytes);
    free(right.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return open_and_use(data, size, use);
}
