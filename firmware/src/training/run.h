/* Runs one program in slices, so that the console can answer in between. */
#ifndef RUN_H
#define RUN_H

#include <stdint.h>

#include "training/model.h"

typedef struct metrics {
    float loss;            /* of the last EVAL, TRAIN or STEP; NaN before the first */
    uint32_t instructions; /* of the last run */
    uint64_t ticks;        /* of the last run, without the serial line */
} metrics;

/* Zero-initialize, then call run_reset(). */
typedef struct run {
    int active;
    uint32_t program;
    uint32_t first_instruction; /* session.instructions when it began */
    uint32_t skips;             /* consecutive steps that were not finite */
    metrics metrics;
} run;

/* Training ends by itself after this many skipped steps in a row. */
#define RUN_SKIPS_LIMIT 64u

/* Clears the metrics. Call this after another model is opened. */
void run_reset(run *r);

/* Begins a program on the received samples. Returns 0 or an error; after 0, call run_slice(). */
int run_begin(run *r, model *m, uint32_t program);

/* Begins STEP or TRAIN on samples drawn from the store, as run_begin() does. */
int run_begin_replay(run *r, model *m, uint32_t program);

/* Begins INFER on the store's samples of a class, *rows of them, beginning with number `first`, as
 * run_begin() does. */
int run_begin_recall(run *r, model *m, uint32_t label, uint32_t first, uint32_t *rows);

/* Runs a few instructions. Returns GM_AGAIN while the program continues, 0 at its end, or the error
 * that ended it. */
int run_slice(run *r, model *m);

#endif
