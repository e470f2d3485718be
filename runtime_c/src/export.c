/*
 * Writes a trained model as ONNX: the state's numbers, put into the model's own .onnx file.
 *
 * In that file each weight is one contiguous array of bytes, so a table of ranges is enough; the rest
 * is copied. Each use reads the table again, and so checks it again. See docs/SPEC.md, "Export table".
 */
#include "gradmote.h"

#include <string.h>

#include "image.h"
#include "program.h"
#include "ranges.h"

#define EXPORT_BUFFER 64u

/* An export table, and whose numbers go into its model. */
typedef struct {
    const gm_session *session;
    gm_read_fn read;
    void *user;
    gm_export_header header;
} export_source;

/* A walk through the ranges. */
typedef struct {
    gm_export_range range;
    uint32_t next; /* index of the range after it */
    uint32_t end;  /* of the range in the model */
} export_walk;

/* ---- The file -------------------------------------------------------------------------------- */

static int read_export(const export_source *f, uint32_t offset, void *data, uint32_t size)
{
    return f->read(f->user, offset, data, size) == 0 ? GM_OK : GM_ERR_IO;
}

/* Reads the header, and checks that the parts that it names fill the file. */
static GM_COLD int open_export(export_source *f, const gm_session *session, gm_read_fn read, void *user)
{
    int status = read == NULL ? GM_ERR_INVALID_ARGUMENT : gm_idle(session);
    if (status != GM_OK) {
        return status;
    }
    f->session = session;
    f->read = read;
    f->user = user;
    status = read_export(f, 0, &f->header, sizeof f->header);
    if (status != GM_OK) {
        return status;
    }
    if (f->header.magic != GM_EXPORT_MAGIC) {
        return GM_ERR_BAD_MAGIC;
    }
    if (f->header.version != GM_EXPORT_VERSION) {
        return GM_ERR_BAD_VERSION;
    }
    uint64_t ranges = (uint64_t)f->header.ranges * sizeof(gm_export_range);
    int fills = f->header.size <= SIZE_LIMIT && sizeof f->header + ranges + f->header.model_size == f->header.size;
    return fills ? GM_OK : GM_ERR_BAD_SECTION;
}

static int check_export_crc(const export_source *f)
{
    uint8_t buffer[EXPORT_BUFFER];
    uint32_t crc = 0;
    for (uint32_t at = 16, n; at < f->header.size; at += n) {
        n = f->header.size - at < EXPORT_BUFFER ? f->header.size - at : EXPORT_BUFFER;
        int status = read_export(f, at, buffer, n);
        if (status != GM_OK) {
            return status;
        }
        crc = gm_crc32(crc, buffer, n);
    }
    return crc == f->header.crc ? GM_OK : GM_ERR_BAD_CRC;
}

/* ---- Ranges ---------------------------------------------------------------------------------- */

static uint32_t element_size(const gm_export_range *range)
{
    return range->kind == GM_EXPORT_KIND_WORD ? WORD : 1;
}

/* Returns whether all elements of a range are in the state. */
static int reads_state(const gm_export_range *range, uint32_t state_size)
{
    int64_t across = (int64_t)(range->columns - 1) * range->step, down = (int64_t)(range->rows - 1) * range->row_step;
    int64_t first = (int64_t)range->source + (across < 0 ? across : 0) + (down < 0 ? down : 0);
    int64_t last = (int64_t)range->source + (across > 0 ? across : 0) + (down > 0 ? down : 0);
    return first >= 0 && last + element_size(range) <= state_size;
}

/* Returns whether a range is sound, and sets its end in the model. */
static int is_sound(const export_source *f, export_walk *w)
{
    const gm_export_range *range = &w->range;
    uint64_t elements = saturating_product(range->columns, range->rows);
    uint64_t size = elements < SIZE_LIMIT ? elements * element_size(range) : SIZE_LIMIT + 1;
    int adds = range->kind != GM_EXPORT_KIND_WORD && range->add >= -255 && range->add <= 255;
    if (range->kind >= GM_EXPORT_KIND_COUNT || elements == 0 || (!adds && range->add != 0) ||
        !is_within(range->at, size, w->end, f->header.model_size)) {
        return 0;
    }
    w->end = range->at + (uint32_t)size;
    return reads_state(range, f->session->header->state_size);
}

/* Reads and checks the next range. Returns GM_OK, GM_AGAIN after the last one, or what is wrong. */
static int next_range(const export_source *f, export_walk *w)
{
    if (w->next == f->header.ranges) {
        return GM_AGAIN;
    }
    uint32_t at = (uint32_t)(sizeof f->header + w->next++ * sizeof w->range);
    int status = read_export(f, at, &w->range, sizeof w->range);
    return status != GM_OK ? status : is_sound(f, w) ? GM_OK : GM_ERR_BAD_SECTION;
}

/* ---- Elements -------------------------------------------------------------------------------- */

/* A position in a range. Offsets wrap, so that steps may be negative. */
typedef struct {
    const gm_export_range *range;
    const uint8_t *arena;
    uint32_t row, element; /* offsets in the arena */
    uint32_t column;
} export_place;

