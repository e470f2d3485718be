/*
 * The sample store: learn, replay, recall, forget. Class-balancing reservoir sampling decides which
 * samples stay: A. Chrysakis, M.-F. Moens, "Online Continual Learning from Imbalanced Data", ICML
 * 2020, algorithm 1.
 *
 * gm_open() has verified where the store and its tensors are. But the contents of the store may
 * come from any checkpoint, so the code counts samples again before it uses a count, and treats a
 * position with an invalid label as empty.
 */
#include <string.h>

#include "borrowed_input.h"
#include "image.h"
#include "numerics.h"
#include "program.h"
#include "random.h"
#include "steps.h"

/* The random generator's stream, which no Dropout uses. */
#define STREAM 0xFFFFFFFEu

/* Adding and subtracting this rounds a number below 2^22 to the nearest integer, ties to even. */
#define QUANTIZED_ROUNDER 12582912.0f

/* The arrays of an image's store, and the tensors that it fills. A sample has a position, 0 to
 * capacity - 1. */
typedef struct store {
    const gm_store *record;
    uint32_t seed;
    uint32_t *draws;             /* random numbers drawn so far */
    gm_store_class *classes;
    uint32_t *labels;            /* of each position: label + 1, or 0 if it is empty */
    float *scales;               /* of each position, if samples are INT8 */
    uint8_t *samples;
    uint32_t stride;             /* bytes from one sample to the next */
    uint8_t *input;              /* the tensor of `batch` samples */
    int32_t *label;              /* the tensor of `batch` labels */
    uint32_t batch;
} store;

/* Returns the class of the sample at a position, or GM_NONE if the position is empty. */
static uint32_t label_at(const store *s, uint32_t position)
{
    uint32_t label = s->labels[position] - 1u;
    return label < s->record->classes ? label : GM_NONE;
}

/* Returns how many positions hold a sample of this class or, for GM_NONE, are empty. */
static uint32_t count_positions(const store *s, uint32_t label)
{
    uint32_t count = 0;
    for (uint32_t position = 0; position < s->record->capacity; ++position) {
        count += label_at(s, position) == label;
    }
    return count;
}

static void count_kept(store *s)
{
    for (uint32_t label = 0; label < s->record->classes; ++label) {
        s->classes[label].kept = 0;
    }
    for (uint32_t position = 0; position < s->record->capacity; ++position) {
        uint32_t label = label_at(s, position);
        if (label != GM_NONE) {
            ++s->classes[label].kept;
        }
    }
}

static void lay_out_store(const gm_session *session, const gm_store *record, store *s)
{
    uint8_t *at = session->arena + record->offset;
    const gm_tensor *input = gm_find_tensor(session->header, UINT32_MAX, GM_ROLE_INPUT, 0);
    const gm_tensor *label = gm_find_tensor(session->header, UINT32_MAX, GM_ROLE_LABEL, 0);
    int is_int8 = record->dtype == GM_STORE_DTYPE_INT8;
    s->record = record;
    s->seed = gm_control_of(session)->seed;
    s->draws = (uint32_t *)(void *)at;
    s->classes = (gm_store_class *)(void *)(s->draws + 1);
    s->labels = (uint32_t *)(void *)(s->classes + record->classes);
    s->scales = (float *)(void *)(s->labels + record->capacity);
    s->samples = (uint8_t *)(s->scales + (is_int8 ? record->capacity : 0));
    s->stride = is_int8 ? (record->elements + 3u) & ~3u : (gm_sample_size(record) + 3u) & ~3u;
    s->input = session->arena + input->offset;
    s->label = (int32_t *)(void *)(session->arena + label->offset);
    s->batch = label->size / 4u;
}

/* Finds the store's arrays. Returns GM_OK if the image has a store and no program runs. */
static int open_store(const gm_session *session, store *s)
{
    if (!GM_WITH_STORE) {
        *s = (store){.record = NULL}; /* a compiler that does not optimize sees no end here */
        return GM_ERR_NO_STORE;
    }
    int status = gm_idle(session);
    if (status != GM_OK) {
        return status;
    }
    const gm_store *record = gm_store_of(session->header);
    if (record == NULL) {
        return GM_ERR_NO_STORE;
    }
    lay_out_store(session, record, s);
    return GM_OK;
}

/* As open_store(), and refuses a label that is not a class. */
static int open_class(const gm_session *session, uint32_t label, store *s)
{
    int status = open_store(session, s);
    if (status == GM_OK && label >= s->record->classes) {
        status = GM_ERR_LABEL_OUT_OF_RANGE;
    }
    return status;
}

/* ---- Random choice --------------------------------------------------------------------------- */

/* Draws a number from 0 to n - 1, each with a probability within 2^-32 of 1/n. n: at least 1. */
static uint32_t draw_below(store *s, uint32_t n)
{
    uint32_t random = gm_random_at(gm_random_of(s->seed, (*s->draws)++, STREAM), 0);
    return (uint32_t)((uint64_t)random * n >> 32);
}

/* Returns the n-th position with a sample of this class or, for label GM_NONE, the n-th empty one.
 * Returns GM_NONE if there are fewer. */
