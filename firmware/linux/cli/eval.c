/* gradmote-run eval */
#include <stdio.h>
#include <stdlib.h>

#include "../failure.h"
#include "../interrupt.h"
#include "batches.h"
#include "commands_run.h"
#include "progress.h"

typedef struct evaluation {
    file_list inputs, labels;
    u8_scale bytes;
    uint32_t threads;
    const char *checkpoint;
    opened model;
    dataset data;
    uint32_t *rows;          /* of one batch */
    uint32_t batches;        /* full ones */
    double loss;             /* sum over full batches */
    uint64_t right, counted; /* labels */
} evaluation;

/* ---- Accuracy --------------------------------------------------------------------------------------------------- */

/* Scores of one batch: classes x places for each sample, if a label has several places. */
typedef struct scores {
    const float *data;
    uint32_t classes;
    uint32_t places;
} scores;

/* Returns whether the output has class scores for the label, and their layout. */
static int find_scores(const evaluation *e, uint32_t program, scores *out)
{
    gm_view view;
    const column *label = dataset_label(&e->data, 0);
    int error = gm_tensor_view(&e->model.session, program, GM_ROLE_OUTPUT, 0, &view);
    if (error || view.dtype != GM_DTYPE_F32 || view.rank < 2 || view.dims[0] != e->data.batch) {
        return 0;
    }
    uint32_t each = view.size / 4 / e->data.batch;
    out->data = view.data;
    out->places = label->row;
    out->classes = label->row == 1 ? each : view.dims[1];
    return each == out->classes * out->places;
}

/* Returns the class of the largest score. A single score means class 1 if it is positive. */
static int64_t answer(const scores *s, uint32_t sample, uint32_t place)
{
    const float *first = s->data + (size_t)sample * s->classes * s->places + place;
    uint32_t best = 0;
    if (s->classes == 1) {
        return *first > 0.0f;
    }
    for (uint32_t c = 1; c < s->classes; ++c) {
        best = first[c * s->places] > first[best * s->places] ? c : best;
    }
    return best;
}

/* Labels that are not a class do not count, nor do labels whose mask is 0. A mask is a further
 * label of the same shape. */
static int counts(const evaluation *e, uint64_t at, uint32_t classes)
{
    const column *label = dataset_label(&e->data, 0), *mask;
    int64_t wanted = column_integer(label, at);
    int does = wanted >= 0 && wanted < (classes > 1 ? classes : 2);
    for (uint32_t i = 1; (mask = dataset_label(&e->data, i)) != NULL; ++i) {
        does &= mask->row != label->row || column_real(mask, at) > 0.0f;
    }
    return does;
}

static void mark(evaluation *e, const scores *s, uint32_t count)
{
    const column *label = dataset_label(&e->data, 0);
    for (uint32_t sample = 0; sample < count; ++sample) {
        for (uint32_t place = 0; place < s->places; ++place) {
            uint64_t at = (uint64_t)e->rows[sample] * label->row + place;
            if (counts(e, at, s->classes)) {
                ++e->counted;
                e->right += answer(s, sample, place) == column_integer(label, at);
            }
        }
    }
}

/* ---- Batches ------------------------------------------------------------------------------------------------------ */

static int has_classes(const evaluation *e)
{
    const column *label = dataset_label(&e->data, 0);
    return label != NULL && column_is_integer(label);
}

/* Compares the answers with the labels. evaluated: EVAL has just run on this batch. */
static void score(evaluation *e, uint32_t count, int evaluated)
{
    scores found;
    if (evaluated && find_scores(e, GM_PROGRAM_EVAL, &found)) {
        mark(e, &found, count);
        return;
    }
    if (!opened_has(&e->model, GM_PROGRAM_INFER)) {
        return;
    }
    dataset_write(&e->data, &e->model, e->rows); /* EVAL may have overwritten them */
    opened_run(&e->model, GM_PROGRAM_INFER);
    if (find_scores(e, GM_PROGRAM_INFER, &found)) {
        mark(e, &found, count);
    }
}

static void evaluate_batch(evaluation *e, uint32_t count)
{
    int full = count == e->data.batch;
    if (full) {
        dataset_write(&e->data, &e->model, e->rows);
        dataset_run(&e->data, &e->model, GM_PROGRAM_EVAL, e->rows);
        e->loss += (double)opened_loss(&e->model, GM_PROGRAM_EVAL);
        ++e->batches;
    }
    if (has_classes(e)) {
        score(e, count, full);
    }
}

static void evaluate(evaluation *e)
{
    progress bar = progress_begin("eval", e->data.samples);
    uint32_t first = 0, count;
    while (!interrupt_signal() && (count = batches_next(&e->data, first, e->rows)) > 0) {
        evaluate_batch(e, count);
        first += count;
        progress_update(&bar, first, "");
    }
    progress_end(&bar);
}

static void report(const evaluation *e)
{
    printf("samples   %u\n", e->data.samples);
    if (e->batches > 0) {
        printf("loss      %.6f\n", e->loss / e->batches);
    } else {
        printf("loss      none: fewer samples than a batch of %u\n", e->data.batch);
    }
    if (e->counted > 0) {
        printf("accuracy  %.2f %%  %llu of %llu\n", 100.0 * (double)e->right / (double)e->counted,
               (unsigned long long)e->right, (unsigned long long)e->counted);
    }
}

static void parse(evaluation *e, int argc, char **argv)
{
    const char *image;
    const option options[] = {
        {"--input", OPTION_FILES, &e->inputs, "X.npy", "samples, as for train", NULL},
        {"--label", OPTION_FILES, &e->labels, "Y.npy", "class numbers or targets, as for train", NULL},
        {"--checkpoint", OPTION_TEXT, &e->checkpoint, "C.gmck",
         "what was learned; without it the model as it was compiled", NULL},
        {"--scale", OPTION_REAL, &e->bytes.scale, "S", "a byte q of the first input stands for (q - zero) * scale (1)",
         NULL},
        {"--zero", OPTION_REAL, &e->bytes.zero, "Z", "(0)", NULL},
        {"--threads", OPTION_U32, &e->threads, "N", "threads that share large batches (1), at most 16; same bits",
         NULL},
        {NULL, OPTION_TEXT, NULL, NULL, NULL, NULL},
    };
    const command about = {
        "eval",
        "Loss of a model, and its accuracy if labels are classes.",
        "MODEL.mote --input X.npy [--label Y.npy] [options]",
        "  gradmote-run eval digits.mote --input x_test.npy --label y_test.npy --scale 0.0625 --checkpoint learned.gmck\n\n"
        "The loss is the mean over full batches. Labels that are not classes do not count, nor do those that a mask leaves out.\n",
        options,
    };
    options_parse(&about, argc, argv, &image, 1, 1);
    opened_model(&e->model, image, e->threads);
    if (!opened_has(&e->model, GM_PROGRAM_EVAL)) {
        fail("compile it with --loss", "%s has no loss to evaluate", image);
    }
}

int run_eval(int argc, char **argv)
{
    static evaluation e = {.threads = 1, .bytes = {1.0f, 0.0f}};
    parse(&e, argc, argv);
    dataset_open(&e.data, &e.model, GM_PROGRAM_EVAL, &e.inputs, &e.labels, e.bytes);
    e.rows = memory_map(e.data.batch * sizeof *e.rows);
    if (e.checkpoint != NULL) {
        opened_load(&e.model, e.checkpoint);
    }
    interrupt_catch();
    evaluate(&e);
    if (interrupt_signal()) {
        return 128 + interrupt_signal();
    }
    report(&e);
    return EXIT_SUCCESS;
}
