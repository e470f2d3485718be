/*
 * The sample store of the taught image: what is kept, in what form and in which place; replay, recall, score, forget; that
 * the caller's sample outlasts them; and that a checkpoint carries it all.
 */
#include <math.h>
#include <string.h>

#include "builder.h"
#include "checks.h"

enum { ELEMENTS = TAUGHT_ELEMENTS, CAPACITY = TAUGHT_CAPACITY };

static block image, arena, other_arena;
static uint32_t image_size;

static void open_taught(gm_session *session, block *memory)
{
    CHECK_STATUS(GM_OK, gm_open(session, image.bytes, image_size, memory->bytes, TAUGHT_ARENA));
}

/* The parts of the store in the state. */
static const gm_store_class *classes_in(const block *memory)
{
    return (const gm_store_class *)(const void *)(memory->bytes + TAUGHT_STORE + 4);
}

static const uint32_t *labels_in(const block *memory)
{
    return (const uint32_t *)(const void *)(classes_in(memory) + TAUGHT_CLASSES);
}

static float *input_in(block *memory)
{
    return (float *)(void *)(memory->bytes + TAUGHT_X);
}

static int learn(gm_session *session, block *memory, uint32_t label, float value)
{
    const float x[ELEMENTS] = {value, -0.5f * value, 0.0f};
    memcpy(input_in(memory), x, sizeof x);
    return gm_learn(session, label);
}

static void test_samples_are_kept_until_it_is_full(void)
{
    gm_session session;
    gm_store_info info;
    gm_store_class own;
    open_taught(&session, &arena);
    for (uint32_t i = 0; i < CAPACITY; ++i) {
        CHECK_STATUS(GM_OK, learn(&session, &arena, i % 2, 1.0f + (float)i));
        CHECK_STATUS(GM_OK, gm_store_view(&session, &info));
        CHECK(info.kept == i + 1 && labels_in(&arena)[i] == i % 2 + 1);
    }
    CHECK(info.capacity == CAPACITY && info.classes == TAUGHT_CLASSES && info.elements == ELEMENTS);
    CHECK(info.dtype == GM_STORE_DTYPE_INT8);
    CHECK_STATUS(GM_OK, gm_store_class_view(&session, 1, &own));
    CHECK(own.kept == 3 && own.seen == 3 && own.full == 0);
    CHECK(memcmp(arena.bytes + TAUGHT_STORE, "\0\0\0\0", 4) == 0); /* nothing was drawn */
}

static void test_a_full_store_stays_balanced(void)
{
    gm_session session;
    gm_store_class own;
    for (uint32_t i = 0; i < CAPACITY; ++i) {
        open_taught(&session, &arena);
        for (uint32_t k = 0; k < CAPACITY; ++k) {
            CHECK_STATUS(GM_OK, learn(&session, &arena, 0, 1.0f));
        }
        for (uint32_t k = 0; k < i; ++k) {
            CHECK_STATUS(GM_OK, learn(&session, &arena, 2, 1.0f));
        }
        CHECK_STATUS(GM_OK, gm_store_class_view(&session, 2, &own));
        CHECK(own.kept >= (i < 3 ? i : 3) && own.kept <= 4 && own.seen == i);
        CHECK(classes_in(&arena)[0].full == (i != 0) && classes_in(&arena)[0].kept == CAPACITY - own.kept);
    }
}

/* Algorithm R: after n samples of one class each is kept with a probability of capacity / n. */
static void test_a_class_is_a_uniform_sample(void)
{
    enum { SEEN = 18, RUNS = 3000 };
    uint32_t count[SEEN] = {0};
    for (uint32_t run = 0; run < RUNS; ++run) {
        gm_session session;
        open_taught(&session, &arena);
        CHECK_STATUS(GM_OK, gm_set_seed(&session, run));
        for (uint32_t i = 0; i < SEEN; ++i) {
            CHECK_STATUS(GM_OK, learn(&session, &arena, 1, 1.0f + (float)i));
        }
        const float *scale = (const float *)(const void *)(labels_in(&arena) + CAPACITY);
        for (uint32_t place = 0; place < CAPACITY; ++place) {
            ++count[(uint32_t)(scale[place] * 127.0f + 0.5f) - 1];
        }
    }
    for (uint32_t i = 0; i < SEEN; ++i) {
        CHECK(fabs(count[i] - RUNS / 3.0) < 5 * sqrt(RUNS * 2.0 / 9.0));
    }
}

