/* gradmote-run train */
#include <stdio.h>
#include <stdlib.h>

#include "../failure.h"
#include "../interrupt.h"
#include "commands_run.h"
#include "dataset.h"
#include "order.h"
#include "progress.h"

typedef struct training {
    file_list inputs, labels;
    u8_scale bytes;
    uint32_t epochs, micro_batches, batch_order, warmup, seed, save_every, threads;
    float rate;
    int has_rate, has_warmup, has_seed, has_save_every;
    const char *checkpoint, *resume;
    opened model;
    dataset data;
    uint32_t *order;      /* of all samples */
    uint32_t steps;       /* updates per epoch */
    progress progress;
} training;

/* ---- One update ----------------------------------------------------------------------------------------------- */

/* Returns the program that computes the loss of one batch. */
static uint32_t program_of(const training *t)
{
    int whole = t->micro_batches == 1 && opened_has(&t->model, GM_PROGRAM_STEP);
    return whole ? GM_PROGRAM_STEP : GM_PROGRAM_TRAIN;
}

/* Updates on the samples at `rows`. Returns the mean loss of its batches. */
static double update(training *t, const uint32_t *rows)
{
    double sum = 0.0;
    uint32_t program = program_of(t);
    if (program == GM_PROGRAM_TRAIN) {
        (void)gm_lazy_reset_grad(&t->model.session);
    }
    for (uint32_t i = 0; i < t->micro_batches; ++i) {
        dataset_write(&t->data, &t->model, rows + i * t->data.batch);
        dataset_run(&t->data, &t->model, program, rows + i * t->data.batch);
        sum += (double)opened_loss(&t->model, program);
    }
    if (program == GM_PROGRAM_TRAIN) {
        opened_run(&t->model, GM_PROGRAM_OPTIMIZER);
    }
    return sum / t->micro_batches;
}

/* ---- Epochs ----------------------------------------------------------------------------------------------------- */

static void show(training *t, uint32_t epoch, uint32_t step, double loss)
{
    char note[64];
    snprintf(note, sizeof note, "epoch %u  loss %.4f", epoch, loss);
    progress_update(&t->progress, (uint64_t)(epoch - 1) * t->steps + step, note);
}

/* Counts as boards do: updates since training began, including those before --resume. */
static void save_where_due(const training *t)
{
    if (t->save_every != 0 && gm_control_view(&t->model.session)->optimizer_steps % t->save_every == 0) {
        opened_try_save(&t->model, t->checkpoint);
    }
}

/* Stops early on a signal. */
static void train_epoch(training *t, uint32_t epoch)
{
    double sum = 0.0, start = progress_clock();
    uint32_t size = t->data.batch * t->micro_batches, done = 0;
    order_shuffle(t->order, t->data.samples, t->batch_order, epoch);
    while (done < t->steps && !interrupt_signal()) {
        double loss = update(t, t->order + (size_t)done * size);
        sum += loss;
        save_where_due(t);
        show(t, epoch, ++done, loss);
    }
    progress_end(&t->progress);
    double seconds = progress_clock() - start;
    if (done > 0) {
        printf("epoch %u  loss %.4f  %.0f samples/s\n", epoch, sum / done, done * (double)size / seconds);
        fflush(stdout);
    }
}

static void train_all(training *t)
{
    t->progress = progress_begin("train", (uint64_t)t->epochs * t->steps);
    for (uint32_t epoch = 1; epoch <= t->epochs && !interrupt_signal(); ++epoch) {
        train_epoch(t, epoch);
        if (t->checkpoint != NULL && epoch < t->epochs && !interrupt_signal()) {
            opened_try_save(&t->model, t->checkpoint);
        }
    }
    if (interrupt_signal()) {
        puts("stopped");
    }
    if (t->checkpoint != NULL) {
        opened_save(&t->model, t->checkpoint);
        printf("wrote %s\n", t->checkpoint);
    }
}

/* ---- The command line --------------------------------------------------------------------------------------------- */

static void check_programs(const training *t)
{
    const opened *m = &t->model;
    int accumulates = opened_has(m, GM_PROGRAM_TRAIN) && opened_has(m, GM_PROGRAM_OPTIMIZER);
    if (!opened_has(m, GM_PROGRAM_STEP) && !accumulates) {
        fail("compile it for training: gradmote compile model.onnx -o model.mote --loss cross_entropy --optimizer sgd",
             "%s is not compiled for training", m->path);
    }
    if (t->micro_batches > 1 && !accumulates) {
        fail("compile it with --accumulate", "%s keeps no gradients to average", m->path);
    }
    if (t->micro_batches == 0) {
        misuse("1 updates after each batch", "--micro-batches does not take 0");
    }
}

static void open_data(training *t)
{
    uint32_t size = t->model.needs.batch * t->micro_batches;
    dataset_open(&t->data, &t->model, program_of(t), &t->inputs, &t->labels, t->bytes);
    t->steps = t->data.samples / size;
    if (t->steps == 0) {
        fail("compile with a smaller --batch", "%u samples do not fill a batch of %u", t->data.samples, size);
    }
    t->order = memory_map((size_t)t->data.samples * sizeof *t->order);
}

/* Sets a constant rate, or the linear schedule over all steps. Without options, keeps the image's
 * or the checkpoint's. */
