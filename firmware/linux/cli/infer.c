/* gradmote-run infer */
#include <stdio.h>
#include <stdlib.h>

#include "../failure.h"
#include "../interrupt.h"
#include "batches.h"
#include "commands_run.h"
#include "progress.h"

typedef struct inference {
    file_list inputs;
    u8_scale bytes;
    uint32_t threads;
    const char *checkpoint, *output;
    opened model;
    dataset data;
    gm_view result;    /* of one batch */
    uint32_t each;     /* bytes of one sample's result */
    uint32_t *rows;    /* of one batch */
    replacement file;
} inference;

static void find_result(inference *i)
{
    int error = gm_tensor_view(&i->model.session, GM_PROGRAM_INFER, GM_ROLE_OUTPUT, 0, &i->result);
    if (error) {
        fail_code(error, i->model.path);
    }
    if (i->result.rank == 0 || i->result.dims[0] != i->data.batch) {
        fail("compile the model with --batch 1",
             "the first axis of the output '%s' does not count the samples of a batch",
             i->result.name != NULL ? i->result.name : "?");
    }
    i->each = i->result.size / i->data.batch;
}

static void checked(const inference *i, int error)
{
    if (error) {
        fail_errno(i->output);
    }
}

/* The files' dtypes, by gm_dtype. */
static const enum npy_dtype file_dtypes[GM_DTYPE_COUNT] = {NPY_F32, NPY_I32, NPY_I8, NPY_U8,
                                                           NPY_I16}; /* no tensor has moments */

static void begin_output(inference *i)
{
    uint64_t dims[GM_MAX_RANK] = {i->data.samples};
    for (uint32_t axis = 1; axis < i->result.rank; ++axis) {
        dims[axis] = i->result.dims[axis];
    }
    checked(i, replacement_begin(&i->file, i->output));
    checked(i, npy_write_header(&i->file, file_dtypes[i->result.dtype], i->result.rank, dims));
}

static void print_element(const gm_view *view, uint32_t at)
{
    switch (view->dtype) {
    case GM_DTYPE_F32: printf("%.6g", (double)((const float *)view->data)[at]); break;
    case GM_DTYPE_I8: printf("%d", ((const int8_t *)view->data)[at]); break;
    case GM_DTYPE_U8: printf("%d", ((const uint8_t *)view->data)[at]); break;
    case GM_DTYPE_I16: printf("%d", ((const int16_t *)view->data)[at]); break;
    default: printf("%d", ((const int32_t *)view->data)[at]); break;
    }
}

/* Prints one sample per line. */
static void print(const inference *i, uint32_t count)
{
    uint32_t values = i->each / samples_element_size(i->result.dtype);
    for (uint32_t at = 0; at < count * values; ++at) {
        print_element(&i->result, at);
        printf((at + 1) % values == 0 ? "\n" : " ");
    }
}

static void infer_batch(inference *i, uint32_t count)
{
    dataset_write(&i->data, &i->model, i->rows);
    opened_run(&i->model, GM_PROGRAM_INFER);
    if (i->output != NULL) {
        checked(i, replacement_write(&i->file, i->result.data, (size_t)count * i->each));
    } else {
        print(i, count);
    }
}

static void infer_all(inference *i)
{
    progress bar = progress_begin("infer", i->data.samples);
    uint32_t first = 0, count;
    while (!interrupt_signal() && (count = batches_next(&i->data, first, i->rows)) > 0) {
        infer_batch(i, count);
        first += count;
        progress_update(&bar, first, "");
    }
    progress_end(&bar);
}

static void parse(inference *i, int argc, char **argv)
{
    const char *image;
    const option options[] = {
        {"--input", OPTION_FILES, &i->inputs, "X.npy", "samples, as for train", NULL},
        {"--output", OPTION_TEXT, &i->output, "OUT.npy",
         "write the model's first output here; without it, it is printed", NULL},
        {"--checkpoint", OPTION_TEXT, &i->checkpoint, "C.gmck",
         "what was learned; without it the model as it was compiled", NULL},
        {"--scale", OPTION_REAL, &i->bytes.scale, "S", "a byte q of the first input stands for (q - zero) * scale (1)",
         NULL},
        {"--zero", OPTION_REAL, &i->bytes.zero, "Z", "(0)", NULL},
        {"--threads", OPTION_U32, &i->threads, "N", "threads that share large batches (1), at most 16; same bits",
         NULL},
        {NULL, OPTION_TEXT, NULL, NULL, NULL, NULL},
    };
    const command about = {
        "infer",
        "The model's output for samples.",
        "MODEL.mote --input X.npy [options]",
        "  gradmote-run infer digits.mote --input x.npy --scale 0.0625 --checkpoint learned.gmck --output scores.npy\n\n"
        "OUT.npy is written as a whole: an interruption leaves the old one or the new one.\n",
        options,
    };
    options_parse(&about, argc, argv, &image, 1, 1);
    opened_model(&i->model, image, i->threads);
    if (!opened_has(&i->model, GM_PROGRAM_INFER)) {
        fail_code(GM_ERR_NO_PROGRAM, image);
    }
}

int run_infer(int argc, char **argv)
{
    static inference i = {.threads = 1, .bytes = {1.0f, 0.0f}};
    static const file_list no_labels;
    parse(&i, argc, argv);
    dataset_open(&i.data, &i.model, GM_PROGRAM_INFER, &i.inputs, &no_labels, i.bytes);
    find_result(&i);
    i.rows = memory_map(i.data.batch * sizeof *i.rows);
    if (i.checkpoint != NULL) {
        opened_load(&i.model, i.checkpoint);
    }
    interrupt_catch();
    if (i.output != NULL) {
        begin_output(&i);
    }
    infer_all(&i);
    if (interrupt_signal()) {
        return 128 + interrupt_signal();
    }
    if (i.output != NULL) {
        checked(&i, replacement_commit(&i.file));
    }
    return EXIT_SUCCESS;
}