static const int8_t *sample_in(const block *memory, uint32_t place)
{
    return (const int8_t *)(labels_in(memory) + 2 * CAPACITY) + 4 * place;
}

static void check_form(gm_session *session, const float *x, float scale, const int8_t *q)
{
    const float *scales = (const float *)(const void *)(labels_in(&arena) + CAPACITY);
    CHECK_STATUS(GM_OK, gm_reset(session));
    memcpy(input_in(&arena), x, ELEMENTS * sizeof *x);
    CHECK_STATUS(GM_OK, gm_learn(session, 0));
    CHECK(memcmp(scales, &scale, sizeof scale) == 0 && memcmp(sample_in(&arena, 0), q, ELEMENTS) == 0);
}

/* Each sample has its own scale; ties go to the even neighbour. */
static void test_form(void)
{
    gm_session session;
    open_taught(&session, &arena);
    check_form(&session, (const float[]){127.0f, 0.5f, -1.5f}, 1.0f, (const int8_t[]){127, 0, -2});
    check_form(&session, (const float[]){-254.0f, 5.0f, 253.0f}, 2.0f, (const int8_t[]){-127, 2, 126});
    check_form(&session, (const float[]){0.0f, -0.0f, 0.0f}, 0.0f, (const int8_t[]){0, 0, 0});
    check_form(&session, (const float[]){1e-45f, 0.0f, 0.0f}, 0.0f, (const int8_t[]){0, 0, 0});
    check_form(&session, (const float[]){190 * 1.4e-45f, -190 * 1.4e-45f, 1.4e-45f}, 1.4e-45f,
               (const int8_t[]){127, -127, 1});
    check_form(&session, (const float[]){3.402823466e38f, 0.0f, 0.0f}, 3.402823466e38f / 127.0f,
               (const int8_t[]){127, 0, 0});
}

static void test_what_is_refused(void)
{
    static uint8_t before[TAUGHT_STATE_SIZE];
    gm_session session;
    gm_store_class own;
    uint32_t rows, kept, right;
    open_taught(&session, &arena);
    CHECK_STATUS(GM_OK, learn(&session, &arena, 0, 1.0f));
    memcpy(before, arena.bytes, sizeof before);
    CHECK_STATUS(GM_ERR_LABEL_OUT_OF_RANGE, learn(&session, &arena, 3, 1.0f));
    CHECK_STATUS(GM_ERR_LABEL_OUT_OF_RANGE, gm_forget(&session, UINT32_MAX));
    CHECK_STATUS(GM_ERR_LABEL_OUT_OF_RANGE, gm_store_class_view(&session, 3, &own));
    CHECK_STATUS(GM_ERR_LABEL_OUT_OF_RANGE, gm_score(&session, 3, &kept, &right));
    CHECK_STATUS(GM_ERR_NOT_FINITE, learn(&session, &arena, 0, INFINITY));
    CHECK_STATUS(GM_ERR_NOT_FINITE, learn(&session, &arena, 0, NAN));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_begin_replay(&session, GM_PROGRAM_INFER));
    CHECK_STATUS(GM_ERR_NO_PROGRAM, gm_begin_replay(&session, GM_PROGRAM_TRAIN));
    CHECK_STATUS(GM_ERR_NOT_FOUND, gm_begin_recall(&session, 1, 0, &rows));
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_begin_recall(&session, 0, 0, NULL));
    CHECK(memcmp(before, arena.bytes, sizeof before) == 0);
    CHECK_STATUS(GM_OK, gm_begin(&session, GM_PROGRAM_INFER));
    CHECK_STATUS(GM_ERR_BUSY, gm_learn(&session, 0));
    CHECK_STATUS(GM_ERR_BUSY, gm_replay(&session, NULL));
    gm_abort(&session);
    CHECK_STATUS(GM_OK, gm_forget(&session, 0));
    CHECK_STATUS(GM_ERR_STORE_EMPTY, gm_replay(&session, NULL));
    gm_close(&session);
    CHECK_STATUS(GM_ERR_INVALID_ARGUMENT, gm_learn(&session, 0));
}

