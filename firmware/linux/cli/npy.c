#include "npy.h"

#include <stdio.h>
#include <string.h>

#include "../failure.h"

#define MAGIC "\x93NUMPY"
#define MAGIC_SIZE 6u
#define HEADER_LIMIT 65536u /* bytes: numpy writes about 128 */
#define DESCR_SHOWN 40      /* characters of an unknown dtype */

static const struct {
    const char *descr;
    uint32_t size;
} dtypes[NPY_DTYPE_COUNT] = {{"<f4", 4}, {"<i4", 4}, {"<i8", 8}, {"|u1", 1}, {"|i1", 1}, {"<i2", 2}};

uint32_t npy_item_size(enum npy_dtype dtype)
{
    return dtypes[dtype].size;
}

const char *npy_descr(enum npy_dtype dtype)
{
    return dtypes[dtype].descr;
}

/* ---- The header's dictionary ---------------------------------------------------------------------------------- */

/* A position in a Python literal. The readers below do not go past `end`. */
typedef struct cursor {
    const char *path;
    const char *at;
    const char *end;
} cursor;

static void damaged(const cursor *c, const char *what) __attribute__((noreturn));

static void damaged(const cursor *c, const char *what)
{
    fail("write it with numpy.save(path, array)", "%s is not a .npy file of numpy: %s", c->path, what);
}

static void skip_spaces(cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\n')) {
        ++c->at;
    }
}

/* Returns whether `word` comes next, and skips it if so. */
static int accept(cursor *c, const char *word)
{
    size_t length = strlen(word);
    skip_spaces(c);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0) {
        return 0;
    }
    c->at += length;
    return 1;
}

static void expect(cursor *c, const char *word)
{
    if (!accept(c, word)) {
        damaged(c, "its header is malformed");
    }
}

static void read_dtype(cursor *c, npy_array *out)
{
    skip_spaces(c);
    for (uint32_t i = 0; i < NPY_DTYPE_COUNT; ++i) {
        char quoted[8];
        snprintf(quoted, sizeof quoted, "'%s'", dtypes[i].descr);
        if (accept(c, quoted)) {
            out->dtype = (enum npy_dtype)i;
            return;
        }
    }
    int shown = 0;
    while (shown < DESCR_SHOWN && c->at + shown < c->end && c->at[shown] >= ' ' && c->at[shown] <= '~') {
        ++shown;
    }
    int quoted_end = shown > 1 && *c->at == '\'' ? (int)strcspn(c->at + 1, "'") + 2 : shown;
    fail("store array.astype('float32'), 'int32', 'int64', 'int16', 'int8' or 'uint8'",
         "%s holds elements of type %.*s, which gradmote-run "
         "does not read",
         c->path, quoted_end < shown ? quoted_end : shown, c->at);
}

static void read_order(cursor *c)
{
    if (accept(c, "True")) {
        fail("store numpy.ascontiguousarray(array)", "%s is in Fortran order", c->path);
    }
    expect(c, "False");
}

static uint64_t read_number(cursor *c)
{
    uint64_t value = 0;
    skip_spaces(c);
    if (c->at == c->end || *c->at < '0' || *c->at > '9') {
        damaged(c, "its shape is not made of numbers");
    }
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; ++c->at) {
        if (value > UINT32_MAX) {
            damaged(c, "its shape is impossible");
        }
        value = 10 * value + (uint64_t)(*c->at - '0');
    }
    return value;
}

static void read_shape(cursor *c, npy_array *out)
{
    expect(c, "(");
    while (!accept(c, ")")) {
        if (out->rank == NPY_RANK_LIMIT) {
            fail("reshape it", "%s has more than %u axes", c->path, NPY_RANK_LIMIT);
        }
        out->dims[out->rank++] = read_number(c);
        if (!accept(c, ",")) {
            expect(c, ")");
            return;
        }
    }
}

