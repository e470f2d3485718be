/* Teaching by hand: scores the store's samples class by class, and trains on them when the board is
 * idle. */
#ifndef TEACH_H
#define TEACH_H

#include <stdint.h>

#include "training/run.h"

/* Returned if a program was begun. */
#define TEACH_RUNS 1

/* Zero-initialize. */
typedef struct teach {
    int idle;       /* 1: trains when idle */
    uint32_t label; /* the class being scored */
    uint32_t kept;  /* samples of it in the store */
    uint32_t right; /* how many of the samples inferred so far the model recognized */
    uint32_t first; /* the first of them in the running batch */
    uint32_t rows;  /* of them in the running batch */
} teach;

/* The functions below return 0, a gm_error or a console_error. */

/* Describes the model's store. */
int teach_view(const model *m, gm_store_info *out);

/* Puts the first sample of the last input into the store, with class `label`. */
int teach_learn(model *m, uint32_t label);

/* Begins to score a class. Call teach_next_batch() afterwards, and teach_count_batch() each time
 * its program has run, as long as teach_next_batch() returns TEACH_RUNS. */
int teach_score(teach *t, const model *m, uint32_t label);

/* Begins INFER on the next samples of the scored class. Returns TEACH_RUNS, 0 if there are no more,
 * or an error. */
int teach_next_batch(teach *t, run *r, model *m);

/* Counts the samples that the model recognized in the batch that has run. Call this before another
 * program runs. */
int teach_count_batch(teach *t, const model *m);

/* Switches idle training on or off. */
int teach_set_idle(teach *t, const model *m, int on);

/* Begins an idle training step. Returns TEACH_RUNS, 0 if there is nothing to train on, or an
 * error. */
int teach_begin_idle(teach *t, run *r, model *m);

/* Call this when a program of an idle step has ended. Begins the update that TRAIN still needs and
 * returns TEACH_RUNS, or returns 0 if the step is complete, or an error. */
int teach_end_idle(run *r, model *m);

/* Records that the host has written a tensor up to `end`, in bytes (item 1) or in elements (4).
 * Ends idle training if its next step would overwrite these. */
void teach_sent(teach *t, const model *m, uint32_t role, uint32_t end, uint32_t item);

#endif
