#include "dataset.h"

#include <stdlib.h>
#include <string.h>

#include "../failure.h"

#define EXACT_LIMIT (INT64_C(1) << 24) /* float32 represents all integers up to here */
#define CHUNK 1024u                    /* elements converted at a time */

static const char *const role_names[] = {"input", "label"};
static const char *const option_names[] = {"--input", "--label"};

/* ---- Elements ----------------------------------------------------------------------------------------------- */

int column_is_integer(const column *c)
{
    return c->array.dtype != NPY_F32;
}

int64_t column_integer(const column *c, uint64_t at)
{
    const uint8_t *from = c->array.data + at * npy_item_size(c->array.dtype);
    int16_t half;
    int32_t narrow;
    int64_t wide;
    switch (c->array.dtype) {
    case NPY_U8: return *from;
    case NPY_I8: return (int8_t)*from;
    case NPY_I16: memcpy(&half, from, sizeof half); return half;
    case NPY_I64: memcpy(&wide, from, sizeof wide); return wide;
    default: memcpy(&narrow, from, sizeof narrow); return narrow;
    }
}

float column_real(const column *c, uint64_t at)
{
    float real;
    if (column_is_integer(c)) {
        return (float)column_integer(c, at);
    }
    memcpy(&real, c->array.data + 4 * at, sizeof real);
    return real;
}

/* ---- Opening ------------------------------------------------------------------------------------------------ */

/* The range of integers of each gm_dtype. */
typedef struct range {
    int64_t least, most;
    const char *name;
} range;

static const range ranges[GM_DTYPE_COUNT] = {
    {-EXACT_LIMIT, EXACT_LIMIT, "float32 exactly"},
    {-INT32_MAX, INT32_MAX, "32 bits"},
    {INT8_MIN, INT8_MAX, "int8"},
    {0, UINT8_MAX, "uint8"},
    {INT16_MIN, INT16_MAX, "int16"},
};

/* Checks that integers keep their values in the tensor. */
static void check_values(const column *c)
{
    const range *r = &ranges[c->dtype];
    if (c->array.dtype == NPY_F32 && c->dtype != GM_DTYPE_F32) {
        const char *hint = c->dtype == GM_DTYPE_I32 ? "store class numbers as integers: y.astype('int32')"
                                                    : "store the quantized numbers, round(x / scale) + zero_point";
        fail(hint, "%s holds float32, and the model's %s %u takes %s", c->array.path, role_names[c->role], c->index,
             opened_dtypes[c->dtype]);
    }
    for (uint64_t i = 0; column_is_integer(c) && i < c->array.count; ++i) {
        int64_t value = column_integer(c, i);
        if (value > r->most || value < r->least) {
            fail("store smaller ones, or float32", "%s: %lld does not fit %s", c->array.path, (long long)value,
                 r->name);
        }
    }
}

static void check_shape(const dataset *d, const column *c, const gm_view *tensor)
{
    const npy_array *a = &c->array;
    if (a->rank == 0 || a->dims[0] == 0 || a->dims[0] > UINT32_MAX) {
        fail("its first axis must count them", "%s has no samples", a->path);
    }
    if (d->samples != a->dims[0]) {
        fail("all files must have a row for each sample", "%s has %llu samples, %s has %u", a->path,
             (unsigned long long)a->dims[0], d->columns[0].array.path, d->samples);
    }
    if (a->count / a->dims[0] != c->row) {
        fail("the data must have the shape of the ONNX model's tensor, without the batch: see gradmote-run info",
             "a sample of %s has %llu values, the %s '%s' takes %u", a->path,
             (unsigned long long)(a->count / a->dims[0]), role_names[c->role],
             tensor->name != NULL ? tensor->name : "?", c->row);
    }
}

static void add_column(dataset *d, uint32_t role, uint32_t index, const char *path, const gm_view *tensor, u8_scale map)
{
    column *c = &d->columns[d->inputs + d->labels];
    *c = (column){
        npy_read(path), role, index, tensor->dtype, tensor->size / samples_element_size(tensor->dtype) / d->batch, map};
    if (d->inputs == 0 && c->array.rank > 0 && c->array.dims[0] <= UINT32_MAX) {
        d->samples = (uint32_t)c->array.dims[0];
    }
    check_shape(d, c, tensor);
    check_values(c);
    *(role == GM_ROLE_INPUT ? &d->inputs : &d->labels) += 1;
}

static void add_role(dataset *d, const opened *m, uint32_t program, uint32_t role, const file_list *files,
                     u8_scale scale)
{
    static const u8_scale as_they_are = {1.0f, 0.0f};
    gm_view tensor;
    uint32_t index = 0;
    for (; gm_tensor_view(&m->session, program, role, index, &tensor) == 0; ++index) {
        if (index >= files->count) {
            misuse("give a file for each, in the order in which gradmote-run info lists them",
                   "%s takes the %s '%s', but there is no %s", m->path, role_names[role],
                   tensor.name != NULL ? tensor.name : "?", option_names[role]);
        }
        int scaled = role == GM_ROLE_INPUT && index == 0;
        add_column(d, role, index, files->paths[index], &tensor, scaled ? scale : as_they_are);
    }
    if (files->count > index) {
        misuse("gradmote-run info lists what it takes", "%s takes %u %ss, and %s is given %u times", m->path, index,
               role_names[role], option_names[role], files->count);
    }
}

