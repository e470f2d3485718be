/* Runs one program in slices, so that the console answers meanwhile. */
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

/* So many steps are skipped in a row before a training ends by itself. */
#define RUN_SKIPS_LIMIT 64u

/* Forgets the metrics: another model is open. */
void run_reset(run *r);

/* Returns 0 or an error; then call run_slice() until it returns other than GM_AGAIN. */
int run_begin(run *r, model *m, uint32_t program);
/* The same on samples of the store: drawn from all for STEP or TRAIN; for INFER those of a class from the first-th on,
 * *rows of them. */
int run_begin_replay(run *r, model *m, uint32_t program);
int run_begin_recall(run *r, model *m, uint32_t label, uint32_t first, uint32_t *rows);
int run_slice(run *r, model *m);

#endif
