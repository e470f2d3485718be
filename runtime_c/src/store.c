/*
 * The sample store: learn, replay, recall, forget. Which samples stay is decided by class-balancing reservoir sampling:
 * A. Chrysakis, M.-F. Moens, "Online Continual Learning from Imbalanced Data", ICML 2020, algorithm 1.
 *
 * gm_open() has verified that the store and its tensors lie where the image says. What the store holds may come from any
 * checkpoint: counts are taken anew before they are used, and a label that is none counts as an empty place.
 */
#include <string.h>

#include "borrowed_input.h"
#include "image.h"
#include "numerics.h"
#include "program.h"
#include "random.h"
#include "steps.h"

/* Of the random generator: no Dropout has it. */
#define STREAM 0xFFFFFFFEu

/* Added and taken away again, it rounds a number below 2^22 to the nearest integer, ties to even. */
#define QUANTIZED_ROUNDER 12582912.0f

/* The parts of an image's store, and the tensors that it fills. */
typedef struct store {
    const gm_store *record;
    uint32_t seed;
    uint32_t *draws;             /* random numbers drawn so far */
    gm_store_class *classes;
    uint32_t *labels;            /* of each place: label + 1; else it is empty */
    float *scales;               /* of each place, where samples are INT8 */
    uint8_t *samples;
    uint32_t stride;             /* bytes from one sample to the next */
    float *input;                /* batch samples */
    int32_t *label;              /* batch labels */
    uint32_t batch;
} store;

/* The class of the sample in a place; GM_NONE where there is none. */
static uint32_t label_at(const store *s, uint32_t place)
{
    uint32_t label = s->labels[place] - 1u;
    return label < s->record->classes ? label : GM_NONE;
}

/* How many places hold a sample of that class; GM_NONE: hold none. */
static uint32_t count_places(const store *s, uint32_t label)
{
    uint32_t count = 0;
    for (uint32_t place = 0; place < s->record->capacity; ++place) {
        count += label_at(s, place) == label;
    }
    return count;
}