void dataset_open(dataset *d, const opened *m, uint32_t program, const file_list *inputs, const file_list *labels,
                  u8_scale scale)
{
    memset(d, 0, sizeof *d);
    d->batch = m->needs.batch;
    add_role(d, m, program, GM_ROLE_INPUT, inputs, scale);
    add_role(d, m, program, GM_ROLE_LABEL, labels, scale);
}

const column *dataset_label(const dataset *d, uint32_t i)
{
    return i < d->labels ? &d->columns[d->inputs + i] : NULL;
}

/* ---- Writing a batch ---------------------------------------------------------------------------------------- */

static void checked(int error, const column *c)
{
    if (error) {
        fail_code(error, c->array.path);
    }
}

/* Converts elements, beginning with `first`, to the tensor's dtype. Integers are little-endian. */
static void convert(const column *c, uint64_t first, uint32_t count, uint8_t *elements)
{
    uint32_t size = samples_element_size(c->dtype);
    for (uint32_t i = 0; i < count; ++i) {
        float real = column_real(c, first + i);
        int32_t integer = c->dtype != GM_DTYPE_F32 ? (int32_t)column_integer(c, first + i) : 0;
        memcpy(elements + size * i, c->dtype == GM_DTYPE_F32 ? (const void *)&real : (const void *)&integer, size);
    }
}

/* Writes one sample to row `place` of its tensor. */
static void write_row(const column *c, opened *m, uint32_t place, uint32_t sample)
{
    uint8_t elements[4 * CHUNK];
    uint32_t size = samples_element_size(c->dtype);
    uint64_t from = (uint64_t)sample * c->row;
    uint32_t to = place * c->row;
    if (c->array.dtype == NPY_U8 && size == 4) {
        checked(samples_write_u8(&m->samples, &m->session, c->role, c->index, to, c->map, c->array.data + from, c->row),
                c);
        return;
    }
    for (uint32_t done = 0; done < c->row; done += CHUNK) {
        uint32_t count = c->row - done < CHUNK ? c->row - done : CHUNK;
        convert(c, from + done, count, elements);
        checked(samples_write(&m->samples, &m->session, c->role, c->index, size * (to + done), elements, size * count),
                c);
    }
}

void dataset_write(const dataset *d, opened *m, const uint32_t *rows)
{
    for (uint32_t i = 0; i < d->inputs + d->labels; ++i) {
        for (uint32_t place = 0; place < d->batch; ++place) {
            write_row(&d->columns[i], m, place, rows[place]);
        }
    }
}

/* ---- Invalid labels ----------------------------------------------------------------------------------------- */

/* Returns how many classes the model scores, or 0 if its outputs do not show it. */
static uint32_t classes_of(const opened *m)
{
    gm_view scores;
    if (!opened_has(m, GM_PROGRAM_INFER) ||
        gm_tensor_view(&m->session, GM_PROGRAM_INFER, GM_ROLE_OUTPUT, 0, &scores) != 0 || scores.rank < 2) {
        return 0;
    }
    return scores.dims[1];
}

/* Returns whether the model refuses a batch of only this label: only its image knows the ignored
 * one. */
static int is_refused(const dataset *d, opened *m, uint32_t program, const uint32_t *rows, int64_t value)
{
    const column *label = dataset_label(d, 0);
    const int32_t number = (int32_t)value;
    uint8_t word[sizeof number];
    memcpy(word, &number, sizeof word);
    dataset_write(d, m, rows);
    for (uint32_t i = 0; i < d->batch * label->row; ++i) {
        checked(samples_write(&m->samples, &m->session, label->role, label->index, 4 * i, word, sizeof word), label);
    }
    return opened_try_run(m, program) == GM_ERR_LABEL_OUT_OF_RANGE;
}

/* Exits with a message if it finds the invalid label. */
static void find_wrong_label(const dataset *d, opened *m, uint32_t program, const uint32_t *rows)
{
    const column *label = dataset_label(d, 0);
    uint32_t classes = classes_of(m);
    int64_t ignored = 0; /* the ignored label, once found */
    for (uint32_t i = 0; classes != 0 && label != NULL && i < d->batch * label->row; ++i) {
        uint32_t sample = rows[i / label->row];
        int64_t value = column_integer(label, (uint64_t)sample * label->row + i % label->row);
        if ((value >= 0 && value < classes) || value == ignored) {
            continue;
        }
        if (is_refused(d, m, program, rows, value)) {
            fail("number the classes from 0; to ignore a label, compile with --ignore-index",
                 "%s: the label of sample %u is %lld, but labels must be in 0 .. %u (%d)", label->array.path, sample,
                 (long long)value, classes - 1, GM_ERR_LABEL_OUT_OF_RANGE);
        }
        ignored = value;
    }
}

void dataset_run(const dataset *d, opened *m, uint32_t program, const uint32_t *rows)
{
    int error = opened_try_run(m, program);
    if (error == GM_ERR_LABEL_OUT_OF_RANGE) {
        find_wrong_label(d, m, program, rows);
    }
    if (error) {
        fail_code(error, opened_programs[program]);
    }
}
