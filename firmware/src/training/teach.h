/* Teaching by hand: the store's samples, scored class by class and trained on when there is nothing else to do. */
#ifndef TEACH_H
#define TEACH_H

#include <stdint.h>

#include "training/run.h"

/* Returned where a program was begun. */
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

/* What the model's store holds. */
int teach_view(const model *m, gm_store_info *out);

/* Keeps the first sample sent last. */
int teach_learn(model *m, uint32_t label);

/* Begins to score a class; then teach_next_batch(), and teach_count_batch() when that has run, until the former no longer
 * returns TEACH_RUNS. */
int teach_score(teach *t, const model *m, uint32_t label);
int teach_next_batch(teach *t, run *r, model *m);

/* Counts what the model recognised in the batch that has run: before another program does. */
int teach_count_batch(teach *t, const model *m);

/* Switches training when idle on or off. */
int teach_set_idle(teach *t, const model *m, int on);

/* Begins an idle training step: TEACH_RUNS, or 0 where there is none to do. */
int teach_begin_idle(teach *t, run *r, model *m);

/* A program of an idle step has ended: begins the update that TRAIN still needs (TEACH_RUNS), or returns 0. */
int teach_end_idle(run *r, model *m);

/* The host has written up to byte `end` of an input or label. What an idle step would write over ends idle training. */
void teach_sent(teach *t, const model *m, uint32_t role, uint32_t end);

#endif