/* Takes the counts of all classes. */
static void count_kept(store *s)
{
    for (uint32_t label = 0; label < s->record->classes; ++label) {
        s->classes[label].kept = 0;
    }
    for (uint32_t place = 0; place < s->record->capacity; ++place) {
        uint32_t label = label_at(s, place);
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
    s->stride = is_int8 ? (record->elements + 3u) & ~3u : 4u * record->elements;
    s->input = (float *)(void *)(session->arena + input->offset);
    s->label = (int32_t *)(void *)(session->arena + label->offset);
    s->batch = label->size / 4u;
}

/* GM_OK where the image has a store and no program runs. */
static int open_store(const gm_session *session, store *s)
{
    if (!GM_WITH_STORE) {
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

/* The same; also refuses a label that is no class. */
static int open_class(const gm_session *session, uint32_t label, store *s)
{
    int status = open_store(session, s);
    if (status == GM_OK && label >= s->record->classes) {
        status = GM_ERR_LABEL_OUT_OF_RANGE;
    }
    return status;
}

/* ---- Random choice ---------------------------------------------------------------------------------------- */

/* 0 .. n - 1, each with a probability that differs from 1/n by less than 2^-32. n: at least 1. */
static uint32_t below(store *s, uint32_t n)
{
    uint32_t random = gm_random_at(gm_random_of(s->seed, (*s->draws)++, STREAM), 0);
    return (uint32_t)((uint64_t)random * n >> 32);
}

/* The n-th place with a sample of that class, or the n-th empty one (GM_NONE); GM_NONE where there are fewer. */
static uint32_t find_place(const store *s, uint32_t label, uint32_t n)
{
    for (uint32_t place = 0; place < s->record->capacity; ++place) {
        if (label_at(s, place) == label && n-- == 0) {
            return place;
        }
    }
    return GM_NONE;
}

static uint32_t most_kept(const store *s)
{
    uint32_t most = 0;
    for (uint32_t label = 0; label < s->record->classes; ++label) {
        most = s->classes[label].kept > most ? s->classes[label].kept : most;
    }
    return most;
}

/* ---- Learning --------------------------------------------------------------------------------------------- */

/* Marks the classes that have as many samples as any, and returns how many samples these have together. */
static uint32_t mark_largest(store *s, uint32_t most)
{
    uint32_t together = 0;
    for (uint32_t label = 0; label < s->record->classes; ++label) {
        if (s->classes[label].kept == most) {
            s->classes[label].full = 1;
            together += most;
        }
    }
    return together;
}

/* The n-th place whose sample is of a class that has `most`. */
static uint32_t place_of_largest(const store *s, uint32_t most, uint32_t n)
{
    uint32_t place = 0;
    for (;; ++place) {
        uint32_t label = label_at(s, place);
        if (label != GM_NONE && s->classes[label].kept == most && n-- == 0) {
            return place;
        }
    }
}

/* Where a new sample goes, or GM_NONE where it is not kept. Its class has been counted as seen. */
static uint32_t choose_place(store *s, uint32_t label)
{
    uint32_t place = find_place(s, GM_NONE, 0);
    if (place != GM_NONE) {
        return place;
    }
    const gm_store_class *own = &s->classes[label];
    uint32_t most = most_kept(s), together = mark_largest(s, most);
    if (!own->full) {
        return place_of_largest(s, most, below(s, together));
    }
    uint32_t n = below(s, own->seen);
    return n < own->kept ? find_place(s, label, n) : GM_NONE;
}

/* The largest |x[i]|; infinite where one is not finite. */
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

/* q = x / scale, to the nearest integer, ties to even; at most 127 where scale is subnormal. */
static int8_t quantized(float x, float scale)
{
    float q = (x / scale + QUANTIZED_ROUNDER) - QUANTIZED_ROUNDER;
    q = q > 127.0f ? 127.0f : q;
    q = q < -127.0f ? -127.0f : q;
    return (int8_t)q;
}

static void keep(store *s, uint32_t place, uint32_t label, const float *x, float largest)
{
    uint8_t *sample = s->samples + place * s->stride;
    s->labels[place] = label + 1u;
    if (s->record->dtype == GM_STORE_DTYPE_F32) {
        memcpy(sample, x, s->stride);
        return;
    }
    float scale = largest / 127.0f;
    s->scales[place] = scale;
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
    float largest = largest_magnitude(s.input, s.record->elements);
    if (largest > FLT_MAX) {
        return GM_ERR_NOT_FINITE;
    }
    s.classes[label].seen += s.classes[label].seen != UINT32_MAX;
    count_kept(&s);
    uint32_t place = choose_place(&s, label);
    if (place != GM_NONE) {
        keep(&s, place, label, s.input, largest);
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
    for (uint32_t place = 0; place < s.record->capacity; ++place) {
        s.labels[place] = label_at(&s, place) == label ? 0 : s.labels[place];
    }
    memset(&s.classes[label], 0, sizeof s.classes[label]);
    return GM_OK;
}

/* ---- Training on what is kept ------------------------------------------------------------------------------ */

/* The sample in a place becomes row `row` of the input. */
static void put(const store *s, uint32_t row, uint32_t place)
{
    uint32_t n = s->record->elements;
    const uint8_t *sample = s->samples + place * s->stride;
    float *x = s->input + row * n;
    if (s->record->dtype == GM_STORE_DTYPE_F32) {
        memcpy(x, sample, s->stride);
        return;
    }
    for (uint32_t i = 0; i < n; ++i) {
        x[i] = (float)(int8_t)sample[i] * s->scales[place];
    }
}

/* The n-th class that has samples. */
static uint32_t present_class(const store *s, uint32_t n)
{
    uint32_t label = 0;
    for (;; ++label) {
        if (s->classes[label].kept != 0 && n-- == 0) {
            return label;
        }
    }
}

/* Every class that has samples is as likely as any other, and so is every sample of one class. */
static void fill_batch(store *s)
{
    uint32_t present = 0;
    for (uint32_t label = 0; label < s->record->classes; ++label) {
        present += s->classes[label].kept != 0;
    }
    for (uint32_t row = 0; row < s->batch; ++row) {
        uint32_t label = present_class(s, below(s, present));
        put(s, row, find_place(s, label, below(s, s->classes[label].kept)));
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
    if (count_places(&s, GM_NONE) == s.record->capacity) {
        return GM_ERR_STORE_EMPTY;
    }
    status = gm_begin(session, program);
    if (status == GM_OK) {
        gm_borrow_input(session);
        count_kept(&s);
        fill_batch(&s);
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
    uint32_t kept = count_places(&s, label);
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
        put(&s, row, find_place(&s, label, first + row));
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

/* ---- What the store knows, and how much of it the model ------------------------------------------------------ */

int gm_store_view(const gm_session *session, gm_store_info *out)
{
    store s;
    int status = out == NULL ? GM_ERR_INVALID_ARGUMENT : open_store(session, &s);
    if (status == GM_OK) {
        const gm_store *r = s.record;
        *out = (gm_store_info){ r->capacity, r->classes, r->dtype, r->elements,
                                r->capacity - count_places(&s, GM_NONE) };
    }
    return status;
}

int gm_store_class_view(const gm_session *session, uint32_t label, gm_store_class *out)
{
    store s;
    int status = out == NULL ? GM_ERR_INVALID_ARGUMENT : open_class(session, label, &s);
    if (status == GM_OK) {
        *out = s.classes[label];
        out->kept = count_places(&s, label);
    }
    return status;
}

/* Infers samples `first` and on of a class: how many these are, and how many of them the model names so. */
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
    gm_store_class own = { 0, 0, 0 };
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