static export_place place_of(const export_source *f, const gm_export_range *range, uint32_t element)
{
    uint32_t row = range->source + element / range->columns * (uint32_t)range->row_step;
    uint32_t column = element % range->columns;
    export_place found = {range, f->session->arena, row, row + column * (uint32_t)range->step, column};
    return found;
}

static void go_on(export_place *p)
{
    p->element += (uint32_t)p->range->step;
    if (++p->column == p->range->columns) {
        p->column = 0;
        p->row += (uint32_t)p->range->row_step;
        p->element = p->row;
    }
}

static int32_t integer_at(const export_place *p)
{
    return (int8_t)p->arena[p->element] + p->range->add;
}

/* Returns whether all integers of a range fit its type in the model. */
static int integers_fit(const export_source *f, const gm_export_range *range)
{
    int32_t lowest = range->kind == GM_EXPORT_KIND_U8 ? 0 : -128;
    export_place p = place_of(f, range, 0);
    for (uint32_t left = range->columns * range->rows; left > 0; --left, go_on(&p)) {
        if (integer_at(&p) < lowest || integer_at(&p) > lowest + 255) {
            return 0;
        }
    }
    return 1;
}

/* Puts the bytes of a range into those [offset, offset + size) of the model. */
static void put_range(const export_source *f, const export_walk *w, uint32_t offset, uint8_t *data, uint32_t size)
{
    uint32_t width = element_size(&w->range), begin = w->range.at > offset ? w->range.at : offset;
    uint32_t end = w->end < offset + size ? w->end : offset + size;
    if (begin >= end) {
        return;
    }
    export_place p = place_of(f, &w->range, (begin - w->range.at) / width);
    for (uint32_t byte = (begin - w->range.at) % width; begin < end; ++begin) {
        data[begin - offset] = width == 1 ? (uint8_t)integer_at(&p) : p.arena[p.element + byte];
        if (++byte == width) {
            byte = 0;
            go_on(&p);
        }
    }
}

/* ---- Export ---------------------------------------------------------------------------------- */

/* Checks all ranges, and that integers fit. */
static int check_export_ranges(const export_source *f)
{
    export_walk w = {{0, 0, 0, 0, 0, 0, 0, 0}, 0, 0};
    int status;
    while ((status = next_range(f, &w)) == GM_OK) {
        if (w.range.kind != GM_EXPORT_KIND_WORD && !integers_fit(f, &w.range)) {
            return GM_ERR_DOES_NOT_FIT;
        }
    }
    return status == GM_AGAIN ? GM_OK : status;
}

static GM_COLD int check_export(export_source *f, size_t size)
{
    int status = f->header.size <= size ? check_export_crc(f) : GM_ERR_TRUNCATED;
    if (status != GM_OK) {
        return status;
    }
    if (memcmp(f->header.model_id, f->session->header->model_id, sizeof f->header.model_id) != 0) {
        return GM_ERR_WRONG_MODEL;
    }
    return check_export_ranges(f);
}

GM_COLD int gm_export_check(const gm_session *session, gm_read_fn read, void *user, size_t size, uint32_t *model_size)
{
    export_source f;
    int status = size < sizeof f.header ? GM_ERR_TRUNCATED : open_export(&f, session, read, user);
    status = status == GM_OK ? check_export(&f, size) : status;
    if (status == GM_OK && model_size != NULL) {
        *model_size = f.header.model_size;
    }
    return status;
}

/* Copies a part of the trained model. */
static int copy_export_part(const export_source *f, uint32_t offset, void *data, uint32_t size)
{
    export_walk w = {{0, 0, 0, 0, 0, 0, 0, 0}, 0, 0};
    int status = read_export(f, f->header.size - f->header.model_size + offset, data, size);
    while (status == GM_OK && w.end < offset + size) {
        status = next_range(f, &w);
        if (status == GM_OK) {
            put_range(f, &w, offset, data, size);
        }
    }
    return status == GM_AGAIN ? GM_OK : status;
}

GM_COLD int gm_export_part(const gm_session *session, gm_read_fn read, void *user, uint32_t offset, void *data,
                           uint32_t size)
{
    export_source f;
    int status = open_export(&f, session, read, user);
    if (status != GM_OK) {
        return status;
    }
    int is_inside = data != NULL && is_within(offset, size, 0, f.header.model_size);
    return is_inside ? copy_export_part(&f, offset, data, size) : GM_ERR_INVALID_ARGUMENT;
}

GM_COLD int gm_export(const gm_session *session, gm_read_fn read, gm_write_fn write, void *user, size_t size)
{
    uint8_t buffer[EXPORT_BUFFER];
    uint32_t model_size = 0;
    int status = write == NULL ? GM_ERR_INVALID_ARGUMENT : gm_export_check(session, read, user, size, &model_size);
    for (uint32_t at = 0, n; status == GM_OK && at < model_size; at += n) {
        n = model_size - at < EXPORT_BUFFER ? model_size - at : EXPORT_BUFFER;
        status = gm_export_part(session, read, user, at, buffer, n);
        if (status == GM_OK && write(user, at, buffer, n) != 0) {
            status = GM_ERR_IO;
        }
    }
    return status;
}
