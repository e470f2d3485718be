/* Runs one program in slices, between which the console answers. */
#ifndef RUN_H
#define RUN_H

#include <stdint.h>

#include "training/model.h"

typedef struct metrics {
    float loss;            /* of the last EVAL, TRAIN or STEP that ended; NaN before the first */
    uint32_t instructions; /* of the last run */
    uint64_t ticks;        /* of the last run, serial line excluded */
} metrics;

/* Zero-initialise, then run_reset(). */
typedef struct run {
    int active;
    uint32_t program;
    uint32_t first_instruction; /* session.instructions when it began */
    uint32_t skips;             /* steps in a row that were not finite */
    metrics metrics;
} run;

/* A training ends by itself after so many steps in a row that were skipped. */
#define RUN_SKIPS_LIMIT 64u

/* Forgets the metrics. To be called when another model is open. */
void run_reset(run *r);

/* Begins a program on the samples that were sent. Returns 0 or an error; after 0, run_slice() is to
 * be called. */
int run_begin(run *r, model *m, uint32_t program);

/* Begins STEP or TRAIN on samples drawn from the store, as run_begin() does. */
int run_begin_replay(run *r, model *m, uint32_t program);

/* Begins INFER on the store's samples of a class, *rows of them, from number `first` on, as
 * run_begin() does. */
int run_begin_recall(run *r, model *m, uint32_t label, uint32_t first, uint32_t *rows);

/* Runs a few instructions. Returns GM_AGAIN while the program goes on, 0 at its end, or an error
 * that ended it. */
int run_slice(run *r, model *m);

#endif