/* {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }, with its entries in any order. */
static void read_dictionary(cursor *c, npy_array *out)
{
    unsigned seen = 0;
    expect(c, "{");
    while (!accept(c, "}")) {
        unsigned key = accept(c, "'descr'") ? 1 : accept(c, "'fortran_order'") ? 2 : accept(c, "'shape'") ? 4 : 0;
        if (key == 0 || (seen & key) != 0) {
            damaged(c, "its header has an unknown entry, or one twice");
        }
        seen |= key;
        expect(c, ":");
        if (key == 1) {
            read_dtype(c, out);
        } else if (key == 2) {
            read_order(c);
        } else {
            read_shape(c, out);
        }
        if (!accept(c, ",")) {
            expect(c, "}");
            break;
        }
    }
    if (seen != 7) {
        damaged(c, "its header lacks an entry");
    }
}

/* ---- The file ------------------------------------------------------------------------------------------------- */

/* Returns a cursor over the dictionary in the file's header. Exits if the file does not begin like
 * version 1 or 2, or its header is too long. */
static cursor find_dictionary(const char *path, const file_view *file)
{
    cursor c = {path, NULL, NULL};
    const uint8_t *bytes = file->data;
    if (file->size < 12 || memcmp(bytes, MAGIC, MAGIC_SIZE) != 0) {
        damaged(&c, "its first bytes are wrong");
    }
    uint32_t major = bytes[6], start = major == 1 ? 10 : 12;
    if (major != 1 && major != 2) {
        fail("numpy.lib.format.write_array(file, array, version=(1, 0)) writes version 1",
             "%s has version %u of the .npy format; gradmote-run reads 1 and 2", path, major);
    }
    uint32_t length = (uint32_t)bytes[8] | (uint32_t)bytes[9] << 8;
    if (major == 2) {
        length |= (uint32_t)bytes[10] << 16 | (uint32_t)bytes[11] << 24;
    }
    if (length > HEADER_LIMIT || length > file->size - start) {
        damaged(&c, "its header is longer than the file, or than 64 KB");
    }
    c.at = (const char *)bytes + start;
    c.end = c.at + length;
    return c;
}

/* Returns the product of the dimensions. Each is below 2^36, and each partial product is at most
 * `most`. */
static uint64_t count_elements(const cursor *c, const npy_array *array, uint64_t most)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < array->rank; ++i) {
        if (array->dims[i] != 0 && count > most / array->dims[i]) {
            damaged(c, "it is shorter than its header says");
        }
        count *= array->dims[i];
    }
    if (count > most) {
        damaged(c, "it is shorter than its header says");
    }
    return count;
}

npy_array npy_read(const char *path)
{
    file_view file = file_map(path);
    npy_array array = {.path = path};
    cursor c = find_dictionary(path, &file);
    const char *end = c.end;
    read_dictionary(&c, &array);
    skip_spaces(&c);
    if (c.at != end) {
        damaged(&c, "something follows its header");
    }
    array.data = (const uint8_t *)end;
    array.count =
        count_elements(&c, &array, (file.size - (size_t)(array.data - file.data)) / npy_item_size(array.dtype));
    return array;
}

/* ---- Writing -------------------------------------------------------------------------------------------------- */

/* "3," or "3, 4" */
static void print_shape(char *to, size_t size, uint32_t rank, const uint64_t *dims)
{
    int length = 0;
    for (uint32_t i = 0; i < rank; ++i) {
        const char *comma = rank == 1 ? "," : i + 1 < rank ? ", " : "";
        length += snprintf(to + length, size - (size_t)length, "%llu%s", (unsigned long long)dims[i], comma);
    }
}

int npy_write_header(replacement *to, enum npy_dtype dtype, uint32_t rank, const uint64_t *dims)
{
    char shape[NPY_RANK_LIMIT * 24] = "", text[512];
    print_shape(shape, sizeof shape, rank, dims);
    int length = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }",
                          dtypes[dtype].descr, shape);
    uint32_t whole = (10 + (uint32_t)length + 1 + 63) / 64 * 64; /* the data begins at a multiple of 64 */
    uint32_t padded = whole - 10;
    uint8_t start[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (uint8_t)padded, (uint8_t)(padded >> 8)};
    memset(text + length, ' ', padded - (uint32_t)length);
    text[padded - 1] = '\n';
    return replacement_write(to, start, sizeof start) != 0 || replacement_write(to, text, padded) != 0 ? -1 : 0;
}