static void test_without_a_store(void)
{
    gm_session session;
    gm_store_info info;
    block *tiny = &other_arena;
    uint32_t kept, right, size = build_tiny(arena.bytes);
    CHECK_STATUS(GM_OK, gm_open(&session, arena.bytes, size, tiny->bytes, TINY_ARENA));
    CHECK_STATUS(GM_ERR_NO_STORE, gm_store_view(&session, &info));
    CHECK_STATUS(GM_ERR_NO_STORE, gm_learn(&session, 0));
    CHECK_STATUS(GM_ERR_NO_STORE, gm_forget(&session, 0));
    CHECK_STATUS(GM_ERR_NO_STORE, gm_replay(&session, NULL));
    CHECK_STATUS(GM_ERR_NO_STORE, gm_score(&session, 0, &kept, &right));
}

static void test_forgetting(void)
{
    gm_session session;
    gm_store_class own;
    open_taught(&session, &arena);
    for (uint32_t i = 0; i < 4; ++i) {
        CHECK_STATUS(GM_OK, learn(&session, &arena, i % 2, 1.0f));
    }
    CHECK_STATUS(GM_OK, gm_forget(&session, 0));
    CHECK(labels_in(&arena)[0] == 0 && labels_in(&arena)[1] == 2);
    CHECK_STATUS(GM_OK, gm_store_class_view(&session, 0, &own));
    CHECK(own.kept == 0 && own.seen == 0);
    CHECK_STATUS(GM_OK, learn(&session, &arena, 2, 1.0f)); /* into the first place that is free */
    CHECK(labels_in(&arena)[0] == 3);
}

/* Three classes, one axis each: training on what is kept teaches them, and the caller's sample is there afterwards. */
static void test_replay_teaches(void)
{
    gm_session session;
    uint32_t kept, right, label;
    float loss = 0, first = 0, score;
    open_taught(&session, &arena);
    for (uint32_t i = 0; i < CAPACITY; ++i) {
        memset(input_in(&arena), 0, ELEMENTS * sizeof(float));
        input_in(&arena)[i % 3] = 1.0f + (float)i;
        CHECK_STATUS(GM_OK, gm_learn(&session, i % 3));
    }
    const float mine[ELEMENTS] = {0.25f, 0.0f, 9.0f};
    memcpy(input_in(&arena), mine, sizeof mine);
    CHECK_STATUS(GM_OK, gm_replay(&session, &first));
    for (int step = 0; step < 50; ++step) {
        CHECK_STATUS(GM_OK, gm_replay(&session, &loss));
        CHECK(memcmp(input_in(&arena), mine, sizeof mine) == 0);
    }
    CHECK(first > 1.0f && loss < 0.2f && gm_control_view(&session)->train_steps == 51);
    for (uint32_t i = 0; i < 3; ++i) {
        CHECK_STATUS(GM_OK, gm_score(&session, i, &kept, &right));
        CHECK(kept == 2 && right == 2);
    }
    CHECK(memcmp(input_in(&arena), mine, sizeof mine) == 0);
    CHECK_STATUS(GM_OK, gm_infer(&session));
    CHECK_STATUS(GM_OK, gm_classify(&session, 0, &label, &score));
    CHECK(label == 2 && score == ((const float *)(const void *)(arena.bytes + TAUGHT_Y))[2]);
    CHECK_STATUS(GM_ERR_NOT_FOUND, gm_classify(&session, TAUGHT_BATCH, &label, &score));
}

