/* Teaching by hand: the store's samples, scored class by class and trained on when there is nothing
 * else to do. */
#ifndef TEACH_H
#define TEACH_H

#include <stdint.h>

#include "training/run.h"

/* Returned if a program was begun. */
#define TEACH_RUNS 1

/* Zero-initialise. */
typedef struct teach {
    int idle;       /* 1: trains when idle */
    uint32_t label; /* the class that is scored */
    uint32_t kept;  /* samples that the store has of it */
    uint32_t right; /* of those inferred so far, how many the model recognised */
    uint32_t first; /* the first of them in the running batch */
    uint32_t rows;  /* of them in the running batch */
} teach;

/* The functions below return 0, a gm_error or a console_error. */

/* Describes the model's store. */
int teach_view(const model *m, gm_store_info *out);

/* Puts the first sample that was sent last into the store, as one of class `label`. */
int teach_learn(model *m, uint32_t label);

/* Begins to score a class. Then teach_next_batch() is to be called, and teach_count_batch() when
 * its program has run, until the former no longer returns TEACH_RUNS. */
int teach_score(teach *t, const model *m, uint32_t label);

/* Begins INFER on the next samples of the class that is scored. Returns TEACH_RUNS, 0 if there are
 * no more, or an error. */
int teach_next_batch(teach *t, run *r, model *m);

/* Counts the samples that the model recognised in the batch that has run. Must be called before
 * another program runs. */
int teach_count_batch(teach *t, const model *m);

/* Switches training when idle on or off. */
int teach_set_idle(teach *t, const model *m, int on);

/* Begins an idle training step. Returns TEACH_RUNS, 0 if there is nothing to train on, or an
 * error. */
int teach_begin_idle(teach *t, run *r, model *m);

/* To be called when a program of an idle step has ended. Begins the update that TRAIN still needs
 * and returns TEACH_RUNS; returns 0 if the step is complete, or an error. */
int teach_end_idle(run *r, model *m);

/* Notes that the host has written a tensor up to `end`, in bytes (item 1) or in elements (4). Idle
 * training ends if its next step would overwrite these. */
void teach_sent(teach *t, const model *m, uint32_t role, uint32_t end, uint32_t item);

#endif