static uint32_t find_position(const store *s, uint32_t label, uint32_t n)
{
    for (uint32_t position = 0; position < s->record->capacity; ++position) {
        if (label_at(s, position) == label && n-- == 0) {
            return position;
        }
    }
    return GM_NONE;
}

/* Returns how many samples the largest class has. */
static uint32_t most_kept(const store *s)
{
    uint32_t most = 0;
    for (uint32_t label = 0; label < s->record->classes; ++label) {
        most = s->classes[label].kept > most ? s->classes[label].kept : most;
    }
    return most;
}

/* ---- Learning -------------------------------------------------------------------------------- */

/* Marks the classes that have the most samples as full, and returns how many samples they have
 * together. most: how many samples each of them has. */
static uint32_t mark_full_classes(store *s, uint32_t most)
{
    uint32_t total = 0;
    for (uint32_t label = 0; label < s->record->classes; ++label) {
        if (s->classes[label].kept == most) {
            s->classes[label].full = 1;
            total += most;
        }
    }
    return total;
}

/* Returns the n-th position with a sample of a class that has `most` samples. There must be more
 * than n. */
static uint32_t position_of_largest(const store *s, uint32_t most, uint32_t n)
{
    uint32_t position = 0;
    for (;; ++position) {
        uint32_t label = label_at(s, position);
        if (label != GM_NONE && s->classes[label].kept == most && n-- == 0) {
            return position;
        }
    }
}

/* Returns the position for a new sample, or GM_NONE to discard it. The sample has been counted as
 * seen. */
static uint32_t choose_position(store *s, uint32_t label)
{
    uint32_t position = find_position(s, GM_NONE, 0);
    if (position != GM_NONE) {
        return position;
    }
    const gm_store_class *own = &s->classes[label];
    uint32_t most = most_kept(s), total = mark_full_classes(s, most);
    if (!own->full) {
        return position_of_largest(s, most, draw_below(s, total));
    }
    uint32_t n = draw_below(s, own->seen);
    return n < own->kept ? find_position(s, label, n) : GM_NONE;
}

/* Returns the largest |x[i]|, or infinity if one is not finite. */
static float largest_magnitude(const float *x, uint32_t n)
{
    float largest = 0.0f;
    for (uint32_t i = 0; i < n; ++i) {
        float size = gm_abs(x[i]);
        if (!(size <= FLT_MAX)) {
            return GM_INFINITY;
        }
        largest = size > largest ? size : largest;
    }
    return largest;
}

/* Returns x / scale, rounded to the nearest integer, ties to even. A subnormal scale is inexact, so
 * this clamps the result to -127 .. 127. */
static int8_t quantized(float x, float scale)
{
    float q = (x / scale + QUANTIZED_ROUNDER) - QUANTIZED_ROUNDER;
    q = q > 127.0f ? 127.0f : q;
    q = q < -127.0f ? -127.0f : q;
    return (int8_t)q;
}

/* Returns whether samples are stored with the same bits as in the input. */
static int keeps_bits(const store *s)
{
    return s->record->dtype != GM_STORE_DTYPE_INT8;
}

/* Writes the input's first sample to a position. largest: the largest of its magnitudes, if it is
 * f32. */
static void write_sample(store *s, uint32_t position, uint32_t label, float largest)
{
    uint8_t *sample = s->samples + position * s->stride;
    const float *x = (const float *)(const void *)s->input;
    s->labels[position] = label + 1u;
    if (keeps_bits(s)) {
        memcpy(sample, s->input, gm_sample_size(s->record));
        return;
    }
    float scale = largest / 127.0f;
    s->scales[position] = scale;
    for (uint32_t i = 0; i < s->record->elements; ++i) {
        sample[i] = (uint8_t)(scale > 0.0f ? quantized(x[i], scale) : 0);
    }
}

int gm_learn(gm_session *session, uint32_t label)
{
    store s;
    int status = open_class(session, label, &s);
    if (status != GM_OK) {
        return status;
    }
    int is_float = !GM_WITH_INT8 || s.record->dtype != GM_STORE_DTYPE_BYTES;
    float largest = is_float ? largest_magnitude((const float *)(const void *)s.input, s.record->elements) : 0.0f;
    if (largest > FLT_MAX) {
        return GM_ERR_NOT_FINITE;
    }
    s.classes[label].seen += s.classes[label].seen != UINT32_MAX;
    count_kept(&s);
    uint32_t position = choose_position(&s, label);
    if (position != GM_NONE) {
        write_sample(&s, position, label, largest);
    }
    count_kept(&s);
    return GM_OK;
}

int gm_forget(gm_session *session, uint32_t label)
{
    store s;
    int status = open_class(session, label, &s);
    if (status != GM_OK) {
        return status;
    }
    for (uint32_t position = 0; position < s.record->capacity; ++position) {
        s.labels[position] = label_at(&s, position) == label ? 0 : s.labels[position];
    }
    memset(&s.classes[label], 0, sizeof s.classes[label]);
    return GM_OK;
}

/* ---- Training on stored samples -------------------------------------------------------------- */