static void set_rate(training *t)
{
    gm_session *session = &t->model.session;
    uint64_t steps = (uint64_t)t->epochs * t->steps;
    int error = 0;
    if (steps > UINT32_MAX) {
        misuse("train in several runs, with --resume", "%u epochs are more steps than can be counted", t->epochs);
    }
    if (t->has_warmup && !t->has_rate) {
        misuse("say which rate the schedule reaches: --lr 0.01", "--warmup without --lr");
    }
    if (t->has_warmup) {
        error = gm_set_linear_schedule(session, t->rate, t->warmup, (uint32_t)steps);
    } else if (t->has_rate) {
        error = gm_set_learning_rate(session, t->rate);
    }
    if (error) {
        fail_code(error, "--lr");
    }
    if (t->has_seed) {
        gm_set_seed(session, t->seed);
    }
}

/* Sets the property that boards use too. */
static void set_saves(training *t)
{
    gm_session *session = &t->model.session;
    if (t->save_every != 0 && t->checkpoint == NULL) {
        misuse("say where: --checkpoint learned.gmck", "--save-every without --checkpoint");
    }
    if (t->save_every > INT32_MAX) {
        misuse("0 saves only after each epoch", "--save-every takes 0 to %d", INT32_MAX);
    }
    int error = 0;
    if (t->save_every != 0) {
        error = gm_property_set_i32(session, "save_every", (int32_t)t->save_every);
    } else if (t->has_save_every) {
        (void)gm_property_remove(session, "save_every");
    }
    if (error) {
        fail_code(error, "--save-every");
    }
}

static void try_checkpoint(const training *t)
{
    if (t->checkpoint != NULL && file_can_be_replaced(t->checkpoint, gm_checkpoint_size(&t->model.session)) != 0) {
        fail_errno(t->checkpoint); /* report it now, rather than after the first epoch */
    }
}

static void parse(training *t, int argc, char **argv)
{
    const char *image;
    const option options[] = {
        {"--input", OPTION_FILES, &t->inputs, "X.npy",
         "samples: float32, or uint8 with --scale and --zero; again for each further\n"
         "input of the model, in its order",
         NULL},
        {"--label", OPTION_FILES, &t->labels, "Y.npy",
         "class numbers (int32, int64, uint8) or float32 targets; again for\n"
         "each further label, such as a mask",
         NULL},
        {"--epochs", OPTION_U32, &t->epochs, "N", "passes over the data (1)", NULL},
        {"--lr", OPTION_REAL, &t->rate, "RATE", "learning rate, instead of the one compiled in", &t->has_rate},
        {"--warmup", OPTION_U32, &t->warmup, "STEPS",
         "the rate rises for this many steps, then falls to 0 at the last one", &t->has_warmup},
        {"--micro-batches", OPTION_U32, &t->micro_batches, "N", "batches averaged in one update (1)", NULL},
        {"--checkpoint", OPTION_TEXT, &t->checkpoint, "C.gmck", "write what was learned here, after each epoch", NULL},
        {"--save-every", OPTION_U32, &t->save_every, "N", "write --checkpoint after every N updates, too",
         &t->has_save_every},
        {"--resume", OPTION_TEXT, &t->resume, "C.gmck", "go on from this checkpoint", NULL},
        {"--batch-order", OPTION_U32, &t->batch_order, "N", "seed of the shuffling (0): same seed, same bits", NULL},
        {"--seed", OPTION_U32, &t->seed, "N", "seed of dropout", &t->has_seed},
        {"--scale", OPTION_REAL, &t->bytes.scale, "S", "a byte q of the first input stands for (q - zero) * scale (1)",
         NULL},
        {"--zero", OPTION_REAL, &t->bytes.zero, "Z", "(0)", NULL},
        {"--threads", OPTION_U32, &t->threads, "N", "threads that share large batches (1), at most 16; same bits",
         NULL},
        {NULL, OPTION_TEXT, NULL, NULL, NULL, NULL},
    };
    const command about = {
        "train",
        "Trains a compiled model on samples of .npy files.",
        "MODEL.mote --input X.npy [--label Y.npy] [options]",
        "  gradmote-run train digits.mote --input x.npy --label y.npy --scale 0.0625 --epochs 5 --checkpoint learned.gmck\n\n"
        "The checkpoint is, bit for bit, the one that `gradmote train digits.mote --data digits.npz --epochs 5` writes on the host,\n"
        "if the numerics (gradmote-run info) are the same. Each epoch leaves out the last samples if they do not fill a batch,\n"
        "different ones each time.\n\n"
        "Ctrl-C ends after the current step and still writes the checkpoint. Files are replaced as a whole: an interruption leaves\n"
        "the old one or the new one.\n\n"
        "Exit code: 0 done, 1 refused (model, data, storage), 2 wrong command line, 130 stopped by Ctrl-C, 143 by SIGTERM.\n",
        options,
    };
    options_parse(&about, argc, argv, &image, 1, 1);
    opened_model(&t->model, image, t->threads);
}

int run_train(int argc, char **argv)
{
    static training t = {.epochs = 1, .micro_batches = 1, .threads = 1, .bytes = {1.0f, 0.0f}};
    parse(&t, argc, argv);
    check_programs(&t);
    open_data(&t);
    if (t.resume != NULL) {
        opened_load(&t.model, t.resume);
    }
    set_rate(&t);
    set_saves(&t);
    try_checkpoint(&t);
    interrupt_catch();
    train_all(&t);
    return interrupt_signal() ? 128 + interrupt_signal() : EXIT_SUCCESS;
}