static void test_a_dropped_replay_gives_the_sample_back(void)
{
    gm_session session;
    open_taught(&session, &arena);
    CHECK_STATUS(GM_OK, learn(&session, &arena, 1, 4.0f));
    input_in(&arena)[0] = 2.5f;
    CHECK_STATUS(GM_OK, gm_begin_replay(&session, GM_PROGRAM_STEP));
    CHECK(input_in(&arena)[0] != 2.5f);
    gm_abort(&session);
    CHECK(input_in(&arena)[0] == 2.5f);
}

/* What each class is drawn for; rare classes as often as others. */
static void test_replay_is_balanced(void)
{
    gm_session session;
    uint32_t drawn[3] = {0};
    open_taught(&session, &arena);
    for (uint32_t i = 0; i < CAPACITY; ++i) {
        CHECK_STATUS(GM_OK, learn(&session, &arena, i == 0 ? 0 : 2, 1.0f));
    }
    for (int step = 0; step < 2000; ++step) {
        CHECK_STATUS(GM_OK, gm_begin_replay(&session, GM_PROGRAM_STEP));
        const int32_t *labels = (const int32_t *)(const void *)(arena.bytes + TAUGHT_LABELS);
        ++drawn[labels[0]];
        ++drawn[labels[1]];
        gm_abort(&session);
    }
    CHECK(drawn[1] == 0 && drawn[0] > 1850 && drawn[0] < 2150);
}

/* ---- Checkpoints ---------------------------------------------------------------------------------------------- */

static block file;

static int write_file(void *user, uint32_t offset, const void *data, uint32_t size)
{
    (void)user;
    memcpy(file.bytes + offset, data, size);
    return 0;
}

static int read_file(void *user, uint32_t offset, void *data, uint32_t size)
{
    (void)user;
    memcpy(data, file.bytes + offset, size);
    return 0;
}

/* After a power loss training goes on to the same bits as without one. */
static void test_a_checkpoint_carries_the_store(void)
{
    gm_session session, resumed;
    open_taught(&session, &arena);
    for (uint32_t i = 0; i < 2 * CAPACITY; ++i) {
        CHECK_STATUS(GM_OK, learn(&session, &arena, i % 3, 1.0f + (float)i));
        CHECK_STATUS(GM_OK, gm_replay(&session, NULL));
    }
    CHECK_STATUS(GM_OK, gm_checkpoint_save(&session, write_file, NULL));
    open_taught(&resumed, &other_arena);
    CHECK_STATUS(GM_OK, gm_checkpoint_load(&resumed, read_file, NULL, gm_checkpoint_size(&resumed)));
    for (uint32_t i = 0; i < 20; ++i) {
        CHECK_STATUS(GM_OK, learn(&session, &arena, i % 2, 2.0f + (float)i));
        CHECK_STATUS(GM_OK, learn(&resumed, &other_arena, i % 2, 2.0f + (float)i));
        CHECK_STATUS(GM_OK, gm_replay(&session, NULL));
        CHECK_STATUS(GM_OK, gm_replay(&resumed, NULL));
    }
    CHECK(memcmp(arena.bytes, other_arena.bytes, TAUGHT_STATE_SIZE) == 0);
}

int main(void)
{
    image_size = build_taught(image.bytes);
    test_samples_are_kept_until_it_is_full();
    test_a_full_store_stays_balanced();
    test_a_class_is_a_uniform_sample();
    test_form();
    test_what_is_refused();
    test_without_a_store();
    test_forgetting();
    test_replay_teaches();
    test_a_dropped_replay_gives_the_sample_back();
    test_replay_is_balanced();
    test_a_checkpoint_carries_the_store();
    return checks_summary();
}