/* Copies the sample at a position to row `row` of the input. */
static void copy_to_input(const store *s, uint32_t row, uint32_t position)
{
    uint32_t size = gm_sample_size(s->record);
    const uint8_t *sample = s->samples + position * s->stride;
    float *x = (float *)(void *)(s->input + row * size);
    if (keeps_bits(s)) {
        memcpy(s->input + row * size, sample, size);
        return;
    }
    for (uint32_t i = 0; i < s->record->elements; ++i) {
        x[i] = (float)(int8_t)sample[i] * s->scales[position];
    }
}

/* Returns the n-th class that has samples. There must be more than n. */
static uint32_t stored_class(const store *s, uint32_t n)
{
    uint32_t label = 0;
    for (;; ++label) {
        if (s->classes[label].kept != 0 && n-- == 0) {
            return label;
        }
    }
}

/* Fills input and label with drawn samples. Each class that has samples is equally likely, and so
 * is each sample within its class. */
static void draw_batch(store *s)
{
    uint32_t present = 0;
    for (uint32_t label = 0; label < s->record->classes; ++label) {
        present += s->classes[label].kept != 0;
    }
    for (uint32_t row = 0; row < s->batch; ++row) {
        uint32_t label = stored_class(s, draw_below(s, present));
        copy_to_input(s, row, find_position(s, label, draw_below(s, s->classes[label].kept)));
        s->label[row] = (int32_t)label;
    }
}

int gm_begin_replay(gm_session *session, uint32_t program)
{
    store s;
    int status = open_store(session, &s);
    if (status != GM_OK) {
        return status;
    }
    if (program != GM_PROGRAM_TRAIN && program != GM_PROGRAM_STEP) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    if (count_positions(&s, GM_NONE) == s.record->capacity) {
        return GM_ERR_STORE_EMPTY;
    }
    status = gm_begin(session, program);
    if (status == GM_OK) {
        gm_borrow_input(session);
        count_kept(&s);
        draw_batch(&s);
    }
    return status;
}

int gm_begin_recall(gm_session *session, uint32_t label, uint32_t first, uint32_t *rows)
{
    store s;
    int status = open_class(session, label, &s);
    if (status != GM_OK) {
        return status;
    }
    uint32_t kept = count_positions(&s, label);
    if (rows == NULL || first >= kept) {
        return rows == NULL ? GM_ERR_INVALID_ARGUMENT : GM_ERR_NOT_FOUND;
    }
    status = gm_begin(session, GM_PROGRAM_INFER);
    if (status != GM_OK) {
        return status;
    }
    gm_borrow_input(session);
    *rows = kept - first < s.batch ? kept - first : s.batch;
    for (uint32_t row = 0; row < *rows; ++row) {
        copy_to_input(&s, row, find_position(&s, label, first + row));
    }
    return GM_OK;
}

int gm_replay(gm_session *session, float *loss)
{
    int status = gm_begin_replay(session, GM_PROGRAM_STEP);
    if (status == GM_OK) {
        status = gm_run_to_end(session);
    }
    return status == GM_OK && loss != NULL ? gm_loss(session, GM_PROGRAM_STEP, loss) : status;
}

/* ---- Counts, and scores of the model --------------------------------------------------------- */

int gm_store_view(const gm_session *session, gm_store_info *out)
{
    store s;
    int status = out == NULL ? GM_ERR_INVALID_ARGUMENT : open_store(session, &s);
    if (status == GM_OK) {
        const gm_store *r = s.record;
        *out =
            (gm_store_info){r->capacity, r->classes, r->dtype, r->elements, r->capacity - count_positions(&s, GM_NONE)};
    }
    return status;
}

int gm_store_class_view(const gm_session *session, uint32_t label, gm_store_class *out)
{
    store s;
    int status = out == NULL ? GM_ERR_INVALID_ARGUMENT : open_class(session, label, &s);
    if (status == GM_OK) {
        *out = s.classes[label];
        out->kept = count_positions(&s, label);
    }
    return status;
}

/* Infers samples of a class, beginning with sample `first`. *rows becomes the number of samples.
 * *right grows by the number that the model assigns to the class. */
static int score_batch(gm_session *session, uint32_t label, uint32_t first, uint32_t *rows, uint32_t *right)
{
    int status = gm_begin_recall(session, label, first, rows);
    if (status == GM_OK) {
        status = gm_run_to_end(session);
    }
    for (uint32_t row = 0; status == GM_OK && row < *rows; ++row) {
        uint32_t found = 0;
        float score;
        status = gm_classify(session, row, &found, &score);
        *right += found == label;
    }
    return status;
}

int gm_score(gm_session *session, uint32_t label, uint32_t *kept, uint32_t *right)
{
    gm_store_class own = {0, 0, 0};
    if (kept == NULL || right == NULL) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    int status = gm_store_class_view(session, label, &own);
    *kept = own.kept;
    *right = 0;
    for (uint32_t first = 0, rows = 0; status == GM_OK && first < own.kept; first += rows) {
        status = score_batch(session, label, first, &rows, right);
    }
    return status;
}
