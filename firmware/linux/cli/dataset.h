/* Samples from .npy files, for the inputs and labels of a model. The first axis of each file counts
 * the samples. */
#ifndef DATASET_H
#define DATASET_H

#include "npy.h"
#include "opened.h"
#include "options.h"

/* A file and its tensor. */
typedef struct column {
    npy_array array;
    uint32_t role;
    uint32_t index;      /* among the tensors of this role */
    uint32_t dtype;      /* gm_dtype of the tensor */
    uint32_t row;        /* elements of one sample */
    u8_scale map;        /* for u8 elements */
} column;

typedef struct dataset {
    uint32_t samples;
    uint32_t batch;
    uint32_t inputs, labels; /* numbers of columns */
    column columns[2 * FILES_LIMIT]; /* inputs, then labels */
} dataset;

/* Reads the files, in the order of the model's inputs and labels, and compares them with the
 * tensors of `program`. scale: what the bytes of the first input represent. Exits if something does
 * not fit. */
void dataset_open(dataset *d, const opened *m, uint32_t program, const file_list *inputs, const file_list *labels,
                  u8_scale scale);

/* Writes a batch into the model: samples rows[0 .. batch). */
void dataset_write(const dataset *d, opened *m, const uint32_t *rows);

/* Runs a program on the last written batch, of these samples. If a label is not a class, reports
 * the sample that has it. */
void dataset_run(const dataset *d, opened *m, uint32_t program, const uint32_t *rows);

/* Returns the i-th label, from 0, or NULL if there are fewer. */
const column *dataset_label(const dataset *d, uint32_t i);

/* Return element `at` of a file, as an integer (for class numbers) or as stored. */
int64_t column_integer(const column *c, uint64_t at);
float column_real(const column *c, uint64_t at);
int column_is_integer(const column *c);

#endif
