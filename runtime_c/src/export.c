/*
 * Writes a trained model as ONNX: the state's numbers, put into the model's own .onnx file.
 *
 * In that file each weight is an array of bytes in one piece, so a table of ranges is enough; the
 * rest of the file is copied. See docs/SPEC.md, "Export table".
 */
#include "gradmote.h"

#include "image.h"
#include "program.h"
#include "ranges.h"

#define BUFFER_SIZE 64u

/* ---- The table ------------------------------------------------------------------------------- */

static const gm_export_range *ranges_of(const gm_export_header *table)
{
    return (const void *)(table + 1);
}

static uint32_t range_count(const gm_export_header *table)
{
    return (table->size - (uint32_t)sizeof *table) / (uint32_t)sizeof(gm_export_range);
}

static uint32_t element_size(const gm_export_range *range)
{
    return range->kind == GM_EXPORT_KIND_WORD ? WORD : 1;
}

/* Returns the size of a checked range in the file. */
static uint32_t size_in_file(const gm_export_range *range)
{
    return element_size(range) * range->columns * range->rows;
}

/* Returns whether all elements of a range are in the state. */
static int reads_state(const gm_export_range *range, uint32_t state_size)
{
    int64_t across = (int64_t)(range->columns - 1) * range->step, down = (int64_t)(range->rows - 1) * range->row_step;
    int64_t first = (int64_t)range->source + (across < 0 ? across : 0) + (down < 0 ? down : 0);
    int64_t last = (int64_t)range->source + (across > 0 ? across : 0) + (down > 0 ? down : 0);
    return first >= 0 && last + element_size(range) <= state_size;
}

/* Returns whether a range is sound; *at: the end of the one before it, then its own. */
static int is_sound(const gm_export_range *range, const gm_export_header *table, uint32_t state_size, uint32_t *at)
{
    uint64_t elements = saturating_product(range->columns, range->rows);
    uint64_t size = elements < SIZE_LIMIT ? elements * element_size(range) : SIZE_LIMIT;
    int is_word = range->kind == GM_EXPORT_KIND_WORD;
    if (range->kind >= GM_EXPORT_KIND_COUNT || elements == 0 || (is_word && range->add != 0) || range->add < -255 ||
        range->add > 255 || !is_within(range->at, size, *at, table->template_size)) {
        return 0;
    }
    *at = range->at + (uint32_t)size;
    return reads_state(range, state_size);
}

/* Returns whether an image of the session's has this table, and all of it is sound. */
static GM_COLD int check_table(const gm_session *session, const gm_export_header *table, size_t size)
{
    if (table == NULL || (uintptr_t)table % WORD != 0) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    if (size < sizeof *table || table->size > size || table->size < sizeof *table) {
        return GM_ERR_TRUNCATED;
    }
    if (table->magic != GM_EXPORT_MAGIC) {
        return GM_ERR_BAD_MAGIC;
    }
    if (table->version != GM_EXPORT_VERSION) {
        return GM_ERR_BAD_VERSION;
    }
    if (gm_crc32(0, table->model_id, table->size - 16) != table->crc) {
        return GM_ERR_BAD_CRC;
    }
    const gm_header *image = session->header;
    for (uint32_t i = 0; i < 4; ++i) {
        if (table->model_id[i] != image->model_id[i]) {
            return GM_ERR_WRONG_MODEL;
        }
    }
    if ((table->size - sizeof *table) % sizeof(gm_export_range) != 0 || table->template_size > SIZE_LIMIT) {
        return GM_ERR_BAD_SECTION;
    }
    const gm_export_range *range = ranges_of(table);
    for (uint32_t i = range_count(table), at = 0; i > 0; --i, ++range) {
        if (!is_sound(range, table, image->state_size, &at)) {
            return GM_ERR_BAD_SECTION;
        }
    }
    return GM_OK;
}

/* ---- Elements -------------------------------------------------------------------------------- */

/* Where a walk through a range is. */
typedef struct {
    const gm_export_range *range;
    const uint8_t *row, *element;
    uint32_t column;
} place;

static place place_of(const gm_session *session, const gm_export_range *range, uint32_t element)
{
    uint32_t row = element / range->columns, column = element % range->columns;
    const uint8_t *begin = session->arena + range->source + (ptrdiff_t)row * range->row_step;
    place found = {range, begin, begin + (ptrdiff_t)column * range->step, column};
    return found;
}

static void go_on(place *p)
{
    p->element += p->range->step;
    if (++p->column == p->range->columns) {
        p->column = 0;
        p->row += p->range->row_step;
        p->element = p->row;
    }
}

static int32_t integer_at(const place *p)
{
    return (int8_t)*p->element + p->range->add;
}

/* Returns whether all integers of a range fit its type in the file. */
static int fits(const gm_session *session, const gm_export_range *range)
{
    int32_t lowest = range->kind == GM_EXPORT_KIND_U8 ? 0 : -128;
    place p = place_of(session, range, 0);
    for (uint32_t left = size_in_file(range); left > 0; --left, go_on(&p)) {
        if (integer_at(&p) < lowest || integer_at(&p) > lowest + 255) {
            return 0;
        }
    }
    return 1;
}

/* Puts the bytes of a range into those [offset, offset + size) of the file. */
static void put_range(const gm_session *session, const gm_export_range *range, uint32_t offset, uint8_t *data,
                      uint32_t size)
{
    uint32_t begin = range->at > offset ? range->at : offset, end = range->at + size_in_file(range);
    uint32_t width = element_size(range);
    end = end < offset + size ? end : offset + size;
    if (begin >= end) {
        return;
    }
    place p = place_of(session, range, (begin - range->at) / width);
    for (uint32_t byte = (begin - range->at) % width; begin < end; ++begin) {
        data[begin - offset] = width == 1 ? (uint8_t)integer_at(&p) : p.element[byte];
        if (++byte == width) {
            byte = 0;
            go_on(&p);
        }
    }
}

/* ---- Export ---------------------------------------------------------------------------------- */

GM_COLD int gm_export_check(const gm_session *session, const void *table, size_t size)
{
    int status = gm_idle(session);
    status = status == GM_OK ? check_table(session, table, size) : status;
    if (status != GM_OK) {
        return status;
    }
    const gm_export_range *range = ranges_of(table);
    for (uint32_t left = range_count(table); left > 0; --left, ++range) {
        if (range->kind != GM_EXPORT_KIND_WORD && !fits(session, range)) {
            return GM_ERR_DOES_NOT_FIT;
        }
    }
    return GM_OK;
}

GM_COLD int gm_export_part(const gm_session *session, const void *table, uint32_t offset, void *data, uint32_t size)
{
    const gm_export_header *header = table;
    int status = gm_idle(session);
    if (status != GM_OK) {
        return status;
    }
    if (header == NULL || data == NULL || !is_within(offset, size, 0, header->template_size)) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    const gm_export_range *range = ranges_of(header);
    for (uint32_t left = range_count(header); left > 0; --left, ++range) {
        put_range(session, range, offset, data, size);
    }
    return GM_OK;
}

/* Reads the whole file, and returns whether it is the one that the table was made for. */
static int check_file(const gm_export_header *table, gm_read_fn read, void *user)
{
    uint8_t buffer[BUFFER_SIZE];
    uint32_t crc = 0;
    for (uint32_t at = 0, n; at < table->template_size; at += n) {
        n = table->template_size - at < BUFFER_SIZE ? table->template_size - at : BUFFER_SIZE;
        if (read(user, at, buffer, n) != 0) {
            return GM_ERR_IO;
        }
        crc = gm_crc32(crc, buffer, n);
    }
    return crc == table->template_crc ? GM_OK : GM_ERR_BAD_CRC;
}

static int copy_file(const gm_session *session, const gm_export_header *table, gm_read_fn read, gm_write_fn write,
                     void *user)
{
    uint8_t buffer[BUFFER_SIZE];
    for (uint32_t at = 0, n; at < table->template_size; at += n) {
        n = table->template_size - at < BUFFER_SIZE ? table->template_size - at : BUFFER_SIZE;
        if (read(user, at, buffer, n) != 0 || gm_export_part(session, table, at, buffer, n) != GM_OK ||
            write(user, at, buffer, n) != 0) {
            return GM_ERR_IO;
        }
    }
    return GM_OK;
}

GM_COLD int gm_export(const gm_session *session, const void *table, size_t size, gm_read_fn read, gm_write_fn write,
                      void *user)
{
    int status = read == NULL || write == NULL ? GM_ERR_INVALID_ARGUMENT : gm_export_check(session, table, size);
    if (status == GM_OK) {
        status = check_file(table, read, user);
    }
    return status == GM_OK ? copy_file(session, table, read, write, user) : status;
}
